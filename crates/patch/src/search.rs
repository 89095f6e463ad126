//! The search for the place of one hunk, from strict strategies to loose ones.
//!
//! | strategy | match of the old lines | new lines |
//! |---|---|---|
//! | `exact` | at the stated line, byte for byte | as written |
//! | `offset` | at another line, byte for byte | as written |
//! | `lost_marks` | byte for byte, if context lines lack the column of marks | as written |
//! | `trailing_space` | except for blanks at line ends | as written |
//! | `indent` | all indented differently by one rule | indented by that rule |
//! | `spelling` | except for blanks, quotes and dashes | as written |
//! | `elided` | in parts, in order, around a `...` that the file lacks | as written |
//! | `lost_plus` | if a line among new lines, which the file lacks, is a new line | as written |
//! | `merged` | in parts, in order, each at exactly one place | as written |
//! | `drift` | except for a line or two misquoted or left out | as written |
//!
//! A looser strategy is tried only when no stricter one has a place. If a strategy has several places,
//! [`PlaceHints`] chooses one by the stated line or the named definition, or the hunk is refused. Kept
//! lines are always the file's own bytes. If the old lines are in the file only with entities or
//! escaped quotes undone, [`super::strategy::escape`] undoes them in the whole patch before the search.
//!
//! The rules come from the behaviour and the errors of git apply, GNU patch, aider and codex
//! apply-patch.

use super::already_applied::{find_applied_in_definition, find_rival_place, is_applied_at};
use super::hints::{PlaceChoice, PlaceHints};
use super::hunk::{Hunk, Truncation};
use super::line_roles::{
    HunkReading, LineRole, MarkReading, UnmarkedLine, find_doubtful, is_overlaid, read_hunk,
};
use super::similarity::{is_distinctive, is_gap, is_placeholder};
use super::source::{SourceText, folded_key};
use super::splice::Splice;
use super::strategy::block::{self, BlockPlaces};
use super::strategy::drift::{self, DriftedPlacement};
use super::strategy::indent::IndentShift;
use super::strategy::{Placement, elided, lost_plus, merged};
use papayu_base::domain::hunk::HunkStrategy;

/// The reason why a hunk has no place. Line numbers are 0-based.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum PlaceFault<'a> {
    /// The old lines are not in the file.
    Missing,
    /// The old lines are at several places, and nothing in the hunk identifies the intended one.
    Ambiguous {
        /// The first of two such lines.
        first: usize,
        /// The second.
        second: usize,
        /// All places; empty when there are too many.
        placements: Vec<Placement<'a>>,
    },
    /// The new lines are already in the file, at this line.
    Already(usize),
    /// There are only new lines, and no reliable line number.
    NoContext,
    /// The patch ends in the middle of the hunk.
    CutOff,
    /// The role of this line is unknown.
    Unmarked(String),
    /// This new line is a comment in place of code.
    Placeholder(String),
    /// The hunk changes lines that the hunk with this 0-based index changes too.
    Overlaps(usize),
}

/// Finds the one place of a hunk that changes something.
///
/// Fails with [`PlaceFault::Missing`] if no strategy finds the old lines, with [`PlaceFault::Ambiguous`] if the
/// first one that does has several places, and with [`PlaceFault::Already`] if the new lines are there. A hunk
/// that is cut off or has a placeholder comment is refused whatever the file has.
pub(super) fn find_place<'a>(
    source: &SourceText<'_>,
    hunk: &Hunk<'a>,
    hints: &PlaceHints<'_>,
) -> Result<Placement<'a>, PlaceFault<'a>> {
    let written = read_as_written(source, hunk)?;
    if hunk.truncation == Truncation::Certain {
        return Err(PlaceFault::CutOff);
    }
    if let Some(line) = find_placeholder(source, &written) {
        return Err(PlaceFault::Placeholder(line.to_owned()));
    }
    let old = written.old_texts();
    if old.is_empty() {
        return place_insertion(source, hunk, &written);
    }
    let stated = hints.stated.filter(|stated| block::matches_at(source, &old, *stated));
    let placement = match stated {
        Some(stated) => place_at_stated(source, &written, stated, hints)?,
        None => search_place(source, hunk, &written, hints)?,
    };
    let file_continues = placement.splices.last().is_none_or(|last| last.at.end < source.len());
    // The counts of a hunk with an ellipsis say nothing about its end.
    let counted = !hunk.rows.iter().any(|row| is_gap(row.text()));
    if hunk.truncation == Truncation::IfFileContinues && file_continues && counted {
        return Err(PlaceFault::CutOff);
    }
    Ok(placement)
}

