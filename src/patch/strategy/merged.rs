//! Several hunks written as one, without an `@@` line between them.

use super::{Placement, block, elided};
use crate::domain::hunk::HunkStrategy;
use crate::patch::line_roles::{HunkReading, LineRole};
use crate::patch::source::SourceText;

/// Most hunks that are told apart.
const MOST_PARTS: usize = 4;
/// Most lines tried as the border of two hunks; hunks have three lines of context on either side.
const MOST_CUTS: usize = 8;

/// Returns the one way to split the hunk inside its runs of context so that every part has one place,
/// in order; `None` when there is none, or when ways differ in what they do.
pub(in crate::patch) fn find_merged<'a>(
    source: &SourceText<'_>,
    reading: &HunkReading<'a>,
) -> Option<Placement<'a>> {
    split_reading(source, reading, MOST_PARTS)
}

fn split_reading<'a>(
    source: &SourceText<'_>,
    reading: &HunkReading<'a>,
    parts: usize,
) -> Option<Placement<'a>> {
    let lines = &reading.lines;
    let context = |index: usize| lines.get(index).is_some_and(|(tag, _)| *tag == LineRole::Context);
    let longest = longest_head(source, reading)?;
    let cuts = (1..=longest).rev().take_while(|cut| context(cut - 1)).filter(|cut| context(*cut));
    let mut found: Option<Placement<'a>> = None;
    for cut in cuts.take(MOST_CUTS) {
        let (first, rest) = (reading.sub_reading(0..cut), reading.sub_reading(cut..lines.len()));
        if !rest.changes_text() {
            continue;
        }
        let Some(head) = find_only(source, &first) else { continue };
        let deeper = || if parts > 2 { split_reading(source, &rest, parts - 1) } else { None };
        let Some(tail) = find_only(source, &rest).or_else(deeper) else { continue };
        if tail.start < head.start + first.old_lines().len() {
            continue;
        }
        let splices = head.splices.into_iter().chain(tail.splices).collect();
        let fit = Placement { start: head.start, strategy: HunkStrategy::Merged, splices };
        if found.as_ref().is_some_and(|found| found.splices != fit.splices) {
            return None;
        }
        found = Some(fit);
    }
    found
}

/// Returns how many lines from the top, the first change among them, stand together anywhere.
fn longest_head(source: &SourceText<'_>, reading: &HunkReading<'_>) -> Option<usize> {
    let lines = &reading.lines;
    let change = lines.iter().position(|(tag, _)| *tag != LineRole::Context)?;
    let changed =
        lines.iter().skip(change).take_while(|(tag, _)| *tag != LineRole::Context).count();
    let head = reading.sub_reading(0..change + changed);
    let starts = elided::find_parts(source, &head).into_iter().map(|fit| fit.start);
    starts.map(|start| head_at(source, reading, start)).max().filter(|head| *head < lines.len())
}

fn head_at(source: &SourceText<'_>, reading: &HunkReading<'_>, start: usize) -> usize {
    let mut line = start;
    let stands = |(tag, text): &&(LineRole, &str)| match tag {
        LineRole::Insert => true,
        LineRole::Gap => false,
        LineRole::Context | LineRole::Delete => {
            line += 1;
            line <= source.len() && source.line(line - 1).trim_end() == text.trim_end()
        }
    };
    reading.lines.iter().take_while(stands).count()
}

fn find_only<'a>(source: &SourceText<'_>, part: &HunkReading<'a>) -> Option<Placement<'a>> {
    let mut places = block::find_exact(source, part);
    if places.is_empty() {
        places = block::find_folded(source, part);
        if places.strategy != HunkStrategy::TrailingSpace {
            return None;
        }
    }
    places.first_fits(1).pop()
}
