//! JSON: the keys at the top are its symbols.

use tree_sitter::Node;

use super::reader::{ChildWalk, FactsReader, NodeRole, SyntaxTable};
use super::symbol::SymbolDraft;
use crate::declaration::Declaration;
use crate::facts::SymbolKind;
use papayu_lang::Language;

/// Most keys of one file. Lock files have thousands that are never searched for.
const MAX_KEYS: usize = 1_000;

/// The table of JSON.
pub(super) static TABLE: SyntaxTable = SyntaxTable::new(
    Language::Json,
    role_of_kind,
    |_| false,
    |_| (),
    |_, _| Declaration::default(),
);

/// Returns the role of a node kind of tree-sitter-json. Arrays are skipped: their objects have no
/// names.
fn role_of_kind(kind: &str) -> NodeRole {
    match kind {
        "comment" => NodeRole::Comment,
        "pair" => NodeRole::Choose(read_pair),
        "array" | "string" => NodeRole::Skip,
        _ => NodeRole::Plain,
    }
}

/// Reads a key. Only the top ones are symbols: the walk does not enter their values.
fn read_pair<'t>(reader: &mut FactsReader<'t>, node: Node<'t>) -> ChildWalk {
    if let Some(key) = node.child_by_field_name("key")
        && reader.kept.facts.symbols.len() < MAX_KEYS
    {
        let name = reader.text(key).trim_matches('"');
        let value = node.child_by_field_name("value");
        let body = value.filter(|value| matches!(value.kind(), "object" | "array"));
        reader.add_symbol(&SymbolDraft::new(SymbolKind::Variable, node, key, name).body(body));
    }
    ChildWalk::Past
}
