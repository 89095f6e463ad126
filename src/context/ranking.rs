//! Ranks files by all evidence: sources by score, tests after the best of them.

use std::collections::BTreeMap;

use super::evidence::{EvidenceOrigin, Library, Piece};
use papayu_index::FileId;
use papayu_lang::FileRole;

/// Number of sources before the first and the second test file. Files to be changed come first, and
/// the tests they must pass follow closely.
const TEST_PLACES: [usize; 2] = [2, 5];

/// A file with its evidence.
#[derive(Clone, Debug, PartialEq)]
pub struct Ranked {
    /// The file.
    pub file: FileId,
    /// The sum of its evidence.
    pub score: f32,
    /// Its evidence, strongest first.
    pub pieces: Vec<Piece>,
}

/// Returns the weight of an origin relative to the others.
fn origin_weight(origin: EvidenceOrigin) -> f32 {
    match origin {
        EvidenceOrigin::Change => 1.5,
        EvidenceOrigin::Test | EvidenceOrigin::Namesake => 1.0,
        EvidenceOrigin::Frame => 0.9,
        EvidenceOrigin::Words => 0.8,
        EvidenceOrigin::Name | EvidenceOrigin::Reach => 0.3,
        EvidenceOrigin::Near => 0.2,
        // Tests import the thin outer layer of a library, and its faults are in the layers below.
        EvidenceOrigin::Import => 0.05,
    }
}

/// Returns every file with evidence, best first, ties by path.
pub fn by_worth(pieces: &[Piece]) -> Vec<Ranked> {
    let mut files: BTreeMap<FileId, Vec<Piece>> = BTreeMap::new();
    for piece in pieces {
        files.entry(piece.file).or_default().push(piece.clone());
    }
    let mut ranked: Vec<Ranked> =
        files.into_iter().map(|(file, pieces)| rank_file(file, pieces)).collect();
    ranked.sort_by(|one, other| other.score.total_cmp(&one.score).then(one.file.cmp(&other.file)));
    ranked
}

/// Returns the rank of a file from its pieces: several kinds of evidence count more than much of
/// one kind.
fn rank_file(file: FileId, mut pieces: Vec<Piece>) -> Ranked {
    let value = |piece: &Piece| piece.weight * origin_weight(piece.origin);
    pieces.sort_by(|one, other| {
        value(other).total_cmp(&value(one)).then(one.origin.cmp(&other.origin))
    });
    let mut by_origin: BTreeMap<EvidenceOrigin, Vec<f32>> = BTreeMap::new();
    for piece in &pieces {
        by_origin.entry(piece.origin).or_default().push(value(piece));
    }
    let score = by_origin.values().map(|values| add_reasons(values)).sum();
    Ranked { file, score, pieces }
}

/// Returns the sum of the values of one origin, of which each counts less than a third of the one before.
fn add_reasons(values: &[f32]) -> f32 {
    let mut share = 1.0;
    let mut sum = 0.0;
    for value in values.iter().take(6) {
        sum += value * share;
        share *= 0.3;
    }
    sum
}

/// Returns the files with those first that changed: of these the ones that are among the first `count` without their
/// changes, in that order.
pub fn put_changed_first(before: &[Ranked], ranked: Vec<Ranked>, count: usize) -> Vec<Ranked> {
    let place = |file: FileId| before.iter().take(count).position(|held| held.file == file);
    let is_changed =
        |held: &Ranked| held.pieces.iter().any(|piece| piece.origin == EvidenceOrigin::Change);
    let (mut changed, others): (Vec<Ranked>, Vec<Ranked>) =
        ranked.into_iter().partition(is_changed);
    changed.sort_by_key(|held| place(held.file).unwrap_or(usize::MAX));
    changed.into_iter().chain(others).collect()
}

/// Returns at most `count` files to show, with tests placed among the sources.
pub fn pick_files(library: &Library<'_>, ranked: Vec<Ranked>, count: usize) -> Vec<Ranked> {
    let is_test = |held: &Ranked| library.role(held.file) == FileRole::Test;
    let (tests, mut picked): (Vec<Ranked>, Vec<Ranked>) = ranked.into_iter().partition(is_test);
    for (test, place) in tests.into_iter().zip(TEST_PLACES) {
        picked.insert(place.min(picked.len()), test);
    }
    picked.truncate(count);
    picked
}

#[cfg(test)]
mod tests {
    use super::*;

    fn piece(file: u32, origin: EvidenceOrigin, weight: f32) -> Piece {
        Piece { file: FileId(file), lines: None, origin, weight, why: String::new() }
    }

    #[test]
    fn two_sorts_of_reason_beat_one_sort_said_often() {
        let often = (0..50).map(|_| piece(1, EvidenceOrigin::Words, 1.0));
        let two = [piece(2, EvidenceOrigin::Words, 0.9), piece(2, EvidenceOrigin::Namesake, 1.0)];
        let ranked = by_worth(&often.chain(two).collect::<Vec<_>>());
        assert_eq!(ranked.iter().map(|held| held.file.0).collect::<Vec<_>>(), [2, 1]);
    }

    #[test]
    fn equals_stand_in_the_order_of_paths() {
        let ranked =
            by_worth(&[piece(2, EvidenceOrigin::Name, 0.5), piece(1, EvidenceOrigin::Name, 0.5)]);
        assert_eq!(ranked.iter().map(|held| held.file.0).collect::<Vec<_>>(), [1, 2]);
    }
}
