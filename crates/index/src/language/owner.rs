//! Assigns methods written outside their type to it: in Go, and in C++ outside the class.

use std::collections::HashMap;

use rustc_hash::FxBuildHasher;

use super::reader::FactsReader;
use crate::facts::SymbolKind;

/// Sets the parents of symbols that name their type, if the file defines that type before them.
/// A symbol of a namespace is a function, not a method.
pub(super) fn assign_owners(reader: &mut FactsReader<'_>) {
    let apart = std::mem::take(&mut reader.apart);
    if apart.is_empty() {
        return;
    }
    let mut owners: HashMap<Box<str>, u32, FxBuildHasher> = HashMap::default();
    let symbols = &reader.kept.facts.symbols;
    for (place, symbol) in (0_u32..).zip(symbols) {
        let parent = symbol.parent.and_then(|parent| symbols.get(parent as usize));
        let owns = !parent.is_some_and(|parent| parent.kind.is_callable())
            && matches!(
                symbol.kind,
                SymbolKind::Class
                    | SymbolKind::Interface
                    | SymbolKind::Enum
                    | SymbolKind::Type
                    | SymbolKind::Module
            );
        if owns {
            owners.entry(symbol.name.clone()).or_insert(place);
        }
    }
    for (place, owner) in apart {
        // Everywhere in the facts a parent precedes its members, and queries rely on that.
        let Some(owner) = owners.get(owner).copied().filter(|owner| *owner < place) else {
            continue;
        };
        let namespace = reader.kept.facts.symbols.get(owner as usize).map(|it| it.kind)
            == Some(SymbolKind::Module);
        if let Some(symbol) = reader.kept.facts.symbols.get_mut(place as usize) {
            symbol.parent = Some(owner);
            if namespace {
                symbol.kind = SymbolKind::Function;
            }
        }
    }
}
