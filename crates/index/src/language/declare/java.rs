//! The parts of a definition's head in Java.

use tree_sitter::Node;

use super::{children_texts, field_text, list_parameters, node_text};
use crate::declaration::{Declaration, Parameter, Visibility};
use crate::language::child::{find_child, first_child, list_children};
use crate::language::reader::FactsReader;
use crate::language::symbol::DeclaredNode;

/// Reads a declaration. The parameters of a record are its components.
pub(crate) fn read_declaration(
    reader: &FactsReader<'_>,
    subject: &DeclaredNode<'_>,
) -> Declaration {
    let node = subject.node;
    let is_component = node.kind() == "formal_parameter";
    let is_constant = node.kind() == "constant_declaration";
    // A final class or method is one that cannot be extended.
    let is_final_field = node.kind() == "field_declaration" && has_modifier(node, "final");
    let list = node.child_by_field_name("parameters");
    let of = field_text(reader, node, "type");
    let returns = node.kind() != "constructor_declaration" && list.is_some();
    let is_element = node.kind() == "annotation_type_element_declaration";
    let (return_type, value_type) = if returns || is_element { (of, None) } else { (None, of) };
    let parameters = list.map(|list| list_parameters(list, |part| read_parameter(reader, part)));
    Declaration {
        // An element of an annotation type has parentheses without parameters.
        parameters: parameters.or_else(|| is_element.then(Vec::new)),
        return_type,
        value_type,
        visibility: find_visibility(reader, node),
        is_async: false,
        is_static: is_constant || has_modifier(node, "static"),
        is_readonly: is_constant || is_component || is_final_field,
        extends: list_supertypes(reader, node, "superclass", "extends_interfaces"),
        implements: list_supertypes(reader, node, "interfaces", "super_interfaces"),
    }
}

/// Returns `true` if the declaration has a modifier.
fn has_modifier(node: Node<'_>, modifier: &str) -> bool {
    find_child(node, "modifiers").is_some_and(|words| find_child(words, modifier).is_some())
}

/// Returns the visibility. Members of an interface, constants of an enum and components of a
/// record are always public (Java Language Specification, chapters 8 and 9).
fn find_visibility(reader: &FactsReader<'_>, node: Node<'_>) -> Option<Visibility> {
    let words = [
        ("public", Visibility::Public),
        ("protected", Visibility::Protected),
        ("private", Visibility::Private),
    ];
    let word = words.into_iter().find(|(word, _)| has_modifier(node, word));
    let in_interface = reader
        .parent()
        .is_some_and(|it| matches!(it.kind(), "interface_body" | "annotation_type_body"));
    let is_public = in_interface || matches!(node.kind(), "enum_constant" | "formal_parameter");
    match word {
        Some((_, visibility)) => Some(visibility),
        None if node.kind() == "package_declaration" => None,
        None => Some(if is_public { Visibility::Public } else { Visibility::Internal }),
    }
}

/// Reads a parameter; `Outer this` of an inner class is none.
fn read_parameter(reader: &FactsReader<'_>, part: Node<'_>) -> Option<Parameter> {
    match part.kind() {
        "formal_parameter" => {
            let name = field_text(reader, part, "name");
            let sizes = field_text(reader, part, "dimensions").unwrap_or_default();
            let of = field_text(reader, part, "type").map(|of| of + &sizes);
            Some(Parameter::new(name, of))
        }
        "spread_parameter" => {
            let name = find_child(part, "variable_declarator")?;
            let others = ["modifiers", "annotation", "marker_annotation", "variable_declarator"];
            let of = list_children(part).into_iter().find(|it| !others.contains(&it.kind()));
            let of = of.map(|of| node_text(reader, of));
            Some(Parameter::new(Some(node_text(reader, name)), of).variadic(true))
        }
        _ => None,
    }
}

/// Returns the types in a clause of supertypes, which is a field in one grammar rule and a
/// child in another.
fn list_supertypes(
    reader: &FactsReader<'_>,
    node: Node<'_>,
    field: &str,
    kind: &str,
) -> Vec<String> {
    let clause = node.child_by_field_name(field).or_else(|| find_child(node, kind));
    let Some(clause) = clause else { return Vec::new() };
    let list = first_child(clause).filter(|list| list.kind() == "type_list");
    children_texts(reader, list.unwrap_or(clause))
}
