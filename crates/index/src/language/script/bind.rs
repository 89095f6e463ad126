//! Variables: functions and classes bound to a name, and what a module keeps at its top.

use tree_sitter::Node;

use super::define::DeclarationPosition;
use super::{is_function, last_part, list_children, read_literal, unwrap_expression};
use crate::facts::SymbolKind;
use crate::language::reader::FactsReader;
use crate::language::symbol::SymbolDraft;

/// Most identifiers of one pattern.
pub(super) const MAX_NAMES: usize = 1_000;

/// Reads one `name = value` of a `const`, `let` or `var`. A function or class bound to a name is
/// that function or class at any depth; other values are symbols at the top only. `const a =
/// require("b")` is an import and no symbol.
pub(super) fn read_declarator<'t>(reader: &mut FactsReader<'t>, node: Node<'t>) {
    let Some(name) = node.child_by_field_name("name") else { return };
    let value = node.child_by_field_name("value").map(unwrap_expression);
    let place = DeclarationPosition::of(reader, 1);
    let range = find_extent(reader, node, &place);
    if name.kind() == "identifier" {
        let text = reader.text(name);
        let kind = match value.map(|value| value.kind()) {
            Some(kind) if is_function(kind) => Some(SymbolKind::Function),
            Some("class") => Some(SymbolKind::Class),
            _ if !place.at_top || value.is_some_and(|value| is_require(reader, value)) => None,
            _ => Some(SymbolKind::Variable),
        };
        if let Some(kind) = kind {
            let body = value.and_then(head_end);
            let mut draft = SymbolDraft::new(kind, range, name, text).body(body);
            draft.head = reader.parent().filter(|_| range != node).unwrap_or(node);
            draft.range.1 = last_part(range);
            draft.exported = place.exported;
            reader.open_symbol(&draft);
        }
    } else if place.at_top && !value.is_some_and(|value| is_require(reader, value)) {
        for bound in list_names(name) {
            let text = reader.text(bound);
            let mut draft = SymbolDraft::new(SymbolKind::Variable, node, bound, text);
            draft.exported = place.exported;
            reader.add_symbol(&draft);
        }
    }
}

/// Returns the whole statement for its first variable, the declarator for a further one.
fn find_extent<'t>(
    reader: &FactsReader<'t>,
    node: Node<'t>,
    place: &DeclarationPosition<'t>,
) -> Node<'t> {
    let Some(declaration) = reader.parent() else { return node };
    let mut cursor = declaration.walk();
    let mut declarators = declaration
        .named_children(&mut cursor)
        .filter(|child| child.kind() == "variable_declarator");
    let only = declarators.next() == Some(node) && declarators.next().is_none();
    if only { place.outermost.unwrap_or(declaration) } else { node }
}

/// Returns the node at which the head of a symbol with this value ends. `None` for a value without a body.
pub(super) fn head_end(value: Node<'_>) -> Option<Node<'_>> {
    match value.kind() {
        "object" | "array" | "template_string" => Some(value),
        _ => value.child_by_field_name("body"),
    }
}

/// Returns `true` for `require("literal")`.
fn is_require<'t>(reader: &FactsReader<'t>, value: Node<'t>) -> bool {
    let function = value.child_by_field_name("function");
    let arguments = value.child_by_field_name("arguments");
    let first = arguments.and_then(|arguments| list_children(arguments).first().copied());
    function.is_some_and(|function| reader.text(function) == "require")
        && first.is_some_and(|first| read_literal(reader, first).is_some())
}

/// Returns the identifiers that a pattern binds, in source order.
pub(super) fn list_names(pattern: Node<'_>) -> Vec<Node<'_>> {
    let mut found = Vec::new();
    let mut open = vec![pattern];
    while let Some(node) = open.pop() {
        if found.len() >= MAX_NAMES {
            break;
        }
        match node.kind() {
            "identifier" | "shorthand_property_identifier_pattern" => found.push(node),
            "object_pattern" | "array_pattern" | "rest_pattern" => {
                open.extend(list_children(node).into_iter().rev());
            }
            "pair_pattern" => open.extend(node.child_by_field_name("value")),
            "assignment_pattern" | "object_assignment_pattern" => {
                open.extend(node.child_by_field_name("left"));
            }
            _ => {}
        }
    }
    found
}
