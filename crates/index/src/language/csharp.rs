//! C#. Everything that is not private is exported. Members without a modifier are private,
//! except in an interface.
//! A file-scoped namespace is a module symbol without members.

use tree_sitter::Node;

use super::child::{
    find_child, first_after, first_child, last_child, list_children, remove_blanks,
};
use super::declare;
use super::reader::{FactsReader, NodeRole, SyntaxTable};
use super::symbol::SymbolDraft;
use crate::facts::{ImportKind, ImportedName, SymbolKind};
use papayu_lang::Language;

/// The table of C#. Only XML comments document (`///`, `/** */`).
pub(super) static TABLE: SyntaxTable = SyntaxTable::new(
    Language::CSharp,
    role_of_kind,
    |comment| comment.starts_with("///") || comment.starts_with("/**"),
    |_| (),
    declare::csharp::read_declaration,
);

/// Most names, type arguments and accesses around the called name.
const MAX_WRAPPERS: usize = 16;

/// Returns the role of a node kind of tree-sitter-c-sharp.
fn role_of_kind(kind: &str) -> NodeRole {
    match kind {
        "comment" => NodeRole::Comment,
        "for_statement"
        | "foreach_statement"
        | "while_statement"
        | "do_statement"
        | "switch_statement"
        | "switch_expression"
        | "try_statement"
        | "lambda_expression"
        | "anonymous_method_expression" => NodeRole::Nest,
        "if_statement" => NodeRole::If,
        "using_directive" => NodeRole::Read(read_using),
        "namespace_declaration" => NodeRole::Read(read_namespace),
        "file_scoped_namespace_declaration" => NodeRole::Read(read_file_namespace),
        "class_declaration" | "struct_declaration" | "record_declaration" => {
            NodeRole::Read(read_class)
        }
        "interface_declaration" => NodeRole::Open(open_declaration, SymbolKind::Interface),
        "enum_declaration" => NodeRole::Open(open_declaration, SymbolKind::Enum),
        "enum_member_declaration" => NodeRole::Read(read_variant),
        "delegate_declaration" => NodeRole::Open(open_declaration, SymbolKind::Type),
        "method_declaration"
        | "constructor_declaration"
        | "destructor_declaration"
        | "operator_declaration"
        | "conversion_operator_declaration"
        | "indexer_declaration" => NodeRole::Read(read_method),
        "local_function_statement" => NodeRole::Open(open_declaration, SymbolKind::Function),
        "property_declaration" | "event_declaration" => NodeRole::Read(read_property),
        "field_declaration" | "event_field_declaration" => NodeRole::Read(read_field),
        "invocation_expression" => NodeRole::Read(read_call),
        "object_creation_expression" => NodeRole::Read(read_creation),
        _ => NodeRole::Plain,
    }
}

/// Reads a `using`: all names of a namespace or type, or an alias of one.
fn read_using<'t>(reader: &mut FactsReader<'t>, node: Node<'t>) {
    // In `using A = B.C;` the field `name` is the alias.
    let alias = node.child_by_field_name("name");
    let path = last_child(node).filter(|path| Some(*path) != alias);
    let Some(path) = path else { return };
    let mut import =
        FactsReader::whole_import(node, ImportKind::Import, &remove_blanks(reader.text(path)));
    match alias {
        Some(alias) => import.alias = Some(reader.text(alias).into()),
        None => import.names.push(ImportedName { name: "*".into(), alias: None }),
    }
    reader.kept.add_import(import);
}

/// Returns `true` if a declaration has a modifier. All modifiers have one node kind, so their
/// texts are compared.
fn has_modifier(reader: &FactsReader<'_>, node: Node<'_>, modifier: &str) -> bool {
    let mut cursor = node.walk();
    node.children(&mut cursor)
        .any(|child| child.kind() == "modifier" && reader.text(child) == modifier)
}

/// Returns `true` if other files can use a declaration: by its modifiers, or else by its parent.
fn is_shared(reader: &FactsReader<'_>, node: Node<'_>) -> bool {
    let explicit = ["public", "internal", "protected"];
    if has_modifier(reader, node, "private") {
        return false;
    }
    explicit.iter().any(|modifier| has_modifier(reader, node, modifier)) || is_top(reader) || {
        let around = reader.kept.scope();
        around.is_some_and(|it| matches!(it.kind, SymbolKind::Interface | SymbolKind::Enum))
    }
}

/// Returns `true` outside every type: at the top of the file or in a namespace.
fn is_top(reader: &FactsReader<'_>) -> bool {
    reader.kept.scope().is_none_or(|scope| scope.kind == SymbolKind::Module)
}

/// Returns a declaration as a symbol. A property's body is its `accessors` or its `=> value`;
/// attributes are left out of the head.
fn draft_declaration<'t>(
    reader: &FactsReader<'t>,
    node: Node<'t>,
    kind: SymbolKind,
    at: Node<'t>,
    name: &'t str,
) -> SymbolDraft<'t> {
    let body = ["body", "accessors", "value"].iter().find_map(|it| node.child_by_field_name(it));
    let mut draft =
        SymbolDraft::new(kind, node, at, name).body(body).exported(is_shared(reader, node));
    draft.head = first_after(node, &["attribute_list", "preproc_if_in_attribute_list"]);
    draft
}

