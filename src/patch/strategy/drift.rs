//! Old lines of which one or two are misquoted or left out: the cheapest way to lay them beside the file's.
//!
//! Lines of the hunk that stand in the file vote for a place; at the few places with most votes the
//! lines are aligned within a narrow band. A deleted line is never left out and must be nearly
//! the file's own, and deleted lines stay together. The work is linear in the lines of the file
//! (their index) and of the hunk (the band), whatever they hold.

use std::collections::BTreeMap;

use super::Placement;
use super::align::align_reading;
use super::blank_anchor;
use super::block::mostly_kept;
use super::indent::IndentShift;
use super::indent_mismatch::is_astray;
use crate::domain::hunk::HunkStrategy;
use crate::patch::line_roles::{HunkReading, LineRole};
use crate::patch::similarity::{fold_line, indentation, is_blank, is_telling};
use crate::patch::source::{SourceText, folded_key};
use crate::patch::splice::build_splices;

/// A line that stands oftener than this tells nothing about the place.
const MOST_COMMON: usize = 64;
/// Places that are looked at.
const MOST_PLACES: usize = 16;
/// Votes this many lines apart are for one place: a line was left out between.
const NEAR: isize = 3;

/// A place with what is wrong there.
#[derive(Clone, Debug)]
pub(in crate::patch) struct DriftedPlacement<'a> {
    pub(in crate::patch) fit: Placement<'a>,
    pub(in crate::patch) cost: f32,
}

/// Returns the places where the old lines fit well enough, cheapest first; those at `hints` are
/// always looked at.
pub(in crate::patch) fn find_drifted<'a>(
    source: &SourceText<'_>,
    reading: &HunkReading<'a>,
    hints: &[usize],
) -> Vec<DriftedPlacement<'a>> {
    let old = reading.old_lines();
    let mut found: Vec<DriftedPlacement<'a>> = Vec::new();
    for start in candidate_offsets(source, &old, hints) {
        let stated = usize::try_from(start).is_ok_and(|start| hints.contains(&start));
        let Some(aligned) = align_reading(source, reading, (start, stated)) else { continue };
        if !is_good(source, &old, &aligned.map)
            || !blank_anchor::is_settled(source, reading, &aligned.map)
        {
            continue;
        }
        let (reading, map) = map_reading(reading, &aligned.map);
        if is_astray(source, &reading, &map) {
            continue;
        }
        let Some(splices) = build_splices(&reading, &map, &IndentShift::None) else { continue };
        let start = map.first().copied().unwrap_or_default();
        let fit = Placement { start, strategy: HunkStrategy::Drift, splices };
        if let Some(known) = found.iter_mut().find(|known| known.fit.splices == fit.splices) {
            known.cost = known.cost.min(aligned.cost);
        } else {
            found.push(DriftedPlacement { fit, cost: aligned.cost });
        }
    }
    found.sort_by(|one, other| one.cost.total_cmp(&other.cost));
    found
}

/// Returns where the first old line would stand, most votes first.
fn candidate_offsets(
    source: &SourceText<'_>,
    old: &[(LineRole, &str)],
    hints: &[usize],
) -> Vec<isize> {
    let mut votes: BTreeMap<isize, usize> = BTreeMap::new();
    let mut buffer = Vec::new();
    let folded = source.folded_index();
    for (index, (_, text)) in old.iter().enumerate().filter(|(_, (_, text))| !is_blank(text)) {
        let key = folded_key(text, &mut buffer);
        let at: Vec<usize> = folded.positions(key).take(MOST_COMMON + 1).collect();
        if at.len() <= MOST_COMMON {
            for line in at {
                *votes.entry(line.cast_signed() - index.cast_signed()).or_default() += 1;
            }
        }
    }
    let band = NEAR;
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
        if !places.iter().any(|known| known.abs_diff(place) <= 1) {
            places.push(place);
        }
    }
    places
}

/// Returns the hunk without the blank lines that the file does not have, and where the others stand.
fn map_reading<'a>(
    reading: &HunkReading<'a>,
    map: &[Option<usize>],
) -> (HunkReading<'a>, Vec<usize>) {
    let mut places = map.iter();
    let mut keep = |(tag, _): &&(LineRole, &str)| {
        *tag == LineRole::Insert || places.next().is_some_and(Option::is_some)
    };
    let lines = reading.lines.iter().filter(|line| keep(line)).copied().collect();
    (HunkReading { how: reading.how, lines }, map.iter().copied().flatten().collect())
}

/// Tells whether enough is right at a place: nearly all lines, and some that say enough.
fn is_good(source: &SourceText<'_>, old: &[(LineRole, &str)], map: &[Option<usize>]) -> bool {
    let (mut told, mut right, mut telling, mut wrong, mut shifted) = (0, 0, 0, 0, 0);
    let laid = old.iter().zip(map).filter_map(|((_, text), line)| Some((*text, (*line)?)));
    for (text, line) in laid.filter(|(text, _)| !is_blank(text)) {
        told += 1;
        let file = source.line(line);
        shifted += usize::from(indentation(text) != indentation(file));
        if fold_line(text) == fold_line(file) {
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
    let sure = right >= 1 && (telling >= 1 || right >= 2) && mostly_kept(told, shifted);
    sure && wrong <= (told / 6).max(1)
}
