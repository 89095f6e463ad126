//! Old lines of which one or two are misquoted or left out: the cheapest way to lay them beside the file's.
//!
//! Lines of the hunk that stand in the file vote for a place; at the few places with most votes the
//! lines are aligned within a narrow band. A deleted line is never left out and must be nearly
//! the file's own, and deleted lines stay together. The work is linear in the lines of the file
//! (their index) and of the hunk (the band), whatever they hold.

use std::collections::BTreeMap;

use super::Fit;
use super::indent::Shift;
use super::settled;
use crate::domain::hunk::Rung;
use crate::patch::likeness::{fold, indentation, is_blank, is_telling, likeness};
use crate::patch::reading::{Reading, Tag};
use crate::patch::source::{Source, folded_key};
use crate::patch::splice::splices;

/// A line that stands oftener than this tells nothing about the place.
const MOST_COMMON: usize = 64;
/// Places that are looked at.
const MOST_PLACES: usize = 12;
/// How many lines may be left out.
const BAND: usize = 6;
/// How alike a misquoted line must be.
const LIKE_CONTEXT: f32 = 0.7;
const LIKE_DELETED: f32 = 0.85;

/// What laying two lines beside each other costs.
const SPELLING: f32 = 0.15;
const OTHER_DEPTH: f32 = 1.2;
const MISQUOTED: f32 = 0.5;
const FILE_LINE_LEFT_OUT: f32 = 1.0;
const FILE_BLANK_LEFT_OUT: f32 = 0.2;
const OWN_BLANK_LEFT_OUT: f32 = 0.3;
const OWN_BLANK_BESIDE_NEW: f32 = 0.9;

/// A place with what is wrong there.
#[derive(Clone, Debug)]
pub(in crate::patch) struct Drifted<'a> {
    pub(in crate::patch) fit: Fit<'a>,
    pub(in crate::patch) cost: f32,
}

/// Returns the places where the old lines fit well enough, cheapest first; those at `hints` are
/// always looked at.
pub(in crate::patch) fn fits<'a>(
    source: &Source<'_>,
    reading: &Reading<'a>,
    hints: &[usize],
) -> Vec<Drifted<'a>> {
    let old = reading.old();
    let mut found: Vec<Drifted<'a>> = Vec::new();
    for start in places(source, &old, hints) {
        let Some(aligned) = align(source, reading, &old, start) else { continue };
        if !settled::is_settled(source, reading, &aligned.map) {
            continue;
        }
        let (reading, map) = laid(reading, &aligned.map);
        let Some(splices) = splices(&reading, &map, &Shift::None) else { continue };
        let start = map.first().copied().unwrap_or_default();
        let fit = Fit { start, rung: Rung::Drift, splices };
        if let Some(known) = found.iter_mut().find(|known| known.fit.splices == fit.splices) {
            known.cost = known.cost.min(aligned.cost);
        } else {
            found.push(Drifted { fit, cost: aligned.cost });
        }
    }
    found.sort_by(|one, other| one.cost.total_cmp(&other.cost));
    found
}

/// Returns where the first old line would stand, most votes first.
fn places(source: &Source<'_>, old: &[(Tag, &str)], hints: &[usize]) -> Vec<isize> {
    let mut votes: BTreeMap<isize, usize> = BTreeMap::new();
    let mut buffer = Vec::new();
    let folded = source.folded();
    for (index, (_, text)) in old.iter().enumerate().filter(|(_, (_, text))| !is_blank(text)) {
        let key = folded_key(text, &mut buffer);
        let at: Vec<usize> = folded.positions(key).take(MOST_COMMON + 1).collect();
        if at.len() <= MOST_COMMON {
            for line in at {
                *votes.entry(line.cast_signed() - index.cast_signed()).or_default() += 1;
            }
        }
    }
    let band = BAND.cast_signed() / 2;
    let near = |place: isize| {
        votes.range(place - band..=place + band).map(|(_, count)| count).sum::<usize>()
    };
    let mut ranked: Vec<(usize, usize, isize)> =
        votes.iter().map(|(place, own)| (near(*place), *own, *place)).collect();
    ranked.sort_by(|one, other| other.cmp(one));
    let mut places: Vec<isize> = hints.iter().map(|hint| hint.cast_signed()).collect();
    for (.., place) in ranked {
        if places.len() >= MOST_PLACES + hints.len() {
            break;
        }
        if !places.iter().any(|known| known.abs_diff(place) <= BAND / 2) {
            places.push(place);
        }
    }
    places
}

