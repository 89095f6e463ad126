//! Children of a node by their kind; each look costs no more than there are children.

use tree_sitter::Node;

/// Most children that are searched for modifiers.
const MAX_LEADING: usize = 16;

/// Returns the first child of that kind.
pub(super) fn find_child<'t>(node: Node<'t>, kind: &str) -> Option<Node<'t>> {
    node.children(&mut node.walk()).find(|child| child.kind() == kind)
}

/// Returns the first child of a kind among the first sixteen, where modifiers are. A long list
/// after them is not searched.
pub(super) fn find_leading_child<'t>(node: Node<'t>, kind: &str) -> Option<Node<'t>> {
    node.children(&mut node.walk()).take(MAX_LEADING).find(|child| child.kind() == kind)
}

/// Returns all named children except comments.
pub(super) fn list_children(node: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).filter(|child| !child.is_extra()).collect()
}

/// Returns the first named child that is not a comment.
pub(super) fn first_child(node: Node<'_>) -> Option<Node<'_>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).find(|child| !child.is_extra())
}

/// Returns the last named child that is not a comment.
pub(super) fn last_child(node: Node<'_>) -> Option<Node<'_>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).filter(|child| !child.is_extra()).last()
}

/// Returns the first child that is not of the kinds `before`, such as attributes and
/// annotations: the start of the head.
pub(super) fn first_after<'t>(node: Node<'t>, before: &[&str]) -> Node<'t> {
    let mut cursor = node.walk();
    let mut children = node.children(&mut cursor);
    children.find(|child| !child.is_extra() && !before.contains(&child.kind())).unwrap_or(node)
}

/// Returns the text without white space, as a path is written on one line.
pub(super) fn remove_blanks(text: &str) -> String {
    text.split_whitespace().collect()
}
