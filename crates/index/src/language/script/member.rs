//! Members of classes, interfaces and object literals.

use tree_sitter::Node;

use super::define::after_decorators;
use super::{find_child, has_child, is_function, is_wrapper, property_name, unwrap_expression};
use crate::facts::SymbolKind;
use crate::language::reader::{ChildWalk, FactsReader};
use crate::language::symbol::SymbolDraft;

/// Reads a method of a class, or of an object literal that is the value of a variable. In other
/// object literals a method is only a level of nesting.
pub(super) fn read_method<'t>(reader: &mut FactsReader<'t>, node: Node<'t>) -> ChildWalk {
    let in_class = reader.parent().is_some_and(|parent| parent.kind() == "class_body");
    if !in_class && !in_kept_object(reader) {
        return ChildWalk::Deeper;
    }
    open_member(reader, node, "name", SymbolKind::Method);
    ChildWalk::Into
}

/// Reads a method of an interface, or an abstract one.
pub(super) fn read_signature<'t>(reader: &mut FactsReader<'t>, node: Node<'t>) {
    if in_declared_body(reader) {
        open_member(reader, node, "name", SymbolKind::Method);
    }
}

/// Reads a property of an interface.
pub(super) fn read_property<'t>(reader: &mut FactsReader<'t>, node: Node<'t>) {
    if in_declared_body(reader) {
        open_member(reader, node, "name", SymbolKind::Property);
    }
}

/// Reads a field of a class; `a = () => …` is a method. The two grammars name the field's name
/// differently.
pub(super) fn read_field<'t>(reader: &mut FactsReader<'t>, node: Node<'t>) {
    let value = node.child_by_field_name("value").map(unwrap_expression);
    let calls = value.is_some_and(|value| is_function(value.kind()));
    let kind = if calls { SymbolKind::Method } else { SymbolKind::Property };
    let name = if node.child_by_field_name("name").is_some() { "name" } else { "property" };
    open_member(reader, node, name, kind);
}

/// Reads `key: value` of an object literal that is the value of a variable. A function there is
/// a method.
pub(super) fn read_pair<'t>(reader: &mut FactsReader<'t>, node: Node<'t>) {
    let value = node.child_by_field_name("value").map(unwrap_expression);
    if value.is_some_and(|value| is_function(value.kind())) && in_kept_object(reader) {
        open_member(reader, node, "key", SymbolKind::Method);
    }
}

/// Modifiers of a constructor parameter that make it a property.
const MODIFIERS: [&str; 6] = ["private", "public", "protected", "readonly", "override", "@"];

/// Reads `constructor(private x: X)`, which makes a property of the class.
pub(super) fn read_parameter<'t>(reader: &mut FactsReader<'t>, node: Node<'t>) {
    // Most parameters fail this cheap check of their text.
    if !MODIFIERS.iter().any(|word| reader.text(node).starts_with(word)) {
        return;
    }
    let access = find_child(node, "accessibility_modifier");
    let makes =
        access.is_some() || has_child(node, "readonly") || has_child(node, "override_modifier");
    if makes && let Some(name) = node.child_by_field_name("pattern") {
        let mut draft = SymbolDraft::new(SymbolKind::Property, node, name, reader.text(name));
        draft.head = after_decorators(node);
        let draft = draft.exported(!is_private(reader, node, name));
        let place = reader.add_symbol(&draft);
        // The symbol that is open is the constructor, and the property belongs to the class around it.
        reader.kept.move_out(place);
    }
}

/// Opens a member with the name in `field`. Its head ends at its body, or at the body of the
/// function that is its value.
fn open_member<'t>(reader: &mut FactsReader<'t>, node: Node<'t>, field: &str, kind: SymbolKind) {
    let Some(name) = node.child_by_field_name(field) else { return };
    let text = property_name(reader, name);
    let value = node.child_by_field_name("value").map(unwrap_expression);
    let body = node.child_by_field_name("body").or_else(|| value.and_then(super::bind::head_end));
    let mut draft = SymbolDraft::new(kind, node, name, text).body(body);
    draft.head = after_decorators(node);
    reader.open_symbol(&draft.exported(!is_private(reader, node, name)));
}

/// Returns `true` for `#name` and for `private name`.
fn is_private(reader: &FactsReader<'_>, node: Node<'_>, name: Node<'_>) -> bool {
    name.kind() == "private_property_identifier"
        || find_child(node, "accessibility_modifier")
            .is_some_and(|access| reader.text(access) == "private")
}

/// Returns `true` if the current node is a direct child of the body of an interface or class.
fn in_declared_body(reader: &FactsReader<'_>) -> bool {
    reader.parent().is_some_and(|parent| matches!(parent.kind(), "interface_body" | "class_body"))
}

/// Returns `true` if the current node is a direct child of an object literal that is the value of a
/// variable.
fn in_kept_object(reader: &FactsReader<'_>) -> bool {
    if reader.parent().is_none_or(|parent| parent.kind() != "object") {
        return false;
    }
    let mut level = 1;
    while reader.above(level).is_some_and(|above| is_wrapper(above.kind())) {
        level += 1;
    }
    reader.opened_at(level + 1)
        && reader.kept.scope().is_some_and(|symbol| symbol.kind == SymbolKind::Variable)
}