/// Interprets a hunk with its marks as written.
///
/// Fails with [`PlaceFault::Unmarked`] if a line has no mark and its role is unknown.
pub(super) fn read_as_written<'a>(
    source: &SourceText<'_>,
    hunk: &Hunk<'a>,
) -> Result<HunkReading<'a>, PlaceFault<'a>> {
    let read = read_hunk(hunk, source, MarkReading::AsWritten).map_err(unmarked_line)?;
    read.ok_or(PlaceFault::Missing)
}

fn unmarked_line<'a>(line: UnmarkedLine<'_>) -> PlaceFault<'a> {
    PlaceFault::Unmarked(line.0.to_owned())
}

/// Places a hunk with its old lines at the stated line.
fn place_at_stated<'a>(
    source: &SourceText<'_>,
    written: &HunkReading<'a>,
    stated: usize,
    hints: &PlaceHints<'_>,
) -> Result<Placement<'a>, PlaceFault<'a>> {
    if let Some(other) = find_rival_place(source, written, stated, hints) {
        let (first, second) = (stated.min(other), stated.max(other));
        return Err(PlaceFault::Ambiguous { first, second, placements: Vec::new() });
    }
    let placement =
        block::build_placement(written, stated, HunkStrategy::Exact, &IndentShift::None);
    refuse_repeated(source, written, placement.ok_or(PlaceFault::Missing)?)
}

/// Searches the old lines of a hunk that are not at the stated line.
fn search_place<'a>(
    source: &SourceText<'_>,
    hunk: &Hunk<'a>,
    written: &HunkReading<'a>,
    hints: &PlaceHints<'_>,
) -> Result<Placement<'a>, PlaceFault<'a>> {
    if let Some(line) = find_doubtful(hunk, source) {
        return Err(unmarked_line(line));
    }
    if let Some(line) = hints.stated.filter(|line| is_applied_at(source, written, *line)) {
        return Err(PlaceFault::Already(line));
    }
    let readings = read_variants(source, hunk, written.clone())?;
    let placement = match find_contiguous(source, &readings, hints) {
        Err(PlaceFault::Missing) => find_in_pieces(source, hunk, &readings, hints)?,
        decided => decided?,
    };
    match find_applied_in_definition(source, written, placement.start, hints) {
        Some(line) => Err(PlaceFault::Already(line)),
        None => Ok(placement),
    }
}

/// Returns the interpretations of a hunk's marks that differ from each other, the one as written
/// first: that order is the order in which they are tried.
fn read_variants<'a>(
    source: &SourceText<'_>,
    hunk: &Hunk<'a>,
    written: HunkReading<'a>,
) -> Result<Vec<HunkReading<'a>>, PlaceFault<'a>> {
    let mut readings = vec![written];
    for marks in [MarkReading::WithoutTail, MarkReading::WithoutMarks] {
        let reading = read_hunk(hunk, source, marks).map_err(unmarked_line)?;
        readings.extend(reading.filter(|reading| !is_overlaid(reading, source)));
    }
    Ok(readings)
}

/// Finds old lines that are one contiguous block of the file.
fn find_contiguous<'a>(
    source: &SourceText<'_>,
    readings: &[HunkReading<'a>],
    hints: &PlaceHints<'_>,
) -> Result<Placement<'a>, PlaceFault<'a>> {
    for reading in readings {
        let places = block::find_exact(source, reading);
        if !places.is_empty() {
            let placement = choose_block(source, &places, hints)?;
            return refuse_repeated(source, reading, placement);
        }
    }
    // Blanks at line ends are tried for every reading before quotes and dashes are: the stricter strategy
    // wins over the order of readings.
    let mut folded = Vec::new();
    for reading in readings {
        let places = block::find_folded(source, reading);
        if !places.is_empty() && places.strategy == HunkStrategy::TrailingSpace {
            return choose_block(source, &places, hints);
        }
        folded.push(places);
    }
    if readings.iter().any(|reading| reading.has_role(LineRole::Insert)) {
        refuse_applied(source, readings)?;
    }
    for (reading, mut places) in readings.iter().zip(folded) {
        if reading.marks == MarkReading::WithoutMarks || places.is_empty() {
            continue;
        }
        // Lines such as a row of `}` match by chance, so only the stated line identifies the place.
        if !reading.old_texts().iter().any(|text| is_distinctive(text)) {
            places.retain_starts(|start| hints.distance_to(start) == Some(0));
        }
        return choose_block(source, &places, hints);
    }
    Err(PlaceFault::Missing)
}

