//! Small questions that every reader of a script asks of a node.

use tree_sitter::Node;

use super::super::child::{find_child, first_child, last_child};
use super::super::reader::FactsReader;

/// Returns the content of a string literal, escapes as written; of a template only if it has no
/// substitutions.
pub(super) fn read_literal<'t>(reader: &FactsReader<'t>, node: Node<'t>) -> Option<&'t str> {
    let text = reader.text(node);
    match node.kind() {
        "string" => text.get(1..text.len().checked_sub(1)?),
        "template_string" if !has_child(node, "template_substitution") => {
            text.get(1..text.len().checked_sub(1)?)
        }
        _ => None,
    }
}

/// Returns the name of a property: quotes off, `#` and brackets left on.
pub(super) fn property_name<'t>(reader: &FactsReader<'t>, node: Node<'t>) -> &'t str {
    read_literal(reader, node).unwrap_or_else(|| reader.text(node))
}

/// Returns `true` if a node has a child of that kind, named or not.
pub(super) fn has_child(node: Node<'_>, kind: &str) -> bool {
    find_child(node, kind).is_some()
}

/// Returns a part that ends where a statement ends, without comments: if its semicolon is missing,
/// they are inside it.
pub(super) fn last_part(statement: Node<'_>) -> Node<'_> {
    let mut node = statement;
    loop {
        let Some(last) = node.child(node.child_count().saturating_sub(1)) else { return node };
        if last.kind() == "comment" {
            let mut cursor = node.walk();
            let parts = node.children(&mut cursor).filter(|child| child.kind() != "comment");
            return parts.last().unwrap_or(node);
        }
        if !matches!(
            node.kind(),
            "export_statement" | "ambient_declaration" | "expression_statement"
        ) {
            return node;
        }
        node = last;
    }
}

/// Returns an expression without the parentheses and types around it.
pub(crate) fn unwrap_expression(mut node: Node<'_>) -> Node<'_> {
    while is_wrapper(node.kind())
        && let Some(inner) = wrapped_expression(node)
    {
        node = inner;
    }
    node
}

/// Returns `true` if an expression of that kind only wraps another: its value is that of its first
/// child.
pub(super) fn is_wrapper(kind: &str) -> bool {
    matches!(
        kind,
        "parenthesized_expression"
            | "as_expression"
            | "satisfies_expression"
            | "non_null_expression"
            | "type_assertion"
    )
}

/// Returns the expression inside a wrapper.
fn wrapped_expression(node: Node<'_>) -> Option<Node<'_>> {
    // In `<Type>value` the type comes first, in `value as Type` the value.
    if node.kind() == "type_assertion" { last_child(node) } else { first_child(node) }
}

/// Returns `true` if a value is a function.
pub(crate) fn is_function(kind: &str) -> bool {
    matches!(kind, "arrow_function" | "function_expression" | "generator_function")
}
