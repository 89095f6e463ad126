//! Evidence from imports: names that a failing test uses, followed to their definitions.
#![expect(
    clippy::cast_precision_loss,
    reason = "counts of files and words are small, and only compared"
)]

use std::collections::{BTreeMap, BTreeSet};

use super::question::split_identifiers;
use super::{EvidenceOrigin, Library, Piece, Question};
use papayu_index::{FileId, SymbolKind};
use papayu_lang::FileRole;

/// Most names that are followed from the lines of a test.
const MAX_NAMES: usize = 300;

/// Most test files.
const MAX_FILES: usize = 8;

/// Returns a piece for every source definition that the failing tests use, and a weak piece for
/// every source that their files import.
pub fn import_pieces(library: &Library<'_>, question: &Question) -> Vec<Piece> {
    let mut pieces = Vec::new();
    for test in question.test_files.iter().take(MAX_FILES) {
        let used = used_names(library, question, *test);
        add_followed(library, *test, &used, &mut pieces);
        add_targets(library, *test, &used, &mut pieces);
    }
    pieces
}

/// Returns the names that the failing tests of a file use, with those in helpers of the same
/// file.
/// If no test is known, all names of the file are returned.
fn used_names(library: &Library<'_>, question: &Question, file: FileId) -> BTreeSet<String> {
    let Some(text) = library.text(file) else { return BTreeSet::new() };
    let lines: Vec<&str> = text.lines().collect();
    let last = u32::try_from(lines.len()).unwrap_or(u32::MAX);
    let of = |(start, end): (u32, u32)| {
        let range = start.saturating_sub(1) as usize..(end as usize).min(lines.len());
        lines.get(range).unwrap_or_default().iter().flat_map(|line| quoted_paths(line))
    };
    let mut blocks: Vec<(u32, u32)> =
        question.tests.iter().filter(|test| test.file == file).map(|test| test.lines).collect();
    if blocks.is_empty() {
        blocks.push((1, last));
    }
    let mut used: BTreeSet<String> = blocks.iter().flat_map(|lines| of(*lines)).collect();
    let helpers = library.facts(file).map(|facts| facts.symbols.as_slice()).unwrap_or_default();
    let helped = helpers.iter().filter(|symbol| {
        // A name inside a long helper is weak evidence for this test.
        symbol.kind != SymbolKind::Test
            && symbol.end - symbol.start < 120
            && used.contains(&*symbol.name)
    });
    let more: Vec<String> = helped.flat_map(|symbol| of((symbol.start, symbol.end))).collect();
    used.extend(more);
    used.into_iter().take(MAX_NAMES).collect()
}

/// Returns the identifiers of a line and their pairs: `a`, `b` and `a.b` for `a.b()`.
fn quoted_paths(line: &str) -> Vec<String> {
    let mut found: Vec<String> = split_identifiers(line).map(str::to_owned).collect();
    for separator in [".", "::"] {
        let pieces: Vec<&str> = line.split(separator).collect();
        for pair in pieces.windows(2) {
            let [before, after] = pair else { continue };
            let joined = before.ends_with(is_name) && after.starts_with(is_name);
            let last = before.rsplit(|c| !is_name(c)).next();
            let first = after.split(|c| !is_name(c)).next();
            if let (true, Some(last), Some(first)) = (joined, last, first) {
                found.push(format!("{last}{separator}{first}"));
            }
        }
    }
    found
}

/// Returns `true` for a character of a name.
fn is_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

/// Adds a piece for each source definition to which a name resolves.
fn add_followed(
    library: &Library<'_>,
    test: FileId,
    used: &BTreeSet<String>,
    pieces: &mut Vec<Piece>,
) {
    let mut found: BTreeMap<(FileId, u32), Piece> = BTreeMap::new();
    for name in used {
        let places = library.follow(test, name);
        let places = places.iter().copied();
        let places: Vec<_> =
            places.filter(|(id, _)| library.role(*id) == FileRole::Source).collect();
        // Several definitions of one name share the weight.
        let weight = 1.0 / (1.0 + 0.3 * (places.len() as f32 - 1.0).max(0.0));
        for (id, at) in places {
            let symbol = library.facts(id).and_then(|facts| facts.symbols.get(at as usize));
            let lines = symbol.map(|symbol| (symbol.start, symbol.end));
            let why = format!("the failing test uses its `{name}`");
            let piece = Piece { file: id, lines, origin: EvidenceOrigin::Import, weight, why };
            found.entry((id, at)).or_insert(piece);
        }
    }
    pieces.extend(found.into_values());
}

/// Adds a weak piece for each source file that a test file imports.
fn add_targets(
    library: &Library<'_>,
    test: FileId,
    used: &BTreeSet<String>,
    pieces: &mut Vec<Piece>,
) {
    let path = library.path(test);
    for link in library.links.imports_of(test) {
        let files: Vec<FileId> = link
            .target
            .files()
            .iter()
            .copied()
            .filter(|id| library.role(*id) == FileRole::Source)
            .collect();
        let taken = link.names.iter().any(|name| &*name.here == "*" || used.contains(&*name.here));
        // An import without names that the test uses is probably for another test of the file.
        let weight = if taken || link.names.is_empty() { 0.6 } else { 0.25 };
        for id in &files {
            let weight = weight / (1.0 + 0.3 * (files.len() as f32 - 1.0));
            let why = format!("{path} imports it");
            pieces.push(Piece {
                file: *id,
                lines: None,
                origin: EvidenceOrigin::Import,
                weight,
                why,
            });
        }
    }
}