/// Opens a declaration with a `name`; types outside other types are exports. Functions are not: C#
/// has them only inside methods.
fn open_declaration<'t>(reader: &mut FactsReader<'t>, node: Node<'t>, kind: SymbolKind) {
    let Some(name) = node.child_by_field_name("name") else { return };
    let draft = draft_declaration(reader, node, kind, name, reader.text(name));
    if draft.exported && is_top(reader) && kind != SymbolKind::Function {
        reader.add_export(name, draft.name, None, None);
    }
    reader.open_symbol(&draft);
}

/// Reads `namespace A.B { … }`; the declarations in it are its members.
fn read_namespace<'t>(reader: &mut FactsReader<'t>, node: Node<'t>) {
    if let Some(name) = node.child_by_field_name("name") {
        let draft = SymbolDraft::new(SymbolKind::Module, node, name, reader.text(name));
        reader.open_symbol(&draft.body(node.child_by_field_name("body")).exported(true));
    }
}

/// Reads `namespace A.B;`, which has no body: the rest of the file belongs to it.
fn read_file_namespace<'t>(reader: &mut FactsReader<'t>, node: Node<'t>) {
    if let Some(name) = node.child_by_field_name("name") {
        let mut draft = SymbolDraft::new(SymbolKind::Module, node, name, reader.text(name));
        draft.range.1 = name;
        reader.add_symbol(&draft.exported(true));
    }
}

/// Reads a class, struct or record. The parameters in a record's head are its properties
/// (positional records of C# 9).
fn read_class<'t>(reader: &mut FactsReader<'t>, node: Node<'t>) {
    open_declaration(reader, node, SymbolKind::Class);
    if node.kind() != "record_declaration" {
        return;
    }
    for component in find_child(node, "parameter_list").map(list_children).unwrap_or_default() {
        if let Some(name) = component.child_by_field_name("name") {
            let draft = SymbolDraft::new(SymbolKind::Property, component, name, reader.text(name));
            reader.add_symbol(&draft.exported(true));
        }
    }
}

/// Reads a member of an enum. Its value belongs to its head.
fn read_variant<'t>(reader: &mut FactsReader<'t>, node: Node<'t>) {
    if let Some(name) = node.child_by_field_name("name") {
        let mut draft =
            draft_declaration(reader, node, SymbolKind::Property, name, reader.text(name));
        draft.body = None;
        reader.add_symbol(&draft);
    }
}

/// Reads a method; operators are named by their sign or type, indexers `this`.
fn read_method<'t>(reader: &mut FactsReader<'t>, node: Node<'t>) {
    let field = match node.kind() {
        "operator_declaration" => "operator",
        "conversion_operator_declaration" => "type",
        _ => "name",
    };
    let at = node.child_by_field_name(field).or_else(|| find_child(node, "this"));
    if let Some(at) = at {
        let draft = draft_declaration(reader, node, SymbolKind::Method, at, reader.text(at));
        reader.open_symbol(&draft);
    }
}

/// Reads `int A { get; set; }` and `event E A { … }`; accessors are no symbols of their own.
fn read_property<'t>(reader: &mut FactsReader<'t>, node: Node<'t>) {
    if let Some(name) = node.child_by_field_name("name") {
        let draft = draft_declaration(reader, node, SymbolKind::Property, name, reader.text(name));
        reader.add_symbol(&draft);
    }
}

/// Reads `static int a = 1, b;`: one symbol for each declarator. Constants and static fields are
/// variables.
fn read_field<'t>(reader: &mut FactsReader<'t>, node: Node<'t>) {
    let is_static = has_modifier(reader, node, "const") || has_modifier(reader, node, "static");
    let kind = if is_static { SymbolKind::Variable } else { SymbolKind::Property };
    for declarator in
        find_child(node, "variable_declaration").map(list_children).unwrap_or_default()
    {
        let name = declarator
            .child_by_field_name("name")
            .filter(|_| declarator.kind() == "variable_declarator");
        if let Some(name) = name {
            let draft = draft_declaration(reader, node, kind, name, reader.text(name));
            reader.add_symbol(&draft);
        }
    }
}

/// Returns the node with the last name of a callee, without type arguments; `None` if the
/// callee is an expression.
fn find_callee(function: Node<'_>) -> Option<Node<'_>> {
    let mut at = function;
    for _ in 0..MAX_WRAPPERS {
        at = match at.kind() {
            "identifier" => return Some(at),
            "generic_name" => first_child(at)?,
            "member_access_expression"
            | "member_binding_expression"
            | "qualified_name"
            | "alias_qualified_name" => at.child_by_field_name("name")?,
            "conditional_access_expression" => last_child(at)?,
            _ => return None,
        };
    }
    None
}

/// Reads `a?.b<T>(c)`: a call of `b`.
fn read_call<'t>(reader: &mut FactsReader<'t>, node: Node<'t>) {
    reader.add_call_of(node.child_by_field_name("function").and_then(find_callee));
}

/// Reads `new A.B<T>()`: a call of `B`.
fn read_creation<'t>(reader: &mut FactsReader<'t>, node: Node<'t>) {
    reader.add_call_of(node.child_by_field_name("type").and_then(find_callee));
}
