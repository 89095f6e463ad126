//! Whether a hunk is made already where it is meant, so that a lookalike elsewhere is not its place.

use super::choose::{Hints, MOST_PLACES};
use super::likeness::is_telling;
use super::reading::{Reading, Tag};
use super::rung::{Fit, block};
use super::source::{Source, exact_key};

/// Tells whether the hunk is made already at a line: its new side stands there to the letter, and says
/// enough to be no chance.
pub(super) fn is_already_applied(source: &Source<'_>, reading: &Reading<'_>, line: usize) -> bool {
    says_enough(reading) && block::stands_at(source, &new_side(reading), line)
}

/// Returns where, in the definition that the header names, the hunk is made already, when the place
/// that was found is outside of it.
pub(super) fn applied_in_definition(
    source: &Source<'_>,
    reading: &Reading<'_>,
    (fit, hints): (&Fit<'_>, &Hints<'_>),
) -> Option<usize> {
    if !hints.names_definition() || hints.is_inside(source, fit.start) || !says_enough(reading) {
        return None;
    }
    let new = new_side(reading);
    let keys: Vec<u64> = new.iter().map(|(_, text)| exact_key(text)).collect();
    let made = |start: &usize| hints.is_inside(source, *start);
    let starts = source.exact_index().find_blocks(&keys).into_iter().take(MOST_PLACES);
    starts.filter(|start| block::stands_at(source, &new, *start)).find(made)
}

/// Returns another place, where the old lines stand to the letter too, that the header means no less
/// than the stated one: as far from it as the hunks above were, or the only one in the named definition.
pub(super) fn find_contender(
    source: &Source<'_>,
    reading: &Reading<'_>,
    (stated, hints): (usize, &Hints<'_>),
) -> Option<usize> {
    let old = reading.old_lines();
    let moved = hints.moved.filter(|moved| *moved != stated);
    let moved = moved.filter(|moved| block::stands_at(source, &old, *moved));
    if moved.is_some() || !hints.names_definition() {
        return moved;
    }
    if !hints.is_outside(source, stated) {
        return None;
    }
    let places = block::find_exact(source, reading).start_lines();
    let few = Some(places).filter(|places| (2..=MOST_PLACES).contains(&places.len()))?;
    let mut inside = few.into_iter().filter(|place| hints.is_inside(source, *place));
    inside.next().filter(|_| inside.next().is_none())
}

fn new_side<'a>(reading: &Reading<'a>) -> Vec<(Tag, &'a str)> {
    reading.new_side().into_iter().map(|text| (Tag::Context, text)).collect()
}

/// Tells whether finding the new side tells that the hunk was made: a new line says enough, or lines
/// above and below those that only go.
fn says_enough(reading: &Reading<'_>) -> bool {
    let telling =
        |wanted: Tag| reading.lines.iter().any(|(tag, text)| *tag == wanted && is_telling(text));
    let context = |line: Option<&(Tag, &str)>| line.is_some_and(|(tag, _)| *tag == Tag::Context);
    let framed = context(reading.lines.first()) && context(reading.lines.last());
    telling(Tag::Insert) || (!reading.has_tag(Tag::Insert) && framed && telling(Tag::Context))
}
