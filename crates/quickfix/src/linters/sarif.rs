//! The fixes that came with a SARIF report: no tool runs, and what does not fit the files is left out.

use super::super::diagnostic_context::DiagnosticContext;
use super::super::findings::{TextEdit, ToolFindings, ToolFix};
use super::super::line_index::{LineIndex, Unit};
use super::super::tool_context::{NoResult, ToolContext};
use papayu_base::domain::{ColumnUnit, Failure, Region, RepoPath, ReportedChange, ReportedFix};

/// Fixes looked at; the next report has the rest.
const MAX_FIXES: usize = 500;

/// Returns the fixes in the report of what failed.
pub(crate) fn find_fixes(tools: &ToolContext<'_>) -> Result<ToolFindings, NoResult> {
    let failures = tools.report.failures.iter();
    let reported: Vec<(&Failure, &ReportedFix)> =
        failures.flat_map(|failure| failure.fixes.iter().map(move |fix| (failure, fix))).collect();
    if reported.is_empty() {
        return Err(NoResult::Unconcerned);
    }
    let account = format!("the report proposes {} fixes", reported.len());
    let mut context = DiagnosticContext::new(tools);
    for (failure, fix) in reported.into_iter().take(MAX_FIXES) {
        let note = fix_note(&context, failure, fix);
        if fix.changes.is_empty() {
            context.add_hint(format!("{note} (hint: {})", fix.description));
            continue;
        }
        let placed: Result<Vec<TextEdit>, _> =
            fix.changes.iter().map(|change| place_change(&mut context, change)).collect();
        match placed {
            Ok(edits) => context.add_fix(ToolFix { note, edits }),
            Err(reason) => context.add_hint(format!("{note} (left out: {reason})")),
        }
    }
    Ok(context.into_findings(account))
}

/// Returns a fix as hints name it.
fn fix_note(context: &DiagnosticContext<'_>, failure: &Failure, fix: &ReportedFix) -> String {
    let path = context.find_reported(&fix.at.path);
    let file = path.as_ref().map_or(fix.at.path.as_str(), RepoPath::as_str);
    let (line, column) = (fix.at.line.unwrap_or(1), fix.at.column.unwrap_or(1));
    let code = failure.code.as_deref().unwrap_or("sarif");
    let message = failure.message.lines().next().unwrap_or_default();
    format!("{file}:{line}:{column} {code}: {message}")
}

/// Returns a change as an edit; Err is the reason why it cannot be placed.
fn place_change(
    context: &mut DiagnosticContext<'_>,
    change: &ReportedChange,
) -> Result<TextEdit, &'static str> {
    let path =
        context.find_reported(&change.path).ok_or("the file is not one of the repository's")?;
    let source = context.read(&path)?;
    let region = change.region;
    let found = if let Some(unit) = column_unit(region) {
        region_ends(&source, region, unit)
    } else {
        // If both units give the same place, it does not matter which one the report uses.
        let chars = region_ends(&source, region, Unit::Char);
        if chars != region_ends(&source, region, Unit::Utf16) {
            return Err("its columns can be counted in two ways");
        }
        chars
    };
    let (start, end) = found.ok_or("its region is not in the file")?;
    let is = source.text.get(start..end).ok_or("its region is not in the file")?;
    if change.snippet.as_ref().is_some_and(|was| was.trim_end() != is.trim_end()) {
        return Err("the file is not as the report quotes it");
    }
    Ok(TextEdit { path, range: start..end, text: change.text.clone() })
}

/// Returns what the region counts; `None` where the report does not say.
fn column_unit(region: Region) -> Option<Unit> {
    match region {
        Region::Bytes { .. } => Some(Unit::Byte),
        Region::Lines { unit, .. } | Region::Chars { unit, .. } => match unit {
            ColumnUnit::Utf16 => Some(Unit::Utf16),
            ColumnUnit::CodePoint => Some(Unit::Char),
            ColumnUnit::Unsaid => None,
        },
    }
}

/// Returns the bytes of a region (SARIF 2.1.0, section 3.30). A region without `endColumn` ends
/// with its line, without the line ending.
fn region_ends(source: &LineIndex, region: Region, unit: Unit) -> Option<(usize, usize)> {
    match region {
        Region::Lines { start, end_line, end_column, .. } => {
            let end = match end_column {
                Some(column) => byte_at(source, end_line, column, unit)?,
                None => source.line_end(u32::try_from(end_line).ok()?)?,
            };
            Some((byte_at(source, start.0, start.1, unit)?, end))
        }
        Region::Chars { offset, length, .. } => {
            let end = offset.checked_add(length)?;
            Some((source.byte_offset(offset, unit)?, source.byte_offset(end, unit)?))
        }
        // Bytes are those of the file itself, its mark included.
        Region::Bytes { offset, length } => Some((offset, offset.checked_add(length)?)),
    }
}

/// Returns the byte of a line and column, both from 1.
fn byte_at(source: &LineIndex, line: usize, column: usize, unit: Unit) -> Option<usize> {
    source.byte_at(u32::try_from(line).ok()?, u32::try_from(column).ok()?, unit)
}
