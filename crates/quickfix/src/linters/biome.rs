//! Biome: its safe fixes. The JSON report has the edits, but only the report for people marks
//! the safe ones.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;

use super::super::diagnostic_context::DiagnosticContext;
use super::super::findings::ToolFindings;
use super::super::line_index::Unit;
use super::super::tool_context::{NoResult, ToolContext, unless_interrupted};
use super::super::tool_table::BIOME;
use super::invocation::invocation;
use super::remark::{
    LinterFix, LinterRemark, RemarkSpan, Replacement, count_problems, find_edits, read_first_json,
};

/// The report of `--reporter=rdjson`, the Reviewdog Diagnostic Format: `{"diagnostics": [{"code":
/// {"value": "lint/style/useConst"}, "location": …, "message": "…", "severity": "ERROR"}]}`.
#[derive(Deserialize)]
struct BiomeOutput {
    diagnostics: Vec<BiomeDiagnostic>,
}

/// A problem; `suggestions` has the edits of its fix, be it safe or not.
#[derive(Deserialize)]
struct BiomeDiagnostic {
    code: Option<BiomeCode>,
    /// Absent in diagnostics of the formatter.
    location: Option<BiomeLocation>,
    message: String,
    severity: String,
    #[serde(default)]
    suggestions: Vec<BiomeSuggestion>,
}

/// The name of the rule, as an object in the report.
#[derive(Deserialize)]
struct BiomeCode {
    /// `lint/style/useConst`.
    value: String,
}

/// A file, and the range of the problem in it.
#[derive(Deserialize)]
struct BiomeLocation {
    path: String,
    range: Option<Range>,
}

/// The positions of the first character and the one after the last.
#[derive(Clone, Copy, Deserialize)]
struct Range {
    start: BiomePosition,
    end: BiomePosition,
}

/// A line and a column, both from 1.
#[derive(Clone, Copy, Deserialize)]
struct BiomePosition {
    line: u32,
    column: u32,
}

/// An edit: a range and the text in its place.
#[derive(Deserialize)]
struct BiomeSuggestion {
    range: Range,
    text: String,
}

/// `file:line:column rule`, the heading in Biome's report for people.
type Heading = String;

/// Returns the safe fixes of Biome for its findings.
///
/// Fails as [`invocation`] does, with [`NoResult::Silent`] if Biome fails or prints no report, and with
/// [`NoResult::Interrupted`].
pub(crate) fn find_fixes(tools: &ToolContext<'_>) -> Result<ToolFindings, NoResult> {
    let context = DiagnosticContext::new(tools);
    let called = invocation(&context, &BIOME)?;
    // A warning breaks the build only with this option.
    let is_strict = called.tool.arguments().iter().any(|word| word == "--error-on-warnings");
    let tool = called.tool.with_arguments(&["--colors=off", "--max-diagnostics=none"]);
    let reporting = tool.with_arguments(&["--reporter=rdjson"]);
    let answer = context.run_tool(&reporting)?;
    let mut report = read(&answer.text).ok_or_else(|| answer.no_report(&reporting))?;
    // Diagnostics of the formatter have no file; the source for formatters handles them.
    report
        .diagnostics
        .retain(|finding| finding.location.is_some() && (is_strict || finding.severity == "ERROR"));
    let account =
        format!("{} reports {}", reporting.shown(), count_problems(report.diagnostics.len()));
    let has_fixes = report.diagnostics.iter().any(|finding| !finding.suggestions.is_empty());
    // A second run for the report that marks safe fixes; without suggestions it would say nothing new.
    let finding = if has_fixes { unless_interrupted(context.run_tool(&tool))? } else { None };
    let safe = finding.map(|finding| safe(&finding.text)).unwrap_or_default();
    let remarks = report.diagnostics.into_iter().map(|finding| remark(finding, &safe)).collect();
    Ok(find_edits(context, tool.folder(), remarks, account))
}

/// Parses the report; `None` if there is none in the text.
fn read(text: &str) -> Option<BiomeOutput> {
    // Biome may print notices before the report.
    text.match_indices('{').take(20).find_map(|(at, _)| read_first_json(text.get(at..)?))
}

/// Returns the headings below which there is exactly one fix, and that one is safe.
fn safe(text: &str) -> BTreeSet<Heading> {
    let mut fixes: BTreeMap<Heading, (usize, usize)> = BTreeMap::new();
    let mut heading = None;
    for line in text.lines() {
        if let Some((title, _)) = line.split_once(" ━") {
            let mut words = title.split_whitespace();
            let key = words.next().zip(words.next()).map(|(at, rule)| format!("{at} {rule}"));
            // Two diagnostics with the same heading cannot be distinguished.
            let again = key.as_ref().is_some_and(|key| fixes.contains_key(key));
            let count = key.clone().map(|key| fixes.entry(key).or_default());
            if let Some(count) = count.filter(|_| again) {
                count.1 += 1;
            }
            heading = key;
        } else if let Some(count) = heading.as_ref().and_then(|key| fixes.get_mut(key)) {
            let finding = line.trim_start();
            count.0 += usize::from(finding.starts_with("i Safe fix:"));
            count.1 += usize::from(finding.starts_with("i Unsafe fix:"));
        }
    }
    let only = fixes.into_iter().filter(|(_, counts)| *counts == (1, 0));
    only.map(|(heading, _)| heading).collect()
}

/// Returns a diagnostic as a remark. Only fixes that Biome itself lists as safe become edits; the
/// others are hints.
fn remark(finding: BiomeDiagnostic, safe: &BTreeSet<Heading>) -> LinterRemark {
    let rule = finding.code.map_or_else(String::new, |code| code.value);
    let (file, range) = finding.location.map_or_else(Default::default, |it| (it.path, it.range));
    let at = range.map_or((1, 1), |range| (range.start.line, range.start.column));
    let is_safe = safe.contains(&format!("{file}:{}:{} {rule}", at.0, at.1));
    let message = finding.message.lines().next().unwrap_or_default();
    let words = format!("biome {rule}: {message}");
    let remedy = if finding.suggestions.is_empty() {
        LinterFix::None
    } else if is_safe {
        LinterFix::Edits(finding.suggestions.into_iter().map(replacement).collect())
    } else {
        let texts: Vec<String> =
            finding.suggestions.iter().map(|fix| format!("`{}`", fix.text.trim())).collect();
        LinterFix::Hint(format!("hint, unsafe: {}", texts.join(" and ")))
    };
    LinterRemark { file, at, words, remedy }
}

/// Returns a suggestion as a replacement; Biome counts characters in a line.
fn replacement(suggestion: BiomeSuggestion) -> Replacement {
    let BiomeSuggestion { range: Range { start, end }, text } = suggestion;
    let span = RemarkSpan::Lines((start.line, start.column), (end.line, end.column), Unit::Char);
    Replacement { file: None, span, text, was: None }
}
