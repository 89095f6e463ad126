//! Evidence of inputs: files that are not code and that a failing test names, such as fixtures and snapshots.

use std::collections::HashMap;

use super::library::{name, stem};
use super::question::{FailingTest, split_title};
use super::terms::{Term, hash_term};
use super::{EvidenceOrigin, Library, Piece, Question};
use papayu_index::FileId;
use papayu_lang::{self as lang, Family, FileRole};

/// Most inputs that are added; they are often long.
const MAX_INPUTS: usize = 2;

/// Most files with one name. A more common name is no evidence.
const MAX_HOLDERS: usize = 3;

/// Fewest characters of a stem: `a.json` and `in.txt` match by accident.
const MIN_STEM: usize = 4;

/// The ending of snapshots.
const SNAPSHOT: &str = ".snap";

/// Lines that are shown after the place where an input names the failing test.
const NAMED_LINES: u32 = 40;

/// Returns a piece for each file without code that the failing tests name: in a string, by path, name or
/// name without extension, or in their titles.
pub fn input_pieces(library: &Library<'_>, question: &Question) -> Vec<Piece> {
    if question.tests.is_empty() {
        return Vec::new();
    }
    let by_stem = data_by_stem(library);
    let mut pieces: Vec<Piece> = Vec::new();
    for test in &question.tests {
        let Some(text) = library.text(test.file) else { continue };
        let (start, end) = test.lines;
        let lines = text.lines().skip(start as usize - 1).take((end - start + 1) as usize);
        let titles = split_title(&test.title).into_iter();
        let named = titles.chain(lines.flat_map(quoted_names));
        for spelled in named.filter(|spelled| !question.query.is_noise(hash_term(name(spelled)))) {
            for file in files_of_name(library, &by_stem, spelled) {
                if pieces.len() < MAX_INPUTS && !pieces.iter().any(|piece| piece.file == file) {
                    pieces.push(new_piece(library, test, file, spelled));
                }
            }
        }
        // Jest and Vitest say `Snapshot ... mismatched`; the `S` is left out because its case
        // differs.
        let by_snapshot = question.messages.iter().any(|(_, message)| message.contains("napshot"));
        for file in snapshots_of(library, test.file).into_iter().filter(|_| by_snapshot) {
            if pieces.len() < MAX_INPUTS && !pieces.iter().any(|piece| piece.file == file) {
                let piece = new_piece(library, test, file, name(library.path(file)));
                pieces.extend(piece.lines.is_some().then_some(piece));
            }
        }
    }
    pieces
}

/// Returns the files without code in the folders of tests by their names without extension.
fn data_by_stem(library: &Library<'_>) -> HashMap<Term, Vec<FileId>> {
    let mut by_stem: HashMap<Term, Vec<FileId>> = HashMap::new();
    let in_tests = |id: &FileId| {
        let path = library.path(*id);
        lang::is_test(path) && is_data(library, *id) && !path.ends_with(SNAPSHOT)
    };
    for id in library.of_role(FileRole::Other).filter(in_tests) {
        let stem = stem(library.path(id));
        if stem.chars().count() >= MIN_STEM {
            by_stem.entry(hash_term(stem)).or_default().push(id);
        }
    }
    by_stem
}

/// Returns `true` for a file that is not code.
fn is_data(library: &Library<'_>, id: FileId) -> bool {
    !Family::of_path(library.path(id)).is_code()
}

/// Returns the files that a string means, unless there are too many.
fn files_of_name(
    library: &Library<'_>,
    by_stem: &HashMap<Term, Vec<FileId>>,
    spelled: &str,
) -> Vec<FileId> {
    let base = name(spelled);
    let found: Vec<FileId> = if base.contains('.') {
        library.named(base).iter().copied().filter(|id| is_data(library, *id)).collect()
    } else if base.chars().count() >= MIN_STEM {
        by_stem.get(&hash_term(base)).cloned().unwrap_or_default()
    } else {
        Vec::new()
    };
    let end = spelled.trim_start_matches(['.', '/']);
    let by_path: Vec<FileId> =
        found.iter().copied().filter(|id| library.path(*id).ends_with(end)).collect();
    let found = if by_path.is_empty() { found } else { by_path };
    if found.len() > MAX_HOLDERS { Vec::new() } else { found }
}

/// Returns the snapshot files of a test file, as Jest and Vitest name them.
fn snapshots_of(library: &Library<'_>, test: FileId) -> Vec<FileId> {
    let snapshot = format!("{}{SNAPSHOT}", name(library.path(test)));
    library.named(&snapshot).to_vec()
}

/// Returns the piece for an input, at the lines that name the test.
fn new_piece(library: &Library<'_>, test: &FailingTest, file: FileId, spelled: &str) -> Piece {
    let text = library.text(file).unwrap_or_default();
    let title = test.title.rsplit([':', '>', '/']).next().unwrap_or_default().trim();
    let at =
        text.lines().zip(1_u32..).find(|(line, _)| title.len() >= MIN_STEM && line.contains(title));
    Piece {
        file,
        lines: at.map(|(_, line)| (line, line.saturating_add(NAMED_LINES))),
        origin: EvidenceOrigin::Test,
        weight: 0.5,
        why: format!("the failing test names its input `{spelled}`"),
    }
}

/// Returns the strings of a line that may name a file.
fn quoted_names(line: &str) -> impl Iterator<Item = &str> {
    let quoted = line.split(['"', '\'', '`']).skip(1).step_by(2);
    quoted.filter(|text| {
        text.len() <= 120
            && !text.is_empty()
            && !text.contains(|c: char| c.is_whitespace() || c == '\\')
    })
}
