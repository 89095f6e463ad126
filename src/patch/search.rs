//! The ladder: tries strategies from strict to loose and refuses a tie; a wrong place is worse than none.
//!
//! | strategy | the old lines stand | new lines |
//! |---|---|---|
//! | exact | at the stated line, to the letter | as written |
//! | offset | elsewhere, to the letter | as written |
//! | `lost_marks` | to the letter, context read without a mark column | as written |
//! | `trailing_space` | but for blanks at line ends | as written |
//! | indent | indented by one other rule | follow that rule |
//! | spelling | but for blanks, quotes and dashes | as written |
//! | elided | in parts, in order, round a `...` that the file lacks | as written |
//! | `lost_plus` | once a line among new lines, which the file lacks, is taken for new | as written |
//! | merged | in parts, in order, each at one place only | as written |
//! | drift | but for a line or two misquoted or left out | as written |
//!
//! A patch whose old lines are in the file only once entities or escaped quotes are undone is read so
//! as a whole. Within a strategy one place wins; of several, the one that the stated number means, or the
//! only one in the named definition; else the hunk is refused. A looser strategy is asked only when no
//! stricter one has a place. Kept lines are always the file's own bytes. The rules are those that git
//! apply, GNU patch, aider and codex apply-patch taught by what they get wrong.

use super::already_applied::{applied_in_definition, find_contender, is_already_applied};
use super::hints::{PlaceChoice, PlaceHints};
use super::line_roles::{
    HunkReading, LineRole, MarkReading, Unmarked, find_doubtful, is_overlaid, read_hunk,
};
use super::parse::{Hunk, Truncation};
use super::similarity::{is_gap, is_placeholder, is_telling};
use super::source::{SourceText, folded_key};
use super::splice::Splice;
use super::strategy::indent::IndentShift;
use super::strategy::{Placement, block, drift, elided, lost_plus, merged};
use crate::domain::hunk::HunkStrategy;

/// Why a hunk has no place; lines from 0.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum PlaceFault<'a> {
    /// The old lines are nowhere.
    Missing,
    /// They are at two lines, or more, and nothing in the hunk tells which is meant.
    Ambiguous {
        /// Two of the lines.
        lines: (usize, usize),
        /// All places.
        fits: Vec<Placement<'a>>,
    },
    /// The new lines are there already.
    Already(usize),
    /// Only new lines, and no stated number to put them at.
    NoContext,
    /// The patch ends in the middle of the hunk.
    CutOff,
    /// A line has no mark, or none that can be meant.
    Unmarked(String),
    /// A new line only says that code was left out.
    Placeholder(String),
    /// The hunk changes lines that another hunk, from 0, changes too.
    Overlaps(usize),
}

/// Finds the one place of a hunk that changes something.
pub(super) fn find_place<'a>(
    source: &SourceText<'_>,
    hunk: &Hunk<'a>,
    hints: &PlaceHints<'_>,
) -> Result<Placement<'a>, PlaceFault<'a>> {
    let written = as_written(source, hunk)?;
    if hunk.cut == Truncation::Yes {
        return Err(PlaceFault::CutOff);
    }
    if let Some(line) = find_placeholder(source, &written) {
        return Err(PlaceFault::Placeholder(line.to_owned()));
    }
    let old = written.old_lines();
    if old.is_empty() {
        return place_insertion(source, hunk, &written);
    }
    let stated = hints.stated.filter(|stated| block::stands_at(source, &old, *stated));
    let fit = if let Some(stated) = stated {
        if let Some(other) = find_contender(source, &written, (stated, hints)) {
            let lines = (stated.min(other), stated.max(other));
            return Err(PlaceFault::Ambiguous { lines, fits: Vec::new() });
        }
        let found = block::build_fit(&written, stated, (HunkStrategy::Exact, &IndentShift::None));
        found.ok_or(PlaceFault::Missing).and_then(|fit| refuse_repeated(source, &written, fit))?
    } else {
        if let Some(line) = find_doubtful(hunk, source) {
            return Err(unmarked_line(line));
        }
        if let Some(line) = hints.stated.filter(|line| is_already_applied(source, &written, *line))
        {
            return Err(PlaceFault::Already(line));
        }
        let readings = read_variants(source, hunk, written)?;
        let fit = find_contiguous(source, &readings, hints).or_else(|none| match none {
            PlaceFault::Missing => find_in_pieces(source, hunk, &readings, hints),
            other => Err(other),
        })?;
        let made = readings
            .first()
            .and_then(|written| applied_in_definition(source, written, (&fit, hints)));
        if let Some(line) = made {
            return Err(PlaceFault::Already(line));
        }
        fit
    };
    let goes_on = fit.splices.last().is_none_or(|last| last.at.end < source.len());
    // Where lines are left out, nobody can count.
    let counted = !hunk.rows.iter().any(|row| is_gap(row.text()));
    if hunk.cut == Truncation::IfMore && goes_on && counted {
        Err(PlaceFault::CutOff)
    } else {
        Ok(fit)
    }
}

