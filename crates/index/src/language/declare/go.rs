//! The parts of a definition's head in Go.

use tree_sitter::Node;

use super::{MAX_PARTS, field_text, node_text};
use crate::declaration::{Declaration, Parameter, Visibility};
use crate::language::child::{find_child, list_children};
use crate::language::reader::FactsReader;
use crate::language::symbol::DeclaredNode;

/// Reads a declaration. The embedded types of a struct or interface count as extended. The
/// receiver of a method is its parent, not a parameter.
pub(crate) fn read_declaration(
    reader: &FactsReader<'_>,
    subject: &DeclaredNode<'_>,
) -> Declaration {
    let node = subject.node;
    let is_upper = subject.name.chars().next().is_some_and(char::is_uppercase);
    let visibility = if is_upper { Visibility::Public } else { Visibility::Internal };
    let mut declaration = Declaration { visibility: Some(visibility), ..Declaration::default() };
    match node.kind() {
        "function_declaration" | "method_declaration" | "method_elem" => {
            let list = node.child_by_field_name("parameters");
            declaration.parameters = list.map(|list| read_parameters(reader, list));
            declaration.return_type = field_text(reader, node, "result");
        }
        "type_spec" => {
            let of = node.child_by_field_name("type");
            declaration.extends = of.map(|of| list_embedded(reader, of)).unwrap_or_default();
        }
        "const_spec" | "var_spec" | "field_declaration" => {
            declaration.is_readonly = node.kind() == "const_spec";
            declaration.value_type = field_text(reader, node, "type");
        }
        _ => {}
    }
    declaration
}

/// Reads `a, b int, c ...string`; a parameter without a name has its type alone.
fn read_parameters(reader: &FactsReader<'_>, list: Node<'_>) -> Vec<Parameter> {
    let mut parameters = Vec::new();
    for part in list_children(list) {
        let of = field_text(reader, part, "type");
        let variadic = part.kind() == "variadic_parameter_declaration";
        let mut cursor = part.walk();
        let mut names: Vec<_> = part
            .children_by_field_name("name", &mut cursor)
            .filter(Node::is_named)
            .map(|name| Some(node_text(reader, name)))
            .collect();
        if names.is_empty() {
            names.push(None);
        }
        let named = names.into_iter().map(|name| Parameter::new(name, of.clone()));
        parameters.extend(named.map(|parameter| parameter.variadic(variadic)));
    }
    parameters.truncate(MAX_PARTS);
    parameters
}

/// Returns the embedded types of a struct or interface.
fn list_embedded(reader: &FactsReader<'_>, of: Node<'_>) -> Vec<String> {
    let members = find_child(of, "field_declaration_list").unwrap_or(of);
    let is_embedded = |member: &Node<'_>| match member.kind() {
        "field_declaration" => member.child_by_field_name("name").is_none(),
        kind => kind == "type_elem",
    };
    let embedded = list_children(members).into_iter().filter(is_embedded).take(MAX_PARTS);
    embedded
        .map(|member| {
            let named = member.child_by_field_name("type");
            node_text(reader, named.unwrap_or(member))
        })
        .collect()
}
