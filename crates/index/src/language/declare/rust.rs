//! The parts of a definition's head in Rust.

use std::collections::HashMap;

use tree_sitter::Node;

use super::{MAX_PARTS, children_texts, field_text, list_parameters, node_text};
use crate::declaration::{Declaration, Parameter, Visibility};
use crate::facts::SymbolKind;
use crate::language::child::find_child;
use crate::language::reader::FactsReader;
use crate::language::symbol::DeclaredNode;

/// Reads an item or a member. A function in an `impl` or a trait is static without `self`.
pub(crate) fn read_declaration(
    reader: &FactsReader<'_>,
    subject: &DeclaredNode<'_>,
) -> Declaration {
    let node = subject.node;
    let mut declaration =
        Declaration { visibility: find_visibility(reader, subject), ..Declaration::default() };
    match node.kind() {
        "function_item" | "function_signature_item" => {
            let list = node.child_by_field_name("parameters");
            let takes_self = list.is_some_and(|list| find_child(list, "self_parameter").is_some());
            declaration.is_static = subject.kind == SymbolKind::Method && !takes_self;
            declaration.parameters =
                list.map(|list| list_parameters(list, |part| read_parameter(reader, part)));
            declaration.return_type = field_text(reader, node, "return_type");
            let modifiers = find_child(node, "function_modifiers");
            declaration.is_async =
                modifiers.is_some_and(|words| find_child(words, "async").is_some());
        }
        "impl_item" => declaration.implements.extend(field_text(reader, node, "trait")),
        "trait_item" => {
            let bounds = node.child_by_field_name("bounds");
            declaration.extends =
                bounds.map(|bounds| children_texts(reader, bounds)).unwrap_or_default();
        }
        "const_item" | "static_item" => {
            declaration.is_static = node.kind() == "static_item";
            declaration.is_readonly = find_child(node, "mutable_specifier").is_none();
            declaration.value_type = field_text(reader, node, "type");
        }
        "field_declaration" => declaration.value_type = field_text(reader, node, "type"),
        _ => {}
    }
    declaration
}

/// Returns the visibility; `None` for members of a trait or enum, which are as visible as it,
/// and for `impl` and macros.
fn find_visibility(reader: &FactsReader<'_>, subject: &DeclaredNode<'_>) -> Option<Visibility> {
    let inherits = match reader.above(1) {
        Some(above) if above.kind() == "impl_item" => above.child_by_field_name("trait").is_some(),
        Some(above) => above.kind() == "trait_item",
        None => false,
    };
    let kind = subject.node.kind();
    if inherits || matches!(kind, "impl_item" | "enum_variant" | "macro_definition") {
        return None;
    }
    let word = find_child(subject.node, "visibility_modifier");
    let word = word.map(|word| reader.text(word).split_whitespace().collect::<String>());
    Some(match word.as_deref() {
        None | Some("pub(self)") => Visibility::Private,
        Some("pub") => Visibility::Public,
        Some(_) => Visibility::Internal,
    })
}

/// Reads a parameter; `None` for an attribute.
fn read_parameter(reader: &FactsReader<'_>, part: Node<'_>) -> Option<Parameter> {
    match part.kind() {
        "self_parameter" => {
            // `&'a mut self` has the type `&'a mut Self`.
            let text = node_text(reader, part);
            let of = text.strip_suffix("self").filter(|before| before.starts_with('&'));
            Some(Parameter::new(Some("self".to_owned()), of.map(|before| format!("{before}Self"))))
        }
        "parameter" => {
            let name = field_text(reader, part, "pattern");
            Some(Parameter::new(name, field_text(reader, part, "type")))
        }
        "variadic_parameter" => {
            Some(Parameter::new(field_text(reader, part, "pattern"), None).variadic(true))
        }
        "attribute_item" => None,
        // The first edition allows types alone.
        _ => Some(Parameter::new(None, Some(node_text(reader, part)))),
    }
}

/// Adds the traits of `impl` blocks to the types of the same file. Derived traits have no block
/// and are not added.
pub(crate) fn add_implemented_traits(reader: &mut FactsReader<'_>) {
    let Some(mut declarations) = reader.declarations.take() else { return };
    let mut blocks = HashMap::new();
    // Blocks are matched by the name of the type, because a path in front of it needs name
    // resolution.
    for (block, declaration) in reader.kept.facts.symbols.iter().zip(&declarations) {
        if block.kind == SymbolKind::Module && !declaration.implements.is_empty() {
            let traits: &mut Vec<String> = blocks.entry((&block.name, block.parent)).or_default();
            traits.extend(declaration.implements.iter().cloned());
        }
    }
    for (symbol, declaration) in reader.kept.facts.symbols.iter().zip(&mut declarations) {
        if matches!(symbol.kind, SymbolKind::Class | SymbolKind::Enum) {
            let traits = blocks.remove(&(&symbol.name, symbol.parent));
            declaration.implements.extend(traits.into_iter().flatten().take(MAX_PARTS));
        }
    }
    reader.declarations = Some(declarations);
}