/// Returns the hunk without the blank lines that the file does not have, and where the others stand.
fn laid<'a>(reading: &Reading<'a>, map: &[Option<usize>]) -> (Reading<'a>, Vec<usize>) {
    let mut places = map.iter();
    let mut keep =
        |(tag, _): &&(Tag, &str)| *tag == Tag::Insert || places.next().is_some_and(Option::is_some);
    let lines = reading.lines.iter().filter(|line| keep(line)).copied().collect();
    (Reading { how: reading.how, lines }, map.iter().copied().flatten().collect())
}

struct Aligned {
    map: Vec<Option<usize>>,
    cost: f32,
}

/// How a cell of the table was reached.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Move {
    None,
    Match,
    SkipFile,
    SkipOwn,
}

/// Lays the old lines beside the file's from about `start` on; `None` when they do not fit.
fn align(
    source: &Source<'_>,
    reading: &Reading<'_>,
    old: &[(Tag, &str)],
    start: isize,
) -> Option<Aligned> {
    let width = 2 * BAND + 1;
    let first = start - BAND.cast_signed();
    let line_at = |row: usize, column: usize| {
        first
            .checked_add_unsigned(row + column)
            .and_then(|line| usize::try_from(line).ok())
            .filter(|line| *line < source.len())
    };
    let gaps = gaps(reading);
    let new = new_before(reading);
    let beside_new = |row: usize| new.get(row) == Some(&true) || new.get(row + 1) == Some(&true);
    // Row r, column c: r old lines are laid, the next line of the file is `first + r + c`.
    let mut costs = vec![0.0_f32; width + 1];
    if let Some(last) = costs.last_mut() {
        *last = f32::INFINITY;
    }
    let mut moves = vec![vec![Move::None; width]; old.len() + 1];
    for (row, (tag, text)) in old.iter().enumerate() {
        let least = least_like(source, *tag, text);
        // Laying a line keeps the column; leaving out the file's moves right, the hunk's left.
        let mut next = vec![f32::INFINITY; width + 1];
        for column in 0..width {
            let before = costs.get(column).copied().unwrap_or(f32::INFINITY);
            if let Some(line) = line_at(row, column).filter(|_| before.is_finite()) {
                let cost = before + beside(least, text, source.line(line));
                set(&mut next, &mut moves, (row + 1, column), cost, Move::Match);
            }
            let skipping = costs.get(column + 1).copied().unwrap_or(f32::INFINITY);
            if skipping.is_finite() && *tag == Tag::Context && is_blank(text) {
                let cost = if beside_new(row) { OWN_BLANK_BESIDE_NEW } else { OWN_BLANK_LEFT_OUT };
                set(&mut next, &mut moves, (row + 1, column), skipping + cost, Move::SkipOwn);
            }
        }
        let gap = gaps.get(row + 1).copied().unwrap_or(Gap::Nothing);
        if gap != Gap::Nothing {
            for column in 1..width {
                let Some(line) = line_at(row + 1, column - 1) else { continue };
                let blank = is_blank(source.line(line));
                if gap == Gap::Blanks && !blank {
                    continue;
                }
                let cost = if blank { FILE_BLANK_LEFT_OUT } else { FILE_LINE_LEFT_OUT };
                let cost = next.get(column - 1).copied().unwrap_or(f32::INFINITY) + cost;
                if cost.is_finite() {
                    set(&mut next, &mut moves, (row + 1, column), cost, Move::SkipFile);
                }
            }
        }
        costs = next;
    }
    let (column, cost) = costs
        .iter()
        .take(width)
        .copied()
        .enumerate()
        .min_by(|one, other| one.1.total_cmp(&other.1))?;
    if !cost.is_finite() {
        return None;
    }
    let map = trace_back(&moves, old.len(), column, &|row, column| line_at(row, column))?;
    is_good(source, old, &map).then_some(Aligned { map, cost })
}

fn set(
    costs: &mut [f32],
    moves: &mut [Vec<Move>],
    (row, column): (usize, usize),
    cost: f32,
    by: Move,
) {
    if let Some(known) = costs.get_mut(column).filter(|known| cost < **known) {
        *known = cost;
        if let Some(cell) = moves.get_mut(row).and_then(|row| row.get_mut(column)) {
            *cell = by;
        }
    }
}

