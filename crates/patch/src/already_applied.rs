//! Detection of hunks that the file already has, so that a similar place elsewhere is not changed.

use super::hints::{MAX_PLACES, PlaceHints};
use super::line_roles::{HunkReading, LineRole};
use super::similarity::is_distinctive;
use super::source::{SourceText, exact_key};
use super::strategy::block;

/// Returns `true` if the new lines of a hunk are at `line` and are distinctive enough to be no
/// coincidence.
/// `line` is 0-based. The hunk is then an error for its author: nothing is left to change.
pub(super) fn is_applied_at(
    source: &SourceText<'_>,
    reading: &HunkReading<'_>,
    line: usize,
) -> bool {
    has_distinctive_result(reading) && block::matches_at(source, &reading.new_lines(), line)
}

/// Returns the line at which the hunk is already applied in the definition that the header names,
/// if the place that was found, `start`, is outside of it.
pub(super) fn find_applied_in_definition(
    source: &SourceText<'_>,
    reading: &HunkReading<'_>,
    start: usize,
    hints: &PlaceHints<'_>,
) -> Option<usize> {
    // Without a definition in the header, no place is better than the one that was found.
    if !hints.names_definition()
        || hints.is_inside(source, start)
        || !has_distinctive_result(reading)
    {
        return None;
    }
    let new = reading.new_lines();
    // A hash for each line, so that a long file is searched once.
    let keys: Vec<u64> = new.iter().map(|text| exact_key(text)).collect();
    // The bound is for files of thousands of equal lines.
    let starts = source.exact_index().find_blocks(&keys).into_iter().take(MAX_PLACES);
    starts
        // Equal hashes may be a coincidence; the texts decide.
        .filter(|start| block::matches_at(source, &new, *start))
        .find(|start| hints.is_inside(source, *start))
}

/// Returns another place with the same old lines that the header may mean as well as the stated
/// one: as far from it as the previous hunks were, or the only one in the named definition.
/// A result means that the stated place is not certain either.
pub(super) fn find_rival_place(
    source: &SourceText<'_>,
    reading: &HunkReading<'_>,
    stated: usize,
    hints: &PlaceHints<'_>,
) -> Option<usize> {
    let old = reading.old_texts();
    // The previous hunks were all off by this much, so that this hunk may be as well.
    let moved = hints.moved.filter(|moved| *moved != stated);
    let moved = moved.filter(|moved| block::matches_at(source, &old, *moved));
    if moved.is_some() || !hints.names_definition() {
        return moved;
    }
    // The stated place is inside of the definition: header and number agree.
    if !hints.is_outside(source, stated) {
        return None;
    }
    let places = block::find_exact(source, reading).start_lines();
    // A single place has no rival.
    if !(2..=MAX_PLACES).contains(&places.len()) {
        return None;
    }
    let mut inside = places.into_iter().filter(|place| hints.is_inside(source, *place));
    let only = inside.next()?;
    // Two candidates decide nothing, and the stated line is as good as either.
    if inside.next().is_some() { None } else { Some(only) }
}

/// Returns `true` if finding the new lines shows that the hunk was applied: a new line is
/// distinctive, or a hunk that only deletes has distinctive context on both sides.
fn has_distinctive_result(reading: &HunkReading<'_>) -> bool {
    // New lines prove more than context does, which the file had before.
    if reading.has_role(LineRole::Insert) {
        return has_distinctive(reading, LineRole::Insert);
    }
    // A deletion leaves no new line; the context on both sides has become adjacent.
    let (first, last) = (reading.lines.first(), reading.lines.last());
    first.is_some_and(|line| line.role == LineRole::Context)
        && last.is_some_and(|line| line.role == LineRole::Context)
        && has_distinctive(reading, LineRole::Context)
}

/// Returns `true` if any line of the role can identify a place. A hunk of braces and blank lines
/// matches everywhere, so it is never taken for one that was applied before.
fn has_distinctive(reading: &HunkReading<'_>, role: LineRole) -> bool {
    reading.lines.iter().any(|line| line.role == role && is_distinctive(line.text))
}
