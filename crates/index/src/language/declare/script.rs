//! The parts of a definition's head in TypeScript and JavaScript.

use tree_sitter::Node;

use super::{children_texts, field_text, fold_text, list_parameters, node_text};
use crate::declaration::{Declaration, Parameter, Visibility};
use crate::facts::SymbolKind;
use crate::language::child::{find_child, first_child, last_child, list_children};
use crate::language::reader::FactsReader;
use crate::language::script::{is_function, unwrap_expression};
use crate::language::symbol::DeclaredNode;

/// Reads a declaration, or the function or class that is bound to a name.
pub(crate) fn read_declaration(
    reader: &FactsReader<'_>,
    subject: &DeclaredNode<'_>,
) -> Declaration {
    let node = subject.node;
    let is_type =
        matches!(subject.kind, SymbolKind::Class | SymbolKind::Interface | SymbolKind::Enum);
    let is_callable = matches!(subject.kind, SymbolKind::Function | SymbolKind::Method);
    let of = if is_callable || is_type { find_value(node) } else { node };
    let has = |node, word| find_child(node, word).is_some();
    let mut declaration = Declaration {
        is_async: is_callable && has(of, "async"),
        is_static: has(node, "static"),
        is_readonly: has(node, "readonly") || is_constant(reader, subject),
        visibility: find_visibility(reader, subject),
        ..Declaration::default()
    };
    if is_callable {
        declaration.parameters = read_parameters(reader, of);
        declaration.return_type = type_text(reader, of, "return_type");
    } else if is_type {
        read_heritage(reader, of, &mut declaration);
    } else {
        declaration.value_type = type_text(reader, node, "type");
    }
    declaration
}

/// Returns the function or class that a node binds to a name, or the node itself.
fn find_value(node: Node<'_>) -> Node<'_> {
    let is_value = |value: &Node<'_>| is_function(value.kind()) || value.kind() == "class";
    let mut fields = ["value", "right", "declaration"].iter();
    let bound = fields.find_map(|field| node.child_by_field_name(field));
    let bound = bound.or_else(|| last_child(node)).map(unwrap_expression);
    bound.filter(is_value).unwrap_or(node)
}

/// Returns `true` for a variable declared by `const`.
fn is_constant(reader: &FactsReader<'_>, subject: &DeclaredNode<'_>) -> bool {
    let kind = reader.parent().and_then(|parent| parent.child_by_field_name("kind"));
    subject.kind == SymbolKind::Variable && kind.is_some_and(|kind| reader.text(kind) == "const")
}

/// Returns the visibility of a member; `None` for anything else, which is exported or not.
fn find_visibility(reader: &FactsReader<'_>, subject: &DeclaredNode<'_>) -> Option<Visibility> {
    if subject.at.kind() == "private_property_identifier" {
        return Some(Visibility::Private);
    }
    let word = find_child(subject.node, "accessibility_modifier").map(|word| reader.text(word));
    let in_body = reader
        .parent()
        .is_some_and(|parent| matches!(parent.kind(), "class_body" | "interface_body"));
    let is_member = in_body || subject.node.kind().ends_with("_parameter");
    match word {
        Some("private") => Some(Visibility::Private),
        Some("protected") => Some(Visibility::Protected),
        _ => is_member.then_some(Visibility::Public),
    }
}

/// Returns a type without the colon before it.
fn type_text(reader: &FactsReader<'_>, node: Node<'_>, field: &str) -> Option<String> {
    let annotation = node.child_by_field_name(field)?;
    Some(fold_text(reader.text(annotation).trim_start_matches(':')))
}

/// Returns the parameters; an arrow function may have one without parentheses.
fn read_parameters(reader: &FactsReader<'_>, of: Node<'_>) -> Option<Vec<Parameter>> {
    if let Some(only) = of.child_by_field_name("parameter") {
        return Some(vec![Parameter::new(Some(node_text(reader, only)), None)]);
    }
    let list = of.child_by_field_name("parameters")?;
    Some(list_parameters(list, |part| read_parameter(reader, part)))
}

/// Reads a parameter; `this: T` declares none.
fn read_parameter(reader: &FactsReader<'_>, part: Node<'_>) -> Option<Parameter> {
    let typed = part.kind().ends_with("_parameter");
    let (pattern, default) = match part.kind() {
        "assignment_pattern" => (part.child_by_field_name("left")?, "right"),
        _ if typed => (part.child_by_field_name("pattern")?, "value"),
        _ => (part, "value"),
    };
    if pattern.kind() == "this" {
        return None;
    }
    let rest = (pattern.kind() == "rest_pattern").then(|| first_child(pattern)).flatten();
    let name = node_text(reader, rest.unwrap_or(pattern));
    let type_text = if typed { type_text(reader, part, "type") } else { None };
    let default = if pattern == part { None } else { field_text(reader, part, default) };
    let mut parameter = Parameter::new(Some(name), type_text).or_default(default);
    parameter.optional |= part.kind() == "optional_parameter";
    Some(parameter.variadic(rest.is_some()))
}

/// Reads the supertypes. The grammar of JavaScript has no clauses in the heritage of a class.
fn read_heritage(reader: &FactsReader<'_>, of: Node<'_>, declaration: &mut Declaration) {
    let heritage =
        find_child(of, "class_heritage").or_else(|| find_child(of, "extends_type_clause"));
    let Some(heritage) = heritage else { return };
    if heritage.kind() == "extends_type_clause" {
        declaration.extends = children_texts(reader, heritage);
        return;
    }
    for clause in list_children(heritage) {
        match clause.kind() {
            "implements_clause" => declaration.implements = children_texts(reader, clause),
            "extends_clause" => {
                // The type arguments are a child of their own: `extends Base<T>`.
                let text = reader.text(clause).trim_start_matches("extends");
                declaration.extends.push(fold_text(text));
            }
            _ => declaration.extends.push(node_text(reader, clause)),
        }
    }
}
