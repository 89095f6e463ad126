//! Children of a node by their kind; each look costs no more than there are children.

use tree_sitter::Node;

/// Children that may be modifiers.
const MAX_LEADING: usize = 16;

/// Returns the first child of that kind.
pub(super) fn find_child<'t>(node: Node<'t>, kind: &str) -> Option<Node<'t>> {
    node.children(&mut node.walk()).find(|child| child.kind() == kind)
}

/// Returns the first child of that kind among those that may be modifiers: a long list after them is not looked at.
pub(super) fn find_leading_child<'t>(node: Node<'t>, kind: &str) -> Option<Node<'t>> {
    node.children(&mut node.walk()).take(MAX_LEADING).find(|child| child.kind() == kind)
}

/// Returns all named children, comments left out.
pub(super) fn list_children(node: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).filter(|child| !child.is_extra()).collect()
}

/// Returns the first named child that is no comment.
pub(super) fn first_child(node: Node<'_>) -> Option<Node<'_>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).find(|child| !child.is_extra())
}

/// Returns the last named child that is no comment.
pub(super) fn last_child(node: Node<'_>) -> Option<Node<'_>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).filter(|child| !child.is_extra()).last()
}

/// Returns the first child after those of the kinds that precede a head: attributes, annotations.
pub(super) fn first_after<'t>(node: Node<'t>, before: &[&str]) -> Node<'t> {
    let mut cursor = node.walk();
    let mut children = node.children(&mut cursor);
    children.find(|child| !child.is_extra() && !before.contains(&child.kind())).unwrap_or(node)
}

/// Returns the text without any white space: a path as it would be written on one line.
pub(super) fn remove_blanks(text: &str) -> String {
    text.split_whitespace().collect()
}
