//! Reads the parts of a definition's head from its node, one file for each family of grammars.

pub(super) mod c;
pub(super) mod csharp;
pub(super) mod go;
pub(super) mod java;
pub(super) mod php;
pub(super) mod python;
pub(super) mod ruby;
pub(super) mod rust;
pub(super) mod script;

use tree_sitter::Node;

use super::child::list_children;
use super::collector::fold_blanks;
use super::reader::FactsReader;
use crate::declaration::Parameter;

/// Most parameters of one definition, and most supertypes.
const MAX_PARTS: usize = 100;
/// Most characters of a type, a name or a default value.
const MAX_TEXT: usize = 200;

/// Returns a text on one line, at most 200 characters.
fn fold_text(text: &str) -> String {
    fold_blanks(text, MAX_TEXT).into()
}

/// Returns the text of a node on one line.
fn node_text(reader: &FactsReader<'_>, node: Node<'_>) -> String {
    fold_text(reader.text(node))
}

/// Returns the text of a field on one line; `None` without that field.
fn field_text(reader: &FactsReader<'_>, node: Node<'_>, field: &str) -> Option<String> {
    node.child_by_field_name(field).map(|part| node_text(reader, part))
}

/// Returns the texts of the named children except comments.
fn children_texts(reader: &FactsReader<'_>, node: Node<'_>) -> Vec<String> {
    list_children(node).into_iter().take(MAX_PARTS).map(|part| node_text(reader, part)).collect()
}

/// Returns the parameters of a list, at most 100.
fn list_parameters<'t>(
    list: Node<'t>,
    read: impl FnMut(Node<'t>) -> Option<Parameter>,
) -> Vec<Parameter> {
    list_children(list).into_iter().filter_map(read).take(MAX_PARTS).collect()
}
