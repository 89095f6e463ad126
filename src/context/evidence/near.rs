//! Evidence from nearby code: definitions that the best blocks use.
#![expect(
    clippy::cast_precision_loss,
    reason = "counts of files and words are small, and only compared"
)]

use std::collections::{BTreeMap, BTreeSet};

use super::library::MAX_SEARCHED;
use super::question::split_identifiers;
use super::terms::hash_term;
use super::words::ScoredBlock;
use super::{EvidenceOrigin, Library, Piece, Question};
use papayu_index::{FileId, Symbol, SymbolKind};
use papayu_lang::FileRole;

/// Names with more definitions are ignored.
const MAX_HOLDERS: usize = 3;

/// Returns a piece for every definition that a strong block names. `strong` lists the blocks with
/// their scores, best first.
pub fn near_pieces(
    library: &Library<'_>,
    question: &Question,
    strong: &[(FileId, (u32, u32), f32)],
) -> Vec<Piece> {
    let used = used_names(library, question, strong);
    // Names that imports lead to need no search.
    let unresolved = used.iter().filter(|used| used.followed.is_empty());
    let names: Vec<&str> = unresolved.map(|used| used.name.as_str()).collect();
    let defined = library.index.definitions_of(&names, MAX_SEARCHED);
    let mut found: BTreeMap<(FileId, u32), Piece> = BTreeMap::new();
    for used in &used {
        let UsedName { file, lines: (start, end), strength, name, .. } = used;
        let defined = defined.get(name.as_str()).map(Vec::as_slice).unwrap_or_default();
        let holders = find_holders(library, used, defined);
        let count = holders.len() as f32;
        for (id, symbol) in holders {
            if id == *file && symbol.start <= *start && symbol.end >= *end {
                continue;
            }
            let from = super::library::name(library.path(*file));
            let piece = Piece {
                file: id,
                lines: Some((symbol.start, symbol.end)),
                origin: EvidenceOrigin::Near,
                weight: strength.min(1.0) / count,
                why: format!("lines of {from} that matter name its `{name}`"),
            };
            let held = found.entry((id, symbol.start)).or_insert_with(|| piece.clone());
            if piece.weight > held.weight {
                *held = piece;
            }
        }
    }
    found.into_values().collect()
}

/// A name in a strong block.
struct UsedName<'a> {
    file: FileId,
    lines: (u32, u32),
    strength: f32,
    name: String,
    /// The definitions that the imports of the file lead to.
    followed: Vec<(FileId, &'a Symbol)>,
}

/// Returns the names in the blocks, each once for each block.
fn used_names<'a>(
    library: &Library<'a>,
    question: &Question,
    strong: &[(FileId, (u32, u32), f32)],
) -> Vec<UsedName<'a>> {
    let symbol = |(id, at): (FileId, u32)| Some((id, library.facts(id)?.symbols.get(at as usize)?));
    let mut used = Vec::new();
    for (file, (start, end), strength) in strong {
        let Some(text) = library.lines(*file) else { continue };
        let mut seen = BTreeSet::new();
        for name in
            text.range((*start, *end)).flat_map(split_identifiers).filter(|name| name.len() >= 3)
        {
            if !seen.insert(name) || question.query.is_noise(hash_term(name)) {
                continue;
            }
            if !library.work.spend(1) {
                return used;
            }
            let followed = library.follow(*file, name);
            used.push(UsedName {
                file: *file,
                lines: (*start, *end),
                strength: *strength,
                name: name.to_owned(),
                followed: followed.iter().copied().filter_map(symbol).collect(),
            });
        }
    }
    used
}

/// Returns the definitions of a name used in a file: by its imports, else all definitions if there
/// are few.
fn find_holders<'a>(
    library: &Library<'a>,
    used: &UsedName<'a>,
    defined: &[(FileId, &'a Symbol)],
) -> Vec<(FileId, &'a Symbol)> {
    let mut holders = used.followed.clone();
    if holders.is_empty() {
        holders = defined.to_vec();
        if holders.len() > MAX_HOLDERS {
            holders.retain(|(id, _)| *id == used.file);
        }
    }
    holders.retain(|(id, symbol)| {
        library.role(*id) == FileRole::Source && symbol.kind != SymbolKind::Property
    });
    holders
}

/// Returns at most `limit` blocks with the highest scores of all files, best first: file, first and last line
/// (from 1), score. Blocks with the score 0 are left out.
pub fn strongest_blocks(
    scored: &BTreeMap<FileId, Vec<ScoredBlock>>,
    limit: usize,
) -> Vec<(FileId, (u32, u32), f32)> {
    let all = scored.iter().flat_map(|(id, blocks)| {
        blocks.iter().map(|held| (*id, (held.block.start, held.block.end), held.score))
    });
    let mut all: Vec<_> = all.filter(|(_, _, score)| *score > 0.0).collect();
    all.sort_by(|one, other| {
        other.2.total_cmp(&one.2).then((one.0, one.1).cmp(&(other.0, other.1)))
    });
    all.truncate(limit);
    all
}
