//! YAML: the keys at the top are its symbols, and in a workflow its jobs.

use tree_sitter::Node;

use super::reader::{ChildWalk, FactsReader, NodeRole, SyntaxTable};
use super::symbol::SymbolDraft;
use crate::declaration::Declaration;
use crate::facts::SymbolKind;
use papayu_lang::Language;

/// Keys that are taken of one file.
const MAX_KEYS: usize = 1_000;

pub(super) static TABLE: SyntaxTable = SyntaxTable::new(
    Language::Yaml,
    role_of_kind,
    |_| false,
    |_| (),
    |_, _| Declaration::default(),
);

/// Returns the role of a node kind of tree-sitter-yaml.
fn role_of_kind(kind: &str) -> NodeRole {
    match kind {
        "comment" => NodeRole::Comment,
        "block_mapping_pair" | "flow_pair" => NodeRole::Choose(read_pair),
        "block_sequence" | "flow_sequence" => NodeRole::Skip,
        _ => NodeRole::Plain,
    }
}

/// Reads a key at the top, or one below `jobs:`, the jobs of a GitHub workflow. Deeper keys are
/// values.
fn read_pair<'t>(reader: &mut FactsReader<'t>, node: Node<'t>) -> ChildWalk {
    let Some(key) = node.child_by_field_name("key") else { return ChildWalk::Past };
    if reader.kept.facts.symbols.len() >= MAX_KEYS {
        return ChildWalk::Past;
    }
    let name = reader.text(key).trim_matches(['"', '\'']);
    let value = node.child_by_field_name("value");
    let body = value.filter(|value| value.kind() == "block_node");
    let outer = reader.kept.scope().map(|symbol| (symbol.parent, &*symbol.name));
    match outer {
        None => {
            reader.open_symbol(&SymbolDraft::new(SymbolKind::Variable, node, key, name).body(body));
            if name == "jobs" { ChildWalk::Into } else { ChildWalk::Past }
        }
        Some((None, "jobs")) => {
            reader.add_symbol(&SymbolDraft::new(SymbolKind::Function, node, key, name).body(body));
            ChildWalk::Past
        }
        Some(_) => ChildWalk::Past,
    }
}
