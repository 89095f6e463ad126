//! Evidence from names: definitions of the names in the failure.
#![expect(
    clippy::cast_precision_loss,
    reason = "counts of files and words are small, and only compared"
)]

use super::library::{MAX_SEARCHED, folder};
use super::{EvidenceOrigin, Library, Piece, Question};
use papayu_index::{FileId, Symbol, SymbolKind};
use papayu_lang::FileRole;

/// Most definitions of a name. A more common name is no evidence.
const MAX_HOLDERS: usize = 12;

/// Returns a piece for every source definition of a name in the failure. Rare names, and names near
/// the failing test, weigh more.
pub fn name_pieces(library: &Library<'_>, question: &Question) -> Vec<Piece> {
    let folders: Vec<&str> =
        question.test_files.iter().map(|id| folder(library.path(*id))).collect();
    let strongest = question.names.values().copied().fold(1.0_f32, f32::max);
    let mut pieces = Vec::new();
    let names: Vec<&str> =
        question.names.keys().map(String::as_str).filter(|name| name.len() >= 3).collect();
    for (name, found) in library.index.definitions_of(&names, MAX_SEARCHED) {
        let weight = question.names.get(name).copied().unwrap_or_default();
        let is_source = |(id, symbol): &(FileId, &Symbol)| {
            library.role(*id) == FileRole::Source && symbol.kind != SymbolKind::Test
        };
        let found: Vec<(FileId, &Symbol)> = found.into_iter().filter(is_source).collect();
        if found.is_empty() || found.len() > MAX_HOLDERS {
            continue;
        }
        let prose = name.chars().all(char::is_lowercase);
        for (id, symbol) in &found {
            // A definition in the folder of the test is more likely the tested one.
            let beside = folders.contains(&folder(library.path(*id)));
            let mut share = weight / strongest / found.len() as f32;
            if !beside {
                share *= 0.7;
            }
            // A simple word may be prose; a compound word is a name.
            if prose || symbol.kind == SymbolKind::Property {
                share *= 0.6;
            }
            let lines = Some((symbol.start, symbol.end));
            let why = format!("it defines `{name}`, which the failure names");
            pieces.push(Piece {
                file: *id,
                lines,
                origin: EvidenceOrigin::Name,
                weight: share,
                why,
            });
        }
    }
    pieces
}
