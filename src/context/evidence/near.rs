//! Evidence from nearby code: definitions that the best blocks use.
#![expect(
    clippy::cast_precision_loss,
    reason = "counts of files and words are small, and only compared"
)]

use std::collections::BTreeMap;

use super::question::split_identifiers;
use super::terms::hash_term;
use super::words::ScoredBlock;
use super::{Library, Origin, Piece, Question};
use crate::index::{FileId, Symbol, SymbolKind};
use crate::lang::FileRole;

/// Names with more definitions are ignored.
const MAX_HOLDERS: usize = 3;

/// Returns a piece for every definition that a strong block names. `strong` lists the blocks with
/// their scores, best first.
pub fn near_pieces(
    library: &Library<'_>,
    question: &Question,
    strong: &[(FileId, (u32, u32), f32)],
) -> Vec<Piece> {
    let mut found: BTreeMap<(FileId, u32), Piece> = BTreeMap::new();
    for (file, (start, end), strength) in strong {
        let Some(text) = library.text(*file) else { continue };
        let lines = text.lines().skip(*start as usize - 1).take((end - start + 1) as usize);
        let mut seen = std::collections::BTreeSet::new();
        for name in lines.flat_map(split_identifiers).filter(|name| name.len() >= 3) {
            if !seen.insert(name) || question.query.is_noise(hash_term(name)) {
                continue;
            }
            let holders = find_holders(library, *file, name);
            let count = holders.len() as f32;
            for (id, symbol) in holders {
                if id == *file && symbol.start <= *start && symbol.end >= *end {
                    continue;
                }
                let from = super::library::name(library.path(*file));
                let piece = Piece {
                    file: id,
                    lines: Some((symbol.start, symbol.end)),
                    origin: Origin::Near,
                    weight: strength.min(1.0) / count,
                    why: format!("lines of {from} that matter name its `{name}`"),
                };
                let held = found.entry((id, symbol.start)).or_insert_with(|| piece.clone());
                if piece.weight > held.weight {
                    *held = piece;
                }
            }
        }
    }
    found.into_values().collect()
}

/// Returns the definitions of a name used in a file: by its imports, else all definitions if there
/// are few.
fn find_holders<'a>(library: &Library<'a>, file: FileId, name: &str) -> Vec<(FileId, &'a Symbol)> {
    let symbol = |(id, at): (FileId, u32)| Some((id, library.facts(id)?.symbols.get(at as usize)?));
    let mut holders: Vec<_> =
        library.links.follow(file, name).into_iter().filter_map(symbol).collect();
    if holders.is_empty() {
        holders = library.index.definitions(name);
        if holders.len() > MAX_HOLDERS {
            holders.retain(|(id, _)| *id == file);
        }
    }
    holders.retain(|(id, symbol)| {
        library.role(*id) == FileRole::Source && symbol.kind != SymbolKind::Property
    });
    holders
}

/// Returns the blocks with the highest scores of all files, best first.
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
