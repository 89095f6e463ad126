//! Old lines with `...` in place of omitted lines: the parts are placed in order.

use std::collections::HashSet;
use std::ops::Range;

use super::{Placement, block};
use crate::line_roles::{HunkReading, LineRole};
use crate::similarity::indentation;
use crate::source::SourceText;
use crate::splice::Splice;
use papayu_base::domain::hunk::HunkStrategy;

/// The most lines that one `...` may replace.
const MAX_OMITTED: usize = 2_000;

/// The most places of one part.
const MAX_PLACES: usize = 256;

/// Returns every placement in which the parts follow each other, each after the nearest part before.
///
/// Omitted lines must not leave the definition in which they begin, unless the first part is at one of
/// the lines `stated`.
pub(crate) fn find_elided<'a>(
    source: &SourceText<'_>,
    reading: &HunkReading<'a>,
    stated: &[usize],
) -> Vec<Placement<'a>> {
    let parts = split_at_gaps(reading);
    if parts.len() < 2 {
        return Vec::new();
    }
    let mut chains: Vec<PartChain<'a>> = Vec::new();
    for (index, part) in parts.iter().enumerate() {
        let size = part.old_texts().len();
        let places = find_parts(source, part);
        chains = if index == 0 {
            places.into_iter().map(|placement| PartChain::begin(placement, size)).collect()
        } else {
            let longer =
                places.into_iter().filter_map(|place| PartChain::extend(&chains, &place, size));
            keep_plausible(source, longer.collect(), stated)
        };
        if chains.is_empty() {
            return Vec::new();
        }
    }
    // Several first parts may lead to the same changes.
    chains.dedup_by(|one, other| one.splices == other.splices);
    chains.into_iter().map(PartChain::into_placement).collect()
}

/// Returns the chains inside one definition, and those from a stated line that has no such chain.
fn keep_plausible<'a>(
    source: &SourceText<'_>,
    chains: Vec<PartChain<'a>>,
    stated: &[usize],
) -> Vec<PartChain<'a>> {
    let (mut kept, beyond): (Vec<_>, Vec<_>) =
        chains.into_iter().partition(|chain| chain.stays_inside(source));
    let inside: HashSet<usize> = kept.iter().map(|chain| chain.start).collect();
    kept.extend(
        beyond
            .into_iter()
            .filter(|chain| stated.contains(&chain.start) && !inside.contains(&chain.start)),
    );
    kept.sort_by_key(|chain| chain.end);
    kept
}

/// Places of the first parts of a hunk, in order.
struct PartChain<'a> {
    start: usize,
    end: usize,
    /// The lines omitted before the last part.
    gap: Range<usize>,
    splices: Vec<Splice<'a>>,
}

impl<'a> PartChain<'a> {
    fn begin(placement: Placement<'a>, size: usize) -> Self {
        let Placement { start, splices, .. } = placement;
        Self { start, end: start + size, gap: 0..0, splices }
    }

    /// Extends the nearest chain that ends before the part.
    fn extend(chains: &[Self], part: &Placement<'a>, size: usize) -> Option<Self> {
        let before = chains.iter().filter(|chain| chain.end <= part.start);
        let before = before.max_by_key(|chain| chain.end)?;
        if part.start - before.end > MAX_OMITTED {
            return None;
        }
        let splices = before.splices.iter().chain(&part.splices).cloned().collect();
        let gap = before.end..part.start;
        Some(Self { start: before.start, end: part.start + size, gap, splices })
    }

    /// Returns `true` if no omitted line is indented less than the line before the gap. At the top level,
    /// every line that is not indented begins another definition.
    fn stays_inside(&self, source: &SourceText<'_>) -> bool {
        let Some(before) = self.gap.start.checked_sub(1) else { return true };
        let depth = indentation(source.line(before)).len();
        !self.gap.clone().map(|line| source.line(line)).any(|line| {
            let own = indentation(line).len();
            line.contains(char::is_alphanumeric) && (own < depth || (own == depth && depth == 0))
        })
    }

    fn into_placement(self) -> Placement<'a> {
        Placement { start: self.start, strategy: HunkStrategy::Elided, splices: self.splices }
    }
}

/// Returns the parts of a hunk between its gaps, without empty ones.
fn split_at_gaps<'a>(reading: &HunkReading<'a>) -> Vec<HunkReading<'a>> {
    let parts = reading.lines.split(|line| line.role == LineRole::Gap);
    parts
        .filter(|lines| !lines.is_empty())
        .map(|lines| reading.with_lines(lines.to_vec()))
        .collect()
}

/// Returns the places of contiguous lines under the strictest strategy that has any.
pub(crate) fn find_parts<'a>(
    source: &SourceText<'_>,
    part: &HunkReading<'a>,
) -> Vec<Placement<'a>> {
    let exact = block::find_exact(source, part);
    let places = if exact.is_empty() { block::find_folded(source, part) } else { exact };
    places.all_placements(MAX_PLACES)
}
