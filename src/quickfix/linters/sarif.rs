//! The fixes that came with a SARIF report: no tool runs, and what does not fit the files is left out.

use super::super::desk::Desk;
use super::super::findings::{Edit, Findings, Fix};
use super::super::probe::{Interrupted, Probe};
use super::super::ruler::{Ruler, Unit};
use crate::domain::{ColumnUnit, Failure, Region, RepoPath, ReportedChange, ReportedFix};

/// Fixes looked at; the next report has the rest.
const MAX_FIXES: usize = 500;

/// Returns the fixes in the report of what failed; `None` where it has none.
#[expect(clippy::unnecessary_wraps, reason = "a source like the others, which can be interrupted")]
pub(in crate::quickfix) fn look(probe: &Probe<'_>) -> Result<Option<Findings>, Interrupted> {
    let failures = probe.report.failures.iter();
    let reported: Vec<(&Failure, &ReportedFix)> =
        failures.flat_map(|failure| failure.fixes.iter().map(move |fix| (failure, fix))).collect();
    if reported.is_empty() {
        return Ok(None);
    }
    let mut found = Findings::silent(format!("the report proposes {} fixes", reported.len()));
    let mut desk = Desk::new(probe);
    for (failure, fix) in reported.into_iter().take(MAX_FIXES) {
        let note = note(&desk, failure, fix);
        if fix.changes.is_empty() {
            found.unfixed.push(format!("{note} (hint: {})", fix.description));
            continue;
        }
        match fix.changes.iter().map(|change| place(&mut desk, change)).collect() {
            Ok(edits) => found.fixes.push(Fix { note, edits }),
            Err(reason) => found.unfixed.push(format!("{note} (left out: {reason})")),
        }
    }
    found.texts = desk.into_texts();
    Ok(Some(found))
}

fn note(desk: &Desk<'_>, failure: &Failure, fix: &ReportedFix) -> String {
    let path = desk.find_reported(&fix.at.path);
    let file = path.as_ref().map_or(fix.at.path.as_str(), RepoPath::as_str);
    let (line, column) = (fix.at.line.unwrap_or(1), fix.at.column.unwrap_or(1));
    let code = failure.code.as_deref().unwrap_or("sarif");
    let message = failure.message.lines().next().unwrap_or_default();
    format!("{file}:{line}:{column} {code}: {message}")
}

fn place(desk: &mut Desk<'_>, change: &ReportedChange) -> Result<Edit, &'static str> {
    let path = desk.find_reported(&change.path).ok_or("the file is not one of the repository's")?;
    let ruler = desk.text(&path)?;
    let ends = |unit| ends(ruler, change.region, unit);
    let found = if let Some(unit) = counted(change.region) {
        ends(unit)
    } else {
        // Where both ways of counting name the same place, it does not matter which was meant.
        let chars = ends(Unit::Char);
        if chars != ends(Unit::Utf16) {
            return Err("its columns can be counted in two ways");
        }
        chars
    };
    let (start, end) = found.ok_or("its region is not in the file")?;
    let is = ruler.text().get(start..end).ok_or("its region is not in the file")?;
    if change.snippet.as_ref().is_some_and(|was| was.trim_end() != is.trim_end()) {
        return Err("the file is not as the report quotes it");
    }
    Ok(Edit { path, range: start..end, text: change.text.clone() })
}

/// Returns what the region counts; `None` where the report does not say.
fn counted(region: Region) -> Option<Unit> {
    match region {
        Region::Bytes { .. } => Some(Unit::Byte),
        Region::Lines { unit, .. } | Region::Chars { unit, .. } => match unit {
            ColumnUnit::Utf16 => Some(Unit::Utf16),
            ColumnUnit::CodePoint => Some(Unit::Char),
            ColumnUnit::Unsaid => None,
        },
    }
}

fn ends(ruler: &Ruler, region: Region, unit: Unit) -> Option<(usize, usize)> {
    match region {
        Region::Lines { start, end_line, end_column, .. } => {
            let end = match end_column {
                Some(column) => ruler.at(end_line, column, unit)?,
                None => ruler.line_end(end_line)?,
            };
            Some((ruler.at(start.0, start.1, unit)?, end))
        }
        Region::Chars { offset, length, .. } => {
            let end = offset.checked_add(length)?;
            Some((ruler.offset(offset, unit)?, ruler.offset(end, unit)?))
        }
        // Bytes are those of the file itself, its mark included.
        Region::Bytes { offset, length } => Some((offset, offset.checked_add(length)?)),
    }
}
