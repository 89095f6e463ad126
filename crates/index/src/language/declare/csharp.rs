//! The parts of a definition's head in C#.

use tree_sitter::Node;

use super::{children_texts, field_text, list_parameters, node_text};
use crate::declaration::{Declaration, Parameter, Visibility};
use crate::facts::SymbolKind;
use crate::language::child::{find_child, last_child, list_children};
use crate::language::reader::FactsReader;
use crate::language::symbol::DeclaredNode;

/// Reads a declaration. The parameters of a type are those of its primary constructor.
pub(crate) fn read_declaration(
    reader: &FactsReader<'_>,
    subject: &DeclaredNode<'_>,
) -> Declaration {
    let node = subject.node;
    if matches!(node.kind(), "namespace_declaration" | "file_scoped_namespace_declaration") {
        return Declaration::default();
    }
    let words = list_modifiers(reader, node);
    let has = |word: &str| words.contains(&word);
    let is_value = matches!(subject.kind, SymbolKind::Property | SymbolKind::Variable);
    let list =
        node.child_by_field_name("parameters").or_else(|| find_child(node, "parameter_list"));
    let of = ["returns", "type"].iter().find_map(|field| field_text(reader, node, field));
    let variable = find_child(node, "variable_declaration");
    let of = of.or_else(|| field_text(reader, variable?, "type"));
    let converts = node.kind() == "conversion_operator_declaration";
    let (return_type, value_type) =
        if is_value { (None, of) } else { (of.filter(|_| list.is_some() || converts), None) };
    let (extends, implements) = list_bases(reader, node);
    Declaration {
        parameters: list.map(|list| read_parameters(reader, list)),
        return_type,
        value_type,
        visibility: Some(find_visibility(reader, subject, &words)),
        is_async: has("async"),
        is_static: has("static") || has("const"),
        is_readonly: has("readonly") || has("const") || has_getter_only(reader, node),
        extends,
        implements,
    }
}

/// Returns the modifiers of a declaration, such as `public` and `static`.
fn list_modifiers<'t>(reader: &FactsReader<'t>, node: Node<'t>) -> Vec<&'t str> {
    let mut cursor = node.walk();
    let words = node.children(&mut cursor).filter(|child| child.kind() == "modifier");
    words.map(|word| reader.text(word)).collect()
}

/// Returns the visibility by the modifiers, or else the default of C# for this place.
fn find_visibility(
    reader: &FactsReader<'_>,
    subject: &DeclaredNode<'_>,
    words: &[&str],
) -> Visibility {
    let has = |word: &str| words.contains(&word);
    let scope = reader.kept.scope().map(|scope| scope.kind);
    let is_component = subject.node.kind() == "parameter";
    if has("private") {
        Visibility::Private
    } else if has("protected") {
        Visibility::Protected
    } else if has("public") || is_component {
        Visibility::Public
    } else if has("internal") || matches!(scope, None | Some(SymbolKind::Module)) {
        Visibility::Internal
    } else if matches!(scope, Some(SymbolKind::Interface | SymbolKind::Enum)) {
        Visibility::Public
    } else {
        Visibility::Private
    }
}

/// Returns `true` for a property without `set` and `init`.
fn has_getter_only(reader: &FactsReader<'_>, node: Node<'_>) -> bool {
    if node.kind() != "property_declaration" {
        return false;
    }
    let accessors = node.child_by_field_name("accessors").map(list_children).unwrap_or_default();
    let names = accessors.iter().filter_map(|accessor| accessor.child_by_field_name("name"));
    let mut names = names.map(|name| reader.text(name));
    !names.any(|name| matches!(name, "set" | "init"))
}

/// Reads the parameters; the grammar has no node for `params T[] name`, which is the last one.
fn read_parameters(reader: &FactsReader<'_>, list: Node<'_>) -> Vec<Parameter> {
    let mut parameters = list_parameters(list, |part| {
        let default = last_child(part).filter(|_| find_child(part, "=").is_some());
        let default = default.map(|value| node_text(reader, value));
        (part.kind() == "parameter").then(|| {
            let name = field_text(reader, part, "name");
            let variadic = list_modifiers(reader, part).contains(&"params");
            Parameter::new(name, field_text(reader, part, "type"))
                .or_default(default)
                .variadic(variadic)
        })
    });
    if let Some(name) = field_text(reader, list, "name") {
        let of = field_text(reader, list, "type");
        parameters.push(Parameter::new(Some(name), of).variadic(true));
    }
    parameters
}

/// Returns the extended types and the implemented interfaces.
///
/// The syntax does not separate them. A class has at most one base class, which comes first,
/// and names of interfaces begin with `I` by convention.
fn list_bases(reader: &FactsReader<'_>, node: Node<'_>) -> (Vec<String>, Vec<String>) {
    let Some(list) = find_child(node, "base_list") else { return Default::default() };
    let bases = children_texts(reader, list);
    let is_interface = |base: &String| {
        let name = base.rsplit('.').next().unwrap_or(base);
        let mut letters = name.chars();
        letters.next() == Some('I') && letters.next().is_some_and(char::is_uppercase)
    };
    match node.kind() {
        "interface_declaration" => (bases, Vec::new()),
        "struct_declaration" => (Vec::new(), bases),
        "enum_declaration" => Default::default(),
        _ => {
            let classes = usize::from(bases.first().is_some_and(|base| !is_interface(base)));
            let (extends, implements) = bases.split_at(classes);
            (extends.to_vec(), implements.to_vec())
        }
    }
}