/// Finds old lines that are in several parts of the file, or that have mistakes.
fn find_in_pieces<'a>(
    source: &SourceText<'_>,
    hunk: &Hunk<'a>,
    readings: &[HunkReading<'a>],
    hints: &PlaceHints<'_>,
) -> Result<Placement<'a>, PlaceFault<'a>> {
    let Some(written) = readings.first() else { return Err(PlaceFault::Missing) };
    if written.has_role(LineRole::Gap) {
        let placements = elided::find_elided(source, written, &hints.stated_lines());
        return choose_placement(source, placements, hints);
    }
    // Before `merged` and `drift`, which would take the line for a misquoted one.
    if let Some(restored) = lost_plus::restore_lost_plus(source, hunk, written) {
        let placements = elided::find_parts(source, &restored);
        if !placements.is_empty() {
            let placement = choose_placement(source, placements, hints)?;
            return Ok(Placement { strategy: HunkStrategy::LostPlus, ..placement });
        }
    }
    if let Some(placement) = merged::find_merged(source, written) {
        return Ok(placement);
    }
    for reading in readings.iter().filter(|reading| reading.marks != MarkReading::WithoutMarks) {
        let drifted = drift::find_drifted(source, reading, &hints.stated_lines());
        match choose_cheapest(source, drifted, hints) {
            Err(PlaceFault::Missing) => {}
            decided => return decided,
        }
    }
    // The result of a pure deletion may be in the file by chance, so this is checked last.
    refuse_applied(source, readings)?;
    Err(PlaceFault::Missing)
}

/// The most places among which the order of hunks may choose.
const MAX_TIED: usize = 64;

/// Chooses among places where the block is as the hunk quotes it, by the line numbers and the text
/// after `@@`.
fn choose_block<'a>(
    source: &SourceText<'_>,
    places: &BlockPlaces<'_, 'a>,
    hints: &PlaceHints<'_>,
) -> Result<Placement<'a>, PlaceFault<'a>> {
    match hints.choose_place(source, &places.start_lines()) {
        PlaceChoice::One(index) => places.placement_at(index).ok_or(PlaceFault::Missing),
        PlaceChoice::Tie(first, second) => {
            let placements = places.all_placements(MAX_TIED);
            Err(PlaceFault::Ambiguous { first, second, placements })
        }
        PlaceChoice::None => Err(PlaceFault::Missing),
    }
}

/// The same for placements that a tolerant strategy found.
fn choose_placement<'a>(
    source: &SourceText<'_>,
    mut placements: Vec<Placement<'a>>,
    hints: &PlaceHints<'_>,
) -> Result<Placement<'a>, PlaceFault<'a>> {
    let starts: Vec<usize> = placements.iter().map(|placement| placement.start).collect();
    match hints.choose_place(source, &starts) {
        PlaceChoice::One(index) if index < placements.len() => Ok(placements.swap_remove(index)),
        PlaceChoice::Tie(first, second) => Err(PlaceFault::Ambiguous { first, second, placements }),
        PlaceChoice::One(_) | PlaceChoice::None => Err(PlaceFault::Missing),
    }
}

/// Places within this cost of the cheapest one compete with it.
const COST_LEAD: f32 = 0.4;
/// Farther from the stated line, a place must cost at most [`MAX_FAR_COST`].
const FAR: usize = 60;
/// The cost of one misspelt line.
const MAX_FAR_COST: f32 = 0.8;

/// Chooses the cheapest place, or among places of nearly the same cost the one that the hints name.
fn choose_cheapest<'a>(
    source: &SourceText<'_>,
    drifted: Vec<DriftedPlacement<'a>>,
    hints: &PlaceHints<'_>,
) -> Result<Placement<'a>, PlaceFault<'a>> {
    let Some(least) = drifted.first().map(|best| best.cost) else {
        return Err(PlaceFault::Missing);
    };
    let mut close: Vec<Placement<'a>> = drifted
        .into_iter()
        .take_while(|place| place.cost - least < COST_LEAD)
        .map(|place| place.placement)
        .collect();
    close.sort_by_key(|placement| placement.start);
    let placement = choose_placement(source, close, hints)?;
    let far = hints.distance_to(placement.start).is_some_and(|distance| distance > FAR);
    if far && least > MAX_FAR_COST { Err(PlaceFault::Missing) } else { Ok(placement) }
}

