//! YAML: the keys at the top are its symbols, and in a workflow its jobs.

use std::collections::HashSet;

use tree_sitter::Node;

use super::grammar::{Grammar, Role, Walk};
use super::reader::Reader;
use super::symbol::Draft;
use crate::index::facts::SymbolKind;

/// Keys that are taken of one file.
const MAX_KEYS: usize = 1_000;

pub(super) static GRAMMAR: Grammar =
    Grammar::new(|| tree_sitter_yaml::LANGUAGE.into(), role, |_| false, |_| ())
        .refusing(is_too_deep);

/// Columns at which blocks may begin in one file: the scanner notes down 253 levels, two a column at most.
const MAX_COLUMNS: usize = 120;

/// Returns `true` if a file may nest deeper than the scanner can record. A level starts at the
/// first word of a line,
/// at an indicator (`-`, `?`, `:`), or after one.
fn is_too_deep(text: &str) -> bool {
    let mut columns = HashSet::new();
    for line in text.split(['\n', '\r']) {
        let mut begins = true;
        let mut column = 0;
        for word in line.split([' ', '\t']) {
            let indicates = word.ends_with([':', '-', '?']);
            if !word.is_empty() {
                if begins || indicates {
                    columns.insert(column);
                }
                begins = indicates;
            }
            column += word.len() + 1;
        }
        if columns.len() > MAX_COLUMNS {
            return true;
        }
    }
    false
}

fn role(kind: &str) -> Role {
    match kind {
        "comment" => Role::Comment,
        "block_mapping_pair" | "flow_pair" => Role::Read(pair),
        "block_sequence" | "flow_sequence" => Role::Skip,
        _ => Role::Plain,
    }
}

fn pair<'t>(reader: &mut Reader<'t>, node: Node<'t>) -> Walk {
    let Some(key) = node.child_by_field_name("key") else { return Walk::Past };
    if reader.kept.facts.symbols.len() >= MAX_KEYS {
        return Walk::Past;
    }
    let name = reader.text(key).trim_matches(['"', '\'']);
    let value = node.child_by_field_name("value");
    let body = value.filter(|value| value.kind() == "block_node");
    let outer = reader.scope().map(|symbol| (symbol.parent, &*symbol.name));
    match outer {
        None => {
            reader.open(&Draft::new(SymbolKind::Variable, node, key, name).body(body));
            if name == "jobs" { Walk::Into } else { Walk::Past }
        }
        Some((None, "jobs")) => {
            reader.define(&Draft::new(SymbolKind::Function, node, key, name).body(body));
            Walk::Past
        }
        Some(_) => Walk::Past,
    }
}
