//! Several hunks written as one, without an `@@` line between them.

use super::{Placement, block, elided};
use crate::line_roles::{HunkReading, LineRole};
use crate::source::SourceText;
use papayu_base::domain::hunk::HunkStrategy;

/// The most hunks in one.
const MAX_PARTS: usize = 4;
/// The most lines tried as the border of two hunks; hunks have three lines of context on either side.
const MAX_CUTS: usize = 8;

/// Returns the placement of a hunk that must be split, inside its context lines, into parts that have
/// exactly one place each, in file order.
///
/// Returns `None` if there is no such split, or if two splits change the file differently.
pub(crate) fn find_merged<'a>(
    source: &SourceText<'_>,
    reading: &HunkReading<'a>,
) -> Option<Placement<'a>> {
    split_reading(source, reading, MAX_PARTS)
}

fn split_reading<'a>(
    source: &SourceText<'_>,
    reading: &HunkReading<'a>,
    parts: usize,
) -> Option<Placement<'a>> {
    let longest = longest_head(source, reading)?;
    let cuts = (1..=longest)
        .rev()
        .take_while(|cut| is_context(reading, cut - 1))
        .filter(|cut| is_context(reading, *cut));
    let mut found: Option<Placement<'a>> = None;
    for cut in cuts.take(MAX_CUTS) {
        let Some(placement) = place_split(source, reading, cut, parts) else { continue };
        // Cuts inside the shared context lead to the same change; another change is a second reading.
        if found.as_ref().is_some_and(|found| found.splices != placement.splices) {
            return None;
        }
        found = Some(placement);
    }
    found
}

fn is_context(reading: &HunkReading<'_>, index: usize) -> bool {
    reading.lines.get(index).is_some_and(|line| line.role == LineRole::Context)
}

/// Places the hunk split before the line `cut`; the rest may be split into `parts - 1` parts.
fn place_split<'a>(
    source: &SourceText<'_>,
    reading: &HunkReading<'a>,
    cut: usize,
    parts: usize,
) -> Option<Placement<'a>> {
    let first = reading.sub_reading(0..cut);
    let rest = reading.sub_reading(cut..reading.lines.len());
    if !rest.changes_text() {
        return None;
    }
    let head = find_only(source, &first)?;
    let tail = match find_only(source, &rest) {
        Some(tail) => tail,
        None if parts > 2 => split_reading(source, &rest, parts - 1)?,
        None => return None,
    };
    if tail.start < head.start + first.old_texts().len() {
        return None;
    }
    let splices = head.splices.into_iter().chain(tail.splices).collect();
    Some(Placement { start: head.start, strategy: HunkStrategy::Merged, splices })
}

/// Returns the number of lines from the top, the first change included, that match one block anywhere.
fn longest_head(source: &SourceText<'_>, reading: &HunkReading<'_>) -> Option<usize> {
    let lines = &reading.lines;
    let change = lines.iter().position(|line| line.role != LineRole::Context)?;
    let changed = lines.iter().skip(change).take_while(|line| line.role != LineRole::Context);
    let head = reading.sub_reading(0..change + changed.count());
    let starts = elided::find_parts(source, &head).into_iter().map(|placement| placement.start);
    starts
        .map(|start| matching_head(source, reading, start))
        .max()
        .filter(|head| *head < lines.len())
}

/// Returns the number of hunk lines from the top that match the file from `start` on.
fn matching_head(source: &SourceText<'_>, reading: &HunkReading<'_>, start: usize) -> usize {
    let mut at = start;
    for (count, line) in reading.lines.iter().enumerate() {
        match line.role {
            LineRole::Insert => {}
            LineRole::Context | LineRole::Delete
                if at < source.len() && source.line(at).trim_end() == line.text.trim_end() =>
            {
                at += 1;
            }
            _ => return count,
        }
    }
    reading.lines.len()
}

/// Returns the only place of a part, byte for byte or except for blanks at line ends; `None` for no place and
/// for several.
fn find_only<'a>(source: &SourceText<'_>, part: &HunkReading<'a>) -> Option<Placement<'a>> {
    let mut places = block::find_exact(source, part);
    if places.is_empty() {
        places = block::find_folded(source, part);
        if places.strategy != HunkStrategy::TrailingSpace {
            return None;
        }
    }
    places.all_placements(1).pop()
}
