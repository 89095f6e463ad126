//! go vet: the fixes that its analysers suggest in their JSON, where there is exactly one for a place.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::super::checked_invocation::{CheckedInvocation, RawInvocation};
use super::super::diagnostic_context::DiagnosticContext;
use super::super::findings::ToolFindings;
use super::super::tool_context::{NoResult, ToolContext};
use super::super::tool_table::GO;
use super::invocation::invocation;
use super::remark::{LinterFix, LinterRemark, RemarkSpan, Replacement, count_problems, find_edits};

/// Diagnostics by package and analyser; an object for an analyser that failed.
type VetReport = BTreeMap<String, BTreeMap<String, serde_json::Value>>;

/// A problem (golang.org/x/tools/go/analysis, JSON output): `{"posn": "/a.go:3:2", "message": "…",
/// "suggested_fixes": […]}`.
#[derive(Deserialize)]
struct VetDiagnostic {
    /// `file:line:column`.
    posn: String,
    message: String,
    #[serde(default)]
    suggested_fixes: Vec<SuggestedFix>,
}

/// One of the ways to fix it.
#[derive(Deserialize)]
struct SuggestedFix {
    message: String,
    edits: Vec<VetEdit>,
}

#[derive(Deserialize)]
struct VetEdit {
    filename: String,
    /// Bytes.
    start: usize,
    end: usize,
    new: String,
}

/// Returns what go vet would fix.
///
/// Fails with [`NoResult::Unconcerned`] if the command calls neither `go vet` nor a `go test` with findings of
/// vet in its log, with [`NoResult::Silent`] if it has no exit code, and with [`NoResult::Interrupted`].
pub(crate) fn find_fixes(tools: &ToolContext<'_>) -> Result<ToolFindings, NoResult> {
    let context = DiagnosticContext::new(tools);
    let called = invocation(&context, &GO).map_err(|_| NoResult::Unconcerned)?;
    let raw = called.raw.ok_or(NoResult::Unconcerned)?;
    // `go test` vets too, with a part of the analysers.
    let is_vetted = context.tools.report.excerpt.contains("vet:");
    let words = match raw.words.split_first() {
        Some((command, rest)) if command == "vet" => rest.to_vec(),
        Some((command, rest)) if command == "test" && is_vetted => packages(rest),
        _ => return Err(NoResult::Unconcerned),
    };
    let raw = RawInvocation { words, ..raw };
    let vet = called.program.with_arguments(&["vet", "-json"]);
    let own = vet.clone().with_words_of(context.tools, &GO, &raw);
    let tool = own.unwrap_or_else(|| vet.with_arguments(&["./..."]));
    // No module is downloaded for it.
    let tool = tool.with_variable("GOPROXY", "off");
    let answer = context.run_tool(&tool)?;
    let remarks: Vec<LinterRemark> = read(&answer.text, &tool);
    let account = format!("{} reports {}", tool.shown(), count_problems(remarks.len()));
    Ok(find_edits(context, tool.folder(), remarks, account))
}

/// Of the arguments of a test run, those that name packages.
fn packages(words: &[String]) -> Vec<String> {
    words.iter().filter(|word| *word == "." || word.starts_with("./")).cloned().collect()
}

/// Reads the objects of all packages; lines that begin with `#` separate them.
fn read(text: &str, tool: &CheckedInvocation) -> Vec<LinterRemark> {
    let mut remarks = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find('{') {
        let object = rest.get(start..).unwrap_or_default();
        let mut values = serde_json::Deserializer::from_str(object).into_iter::<VetReport>();
        let Some(Ok(report)) = values.next() else { break };
        rest = object.get(values.byte_offset()..).unwrap_or_default();
        for (analyser, finding) in report.into_values().flatten() {
            // An analyser that could not run reports an object instead of a list.
            let finding: Vec<VetDiagnostic> = serde_json::from_value(finding).unwrap_or_default();
            remarks.extend(finding.into_iter().map(|finding| remark(&analyser, finding, tool)));
        }
    }
    remarks
}

/// Returns a diagnostic as a remark. Several suggested fixes are alternatives
/// (golang.org/x/tools/go/analysis, `SuggestedFix`), so only a single one is applied.
fn remark(analyser: &str, finding: VetDiagnostic, tool: &CheckedInvocation) -> LinterRemark {
    let mut parts = finding.posn.rsplitn(3, ':');
    let mut number = || parts.next().and_then(|part| part.parse().ok()).unwrap_or(1);
    let (column, line) = (number(), number());
    let file = parts.next().unwrap_or(tool.folder()).to_owned();
    let words: Vec<String> =
        finding.suggested_fixes.iter().map(|fix| fix.message.clone()).collect();
    let remedy = match <[SuggestedFix; 1]>::try_from(finding.suggested_fixes) {
        Ok([fix]) => LinterFix::Edits(fix.edits.into_iter().map(replacement).collect()),
        Err(_) if words.is_empty() => LinterFix::None,
        Err(_) => LinterFix::Hint(format!("hint: {}", words.join(" or "))),
    };
    let message = finding.message.lines().next().unwrap_or_default();
    LinterRemark {
        file,
        at: (line, column),
        words: format!("go vet {analyser}: {message}"),
        remedy,
    }
}

/// Returns an edit as a replacement; its offsets count bytes of the file.
fn replacement(change: VetEdit) -> Replacement {
    let VetEdit { filename, start, end, new } = change;
    Replacement { file: Some(filename), span: RemarkSpan::Bytes(start, end), text: new, was: None }
}
