//! Java. Every item that is not private is exported; the package is a module symbol without
//! members.

use tree_sitter::Node;

use super::child::{
    find_child, first_after, first_child, last_child, list_children, remove_blanks,
};
use super::declare;
use super::reader::{FactsReader, NodeRole, SyntaxTable};
use super::symbol::SymbolDraft;
use crate::facts::{ImportKind, ImportedName, SymbolKind};
use papayu_lang::Language;

/// The table of Java. Javadoc (`/** */`) and the Markdown comments of JEP 467 (`///`) document.
pub(super) static TABLE: SyntaxTable = SyntaxTable::new(
    Language::Java,
    role_of_kind,
    |comment| comment.starts_with("/**") || comment.starts_with("///"),
    |_| (),
    declare::java::read_declaration,
);

/// Node kinds of annotations, which are left out of the head.
const ANNOTATIONS: [&str; 2] = ["annotation", "marker_annotation"];

/// Returns the role of a node kind of tree-sitter-java. `switch_expression` is the kind of both the
/// statement and the expression.
fn role_of_kind(kind: &str) -> NodeRole {
    match kind {
        "line_comment" | "block_comment" => NodeRole::Comment,
        "for_statement"
        | "enhanced_for_statement"
        | "while_statement"
        | "do_statement"
        | "switch_expression"
        | "try_statement"
        | "try_with_resources_statement"
        | "lambda_expression" => NodeRole::Nest,
        "if_statement" => NodeRole::If,
        "package_declaration" => NodeRole::Read(read_package),
        "import_declaration" => NodeRole::Read(read_import),
        "class_declaration" | "record_declaration" => NodeRole::Read(read_class),
        "interface_declaration" | "annotation_type_declaration" => {
            NodeRole::Open(open_declaration, SymbolKind::Interface)
        }
        "enum_declaration" => NodeRole::Open(open_declaration, SymbolKind::Enum),
        "enum_constant" => NodeRole::Open(open_declaration, SymbolKind::Property),
        "method_declaration"
        | "constructor_declaration"
        | "compact_constructor_declaration"
        | "annotation_type_element_declaration" => {
            NodeRole::Open(open_declaration, SymbolKind::Method)
        }
        "field_declaration" | "constant_declaration" => NodeRole::Read(read_field),
        "method_invocation" => NodeRole::Read(read_call),
        "object_creation_expression" => NodeRole::Read(read_creation),
        _ => NodeRole::Plain,
    }
}

/// Reads `package a.b;`: a module that other files name by its whole path.
fn read_package<'t>(reader: &mut FactsReader<'t>, node: Node<'t>) {
    if let Some(name) = last_child(node) {
        let draft = SymbolDraft::new(SymbolKind::Module, node, name, reader.text(name));
        reader.add_symbol(&draft.exported(true));
    }
}

/// Reads `import a.b.C;`, `import static a.b.C.d;` and `import a.b.*;`.
///
/// The last part is the imported name, `*` for all of a package. Whether the rest is a package or a
/// class is decided when the import is resolved.
fn read_import<'t>(reader: &mut FactsReader<'t>, node: Node<'t>) {
    let parts = list_children(node);
    let Some(path) = parts.iter().find(|part| part.kind() != "asterisk") else {
        return;
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
    let mut import = FactsReader::whole_import(node, ImportKind::Import, module);
    import.names.extend(name.map(|name| ImportedName { name: name.into(), alias: None }));
    reader.kept.add_import(import);
}

/// Returns `true` if a declaration has that modifier.
fn has_modifier(node: Node<'_>, modifier: &str) -> bool {
    find_child(node, "modifiers").is_some_and(|modifiers| find_child(modifiers, modifier).is_some())
}

/// Returns the node at which the head begins: after the annotations.
fn find_head(node: Node<'_>) -> Node<'_> {
    let Some(modifiers) = find_child(node, "modifiers") else { return node };
    let keyword = first_after(modifiers, &ANNOTATIONS);
    if keyword == modifiers { first_after(node, &["modifiers"]) } else { keyword }
}

/// Returns a declaration with a `name` as a symbol. Package-private members count as exported:
/// files of the same package can use them.
fn draft_declaration<'t>(
    reader: &FactsReader<'t>,
    node: Node<'t>,
    kind: SymbolKind,
) -> Option<SymbolDraft<'t>> {
    let name = node.child_by_field_name("name")?;
    let mut draft = SymbolDraft::new(kind, node, name, reader.text(name))
        .body(node.child_by_field_name("body"))
        .exported(!has_modifier(node, "private"));
    draft.head = find_head(node);
    Some(draft)
}

/// Opens a declaration, and exports it if no other type contains it: nested types are reached
/// through the outer one.
fn open_declaration<'t>(reader: &mut FactsReader<'t>, node: Node<'t>, kind: SymbolKind) {
    let Some(draft) = draft_declaration(reader, node, kind) else { return };
    if draft.exported && reader.kept.scope().is_none() {
        reader.add_export(draft.at, draft.name, None, None);
    }
    reader.open_symbol(&draft);
}

/// Reads a class or a record. The components in a record's head, `record P(int x)`, are its
/// properties.
fn read_class<'t>(reader: &mut FactsReader<'t>, node: Node<'t>) {
    open_declaration(reader, node, SymbolKind::Class);
    let components = node.child_by_field_name("parameters").map(list_children).unwrap_or_default();
    for component in components {
        if let Some(draft) = draft_declaration(reader, component, SymbolKind::Property) {
            reader.add_symbol(&draft);
        }
    }
}

/// Reads `int a = 1, b;`: one symbol for each declarator, each with the range and head of the whole
/// declaration.
fn read_field<'t>(reader: &mut FactsReader<'t>, node: Node<'t>) {
    let is_static = node.kind() == "constant_declaration" || has_modifier(node, "static");
    let kind = if is_static { SymbolKind::Variable } else { SymbolKind::Property };
    let exported = !has_modifier(node, "private");
    let head = find_head(node);
    let declarators: Vec<_> = node.children_by_field_name("declarator", &mut node.walk()).collect();
    for declarator in declarators {
        if let Some(name) = declarator.child_by_field_name("name") {
            let mut draft =
                SymbolDraft::new(kind, node, name, reader.text(name)).exported(exported);
            draft.head = head;
            reader.add_symbol(&draft);
        }
    }
}

/// Reads `a.b(c)`: a call of `b`, whatever `a` is.
fn read_call<'t>(reader: &mut FactsReader<'t>, node: Node<'t>) {
    reader.add_call_of(node.child_by_field_name("name"));
}

/// Reads `new a.b.C<T>()`: a call of `C`.
fn read_creation<'t>(reader: &mut FactsReader<'t>, node: Node<'t>) {
    let mut name = node.child_by_field_name("type");
    if let Some(generic) = name.filter(|name| name.kind() == "generic_type") {
        name = first_child(generic);
    }
    if let Some(scoped) = name.filter(|name| name.kind() == "scoped_type_identifier") {
        name = last_child(scoped);
    }
    reader.add_call_of(name);
}
