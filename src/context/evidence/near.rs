//! Evidence of nearness: what high-ranking blocks call, and who calls them.
#![expect(
    clippy::cast_precision_loss,
    reason = "counts of files and words are small, and only compared"
)]

use std::collections::BTreeMap;

use super::question::identifiers;
use super::terms::term;
use super::words::Scored;
use super::{Library, Origin, Piece, Question};
use crate::index::{FileId, Symbol, SymbolKind};
use crate::lang::FileRole;

/// Names defined oftener than this lead nowhere.
const MAX_HOLDERS: usize = 3;

/// Returns a piece for every definition that a strong block names; the blocks are given with their
/// strength, best first.
pub fn pieces(
    library: &Library<'_>,
    question: &Question,
    strong: &[(FileId, (u32, u32), f32)],
) -> Vec<Piece> {
    let mut found: BTreeMap<(FileId, u32), Piece> = BTreeMap::new();
    for (file, (start, end), strength) in strong {
        let Some(text) = library.text(*file) else { continue };
        let lines = text.lines().skip(*start as usize - 1).take((end - start + 1) as usize);
        let mut seen = std::collections::BTreeSet::new();
        for name in lines.flat_map(identifiers).filter(|name| name.len() >= 3) {
            if !seen.insert(name) || question.query.is_noise(term(name)) {
                continue;
            }
            let holders = holders(library, *file, name);
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

/// Returns what a name in a file stands for: by its imports, else by the few that bear it.
fn holders<'a>(library: &Library<'a>, file: FileId, name: &str) -> Vec<(FileId, &'a Symbol)> {
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

/// Returns the blocks of most worth in all files, best first.
pub fn strongest(
    scored: &BTreeMap<FileId, Vec<Scored>>,
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
