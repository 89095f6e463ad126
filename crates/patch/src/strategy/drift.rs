//! Old lines of which one or two are misquoted or left out.
//!
//! Lines of the hunk that are in the file vote for a place. At the few places with the most votes the
//! lines are aligned within a narrow band. A deleted line is never skipped and must nearly equal the
//! file's line, and deleted lines stay together. The work is linear in the lines of the file (their
//! index) and of the hunk (the band).

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::Placement;
use super::align::align_reading;
use super::blank_anchor::has_certain_blanks;
use super::block::is_mostly_kept;
use super::indent::IndentShift;
use super::indent_mismatch::has_indent_mismatch;
use crate::line_roles::{HunkLine, HunkReading, LineRole};
use crate::similarity::{fold_line, indentation, is_blank, is_distinctive};
use crate::source::{SourceText, folded_key};
use crate::splice::build_splices;
use papayu_base::domain::hunk::HunkStrategy;

/// A more frequent line does not vote.
const MAX_OCCURRENCES: usize = 64;
/// The most places that are aligned, besides the stated ones.
const MAX_PLACES: usize = 16;
/// Votes within this distance count for the same place, because lines may be left out between.
const VOTE_DISTANCE: isize = 3;

/// A placement and the cost of its differences.
#[derive(Clone, Debug)]
pub(crate) struct DriftedPlacement<'a> {
    pub(crate) placement: Placement<'a>,
    /// The cost of the alignment; lower is better.
    pub(crate) cost: f32,
}

/// Returns the places where the old lines match well enough, cheapest first. The lines `stated` are
/// always tried.
pub(crate) fn find_drifted<'a>(
    source: &SourceText<'_>,
    reading: &HunkReading<'a>,
    stated: &[usize],
) -> Vec<DriftedPlacement<'a>> {
    let old = reading.old_lines();
    let mut found: Vec<DriftedPlacement<'a>> = Vec::new();
    for start in candidate_starts(source, &old, stated) {
        let is_stated = usize::try_from(start).is_ok_and(|start| stated.contains(&start));
        let Some(drifted) = place_drifted(source, reading, start, is_stated) else { continue };
        let same = |known: &&mut DriftedPlacement<'a>| {
            known.placement.splices == drifted.placement.splices
        };
        match found.iter_mut().find(same) {
            Some(known) => known.cost = known.cost.min(drifted.cost),
            None => found.push(drifted),
        }
    }
    found.sort_by(|one, other| one.cost.total_cmp(&other.cost));
    found
}

fn place_drifted<'a>(
    source: &SourceText<'_>,
    reading: &HunkReading<'a>,
    start: isize,
    is_stated: bool,
) -> Option<DriftedPlacement<'a>> {
    let aligned = align_reading(source, reading, start, is_stated)?;
    if !is_good_match(source, &reading.old_lines(), &aligned.map)
        || !has_certain_blanks(source, reading, &aligned.map)
    {
        return None;
    }
    let reading = drop_unmapped(reading, &aligned.map);
    let map: Vec<usize> = aligned.map.into_iter().flatten().collect();
    if has_indent_mismatch(source, &reading, &map) {
        return None;
    }
    let splices = build_splices(&reading, &map, &IndentShift::None)?;
    let start = map.first().copied().unwrap_or_default();
    let placement = Placement { start, strategy: HunkStrategy::Drift, splices };
    Some(DriftedPlacement { placement, cost: aligned.cost })
}

/// Returns the possible positions of the first old line: the stated lines, then by number of votes.
///
/// A position is negative if the hunk has lines above the begin of the file.
fn candidate_starts(source: &SourceText<'_>, old: &[HunkLine<'_>], stated: &[usize]) -> Vec<isize> {
    let mut votes: BTreeMap<isize, usize> = BTreeMap::new();
    let mut buffer = Vec::new();
    for (index, line) in old.iter().enumerate().filter(|(_, line)| !is_blank(line.text)) {
        let key = folded_key(line.text, &mut buffer);
        let at: Vec<usize> =
            source.folded_index().positions(key).take(MAX_OCCURRENCES + 1).collect();
        if at.len() <= MAX_OCCURRENCES {
            for line in at {
                *votes.entry(line.cast_signed() - index.cast_signed()).or_default() += 1;
            }
        }
    }
    let mut ranked: Vec<(usize, usize, isize)> = Vec::with_capacity(votes.len());
    for (place, own) in &votes {
        let near = votes.range(place - VOTE_DISTANCE..=place + VOTE_DISTANCE);
        ranked.push((near.map(|(_, count)| count).sum(), *own, *place));
    }
    ranked.sort_by_key(|rank| Reverse(*rank));
    let mut places: Vec<isize> = stated.iter().map(|line| line.cast_signed()).collect();
    for (.., place) in ranked {
        if places.len() >= MAX_PLACES + stated.len() {
            break;
        }
        // The band of a place covers its neighbours.
        if !places.iter().any(|known| known.abs_diff(place) <= 1) {
            places.push(place);
        }
    }
    places
}

/// Returns the hunk without the old lines that the file lacks; these are blank.
fn drop_unmapped<'a>(reading: &HunkReading<'a>, map: &[Option<usize>]) -> HunkReading<'a> {
    let mut places = map.iter();
    let mut lines = Vec::with_capacity(reading.lines.len());
    for line in &reading.lines {
        if line.role == LineRole::Insert || places.next().is_some_and(Option::is_some) {
            lines.push(*line);
        }
    }
    reading.with_lines(lines)
}

/// Returns `true` if nearly all lines match, and some of these are distinctive.
fn is_good_match(source: &SourceText<'_>, old: &[HunkLine<'_>], map: &[Option<usize>]) -> bool {
    let (mut compared, mut right, mut distinctive, mut shifted) = (0, 0, 0, 0);
    for (line, place) in old.iter().zip(map) {
        let Some(place) = place.filter(|_| !is_blank(line.text)) else { continue };
        compared += 1;
        let file = source.line(place);
        shifted += usize::from(indentation(line.text) != indentation(file));
        if fold_line(line.text) == fold_line(file) {
            right += 1;
            distinctive += usize::from(is_distinctive(line.text));
        }
    }
    let mut wrong = compared - right;
    let places: Vec<usize> = map.iter().copied().flatten().collect();
    for pair in places.windows(2) {
        if let [one, next] = pair {
            wrong += (one + 1..*next).filter(|line| !is_blank(source.line(*line))).count();
        }
    }
    // If most lines are indented differently, so are the new ones, by an unknown amount.
    let certain =
        right >= 1 && (distinctive >= 1 || right >= 2) && is_mostly_kept(compared, shifted);
    certain && wrong <= (compared / 6).max(1)
}
