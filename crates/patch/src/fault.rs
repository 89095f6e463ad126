//! Descriptions of hunks without a place: the reason, and the most similar lines of the file.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::hunk::Hunk;
use super::line_roles::{HunkLine, HunkReading, LineRole, MarkReading, read_hunk};
use super::search::PlaceFault;
use super::similarity::{indentation, is_blank};
use super::source::{SourceText, folded_key};
use papayu_base::domain::hunk::HunkFault;

// Each line is looked up in an index, so that the number of lines bounds the work.
/// The most hunk lines that are compared with the file.
const MAX_COMPARED: usize = 60;
/// The most occurrences of a line that are counted.
// A line such as `}` occurs everywhere and would only cost time.
const MAX_OCCURRENCES: usize = 64;
/// The weight of a deleted line; context has weight 1.
// A deleted line names the place better than context, which models quote from memory.
const DELETED_WEIGHT: usize = 3;
/// Lines shown above and below.
const MARGIN: usize = 3;

/// Describes the fault of the hunk with the 0-based index `index`.
/// The result is quoted in the repair request and in the trace.
pub(super) fn describe_fault(
    source: &SourceText<'_>,
    hunk: &Hunk<'_>,
    index: usize,
    fault: &PlaceFault<'_>,
) -> HunkFault {
    // The strictest interpretation of the marks; without one the lines are not compared.
    let old = match read_hunk(hunk, source, MarkReading::AsWritten) {
        Ok(Some(reading)) => reading.old_lines(),
        _ => Vec::new(),
    };
    // These faults know their place.
    let at = match fault {
        PlaceFault::Ambiguous { first: line, .. } | PlaceFault::Already(line) => *line,
        _ => nearest_line(source, &old, hunk.stated),
    };
    let first = at.saturating_sub(MARGIN);
    let end = (at + old.len().min(MAX_COMPARED) + MARGIN).min(source.len());
    let real = source.lines().get(first..end).unwrap_or_default();
    HunkFault {
        // Hunks are counted from 1 for the model.
        hunk: index + 1,
        reason: fault_reason(source, hunk, at, fault),
        // As written, so that the model recognises its own text.
        body: hunk.rows.iter().flat_map(|row| [row.raw, "\n"]).collect(),
        first_line: first + 1,
        real: real.iter().map(|line| (*line).to_owned()).collect(),
    }
}

/// Returns the sentence about a hunk without a place, which becomes part of the repair request.
fn fault_reason(
    source: &SourceText<'_>,
    hunk: &Hunk<'_>,
    at: usize,
    fault: &PlaceFault<'_>,
) -> String {
    // Each sentence continues "hunk 1 does not apply: ".
    match fault {
        PlaceFault::Missing => describe_missing(source, hunk, at),
        PlaceFault::Ambiguous { first, second, .. } => format!(
            "its lines occur at line {} and at line {}; more context must show which is meant",
            first + 1,
            second + 1
        ),
        PlaceFault::Already(line) => {
            format!("its new lines are already there, at line {}", line + 1)
        }
        PlaceFault::NoContext => "it has no context line, so its place cannot be known".to_owned(),
        PlaceFault::CutOff => "the patch ends in the middle of it".to_owned(),
        PlaceFault::Unmarked(line) => format!(
            "it is not clear what `{}` is: every line needs a mark, a space, - or +",
            shorten_line(line)
        ),
        PlaceFault::Placeholder(line) => {
            format!("`{}` is a placeholder for code that must be written out", shorten_line(line))
        }
        PlaceFault::Overlaps(other) => {
            format!("it changes lines that hunk {} changes too", other + 1)
        }
    }
}

/// Names the first old line that is not in the file, preferring deleted lines.
fn describe_missing(source: &SourceText<'_>, hunk: &Hunk<'_>, at: usize) -> String {
    let Ok(Some(reading)) = read_hunk(hunk, source, MarkReading::AsWritten) else {
        return "its context and deleted lines are not in the file".to_owned();
    };
    // A wrong deleted line is the usual cause, and the easiest to correct.
    if let Some(line) = find_absent(source, &reading, LineRole::Delete) {
        format!("the deleted line `{}` is not in the file", shorten_line(line))
    } else if let Some(line) = find_absent(source, &reading, LineRole::Context) {
        format!("the context line `{}` is not in the file", shorten_line(line))
    } else if let Some(line) = find_reindented(source, &reading) {
        format!("the line `{}` is indented otherwise in the file", shorten_line(line))
    } else {
        format!(
            "its context and deleted lines are not in the file one after another; nearest is line {}",
            at + 1
        )
    }
}

/// Returns the first line of the role that the file does not have, not even with other blanks:
/// usually the one that the model invented.
fn find_absent<'a>(
    source: &SourceText<'_>,
    reading: &HunkReading<'a>,
    role: LineRole,
) -> Option<&'a str> {
    let lines = reading.lines.iter().filter(|line| line.role == role && !is_blank(line.text));
    // Folded: another spelling of blanks or quotes would not make the line absent.
    lines.map(|line| line.text).find(|text| !source.has_folded(text))
}

/// Returns the first old line that the file has only with another indentation.
fn find_reindented<'a>(source: &SourceText<'_>, reading: &HunkReading<'a>) -> Option<&'a str> {
    reading.old_texts().into_iter().filter(|text| !is_blank(text)).find(|text| {
        // Every occurrence must differ, otherwise the indentation is not the cause.
        let mut same = source.lines().iter().filter(|line| line.trim() == text.trim()).peekable();
        same.peek().is_some() && same.all(|line| indentation(line) != indentation(text))
    })
}

/// The longest quoted line, in characters.
const MAX_QUOTED: usize = 120;

/// Returns a line for a message: cut, and with control and direction marks escaped, since the line
/// comes from a reply and is printed on terminals.
fn shorten_line(line: &str) -> String {
    let line = line.trim();
    let mut chars = line.chars();
    let mut shown = String::new();
    for char in chars.by_ref().take(MAX_QUOTED) {
        // Controls could change the colours of a terminal or forge another line.
        if char.is_control() || is_direction_mark(char) {
            shown.extend(char.escape_unicode());
        } else {
            shown.push(char);
        }
    }
    if !chars.as_str().is_empty() {
        shown.push('…');
    }
    shown
}

/// Returns `true` for marks that would reverse the writing direction of the whole message.
fn is_direction_mark(char: char) -> bool {
    matches!(char, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Returns the line at which most of the old lines match; of equals, the nearest to the stated line.
fn nearest_line(source: &SourceText<'_>, old: &[HunkLine<'_>], stated: Option<usize>) -> usize {
    let stated = stated.unwrap_or(1).max(1) - 1;
    let mut votes: BTreeMap<usize, usize> = BTreeMap::new();
    let mut buffer = Vec::new();
    for (index, line) in old.iter().enumerate().take(MAX_COMPARED) {
        if is_blank(line.text) {
            continue;
        }
        // Each old line votes for the start that would put it at its own line.
        let weight = if line.role == LineRole::Delete { DELETED_WEIGHT } else { 1 };
        let key = folded_key(line.text, &mut buffer);
        for position in source.folded_index().positions(key).take(MAX_OCCURRENCES) {
            // A vote before the first line counts for the first one.
            *votes.entry(position.saturating_sub(index)).or_default() += weight;
        }
    }
    let best =
        // The nearest of equals, because the stated line is right more often than wrong.
        votes.into_iter().max_by_key(|(line, count)| (*count, Reverse(line.abs_diff(stated))));
    best.map_or_else(|| stated.min(source.len().saturating_sub(1)), |(line, _)| line)
}
