//! The questions about a node that all grammars answer alike.

use std::ops::Range;

use tree_sitter::Node;

/// Statements that bind names of other modules.
const IMPORTS: [&str; 6] = [
    "import_statement", "import_from_statement", "future_import_statement", "use_declaration",
    "import_declaration", "import_spec",
];

/// Returns whether a node is part of an import.
pub(crate) fn is_in_import(node: Node<'_>) -> bool {
    ancestors(node).any(is_import)
}

/// Returns whether a node is an import, or an export of what another module has.
pub(crate) fn is_import(node: Node<'_>) -> bool {
    IMPORTS.contains(&node.kind())
        || node.kind() == "export_statement" && node.child_by_field_name("source").is_some()
        || node.kind() == "variable_declarator" && is_require(node)
}

/// Returns whether a declaration's value is a call of `require`.
fn is_require(node: Node<'_>) -> bool {
    let value = node.child_by_field_name("value");
    let call = value.filter(|it| it.kind() == "call_expression");
    let function = call.and_then(|it| it.child_by_field_name("function"));
    // The only function of seven letters with a single string as its arguments.
    let arguments = call.and_then(|it| it.child_by_field_name("arguments"));
    function.is_some_and(|it| it.kind() == "identifier" && it.byte_range().len() == "require".len())
        && arguments.is_some_and(|it| {
            it.named_child_count() == 1 && it.named_child(0).is_some_and(|it| it.kind() == "string")
        })
}

/// Returns the node itself and those around it, the closest first.
pub(crate) fn ancestors(node: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    std::iter::successors(Some(node), Node::parent)
}

/// Returns the field of its parent that a node is in.
pub(crate) fn field_of(node: Node<'_>) -> Option<&str> {
    let parent = node.parent()?;
    let mut cursor = parent.walk();
    let mut more = cursor.goto_first_child();
    while more {
        if cursor.node().id() == node.id() {
            return cursor.field_name();
        }
        more = cursor.goto_next_sibling();
    }
    None
}

/// Returns whether a range covers another.
pub(crate) fn contains(outer: Range<usize>, inner: &Range<usize>) -> bool {
    outer.start <= inner.start && inner.end <= outer.end
}
