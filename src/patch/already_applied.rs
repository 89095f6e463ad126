//! Whether a hunk is made already where it is meant, so that a lookalike elsewhere is not its place.

use super::hints::{MOST_PLACES, PlaceHints};
use super::line_roles::{HunkReading, LineRole};
use super::similarity::is_telling;
use super::source::{SourceText, exact_key};
use super::strategy::{Placement, block};

/// Tells whether the hunk is made already at a line: its new side stands there to the letter, and says
/// enough to be no chance.
pub(super) fn is_already_applied(
    source: &SourceText<'_>,
    reading: &HunkReading<'_>,
    line: usize,
) -> bool {
    says_enough(reading) && block::stands_at(source, &new_side(reading), line)
}

/// Returns where, in the definition that the header names, the hunk is made already, when the place
/// that was found is outside of it.
pub(super) fn applied_in_definition(
    source: &SourceText<'_>,
    reading: &HunkReading<'_>,
    (fit, hints): (&Placement<'_>, &PlaceHints<'_>),
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
    source: &SourceText<'_>,
    reading: &HunkReading<'_>,
    (stated, hints): (usize, &PlaceHints<'_>),
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

fn new_side<'a>(reading: &HunkReading<'a>) -> Vec<(LineRole, &'a str)> {
    reading.new_side().into_iter().map(|text| (LineRole::Context, text)).collect()
}

/// Tells whether finding the new side tells that the hunk was made: a new line says enough, or lines
/// above and below those that only go.
fn says_enough(reading: &HunkReading<'_>) -> bool {
    let telling = |wanted: LineRole| {
        reading.lines.iter().any(|(tag, text)| *tag == wanted && is_telling(text))
    };
    let context =
        |line: Option<&(LineRole, &str)>| line.is_some_and(|(tag, _)| *tag == LineRole::Context);
    let framed = context(reading.lines.first()) && context(reading.lines.last());
    telling(LineRole::Insert)
        || (!reading.has_tag(LineRole::Insert) && framed && telling(LineRole::Context))
}