/// Reads a hunk as written.
pub(super) fn as_written<'a>(
    source: &SourceText<'_>,
    hunk: &Hunk<'a>,
) -> Result<HunkReading<'a>, PlaceFault<'a>> {
    let read = read_hunk(hunk, source, MarkReading::AsWritten).map_err(unmarked_line)?;
    read.ok_or(PlaceFault::Missing)
}

fn unmarked_line<'a>(Unmarked(line): Unmarked<'_>) -> PlaceFault<'a> {
    PlaceFault::Unmarked(line.to_owned())
}

fn read_variants<'a>(
    source: &SourceText<'_>,
    hunk: &Hunk<'a>,
    written: HunkReading<'a>,
) -> Result<Vec<HunkReading<'a>>, PlaceFault<'a>> {
    let mut readings = vec![written];
    for how in [MarkReading::WithoutTail, MarkReading::WithoutMarks] {
        let reading = read_hunk(hunk, source, how).map_err(unmarked_line)?;
        readings.extend(reading.filter(|reading| !is_overlaid(reading, source)));
    }
    Ok(readings)
}

/// Lines that stand one after another.
fn find_contiguous<'a>(
    source: &SourceText<'_>,
    readings: &[HunkReading<'a>],
    hints: &PlaceHints<'_>,
) -> Result<Placement<'a>, PlaceFault<'a>> {
    for reading in readings {
        let places = block::find_exact(source, reading);
        if !places.is_empty() {
            return choose_block(source, &places, hints)
                .and_then(|fit| refuse_repeated(source, reading, fit));
        }
    }
    let mut folded = Vec::new();
    for reading in readings {
        let places = block::find_folded(source, reading);
        if !places.is_empty() && places.strategy == HunkStrategy::TrailingSpace {
            return choose_block(source, &places, hints);
        }
        folded.push(places);
    }
    if readings.iter().any(|reading| reading.has_tag(LineRole::Insert)) {
        refuse_applied(source, readings)?;
    }
    let marked =
        readings.iter().zip(folded).filter(|(reading, _)| reading.how != MarkReading::WithoutMarks);
    if let Some((reading, mut places)) = marked.into_iter().find(|(_, places)| !places.is_empty()) {
        // Where no line tells much, such as a row of `}`, only the number can.
        if !reading.old_lines().iter().any(|(_, text)| is_telling(text)) {
            places.retain(|start| hints.distance_to(start) == Some(0));
        }
        return choose_block(source, &places, hints);
    }
    Err(PlaceFault::Missing)
}

/// Lines that stand in pieces, or with mistakes.
fn find_in_pieces<'a>(
    source: &SourceText<'_>,
    hunk: &Hunk<'a>,
    readings: &[HunkReading<'a>],
    hints: &PlaceHints<'_>,
) -> Result<Placement<'a>, PlaceFault<'a>> {
    let Some(written) = readings.first() else { return Err(PlaceFault::Missing) };
    if written.has_tag(LineRole::Gap) {
        return choose_fit(
            source,
            elided::find_elided(source, written, &hints.stated_lines()),
            hints,
        );
    }
    if let Some(mended) = lost_plus::restore_lost_plus(source, hunk, written) {
        let fits = elided::find_parts(source, &mended);
        if !fits.is_empty() {
            let strategy =
                |fit: Placement<'a>| Placement { strategy: HunkStrategy::LostPlus, ..fit };
            return choose_fit(source, fits, hints).map(strategy);
        }
    }
    if let Some(fit) = merged::find_merged(source, written) {
        return Ok(fit);
    }
    for reading in readings.iter().filter(|reading| reading.how != MarkReading::WithoutMarks) {
        match choose_cheapest(
            source,
            drift::find_drifted(source, reading, &hints.stated_lines()),
            hints,
        ) {
            Err(PlaceFault::Missing) => {}
            decided => return decided,
        }
    }
    // Where lines only go, what is left may stand together by chance, so this comes last.
    refuse_applied(source, readings)?;
    Err(PlaceFault::Missing)
}

/// Most places among which the order of hunks may choose.
const MOST_TIED: usize = 64;

fn choose_block<'a>(
    source: &SourceText<'_>,
    places: &block::BlockPlaces<'_, 'a>,
    hints: &PlaceHints<'_>,
) -> Result<Placement<'a>, PlaceFault<'a>> {
    match hints.choose_place(source, &places.start_lines()) {
        PlaceChoice::One(index) => places.fit_at(index).ok_or(PlaceFault::Missing),
        PlaceChoice::Tie(one, two) => {
            Err(PlaceFault::Ambiguous { lines: (one, two), fits: places.first_fits(MOST_TIED) })
        }
        PlaceChoice::None => Err(PlaceFault::Missing),
    }
}

fn choose_fit<'a>(
    source: &SourceText<'_>,
    mut fits: Vec<Placement<'a>>,
    hints: &PlaceHints<'_>,
) -> Result<Placement<'a>, PlaceFault<'a>> {
    let starts: Vec<usize> = fits.iter().map(|fit| fit.start).collect();
    match hints.choose_place(source, &starts) {
        PlaceChoice::One(index) if index < fits.len() => Ok(fits.swap_remove(index)),
        PlaceChoice::Tie(one, two) => Err(PlaceFault::Ambiguous { lines: (one, two), fits }),
        PlaceChoice::One(_) | PlaceChoice::None => Err(PlaceFault::Missing),
    }
}

