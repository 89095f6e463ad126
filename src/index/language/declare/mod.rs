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
use super::reader::Reader;
use crate::index::declaration::Parameter;

/// Parameters and supertypes that are kept of one definition, each.
const MAX_PARTS: usize = 100;
/// Characters of a type, a name or a default value that are kept.
const MAX_TEXT: usize = 200;

/// Returns a text on one line, cut.
fn fold_text(text: &str) -> String {
    fold_blanks(text, MAX_TEXT).into()
}

/// Returns the text of a node on one line, cut.
fn node_text(reader: &Reader<'_>, node: Node<'_>) -> String {
    fold_text(reader.text(node))
}

/// Returns the text of a field on one line, cut.
fn field_text(reader: &Reader<'_>, node: Node<'_>, field: &str) -> Option<String> {
    node.child_by_field_name(field).map(|part| node_text(reader, part))
}

/// Returns the texts of the named children, comments left out.
fn children_texts(reader: &Reader<'_>, node: Node<'_>) -> Vec<String> {
    list_children(node).into_iter().take(MAX_PARTS).map(|part| node_text(reader, part)).collect()
}

/// Returns the parameters of a list.
fn list_parameters<'t>(
    list: Node<'t>,
    read: impl FnMut(Node<'t>) -> Option<Parameter>,
) -> Vec<Parameter> {
    list_children(list).into_iter().filter_map(read).take(MAX_PARTS).collect()
}
