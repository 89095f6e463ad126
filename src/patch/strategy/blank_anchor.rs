//! Whether it is known among which blank lines a change belongs, where lines were left out.

use std::ops::Range;

use crate::patch::line_roles::{HunkReading, LineRole};
use crate::patch::similarity::is_blank;
use crate::patch::source::SourceText;

/// Tells whether every change without a deleted line that says something has as many blank lines above
/// and below it in the file as in the hunk: else blank lines were left out there, and it cannot be
/// told between which of them the change belongs. At the hunk's edge the file may have more.
pub(in crate::patch) fn is_settled(
    source: &SourceText<'_>,
    reading: &HunkReading<'_>,
    map: &[Option<usize>],
) -> bool {
    let mut lines = reading.lines.iter().peekable();
    let mut old = 0;
    while let Some((tag, _)) = lines.peek() {
        if matches!(tag, LineRole::Context | LineRole::Gap) {
            old += usize::from(*tag == LineRole::Context);
            lines.next();
            continue;
        }
        let begin = old;
        let mut anchored = false;
        while let Some((tag, text)) =
            lines.next_if(|(tag, _)| matches!(tag, LineRole::Insert | LineRole::Delete))
        {
            if *tag == LineRole::Delete {
                old += 1;
                anchored |= !is_blank(text);
            }
        }
        if !anchored && !is_between(source, reading, map, begin..old) {
            return false;
        }
    }
    true
}

/// Compares the blank lines above and below the change that takes these old lines away.
fn is_between(
    source: &SourceText<'_>,
    reading: &HunkReading<'_>,
    map: &[Option<usize>],
    change: Range<usize>,
) -> bool {
    let old = reading.old_lines();
    let at = |index: usize| map.get(index).copied().flatten();
    let blank = |line: &usize| is_blank(source.line(*line));
    let own = |index: &usize| old.get(*index).is_some_and(|(_, text)| is_blank(text));
    let first = if change.is_empty() { None } else { at(change.start) };
    let above = change.start.checked_sub(1);
    let Some(start) =
        first.or_else(|| above.and_then(at).map(|line| line + 1)).or_else(|| at(change.end))
    else {
        return false;
    };
    let end = start + change.len();
    // A blank line of the hunk that is not there could have been the one that goes; and between one
    // that is not there and the next line, nothing can be put.
    let reach = if change.is_empty() { 1 } else { old.len() };
    let upwards = (0..change.start).rev().take_while(own).take(reach);
    let mut around = upwards.chain((change.end..old.len()).take_while(own).take(reach));
    if around.any(|index| at(index).is_none()) {
        return false;
    }
    let own_above = (0..change.start)
        .rev()
        .take_while(|index| {
            own(index) && at(*index).map(|line| line + change.start - index) == Some(start)
        })
        .count();
    let own_below = (change.end..old.len())
        .take_while(|index| own(index) && at(*index) == Some(end + index - change.end))
        .count();
    let file_above = (0..start).rev().take_while(blank).count();
    let file_below = (end..source.len()).take_while(blank).count();
    // New lines directly below or above one that says something belong there.
    let pinned = |own: usize, file: usize, edge: bool| own == 0 && file == 0 && !edge;
    if change.is_empty()
        && (pinned(own_above, file_above, change.start == 0)
            || pinned(own_below, file_below, change.end == old.len()))
    {
        return true;
    }
    let fits = |own: usize, file: usize, edge: bool| own == file || (edge && own < file);
    fits(own_above, file_above, own_above == change.start)
        && fits(own_below, file_below, change.end + own_below == old.len())
}
