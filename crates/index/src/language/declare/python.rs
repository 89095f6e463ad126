//! The parts of a definition's head in Python.

use tree_sitter::Node;

use super::{field_text, list_parameters, node_text};
use crate::declaration::{Declaration, Parameter, Visibility};
use crate::language::child::{find_child, first_child, list_children};
use crate::language::reader::FactsReader;
use crate::language::symbol::DeclaredNode;

/// Reads a function, a class or an assignment.
pub(crate) fn read_declaration(
    reader: &FactsReader<'_>,
    subject: &DeclaredNode<'_>,
) -> Declaration {
    let node = subject.node;
    let mut declaration =
        Declaration { visibility: Some(visibility_of(subject.name)), ..Declaration::default() };
    match node.kind() {
        "function_definition" => {
            let list = node.child_by_field_name("parameters");
            declaration.parameters =
                list.map(|list| list_parameters(list, |part| read_parameter(reader, part)));
            declaration.return_type = field_text(reader, node, "return_type");
            declaration.is_async = find_child(node, "async").is_some();
            declaration.is_static = is_of_class(reader);
        }
        "class_definition" => {
            let bases = node.child_by_field_name("superclasses").map(list_children);
            let bases = bases.unwrap_or_default().into_iter();
            // `metaclass=Meta` is no base.
            let bases = bases.filter(|base| base.kind() != "keyword_argument");
            declaration.extends = bases.map(|base| node_text(reader, base)).collect();
        }
        _ => {
            let of = field_text(reader, node, "type");
            let begins = |words: [&str; 2]| {
                of.as_deref().is_some_and(|of| words.iter().any(|word| of.starts_with(word)))
            };
            declaration.is_readonly = begins(["Final", "typing.Final"]);
            declaration.is_static = begins(["ClassVar", "typing.ClassVar"]);
            declaration.value_type = of;
        }
    }
    declaration
}

/// Returns the visibility that a name has by convention: `_a` is internal, `__a` is private, `__a__` is public.
fn visibility_of(name: &str) -> Visibility {
    if name.starts_with("__") && !name.ends_with("__") {
        Visibility::Private
    } else if name.starts_with('_') && !name.starts_with("__") {
        Visibility::Internal
    } else {
        Visibility::Public
    }
}

/// Returns `true` for `@staticmethod` and `@classmethod`.
fn is_of_class(reader: &FactsReader<'_>) -> bool {
    let decorated = reader.parent().filter(|parent| parent.kind() == "decorated_definition");
    let decorators = decorated.map(list_children).unwrap_or_default().into_iter();
    let mut names = decorators.filter_map(first_child).map(|name| reader.text(name));
    names.any(|name| matches!(name, "staticmethod" | "classmethod"))
}

/// Reads a parameter; the separators `/` and `*` are not parameters.
fn read_parameter(reader: &FactsReader<'_>, part: Node<'_>) -> Option<Parameter> {
    let name = match part.kind() {
        "identifier" | "tuple_pattern" | "list_splat_pattern" | "dictionary_splat_pattern" => part,
        "typed_parameter" => first_child(part)?,
        "default_parameter" | "typed_default_parameter" => part.child_by_field_name("name")?,
        _ => return None,
    };
    let variadic = name.kind().ends_with("splat_pattern");
    let name = if variadic { first_child(name)? } else { name };
    let parameter = Parameter::new(Some(node_text(reader, name)), field_text(reader, part, "type"));
    Some(parameter.or_default(field_text(reader, part, "value")).variadic(variadic))
}
