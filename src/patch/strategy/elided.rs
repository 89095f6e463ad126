//! Old lines with `...` where lines were left out: the parts in order, each where it stands next.

use std::collections::HashSet;
use std::ops::Range;

use super::{Placement, block};
use crate::domain::hunk::HunkStrategy;
use crate::patch::line_roles::{HunkReading, LineRole};
use crate::patch::similarity::indentation;
use crate::patch::source::SourceText;
use crate::patch::splice::Splice;

/// Most lines that `...` may stand for.
const FARTHEST: usize = 2_000;

/// Most places of one part that are looked at.
const MOST_PLACES: usize = 256;

/// Returns every place where the parts stand in order, the nearest one before each changed part.
/// Lines left out may not leave the definition they begin in, save where the first part stands at a
/// line that the header names.
pub(in crate::patch) fn find_elided<'a>(
    source: &SourceText<'_>,
    reading: &HunkReading<'a>,
    hints: &[usize],
) -> Vec<Placement<'a>> {
    let parts: Vec<HunkReading<'a>> = split_at_gaps(reading);
    if parts.len() < 2 {
        return Vec::new();
    }
    let mut chains: Vec<PartChain<'a>> = Vec::new();
    for part in &parts {
        let size = part.old_lines().len();
        let places = find_parts(source, part);
        let next: Vec<PartChain<'a>> = if chains.is_empty() {
            places.into_iter().map(|fit| PartChain::start_chain(fit, size)).collect()
        } else {
            let go_on = |fit: Placement<'a>| PartChain::nearest_chain(&chains, &fit, size);
            let all: Vec<PartChain<'a>> = places.into_iter().filter_map(go_on).collect();
            let (inside, beyond): (Vec<_>, Vec<_>) =
                all.into_iter().partition(|chain| chain.is_inside(source));
            let inner: HashSet<usize> = inside.iter().map(|chain| chain.start).collect();
            let reaches = |chain: &PartChain<'a>| {
                hints.contains(&chain.start) && !inner.contains(&chain.start)
            };
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
    let fit = |chain: PartChain<'a>| Placement {
        start: chain.start,
        strategy: HunkStrategy::Elided,
        splices: chain.splices,
    };
    chains.into_iter().map(fit).collect()
}

struct PartChain<'a> {
    start: usize,
    end: usize,
    /// The lines last left out.
    gap: Range<usize>,
    splices: Vec<Splice<'a>>,
}

impl<'a> PartChain<'a> {
    fn start_chain(fit: Placement<'a>, size: usize) -> Self {
        Self { start: fit.start, end: fit.start + size, gap: 0..0, splices: fit.splices }
    }

    /// Goes on from the nearest chain that ends before the part.
    fn nearest_chain(chains: &[Self], fit: &Placement<'a>, size: usize) -> Option<Self> {
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
    fn is_inside(&self, source: &SourceText<'_>) -> bool {
        let Some(before) = self.gap.start.checked_sub(1) else { return true };
        let depth = indentation(source.line(before)).len();
        let opens = |line: &str| {
            let own = indentation(line).len();
            line.contains(char::is_alphanumeric) && (own < depth || (own == depth && depth == 0))
        };
        !self.gap.clone().any(|line| opens(source.line(line)))
    }
}

fn split_at_gaps<'a>(reading: &HunkReading<'a>) -> Vec<HunkReading<'a>> {
    let split = reading.lines.split(|(tag, _)| *tag == LineRole::Gap);
    let part =
        |lines: &[(LineRole, &'a str)]| HunkReading { how: reading.how, lines: lines.to_vec() };
    split.filter(|lines| !lines.is_empty()).map(part).collect()
}

/// Returns the places of lines that stand one after another, on the strictest strategy that has any.
pub(in crate::patch) fn find_parts<'a>(
    source: &SourceText<'_>,
    part: &HunkReading<'a>,
) -> Vec<Placement<'a>> {
    let exact = block::find_exact(source, part);
    let places = if exact.is_empty() { block::find_folded(source, part) } else { exact };
    places.first_fits(MOST_PLACES)
}
