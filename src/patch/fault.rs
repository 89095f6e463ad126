//! What a person or a model is told of a hunk without a place: the rule, and the nearest real lines.

use std::collections::BTreeMap;

use super::line_roles::{HunkReading, LineRole, MarkReading, read_hunk};
use super::parse::Hunk;
use super::search::PlaceFault;
use super::similarity::{indentation, is_blank};
use super::source::{SourceText, folded_key};
use crate::domain::hunk::HunkFault;

/// At most this many hunk lines take part in the search for the nearest real lines.
const NEAREST_LINES: usize = 60;
/// A line that stands oftener than this takes no part in it.
const MOST_COMMON: usize = 64;
/// How much more than context a deleted line tells of the place.
const DELETED_WEIGHT: usize = 3;
/// Lines shown above and below.
const AROUND: usize = 3;

/// Describes the hunk with this index.
pub(super) fn describe_fault(
    source: &SourceText<'_>,
    hunk: &Hunk<'_>,
    index: usize,
    why: &PlaceFault<'_>,
) -> HunkFault {
    let old = match read_hunk(hunk, source, MarkReading::AsWritten) {
        Ok(Some(reading)) => reading.old_lines(),
        _ => Vec::new(),
    };
    let at = match why {
        PlaceFault::Ambiguous { lines: (line, _), .. } | PlaceFault::Already(line) => *line,
        _ => nearest_line(source, &old, hunk.stated),
    };
    let first = at.saturating_sub(AROUND);
    let end = (at + old.len().min(NEAREST_LINES) + AROUND).min(source.len());
    let real = source.lines().get(first..end).unwrap_or_default();
    HunkFault {
        hunk: index + 1,
        reason: fault_reason(source, hunk, at, why),
        body: hunk.rows.iter().flat_map(|row| [row.raw, "\n"]).collect(),
        first_line: first + 1,
        real: real.iter().map(|line| (*line).to_owned()).collect(),
    }
}

fn fault_reason(
    source: &SourceText<'_>,
    hunk: &Hunk<'_>,
    at: usize,
    why: &PlaceFault<'_>,
) -> String {
    match why {
        PlaceFault::Missing => describe_missing(source, hunk, at),
        PlaceFault::Ambiguous { lines: (one, two), .. } => format!(
            "its lines stand at line {} and at line {}; more context must tell which is meant",
            one + 1,
            two + 1
        ),
        PlaceFault::Already(line) => {
            format!("its new lines are already there, at line {}", line + 1)
        }
        PlaceFault::NoContext => "it has no context line, so its place cannot be known".to_owned(),
        PlaceFault::CutOff => "the patch ends in the middle of it".to_owned(),
        PlaceFault::Unmarked(line) => {
            format!(
                "it is not clear what `{}` is: every line needs a mark, a space, - or +",
                shorten_line(line)
            )
        }
        PlaceFault::Placeholder(line) => {
            format!("`{}` stands for code that must be written out", shorten_line(line))
        }
        PlaceFault::Overlaps(other) => {
            format!("it changes lines that hunk {} changes too", other + 1)
        }
    }
}

/// Names the first old line that is not in the file, a deleted one before all others.
fn describe_missing(source: &SourceText<'_>, hunk: &Hunk<'_>, at: usize) -> String {
    let Ok(Some(reading)) = read_hunk(hunk, source, MarkReading::AsWritten) else {
        return "its context and deleted lines are not in the file".to_owned();
    };
    let absent = |wanted: LineRole| {
        let lines = reading.lines.iter().filter(|(tag, text)| *tag == wanted && !is_blank(text));
        lines.map(|(_, text)| *text).find(|text| !source.has_folded(text))
    };
    match (absent(LineRole::Delete), absent(LineRole::Context)) {
        (Some(line), _) => format!("the deleted line `{}` is not in the file", shorten_line(line)),
        (None, Some(line)) => {
            format!("the context line `{}` is not in the file", shorten_line(line))
        }
        (None, None) => match find_reindented(source, &reading) {
            Some(line) => {
                format!("the line `{}` is indented otherwise in the file", shorten_line(line))
            }
            None => format!(
                "its context and deleted lines are not in the file one after another; nearest is line {}",
                at + 1
            ),
        },
    }
}

/// Returns the first old line that is in the file only at another depth.
fn find_reindented<'a>(source: &SourceText<'_>, reading: &HunkReading<'a>) -> Option<&'a str> {
    let depths = |text: &str| {
        let same = |line: &&&str| line.trim() == text.trim();
        let lines = source.lines().iter().filter(same);
        lines.map(|line| indentation(line) == indentation(text)).collect::<Vec<_>>()
    };
    let other = |text: &&str| {
        let depths = depths(text);
        !depths.is_empty() && !depths.contains(&true)
    };
    let old = reading.old_lines().into_iter().map(|(_, text)| text);
    old.filter(|text| !is_blank(text)).find(other)
}

/// Longest quoted line, in characters.
const SHOWN: usize = 120;

fn shorten_line(line: &str) -> String {
    let line = line.trim();
    let (mut shown, mut count) = (String::new(), 0);
    for char in line.chars().take(SHOWN) {
        count += char.len_utf8();
        // Marks that turn the direction of writing would turn the whole message.
        let turns = matches!(char, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        if char.is_control() || turns {
            shown.extend(char.escape_unicode());
        } else {
            shown.push(char);
        }
    }
    if count < line.len() {
        shown.push('…');
    }
    shown
}

/// Returns the line from which most of the old lines stand, nearest to the stated one.
fn nearest_line(source: &SourceText<'_>, old: &[(LineRole, &str)], stated: Option<usize>) -> usize {
    let stated = stated.unwrap_or(1).max(1) - 1;
    let mut votes: BTreeMap<usize, usize> = BTreeMap::new();
    let mut buffer = Vec::new();
    let folded = source.folded_index();
    let told = old.iter().enumerate().take(NEAREST_LINES).filter(|(_, (_, text))| !is_blank(text));
    for (index, (tag, text)) in told {
        let weight = if *tag == LineRole::Delete { DELETED_WEIGHT } else { 1 };
        let key = folded_key(text, &mut buffer);
        for line in folded.positions(key).take(MOST_COMMON) {
            *votes.entry(line.saturating_sub(index)).or_default() += weight;
        }
    }
    let rank =
        |(place, count): &(usize, usize)| (*count, std::cmp::Reverse(place.abs_diff(stated)));
    let best = votes.into_iter().max_by_key(rank);
    best.map_or_else(|| stated.min(source.len().saturating_sub(1)), |(place, _)| place)
}
