//! Old lines with `...` where lines were left out: the parts in order, each where it stands next.

use super::{Fit, block};
use crate::domain::hunk::Rung;
use crate::patch::reading::{Reading, Tag};
use crate::patch::source::Source;
use crate::patch::splice::Splice;

/// Most lines that `...` may stand for.
const FARTHEST: usize = 2_000;

/// Returns every place where the parts stand in order, the nearest one before each changed part.
pub(in crate::patch) fn fits<'a>(source: &Source<'_>, reading: &Reading<'a>) -> Vec<Fit<'a>> {
    let parts: Vec<Reading<'a>> = parts(reading);
    if parts.len() < 2 {
        return Vec::new();
    }
    let mut chains: Vec<Chain<'a>> = Vec::new();
    for part in &parts {
        let size = part.old().len();
        let places = contiguous(source, part);
        let next: Vec<Chain<'a>> = if chains.is_empty() {
            places.into_iter().map(|fit| Chain::begin(fit, size)).collect()
        } else {
            places.into_iter().filter_map(|fit| Chain::nearest(&chains, &fit, size)).collect()
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
    splices: Vec<Splice<'a>>,
}

impl<'a> Chain<'a> {
    fn begin(fit: Fit<'a>, size: usize) -> Self {
        Self { start: fit.start, end: fit.start + size, splices: fit.splices }
    }

    /// Goes on from the nearest chain that ends before the part.
    fn nearest(chains: &[Self], fit: &Fit<'a>, size: usize) -> Option<Self> {
        let before =
            chains.iter().filter(|chain| chain.end <= fit.start).max_by_key(|chain| chain.end)?;
        if fit.start - before.end > FARTHEST {
            return None;
        }
        let splices = before.splices.iter().chain(&fit.splices).cloned().collect();
        Some(Self { start: before.start, end: fit.start + size, splices })
    }
}

fn parts<'a>(reading: &Reading<'a>) -> Vec<Reading<'a>> {
    let split = reading.lines.split(|(tag, _)| *tag == Tag::Gap);
    let part = |lines: &[(Tag, &'a str)]| Reading { how: reading.how, lines: lines.to_vec() };
    split.filter(|lines| !lines.is_empty()).map(part).collect()
}

/// Returns the places of lines that stand one after another, on the strictest rung that has any.
pub(in crate::patch) fn contiguous<'a>(source: &Source<'_>, part: &Reading<'a>) -> Vec<Fit<'a>> {
    let exact = block::exact(source, part);
    if exact.is_empty() { block::folded(source, part) } else { exact }
}
