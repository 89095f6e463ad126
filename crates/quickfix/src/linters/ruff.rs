//! ruff: its safe fixes, as its own passes land them; the others are hints.

use serde::Deserialize;

use super::super::checked_invocation::CheckedInvocation;
use super::super::diagnostic_context::DiagnosticContext;
use super::super::findings::ToolFindings;
use super::super::line_index::Unit;
use super::super::tool_context::{NoResult, ToolContext, unless_interrupted};
use super::super::tool_table::RUFF;
use super::invocation::invocation;
use super::remark::{
    LinterFix, LinterRemark, Passes, RemarkSpan, Replacement, count_problems, find_edits,
    match_tool, read_first_json,
};
use super::unified::diffs;

/// One object of `--output-format json` (docs.astral.sh/ruff): `{"code": "F401", "filename": "/a.py",
/// "location": {"row": 1, "column": 8}, "fix": {"applicability": "safe", "edits": […]}}`.
#[derive(Deserialize)]
struct RuffFinding {
    code: Option<String>,
    filename: String,
    message: String,
    location: RuffPosition,
    /// In a notebook, the cell: its places are none of the file's.
    cell: Option<usize>,
    fix: Option<Proposed>,
}

/// A row and a column, both from 1; the column counts characters.
#[derive(Clone, Copy, Deserialize)]
struct RuffPosition {
    row: u32,
    column: u32,
}

/// A fix. Its applicability is `safe`, `unsafe` or `display`.
#[derive(Deserialize)]
struct Proposed {
    applicability: String,
    message: Option<String>,
    edits: Vec<RuffEdit>,
}

#[derive(Deserialize)]
struct RuffEdit {
    content: String,
    location: RuffPosition,
    end_location: RuffPosition,
}

/// Returns what ruff would fix.
///
/// Fails as [`invocation`] does, with [`NoResult::Silent`] if ruff fails or prints no JSON, and with
/// [`NoResult::Interrupted`].
pub(crate) fn find_fixes(tools: &ToolContext<'_>) -> Result<ToolFindings, NoResult> {
    let mut context = DiagnosticContext::new(tools);
    let called = invocation(&context, &RUFF)?;
    // A cache would write into the repository.
    let tool = called.tool.with_arguments(&["--no-cache", "--quiet"]);
    let reporting =
        tool.with_arguments(&["--output-format", "json", "--no-fix", "--no-unsafe-fixes"]);
    let answer = context.run_tool(&reporting)?;
    let finding = read(&answer.text).ok_or_else(|| answer.no_report(&reporting))?;
    let account = format!("{} reports {}", reporting.shown(), count_problems(finding.len()));
    let remarks: Vec<LinterRemark> = finding.into_iter().map(remark).collect();
    let is_fixable = remarks.iter().any(|remark| matches!(remark.remedy, LinterFix::Edits(_)));
    let passes = if is_fixable { passes(&mut context, &tool)? } else { None };
    let mut found = find_edits(context, tool.folder(), remarks, account);
    if let Some(passes) = passes {
        match_tool(&mut found, "ruff", &passes);
    }
    Ok(found)
}

/// Parses the report of `--output-format json`, a list with one object for each finding.
fn read(text: &str) -> Option<Vec<RuffFinding>> {
    // Warnings precede the report.
    let starts = text.match_indices('[').filter(|(at, _)| {
        text.get(..*at).is_some_and(|before| before.is_empty() || before.ends_with('\n'))
    });
    starts.take(20).find_map(|(at, _)| read_first_json(text.get(at..)?))
}

/// Returns a finding as a remark. Only fixes with the applicability `safe` become edits
/// (docs.astral.sh/ruff, Fix safety).
fn remark(finding: RuffFinding) -> LinterRemark {
    let code = finding.code.as_deref().unwrap_or("syntax");
    let message = finding.message.lines().next().unwrap_or_default();
    LinterRemark {
        file: finding.filename,
        at: (finding.location.row, finding.location.column),
        words: format!("ruff {code}: {message}"),
        remedy: match finding.fix {
            None => LinterFix::None,
            Some(fix) if fix.applicability == "safe" && finding.cell.is_none() => {
                LinterFix::Edits(fix.edits.into_iter().map(replacement).collect())
            }
            Some(fix) => {
                let words = fix.message.unwrap_or_default();
                LinterFix::Hint(format!("hint, {}: {words}", fix.applicability))
            }
        },
    }
}

/// Returns an edit as a replacement; ruff counts characters in a line, both from 1.
fn replacement(change: RuffEdit) -> Replacement {
    let RuffEdit { content, location, end_location } = change;
    let place = |place: RuffPosition| (place.row, place.column);
    let span = RemarkSpan::Lines(place(location), place(end_location), Unit::Char);
    Replacement { file: None, span, text: content, was: None }
}

/// Runs ruff with `--diff`, which applies fixes in passes until none is left: fixes of one pass
/// make others possible, as unused imports after unused names.
fn passes(
    context: &mut DiagnosticContext<'_>,
    tool: &CheckedInvocation,
) -> Result<Option<Passes>, NoResult> {
    let differing = tool.with_arguments(&["--diff", "--no-unsafe-fixes"]);
    let Some(answer) = unless_interrupted(context.run_tool(&differing))? else { return Ok(None) };
    let mut changed = Passes::default();
    for diff in diffs(&answer.text) {
        let Some(path) = context.find_in(tool.folder(), diff.name) else { continue };
        let Ok(source) = context.read(&path) else { continue };
        if let Some(after) = diff.applied(&source.text) {
            changed.after.insert(path, after);
        }
    }
    Ok(Some(changed))
}
