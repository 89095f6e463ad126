//! Old lines with `...` where lines were left out: the parts in order, each where it stands next.

use std::collections::HashSet;
use std::ops::Range;

use super::{Fit, block};
use crate::domain::hunk::Rung;
use crate::patch::likeness::indentation;
use crate::patch::reading::{Reading, Tag};
use crate::patch::source::Source;
use crate::patch::splice::Splice;

/// Most lines that `...` may stand for.
const FARTHEST: usize = 2_000;

/// Most places of one part that are looked at.
const MOST_PLACES: usize = 256;

/// Returns every place where the parts stand in order, the nearest one before each changed part.
/// Lines left out may not leave the definition they begin in, save where the first part stands at a
/// line that the header names.
pub(in crate::patch) fn find_elided<'a>(
    source: &Source<'_>,
    reading: &Reading<'a>,
    hints: &[usize],
) -> Vec<Fit<'a>> {
    let parts: Vec<Reading<'a>> = split_at_gaps(reading);
    if parts.len() < 2 {
        return Vec::new();
    }
    let mut chains: Vec<Chain<'a>> = Vec::new();
    for part in &parts {
        let size = part.old_lines().len();
        let places = find_parts(source, part);
        let next: Vec<Chain<'a>> = if chains.is_empty() {
            places.into_iter().map(|fit| Chain::start_chain(fit, size)).collect()
        } else {
            let go_on = |fit: Fit<'a>| Chain::nearest_chain(&chains, &fit, size);
            let all: Vec<Chain<'a>> = places.into_iter().filter_map(go_on).collect();
            let (inside, beyond): (Vec<_>, Vec<_>) =
                all.into_iter().partition(|chain| chain.is_inside(source));
            let inner: HashSet<usize> = inside.iter().map(|chain| chain.start).collect();
            let reaches =
                |chain: &Chain<'a>| hints.contains(&chain.start) && !inner.contains(&chain.start);
            let mut next: Vec<_> =
                inside.into_iter().chain(beyond.into_iter().filter(reaches)).collect();
            next.sort_by_key(|chain| chain.end);
            next
        };
        if next.is_empty() {
            return Vec::new();
        }
        chains = next;
    }
    // One place of the changes may be reached from several lines before it.
    chains.dedup_by(|one, other| one.splices == other.splices);
    let fit =
        |chain: Chain<'a>| Fit { start: chain.start, rung: Rung::Elided, splices: chain.splices };
    chains.into_iter().map(fit).collect()
}

struct Chain<'a> {
    start: usize,
    end: usize,
    /// The lines last left out.
    gap: Range<usize>,
    splices: Vec<Splice<'a>>,
}

impl<'a> Chain<'a> {
    fn start_chain(fit: Fit<'a>, size: usize) -> Self {
        Self { start: fit.start, end: fit.start + size, gap: 0..0, splices: fit.splices }
    }

    /// Goes on from the nearest chain that ends before the part.
    fn nearest_chain(chains: &[Self], fit: &Fit<'a>, size: usize) -> Option<Self> {
        let before =
            chains.iter().filter(|chain| chain.end <= fit.start).max_by_key(|chain| chain.end)?;
        if fit.start - before.end > FARTHEST {
            return None;
        }
        let splices = before.splices.iter().chain(&fit.splices).cloned().collect();
        let gap = before.end..fit.start;
        Some(Self { start: before.start, end: fit.start + size, gap, splices })
    }

    /// Tells whether all that was left out lies as deep as the line before it, or deeper: another
    /// definition at that depth, or the end of an outer one, is beyond it.
    fn is_inside(&self, source: &Source<'_>) -> bool {
        let Some(before) = self.gap.start.checked_sub(1) else { return true };
        let depth = indentation(source.line(before)).len();
        let opens = |line: &str| {
            let own = indentation(line).len();
            line.contains(char::is_alphanumeric) && (own < depth || (own == depth && depth == 0))
        };
        !self.gap.clone().any(|line| opens(source.line(line)))
    }
}

fn split_at_gaps<'a>(reading: &Reading<'a>) -> Vec<Reading<'a>> {
    let split = reading.lines.split(|(tag, _)| *tag == Tag::Gap);
    let part = |lines: &[(Tag, &'a str)]| Reading { how: reading.how, lines: lines.to_vec() };
    split.filter(|lines| !lines.is_empty()).map(part).collect()
}

/// Returns the places of lines that stand one after another, on the strictest rung that has any.
pub(in crate::patch) fn find_parts<'a>(source: &Source<'_>, part: &Reading<'a>) -> Vec<Fit<'a>> {
    let exact = block::find_exact(source, part);
    let places = if exact.is_empty() { block::find_folded(source, part) } else { exact };
    places.first_fits(MOST_PLACES)
}
