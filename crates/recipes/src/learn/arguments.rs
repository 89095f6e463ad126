//! Lists of arguments and of named fields, and their elements.

use tree_sitter::Node;

use super::tree_diff::NodePair;
use crate::nodes::field_of;
use crate::source_tree::SourceTree;

/// Returns the lists of arguments before and after: all of them if there are as many, else those in no other list, as where an
/// argument with a call in it is dropped.
pub(super) fn list_pairs(pair: NodePair<'_>) -> Vec<NodePair<'_>> {
    let pair_all = |has_inner: bool| {
        let (old, new) = (find_lists(pair.old, has_inner), find_lists(pair.new, has_inner));
        (old.len() == new.len()).then(|| {
            old.into_iter().zip(new).map(|(old, new)| NodePair { old, new }).collect::<Vec<_>>()
        })
    };
    pair_all(true).or_else(|| pair_all(false)).unwrap_or_default()
}

/// Returns the lists of arguments below a node, with those inside of other lists or without.
fn find_lists(root: Node<'_>, has_inner: bool) -> Vec<Node<'_>> {
    let mut found = Vec::new();
    let mut nodes = vec![root];
    while let Some(node) = nodes.pop() {
        if is_argument_list(node) {
            found.push(node);
            if !has_inner {
                continue;
            }
        }
        let mut cursor = node.walk();
        let mut children: Vec<Node<'_>> = node.named_children(&mut cursor).collect();
        children.reverse();
        nodes.extend(children);
    }
    found
}

/// Returns whether a node is a list of arguments or of named fields.
pub(super) fn is_argument_list(node: Node<'_>) -> bool {
    let kind = node.kind();
    kind == "arguments"
        || kind == "argument_list"
        || ["object", "dictionary", "field_initializer_list", "literal_value"].contains(&kind)
}

/// Returns the elements of a list.
pub(super) fn elements(list: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = list.walk();
    list.named_children(&mut cursor).filter(|it| !it.is_extra()).collect()
}

/// Returns whether an element of a list is more than its value.
pub(super) fn is_element(node: Node<'_>) -> bool {
    ["keyword_argument", "pair", "field_initializer", "keyed_element"].contains(&node.kind())
}

/// Returns whether an element is known by a name, so that its place does not matter.
pub(super) fn is_named_element(node: Node<'_>) -> bool {
    is_element(node)
}

/// Returns whether a leaf names an element.
pub(super) fn is_key(leaf: Node<'_>) -> bool {
    leaf.parent().is_some_and(is_element)
}

/// Returns whether a name is the method of a call.
pub(super) fn is_callee(name: Node<'_>) -> bool {
    name.parent().is_some_and(|member| {
        field_of(member) == Some("function") || member.kind() == "method_invocation"
    })
}

pub(super) fn is_string(node: Node<'_>) -> bool {
    node.kind().contains("string") && !node.kind().contains("template")
}

pub(super) fn is_literal(node: Node<'_>) -> bool {
    let kind = node.kind();
    is_string(node)
        || ["int_literal", "integer", "float", "number", "rune", "true", "false", "char"]
            .iter()
            .any(|part| kind.contains(part))
}

/// Returns the brackets of a list, with the blanks inside.
pub(super) fn brackets<'t>(tree: &SourceTree<'t>, list: Node<'_>) -> (&'t str, &'t str) {
    let all = elements(list);
    let text = |from: usize, to: usize| tree.text.get(from..to).unwrap_or_default();
    match (all.first(), all.last()) {
        (Some(first), Some(last)) => {
            (text(list.start_byte(), first.start_byte()), text(last.end_byte(), list.end_byte()))
        }
        _ => ("(", ")"),
    }
}
