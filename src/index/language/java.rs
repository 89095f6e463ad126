//! Java. Every item that is not private is exported; the package is a module symbol without
//! members.

use tree_sitter::Node;

use super::child::{
    find_child, first_after, first_child, last_child, list_children, remove_blanks,
};
use super::reader::{Grammar, Reader, Role, Walk};
use super::symbol::Draft;
use crate::index::facts::{ImportKind, ImportedName, SymbolKind};
use crate::lang::Language;

pub(super) static GRAMMAR: Grammar = Grammar::new(
    Language::Java,
    role_of_kind,
    |comment| comment.starts_with("/**") || comment.starts_with("///"),
    |_| (),
);

const ANNOTATIONS: [&str; 2] = ["annotation", "marker_annotation"];

fn role_of_kind(kind: &str) -> Role {
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
        "package_declaration" => Role::Read(read_package),
        "import_declaration" => Role::Read(read_import),
        "class_declaration" | "record_declaration" => Role::Read(read_class),
        "interface_declaration" | "annotation_type_declaration" => Role::Read(read_interface),
        "enum_declaration" => Role::Read(read_enumeration),
        "enum_constant" => Role::Read(read_constant),
        "method_declaration"
        | "constructor_declaration"
        | "compact_constructor_declaration"
        | "annotation_type_element_declaration" => Role::Read(read_method),
        "field_declaration" | "constant_declaration" => Role::Read(read_field),
        "method_invocation" => Role::Read(read_call),
        "object_creation_expression" => Role::Read(read_creation),
        _ => Role::Plain,
    }
}

fn read_package<'t>(reader: &mut Reader<'t>, node: Node<'t>) -> Walk {
    if let Some(name) = last_child(node) {
        let draft = Draft::new(SymbolKind::Module, node, name, reader.text(name));
        reader.add_symbol(&draft.exported(true));
    }
    Walk::Into
}

fn read_import<'t>(reader: &mut Reader<'t>, node: Node<'t>) -> Walk {
    let parts = list_children(node);
    let Some(path) = parts.iter().find(|part| part.kind() != "asterisk") else {
        return Walk::Into;
    };
    let path = remove_blanks(reader.text(*path));
    let (module, name) = if parts.iter().any(|part| part.kind() == "asterisk") {
        (path.as_str(), Some("*"))
    } else {
        match path.rsplit_once('.') {
            Some((module, name)) => (module, Some(name)),
            None => (path.as_str(), None),
        }
    };
    let mut import = Reader::whole_import(node, ImportKind::Import, module);
    import.names.extend(name.map(|name| ImportedName { name: name.into(), alias: None }));
    reader.add_import(import);
    Walk::Into
}

/// Returns `true` if a declaration has that modifier.
fn has_modifier(node: Node<'_>, modifier: &str) -> bool {
    find_child(node, "modifiers").is_some_and(|modifiers| find_child(modifiers, modifier).is_some())
}

/// Returns where the head begins: after the annotations.
fn find_head(node: Node<'_>) -> Node<'_> {
    let Some(modifiers) = find_child(node, "modifiers") else { return node };
    let keyword = first_after(modifiers, &ANNOTATIONS);
    if keyword == modifiers { first_after(node, &["modifiers"]) } else { keyword }
}

fn draft_declaration<'t>(
    reader: &Reader<'t>,
    node: Node<'t>,
    kind: SymbolKind,
) -> Option<Draft<'t>> {
    let name = node.child_by_field_name("name")?;
    let mut draft = Draft::new(kind, node, name, reader.text(name))
        .body(node.child_by_field_name("body"))
        .exported(!has_modifier(node, "private"));
    draft.head = find_head(node);
    Some(draft)
}

fn open_declaration<'t>(reader: &mut Reader<'t>, node: Node<'t>, kind: SymbolKind) {
    let Some(draft) = draft_declaration(reader, node, kind) else { return };
    if draft.exported && reader.scope().is_none() {
        reader.add_export(draft.at, draft.name, None, None);
    }
    reader.open_symbol(&draft);
}

fn read_class<'t>(reader: &mut Reader<'t>, node: Node<'t>) -> Walk {
    open_declaration(reader, node, SymbolKind::Class);
    let components = node.child_by_field_name("parameters").map(list_children).unwrap_or_default();
    for component in components {
        if let Some(draft) = draft_declaration(reader, component, SymbolKind::Property) {
            reader.add_symbol(&draft);
        }
    }
    Walk::Into
}

fn read_interface<'t>(reader: &mut Reader<'t>, node: Node<'t>) -> Walk {
    open_declaration(reader, node, SymbolKind::Interface);
    Walk::Into
}

fn read_enumeration<'t>(reader: &mut Reader<'t>, node: Node<'t>) -> Walk {
    open_declaration(reader, node, SymbolKind::Enum);
    Walk::Into
}

fn read_constant<'t>(reader: &mut Reader<'t>, node: Node<'t>) -> Walk {
    open_declaration(reader, node, SymbolKind::Property);
    Walk::Into
}

fn read_method<'t>(reader: &mut Reader<'t>, node: Node<'t>) -> Walk {
    open_declaration(reader, node, SymbolKind::Method);
    Walk::Into
}

fn read_field<'t>(reader: &mut Reader<'t>, node: Node<'t>) -> Walk {
    let is_static = node.kind() == "constant_declaration" || has_modifier(node, "static");
    let kind = if is_static { SymbolKind::Variable } else { SymbolKind::Property };
    let exported = !has_modifier(node, "private");
    let head = find_head(node);
    let declarators: Vec<_> = node.children_by_field_name("declarator", &mut node.walk()).collect();
    for declarator in declarators {
        if let Some(name) = declarator.child_by_field_name("name") {
            let mut draft = Draft::new(kind, node, name, reader.text(name)).exported(exported);
            draft.head = head;
            reader.add_symbol(&draft);
        }
    }
    Walk::Into
}

fn read_call<'t>(reader: &mut Reader<'t>, node: Node<'t>) -> Walk {
    if let Some(name) = node.child_by_field_name("name") {
        reader.add_call(reader.text(name), name);
    }
    Walk::Into
}

fn read_creation<'t>(reader: &mut Reader<'t>, node: Node<'t>) -> Walk {
    let mut name = node.child_by_field_name("type");
    if let Some(generic) = name.filter(|name| name.kind() == "generic_type") {
        name = first_child(generic);
    }
    if let Some(scoped) = name.filter(|name| name.kind() == "scoped_type_identifier") {
        name = last_child(scoped);
    }
    if let Some(name) = name {
        reader.add_call(reader.text(name), name);
    }
    Walk::Into
}
