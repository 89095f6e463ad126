//! The parts of a definition's head in PHP.

use tree_sitter::Node;

use super::{children_texts, field_text, list_parameters, node_text};
use crate::declaration::{Declaration, Parameter, Visibility};
use crate::facts::SymbolKind;
use crate::language::child::{find_child, find_leading_child};
use crate::language::reader::FactsReader;
use crate::language::symbol::DeclaredNode;

/// Reads a declaration. The modifiers of a property or constant belong to the statement around it.
pub(crate) fn read_declaration(
    reader: &FactsReader<'_>,
    subject: &DeclaredNode<'_>,
) -> Declaration {
    let element = matches!(subject.node.kind(), "property_element" | "const_element");
    let whole = reader.parent().filter(|_| element).unwrap_or(subject.node);
    let list = whole.child_by_field_name("parameters");
    let has = |kind| find_leading_child(whole, kind).is_some();
    let list_types = |kind| {
        let clause = find_child(whole, kind);
        clause.map(|clause| children_texts(reader, clause)).unwrap_or_default()
    };
    Declaration {
        parameters: list.map(|list| list_parameters(list, |part| read_parameter(reader, part))),
        return_type: field_text(reader, whole, "return_type"),
        value_type: field_text(reader, whole, "type"),
        visibility: find_visibility(reader, whole),
        is_async: false,
        is_static: has("static_modifier"),
        is_readonly: has("readonly_modifier") || whole.kind() == "const_declaration",
        extends: list_types("base_clause"),
        implements: list_types("class_interface_clause"),
    }
}

/// Returns the visibility of a member, public without a modifier; `None` outside classes.
fn find_visibility(reader: &FactsReader<'_>, whole: Node<'_>) -> Option<Visibility> {
    let scope = reader.kept.scope().map(|scope| scope.kind);
    let is_member =
        matches!(scope, Some(SymbolKind::Class | SymbolKind::Interface | SymbolKind::Enum))
            || whole.kind() == "property_promotion_parameter";
    let word = find_leading_child(whole, "visibility_modifier").map(|word| reader.text(word));
    match word {
        Some("private") => Some(Visibility::Private),
        Some("protected") => Some(Visibility::Protected),
        _ => is_member.then_some(Visibility::Public),
    }
}

/// Reads a parameter; its name has no `$`.
fn read_parameter(reader: &FactsReader<'_>, part: Node<'_>) -> Option<Parameter> {
    let name = node_text(reader, part.child_by_field_name("name")?);
    let name = name.trim_start_matches(['&', '$']).to_owned();
    let parameter = Parameter::new(Some(name), field_text(reader, part, "type"));
    let default = field_text(reader, part, "default_value");
    Some(parameter.or_default(default).variadic(part.kind() == "variadic_parameter"))
}
