//! Java. Every item that is not private is exported; the package is a module symbol without
//! members.

use tree_sitter::Node;

use super::child::{child, children, first, first_after, last, packed};
use super::grammar::{Grammar, Role, Walk};
use super::reader::Reader;
use super::symbol::Draft;
use crate::index::facts::{ImportKind, ImportedName, SymbolKind};
use crate::lang::Language;

pub(super) static GRAMMAR: Grammar = Grammar::new(
    Language::Java,
    role,
    |comment| comment.starts_with("/**") || comment.starts_with("///"),
    |_| (),
);

const ANNOTATIONS: [&str; 2] = ["annotation", "marker_annotation"];

fn role(kind: &str) -> Role {
    match kind {
        "line_comment" | "block_comment" => Role::Comment,
        "for_statement"
        | "enhanced_for_statement"
        | "while_statement"
        | "do_statement"
        | "switch_expression"
        | "try_statement"
        | "try_with_resources_statement"
        | "lambda_expression" => Role::Nest,
        "if_statement" => Role::If,
        "package_declaration" => Role::Read(package),
        "import_declaration" => Role::Read(import),
        "class_declaration" | "record_declaration" => Role::Read(class),
        "interface_declaration" | "annotation_type_declaration" => Role::Read(interface),
        "enum_declaration" => Role::Read(enumeration),
        "enum_constant" => Role::Read(constant),
        "method_declaration"
        | "constructor_declaration"
        | "compact_constructor_declaration"
        | "annotation_type_element_declaration" => Role::Read(method),
        "field_declaration" | "constant_declaration" => Role::Read(field),
        "method_invocation" => Role::Read(call),
        "object_creation_expression" => Role::Read(creation),
        _ => Role::Plain,
    }
}

fn package<'t>(reader: &mut Reader<'t>, node: Node<'t>) -> Walk {
    if let Some(name) = last(node) {
        let draft = Draft::new(SymbolKind::Module, node, name, reader.text(name));
        reader.define(&draft.exported(true));
    }
    Walk::Into
}

fn import<'t>(reader: &mut Reader<'t>, node: Node<'t>) -> Walk {
    let parts = children(node);
    let Some(path) = parts.iter().find(|part| part.kind() != "asterisk") else {
        return Walk::Into;
    };
    let path = packed(reader.text(*path));
    let (module, name) = if parts.iter().any(|part| part.kind() == "asterisk") {
        (path.as_str(), Some("*"))
    } else {
        match path.rsplit_once('.') {
            Some((module, name)) => (module, Some(name)),
            None => (path.as_str(), None),
        }
    };
    let mut import = Reader::taken(node, ImportKind::Import, module);
    import.names.extend(name.map(|name| ImportedName { name: name.into(), alias: None }));
    reader.import(import);
    Walk::Into
}

/// Returns `true` if a declaration has that modifier.
fn has(node: Node<'_>, modifier: &str) -> bool {
    child(node, "modifiers").is_some_and(|modifiers| child(modifiers, modifier).is_some())
}

/// Returns where the head begins: after the annotations.
fn head(node: Node<'_>) -> Node<'_> {
    let Some(modifiers) = child(node, "modifiers") else { return node };
    let keyword = first_after(modifiers, &ANNOTATIONS);
    if keyword == modifiers { first_after(node, &["modifiers"]) } else { keyword }
}

fn draft<'t>(reader: &Reader<'t>, node: Node<'t>, kind: SymbolKind) -> Option<Draft<'t>> {
    let name = node.child_by_field_name("name")?;
    let mut draft = Draft::new(kind, node, name, reader.text(name))
        .body(node.child_by_field_name("body"))
        .exported(!has(node, "private"));
    draft.head = head(node);
    Some(draft)
}

fn open<'t>(reader: &mut Reader<'t>, node: Node<'t>, kind: SymbolKind) {
    let Some(draft) = draft(reader, node, kind) else { return };
    if draft.exported && reader.scope().is_none() {
        reader.export(draft.at, draft.name, None, None);
    }
    reader.open(&draft);
}

fn class<'t>(reader: &mut Reader<'t>, node: Node<'t>) -> Walk {
    open(reader, node, SymbolKind::Class);
    let components = node.child_by_field_name("parameters").map(children).unwrap_or_default();
    for component in components {
        if let Some(draft) = draft(reader, component, SymbolKind::Property) {
            reader.define(&draft);
        }
    }
    Walk::Into
}

fn interface<'t>(reader: &mut Reader<'t>, node: Node<'t>) -> Walk {
    open(reader, node, SymbolKind::Interface);
    Walk::Into
}

fn enumeration<'t>(reader: &mut Reader<'t>, node: Node<'t>) -> Walk {
    open(reader, node, SymbolKind::Enum);
    Walk::Into
}

fn constant<'t>(reader: &mut Reader<'t>, node: Node<'t>) -> Walk {
    open(reader, node, SymbolKind::Property);
    Walk::Into
}

fn method<'t>(reader: &mut Reader<'t>, node: Node<'t>) -> Walk {
    open(reader, node, SymbolKind::Method);
    Walk::Into
}

fn field<'t>(reader: &mut Reader<'t>, node: Node<'t>) -> Walk {
    let is_static = node.kind() == "constant_declaration" || has(node, "static");
    let kind = if is_static { SymbolKind::Variable } else { SymbolKind::Property };
    let exported = !has(node, "private");
    let head = head(node);
    let declarators: Vec<_> = node.children_by_field_name("declarator", &mut node.walk()).collect();
    for declarator in declarators {
        if let Some(name) = declarator.child_by_field_name("name") {
            let mut draft = Draft::new(kind, node, name, reader.text(name)).exported(exported);
            draft.head = head;
            reader.define(&draft);
        }
    }
    Walk::Into
}

fn call<'t>(reader: &mut Reader<'t>, node: Node<'t>) -> Walk {
    if let Some(name) = node.child_by_field_name("name") {
        reader.call(reader.text(name), name);
    }
    Walk::Into
}

fn creation<'t>(reader: &mut Reader<'t>, node: Node<'t>) -> Walk {
    let mut name = node.child_by_field_name("type");
    if let Some(generic) = name.filter(|name| name.kind() == "generic_type") {
        name = first(generic);
    }
    if let Some(scoped) = name.filter(|name| name.kind() == "scoped_type_identifier") {
        name = last(scoped);
    }
    if let Some(name) = name {
        reader.call(reader.text(name), name);
    }
    Walk::Into
}