/// Refuses a placement that only inserts lines at the edge of the hunk if they are already there.
fn refuse_repeated<'a>(
    source: &SourceText<'_>,
    reading: &HunkReading<'a>,
    placement: Placement<'a>,
) -> Result<Placement<'a>, PlaceFault<'a>> {
    match find_repeated(source, reading, &placement) {
        Some(line) => Err(PlaceFault::Already(line)),
        None => Ok(placement),
    }
}

/// Returns the line of the file where an insertion is already, directly next to its place: models
/// repeat a hunk that was applied by an earlier action.
fn find_repeated(
    source: &SourceText<'_>,
    reading: &HunkReading<'_>,
    placement: &Placement<'_>,
) -> Option<usize> {
    let [splice] = placement.splices.as_slice() else { return None };
    if !splice.at.is_empty() || !splice.lines.iter().any(|line| is_distinctive(line)) {
        return None;
    }
    let (first, last) = (reading.lines.first()?, reading.lines.last()?);
    let above = splice.at.start.checked_sub(splice.lines.len());
    let above = above.filter(|_| first.role == LineRole::Insert);
    let below = Some(splice.at.start).filter(|_| last.role == LineRole::Insert);
    [above, below].into_iter().flatten().find(|start| has_lines_at(source, *start, splice))
}

fn has_lines_at(source: &SourceText<'_>, start: usize, splice: &Splice<'_>) -> bool {
    let window = source.lines().get(start..start + splice.lines.len());
    window.is_some_and(|window| window.iter().eq(splice.lines.iter()))
}

/// Refuses a hunk if its new lines are already in the file.
fn refuse_applied(
    source: &SourceText<'_>,
    readings: &[HunkReading<'_>],
) -> Result<(), PlaceFault<'static>> {
    match readings.iter().find_map(|reading| find_new_lines(source, reading)) {
        Some(line) => Err(PlaceFault::Already(line)),
        None => Ok(()),
    }
}

/// Returns the first line at which the new lines are in the file, except for blanks at line ends.
fn find_new_lines(source: &SourceText<'_>, reading: &HunkReading<'_>) -> Option<usize> {
    let new = reading.new_lines();
    if new.is_empty() || source.len() < new.len() {
        return None;
    }
    let mut buffer = Vec::new();
    let keys: Vec<u64> = new.iter().map(|text| folded_key(text, &mut buffer)).collect();
    source.folded_index().find_blocks(&keys).into_iter().find(|start| {
        let window = source.lines().get(*start..*start + new.len()).unwrap_or_default();
        window.iter().zip(&new).all(|(line, wanted)| line.trim_end() == wanted.trim_end())
    })
}

/// Returns a new line that replaces code by a comment such as `// ... rest unchanged`.
fn find_placeholder<'a>(source: &SourceText<'_>, reading: &HunkReading<'a>) -> Option<&'a str> {
    let new = reading.lines.iter().filter(|line| line.role == LineRole::Insert);
    new.map(|line| line.text).find(|text| is_placeholder(text) && !source.has_folded(text))
}

/// Places a hunk of only new lines.
///
/// The place is certain if the file is empty, or if the header has an old count of 0 and both of
/// its line numbers mean the same position.
fn place_insertion<'a>(
    source: &SourceText<'_>,
    hunk: &Hunk<'_>,
    reading: &HunkReading<'a>,
) -> Result<Placement<'a>, PlaceFault<'a>> {
    let no_context = hunk.counts.is_some_and(|counts| counts.old == 0);
    let at = match hunk.stated {
        _ if source.len() == 0 => 0,
        Some(line) if no_context && line <= source.len() && !hunk.goes_above => line,
        _ => return Err(PlaceFault::NoContext),
    };
    if is_applied_at(source, reading, at) {
        return Err(PlaceFault::Already(at));
    }
    let lines = reading.lines.iter().map(|line| line.text.into()).collect();
    let splices = vec![Splice { at: at..at, lines }];
    Ok(Placement { start: at, strategy: HunkStrategy::Exact, splices })
}
