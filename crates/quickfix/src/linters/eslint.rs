//! ESLint: the edits of `fix`, with the result of its own passes; `suggestions` become hints.

use serde::Deserialize;

use super::super::checked_invocation::CheckedInvocation;
use super::super::diagnostic_context::DiagnosticContext;
use super::super::findings::ToolFindings;
use super::super::tool_context::{NoResult, ToolContext, unless_interrupted};
use super::super::tool_table::ESLINT;
use super::invocation::invocation;
use super::remark::{
    LinterFix, LinterRemark, Passes, RemarkSpan, Replacement, count_problems, find_edits,
    match_tool, read_first_json,
};
use papayu_base::text::encoding::MARK;

/// Severity of an error; a warning is 1.
const ERROR: u8 = 2;

/// The report on one file; [`reports`] shows its form.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct FileReport {
    file_path: String,
    messages: Vec<EslintMessage>,
    /// The text it saw.
    source: Option<String>,
    /// The text as its passes leave it.
    output: Option<String>,
}

/// A problem; without a rule for a file that cannot be parsed.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct EslintMessage {
    rule_id: Option<String>,
    severity: u8,
    #[serde(rename = "message")]
    words: String,
    #[serde(default)]
    line: Option<u32>,
    #[serde(default)]
    column: Option<u32>,
    fix: Option<EslintEdit>,
    #[serde(default)]
    suggestions: Vec<EslintSuggestion>,
}

/// The edit of a fix. The range counts units of UTF-16, and -1 is before a byte order mark.
#[derive(Deserialize)]
struct EslintEdit {
    range: (i64, i64),
    text: String,
}

/// A change that a person has to choose.
#[derive(Deserialize)]
struct EslintSuggestion {
    /// A description for people.
    desc: String,
}

/// Returns the fixes of the project's ESLint.
///
/// Fails as [`invocation`] does, with [`NoResult::Silent`] if ESLint fails or prints no JSON, and with
/// [`NoResult::Interrupted`].
pub(crate) fn find_fixes(tools: &ToolContext<'_>) -> Result<ToolFindings, NoResult> {
    let mut context = DiagnosticContext::new(tools);
    let called = invocation(&context, &ESLINT)?;
    // A warning breaks the build only with this option.
    let is_strict = called.tool.arguments().iter().any(|word| word.starts_with("--max-warnings"));
    let tool = called.tool.with_arguments(&["--format", "json"]);
    let files = reports(&context, &tool)?;
    let (mut remarks, mut passes) = (Vec::new(), Passes::default());
    for file in files {
        let counts = |finding: &EslintMessage| is_strict || finding.severity >= ERROR;
        if file.messages.iter().any(|finding| finding.fix.is_some() && !counts(finding)) {
            passes.beyond.extend(context.find_in(tool.folder(), &file.file_path));
        }
        let is_stale = is_stale(&mut context, tool.folder(), &file);
        remarks.extend(remarks_of(file, counts, is_stale));
    }
    let account = format!("{} reports {}", tool.shown(), count_problems(remarks.len()));
    let is_fixable = remarks.iter().any(|remark| matches!(remark.remedy, LinterFix::Edits(_)));
    // The passes must cover all that was reported: `--quiet` would omit the files that they change.
    let fixed = if is_fixable {
        unless_interrupted(reports(&context, &tool.with_arguments(&["--fix-dry-run"])))?
    } else {
        None
    };
    let is_known = fixed.is_some();
    for file in fixed.into_iter().flatten() {
        passes.after.extend(context.find_in(tool.folder(), &file.file_path).zip(file.output));
    }
    let mut found = find_edits(context, tool.folder(), remarks, account);
    if is_known {
        match_tool(&mut found, "eslint", &passes);
    }
    Ok(found)
}

/// Runs ESLint with `--format json` and returns its report:
///
/// ```json
/// [{"filePath": "/work/a.js", "messages": [{"ruleId": "eqeqeq", "line": 1, "column": 3, "fix":
/// {"range": [2, 4], "text": "==="}}]}]
/// ```
///
/// The range counts UTF-16 units from the start of the file (eslint.org, Custom Rules, Applying
/// Fixes).
fn reports(
    context: &DiagnosticContext<'_>,
    tool: &CheckedInvocation,
) -> Result<Vec<FileReport>, NoResult> {
    let answer = context.run_tool(tool)?;
    // ESLint prints warnings before the report; the report is one line.
    let report = answer.text.lines().find_map(|line| {
        let start = line.find("[{\"filePath\":").or((line.trim() == "[]").then_some(0))?;
        read_first_json(line.get(start..)?)
    });
    report.ok_or_else(|| answer.no_report(tool))
}

/// Returns `true` if ESLint read another text than the one that would be changed.
fn is_stale(context: &mut DiagnosticContext<'_>, folder: &str, file: &FileReport) -> bool {
    let path = context.find_in(folder, &file.file_path);
    let text = path.and_then(|path| context.read(&path).ok());
    match (text, &file.source) {
        (Some(ours), Some(seen)) => {
            ours.text.trim_start_matches(MARK) != seen.trim_start_matches(MARK)
        }
        _ => false,
    }
}

/// Returns the messages of a file as remarks. In a file that changed since the report was made
/// (`is_stale`) their ranges mean nothing.
fn remarks_of(
    file: FileReport,
    counts: impl Fn(&EslintMessage) -> bool,
    is_stale: bool,
) -> impl Iterator<Item = LinterRemark> {
    let FileReport { file_path, messages, .. } = file;
    messages.into_iter().filter(counts).map(move |finding| {
        let rule = finding.rule_id.as_deref().unwrap_or("syntax");
        let message = finding.words.lines().next().unwrap_or_default();
        LinterRemark {
            file: file_path.clone(),
            at: (finding.line.unwrap_or(1), finding.column.unwrap_or(1)),
            words: format!("eslint {rule}: {message}"),
            remedy: match finding.fix {
                Some(_) if is_stale => {
                    LinterFix::Hint("the file is not as eslint saw it".to_owned())
                }
                Some(EslintEdit { range: (start, end), text }) => {
                    LinterFix::Edits(vec![Replacement {
                        file: None,
                        span: RemarkSpan::Utf16(start, end),
                        text,
                        was: None,
                    }])
                }
                None => hint(&finding.suggestions),
            },
        }
    })
}

/// Returns the suggestions of a message as a hint: ESLint applies none of them by itself, because
/// they may change behaviour.
fn hint(suggestions: &[EslintSuggestion]) -> LinterFix {
    let words: Vec<&str> = suggestions.iter().map(|suggestion| suggestion.desc.as_str()).collect();
    if words.is_empty() {
        LinterFix::None
    } else {
        LinterFix::Hint(format!("hint: {}", words.join(" or ")))
    }
}
