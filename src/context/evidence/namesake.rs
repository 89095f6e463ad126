//! Evidence from file names: the source that a test file or a test is named after.
#![expect(
    clippy::cast_precision_loss,
    reason = "counts of files and words are small, and only compared"
)]

use std::collections::BTreeMap;

use super::library::{FRONT_PAGES, folder, name, stem};
use super::terms::{Term, hash_term};
use super::{EvidenceOrigin, Library, Piece, Question};
use papayu_index::FileId;
use papayu_lang::FileRole;

/// Prefixes and suffixes of test file names, as the conventions of the languages have them. The
/// last row is for a test with the plain name in another folder.
const AFFIXES: [(&str, &str); 16] = [
    ("test_", ""),
    ("tests_", ""),
    ("test-", ""),
    ("spec_", ""),
    ("Test", ""),
    ("", "_test"),
    ("", "_tests"),
    ("", "_spec"),
    ("", "-test"),
    ("", "-spec"),
    ("", "Test"),
    ("", "Tests"),
    ("", "Spec"),
    ("", "TestCase"),
    ("", "IT"),
    ("", ""),
];

/// Returns a piece for every source that a failing test file, or a failing test, is named after.
pub fn namesake_pieces(library: &Library<'_>, question: &Question) -> Vec<Piece> {
    let mut by_name: BTreeMap<Term, Vec<FileId>> = BTreeMap::new();
    for id in library.of_role(FileRole::Source) {
        by_name.entry(hash_term(tested_subject(library.path(id)))).or_default().push(id);
    }
    let mut pieces = Vec::new();
    for test in &question.test_files {
        of_file(library, *test, &by_name, &mut pieces);
    }
    of_titles(library, question, &by_name, &mut pieces);
    pieces
}

/// Returns the subject of a file by its path: its stem, or the folder name for files such as
/// `index` and `mod`.
fn tested_subject(path: &str) -> &str {
    let stem = stem(path);
    if FRONT_PAGES.contains(&stem) && !folder(path).is_empty() { name(folder(path)) } else { stem }
}

/// Adds pieces for the sources that a test file is named after.
fn of_file(
    library: &Library<'_>,
    test: FileId,
    by_name: &BTreeMap<Term, Vec<FileId>>,
    pieces: &mut Vec<Piece>,
) {
    let path = library.path(test);
    let stem = tested_subject(path);
    let mut found: Vec<FileId> = Vec::new();
    for (before, after) in AFFIXES {
        let Some(tested) = stem.strip_prefix(before).and_then(|rest| rest.strip_suffix(after))
        else {
            continue;
        };
        let fits =
            |id: &&FileId| hash_term(tested_subject(library.path(**id))) == hash_term(tested);
        for id in by_name.get(&hash_term(tested)).into_iter().flatten().filter(fits) {
            if !found.contains(id) {
                found.push(*id);
            }
        }
    }
    let nearest = found.iter().map(|id| kinship(path, library.path(*id))).max().unwrap_or_default();
    for id in &found {
        let kin = kinship(path, library.path(*id));
        let share = if kin == nearest { 1.0 } else { 0.4 };
        // A name shared by many files is weak evidence.
        let weight = share / (1.0 + 0.15 * (found.len() as f32 - 1.0));
        let why = format!("{path} is named after it");
        pieces.push(Piece {
            file: *id,
            lines: None,
            origin: EvidenceOrigin::Namesake,
            weight,
            why,
        });
    }
}

/// Returns a number for the closeness of two paths: twice the folders that they share at one
/// end, and one more for the same folder. Folders such as `src` and `tests` are ignored.
fn kinship(test: &str, source: &str) -> usize {
    let skipped = |part: &&str| {
        !["src", "lib", "test", "tests", "__tests__", "spec", "unit", "main", "java", "pkg"]
            .contains(part)
    };
    let one: Vec<&str> = folder(test).split('/').filter(skipped).collect();
    let other: Vec<&str> = folder(source).split('/').filter(skipped).collect();
    let ends =
        one.iter().rev().zip(other.iter().rev()).take_while(|(one, other)| one == other).count();
    let begins = one.iter().zip(&other).take_while(|(one, other)| one == other).count();
    ends.max(begins) * 2 + usize::from(folder(test) == folder(source))
}

/// Returns pieces for sources with a name that is part of the name of a test: `inline_table_missing_key`
/// and `inline_table.rs`.
fn of_titles(
    library: &Library<'_>,
    question: &Question,
    by_name: &BTreeMap<Term, Vec<FileId>>,
    pieces: &mut Vec<Piece>,
) {
    for title in question.titles.iter().take(12) {
        let words: Vec<&str> = title
            .split(|c: char| !c.is_alphanumeric())
            .filter(|word| !word.is_empty())
            .take(40)
            .collect();
        for length in (1..=3).rev() {
            for run in words.windows(length) {
                let spelled = run.concat();
                let known = question.query.is_noise(hash_term(&spelled)) || spelled.len() < 4;
                let holders = by_name.get(&hash_term(&spelled)).filter(|_| !known);
                for id in holders.into_iter().flatten() {
                    let count = holders.map_or(1, Vec::len) as f32;
                    let beside = |frame: &super::question::LogFrame| {
                        folder(library.path(frame.file)) == folder(library.path(*id))
                    };
                    // Of several files with this name, prefer one next to the places of the
                    // failure.
                    let share = if question.frames.iter().any(beside) { 1.0 } else { 0.5 };
                    let length = if length == 1 { 0.45 } else { 0.8 };
                    let weight = length * if count > 1.0 { share / count.sqrt() } else { 1.0 };
                    let why = format!("the failing test's name spells `{spelled}`");
                    pieces.push(Piece {
                        file: *id,
                        lines: None,
                        origin: EvidenceOrigin::Namesake,
                        weight,
                        why,
                    });
                }
            }
        }
    }
}