/// How much cheaper the best place must be than the next.
const LEAD: f32 = 0.4;

/// How far from the stated line a place may be that has more than a misspelt line.
const FAR: usize = 60;
/// What one misspelt line costs at the most, with all else right.
const SLIP: f32 = 0.8;

/// Chooses the cheapest place by a clear lead, or the one of nearly the same cost that the number means.
fn choose_cheapest<'a>(
    source: &SourceText<'_>,
    drifted: Vec<drift::DriftedPlacement<'a>>,
    hints: &PlaceHints<'_>,
) -> Result<Placement<'a>, PlaceFault<'a>> {
    let Some(least) = drifted.first().map(|best| best.cost) else {
        return Err(PlaceFault::Missing);
    };
    let mut close: Vec<Placement<'a>> = drifted
        .into_iter()
        .take_while(|place| place.cost - least < LEAD)
        .map(|place| place.fit)
        .collect();
    close.sort_by_key(|fit| fit.start);
    let fit = choose_fit(source, close, hints)?;
    let far = hints.distance_to(fit.start).is_some_and(|away| away > FAR);
    if far && least > SLIP { Err(PlaceFault::Missing) } else { Ok(fit) }
}

/// Lets a fit pass unless the lines it only adds at the hunk's edge stand there already.
fn refuse_repeated<'a>(
    source: &SourceText<'_>,
    reading: &HunkReading<'a>,
    fit: Placement<'a>,
) -> Result<Placement<'a>, PlaceFault<'a>> {
    let (Some(first), Some(last)) = (reading.lines.first(), reading.lines.last()) else {
        return Ok(fit);
    };
    let there = |start: usize, splice: &Splice<'_>| {
        let window = source.lines().get(start..start + splice.lines.len());
        window.is_some_and(|window| window.iter().eq(splice.lines.iter()))
    };
    if let [splice] = fit.splices.as_slice()
        && splice.at.is_empty()
        && splice.lines.iter().any(|line| is_telling(line))
    {
        let below = last.0 == LineRole::Insert && there(splice.at.start, splice);
        let above = splice.at.start.checked_sub(splice.lines.len());
        let above = above.filter(|above| first.0 == LineRole::Insert && there(*above, splice));
        if let Some(line) = above.or(below.then_some(splice.at.start)) {
            return Err(PlaceFault::Already(line));
        }
    }
    Ok(fit)
}

/// Refuses a hunk whose new side already stands.
fn refuse_applied(
    source: &SourceText<'_>,
    readings: &[HunkReading<'_>],
) -> Result<(), PlaceFault<'static>> {
    let already = readings.iter().find_map(|reading| find_new_side(source, reading));
    already.map_or(Ok(()), |line| Err(PlaceFault::Already(line)))
}

/// Returns where the new side already stands.
fn find_new_side(source: &SourceText<'_>, reading: &HunkReading<'_>) -> Option<usize> {
    let new = reading.new_side();
    let mut buffer = Vec::new();
    let keys: Vec<u64> = new.iter().map(|text| folded_key(text, &mut buffer)).collect();
    let stands = |start: &usize| {
        let window = source.lines().get(*start..*start + new.len()).unwrap_or_default();
        window.iter().zip(&new).all(|(line, wanted)| line.trim_end() == wanted.trim_end())
    };
    if new.is_empty() || source.len() < new.len() {
        return None;
    }
    source.folded_index().find_blocks(&keys).into_iter().find(stands)
}

/// Returns a new line that stands for code, however much comes besides.
fn find_placeholder<'a>(source: &SourceText<'_>, reading: &HunkReading<'a>) -> Option<&'a str> {
    let new = reading.lines.iter().filter(|(tag, _)| *tag == LineRole::Insert);
    new.map(|(_, text)| *text).find(|text| is_placeholder(text) && !source.has_folded(text))
}

/// Only new lines: their place is sure where the file is empty, or where the header says in so many
/// words that it has no context, and both its numbers mean the same line.
fn place_insertion<'a>(
    source: &SourceText<'_>,
    hunk: &Hunk<'_>,
    reading: &HunkReading<'a>,
) -> Result<Placement<'a>, PlaceFault<'a>> {
    let explicit = hunk.counts.is_some_and(|(old, _)| old == 0);
    let at = match hunk.stated {
        _ if source.len() == 0 => 0,
        Some(line) if explicit && line <= source.len() && !hunk.goes_above => line,
        _ => return Err(PlaceFault::NoContext),
    };
    if is_already_applied(source, reading, at) {
        return Err(PlaceFault::Already(at));
    }
    let lines = reading.lines.iter().map(|(_, text)| (*text).into()).collect();
    Ok(Placement {
        start: at,
        strategy: HunkStrategy::Exact,
        splices: vec![Splice { at: at..at, lines }],
    })
}