/// Returns how alike a misquoted line must be. A line that the file has is not misquoted.
fn least_like(source: &Source<'_>, tag: Tag, own: &str) -> f32 {
    match tag {
        _ if source.has_folded(own) => f32::INFINITY,
        Tag::Delete => LIKE_DELETED,
        _ => LIKE_CONTEXT,
    }
}

/// Returns what it costs to take a line of the hunk for a line of the file.
fn beside(least: f32, own: &str, file: &str) -> f32 {
    if own.trim_end() == file.trim_end() {
        return 0.0;
    }
    if is_blank(own) || is_blank(file) {
        return f32::INFINITY;
    }
    if fold(own) == fold(file) {
        // A `}` or an `end` at another depth is another one.
        return if is_telling(own) { SPELLING } else { OTHER_DEPTH };
    }
    let like = if least.is_finite() { likeness(own, file) } else { 0.0 };
    if like >= least { MISQUOTED + 2.0 * (1.0 - like) } else { f32::INFINITY }
}

/// What of the file may be left out before an old line.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Gap {
    Any,
    Blanks,
    Nothing,
}

/// Returns what may be left out before each old line: between deleted lines only blank ones, and
/// nothing where a blank line goes too, or where new lines would have two places.
fn gaps(reading: &Reading<'_>) -> Vec<Gap> {
    let mut gaps = Vec::new();
    let mut last: Option<(Tag, bool)> = None;
    let mut inserts = false;
    for (tag, text) in &reading.lines {
        match tag {
            Tag::Insert => inserts = true,
            Tag::Context | Tag::Delete | Tag::Gap => {
                let blank = is_blank(text);
                gaps.push(match (last, tag) {
                    (Some((Tag::Delete, false)), Tag::Delete) if !blank => Gap::Blanks,
                    (Some((Tag::Delete, _)), Tag::Delete) => Gap::Nothing,
                    (Some((Tag::Context, _)), Tag::Context) if inserts => Gap::Nothing,
                    _ => Gap::Any,
                });
                (last, inserts) = (Some((*tag, blank)), false);
            }
        }
    }
    gaps
}

/// Tells before which old lines, and after the last, new lines stand.
fn new_before(reading: &Reading<'_>) -> Vec<bool> {
    let mut new = vec![false];
    for (tag, _) in &reading.lines {
        match (tag, new.last_mut()) {
            (Tag::Insert, Some(last)) => *last = true,
            _ => new.push(false),
        }
    }
    new
}

fn trace_back(
    moves: &[Vec<Move>],
    rows: usize,
    column: usize,
    line_at: &dyn Fn(usize, usize) -> Option<usize>,
) -> Option<Vec<Option<usize>>> {
    let (mut row, mut column) = (rows, column);
    let mut map = vec![None; rows];
    while row > 0 {
        match moves.get(row).and_then(|row| row.get(column))? {
            Move::Match => {
                row -= 1;
                *map.get_mut(row)? = line_at(row, column);
            }
            Move::SkipFile => column -= 1,
            Move::SkipOwn => {
                row -= 1;
                column += 1;
            }
            Move::None => return None,
        }
    }
    Some(map)
}

/// Tells whether enough is right at a place: nearly all lines, and some that say enough.
fn is_good(source: &Source<'_>, old: &[(Tag, &str)], map: &[Option<usize>]) -> bool {
    let (mut told, mut right, mut telling, mut wrong, mut shifted) = (0, 0, 0, 0, 0);
    let laid = old.iter().zip(map).filter_map(|((_, text), line)| Some((*text, (*line)?)));
    for (text, line) in laid.filter(|(text, _)| !is_blank(text)) {
        told += 1;
        let file = source.line(line);
        shifted += usize::from(indentation(text) != indentation(file));
        if fold(text) == fold(file) {
            right += 1;
            telling += usize::from(is_telling(text));
        } else {
            wrong += 1;
        }
    }
    let map: Vec<usize> = map.iter().copied().flatten().collect();
    let between = map.windows(2).flat_map(|pair| {
        (pair.first().map_or(0, |line| line + 1))..pair.last().copied().unwrap_or_default()
    });
    wrong += between.filter(|line| !is_blank(source.line(*line))).count();
    // Where most lines are indented otherwise, the new ones are too, and nobody knows how.
    let sure = right >= 1 && (telling >= 1 || right >= 2) && shifted * 2 <= told;
    sure && wrong <= (told / 6).max(1)
}
