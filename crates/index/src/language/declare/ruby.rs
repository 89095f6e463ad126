//! The parts of a definition's head in Ruby.

use tree_sitter::Node;

use super::{children_texts, field_text, list_parameters, node_text};
use crate::declaration::{Declaration, Parameter, Visibility};
use crate::facts::SymbolKind;
use crate::language::reader::FactsReader;
use crate::language::symbol::DeclaredNode;

/// Reads a method, a class or a constant. `attr_reader` makes a property that cannot be assigned.
pub(crate) fn read_declaration(
    reader: &FactsReader<'_>,
    subject: &DeclaredNode<'_>,
) -> Declaration {
    let node = subject.node;
    let field = |name| node.child_by_field_name(name);
    match subject.kind {
        SymbolKind::Method | SymbolKind::Function => {
            let list = field("parameters");
            let parameters =
                list.map(|list| list_parameters(list, |part| read_parameter(reader, part)));
            Declaration {
                parameters: Some(parameters.unwrap_or_default()),
                visibility: Some(find_visibility(reader, subject)),
                is_static: node.kind() == "singleton_method" || in_singleton_class(reader),
                ..Declaration::default()
            }
        }
        SymbolKind::Property => Declaration {
            visibility: Some(find_visibility(reader, subject)),
            is_readonly: field("method").is_some_and(|it| reader.text(it) == "attr_reader"),
            ..Declaration::default()
        },
        SymbolKind::Class => {
            let of = field("superclass");
            let extends = of.map(|of| children_texts(reader, of)).unwrap_or_default();
            Declaration { extends, ..Declaration::default() }
        }
        _ => Declaration::default(),
    }
}

/// Returns `true` inside `class << self`.
fn in_singleton_class(reader: &FactsReader<'_>) -> bool {
    (0..3).filter_map(|level| reader.above(level)).any(|above| above.kind() == "singleton_class")
}

/// Returns the visibility: the word around the definition (`private def a`), or the one on a
/// line before it.
fn find_visibility(reader: &FactsReader<'_>, subject: &DeclaredNode<'_>) -> Visibility {
    if subject.exported {
        return Visibility::Public;
    }
    let call = reader.above(1).filter(|above| above.kind() == "call");
    let word = call.and_then(|call| call.child_by_field_name("method"));
    match word.map(|word| reader.text(word)) {
        Some("protected") => Visibility::Protected,
        Some(_) => Visibility::Private,
        None => reader.kept.member_visibility().unwrap_or(Visibility::Private),
    }
}

/// Reads a parameter; `None` for `**nil`.
fn read_parameter(reader: &FactsReader<'_>, part: Node<'_>) -> Option<Parameter> {
    let kind = part.kind();
    let name = match kind {
        "identifier" | "destructured_parameter" => Some(node_text(reader, part)),
        "forward_parameter" => None,
        "hash_splat_nil" => return None,
        _ => field_text(reader, part, "name"),
    };
    let default = field_text(reader, part, "value");
    let variadic = matches!(kind, "splat_parameter" | "hash_splat_parameter" | "forward_parameter");
    let mut parameter = Parameter::new(name, None).or_default(default).variadic(variadic);
    // A call without a block is always possible.
    parameter.optional |= kind == "block_parameter";
    Some(parameter)
}
