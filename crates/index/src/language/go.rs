//! Go. A method belongs to the type of its receiver if the file defines that type before it.
//! Names with a capital letter are exported.

use tree_sitter::Node;

use super::child::{find_child, first_child, list_children};
use super::declare;
use super::owner;
use super::reader::{FactsReader, NodeRole, SyntaxTable};
use super::symbol::SymbolDraft;
use crate::facts::{ImportKind, ImportedName, SymbolKind};
use papayu_lang::Language;

/// The table of Go. Every comment right before a declaration documents it (go.dev/doc/comment).
pub(super) static TABLE: SyntaxTable = SyntaxTable::new(
    Language::Go,
    role_of_kind,
    |_| true,
    owner::assign_owners,
    declare::go::read_declaration,
);

/// Most types and parentheses around a name.
const MAX_WRAPPERS: usize = 16;

/// Returns the role of a node kind of tree-sitter-go.
fn role_of_kind(kind: &str) -> NodeRole {
    match kind {
        "comment" => NodeRole::Comment,
        "for_statement"
        | "expression_switch_statement"
        | "type_switch_statement"
        | "select_statement"
        | "func_literal" => NodeRole::Nest,
        "if_statement" => NodeRole::If,
        "import_spec" => NodeRole::Read(read_import),
        "function_declaration" => NodeRole::Read(read_function),
        "method_declaration" => NodeRole::Read(read_method),
        "type_spec" | "type_alias" => NodeRole::Read(read_type_spec),
        "field_declaration" => NodeRole::Read(read_field),
        "method_elem" => NodeRole::Read(read_element),
        "const_spec" | "var_spec" => NodeRole::Read(read_value),
        "call_expression" => NodeRole::Read(read_call),
        _ => NodeRole::Plain,
    }
}

/// Reads one line of an `import`: `"a/b"`, `c "a/b"`, `_ "a/b"` or `. "a/b"`, which takes all
/// names.
fn read_import<'t>(reader: &mut FactsReader<'t>, node: Node<'t>) {
    let Some(path) = node.child_by_field_name("path") else { return };
    let path = reader.text(path).trim_matches(['"', '`']);
    let mut import = FactsReader::whole_import(node, ImportKind::Import, path);
    match node.child_by_field_name("name").map(|name| reader.text(name)) {
        Some(".") => import.names.push(ImportedName { name: "*".into(), alias: None }),
        alias => import.alias = alias.map(Into::into),
    }
    reader.kept.add_import(import);
}

/// Returns `true` if a name begins with a capital letter (Go specification, Exported identifiers).
fn is_exported(name: &str) -> bool {
    name.chars().next().is_some_and(char::is_uppercase)
}

/// Sets whether a draft is exported, and adds an export if it is at the top of the file.
fn complete_draft<'t>(
    reader: &mut FactsReader<'t>,
    draft: SymbolDraft<'t>,
    is_top: bool,
) -> SymbolDraft<'t> {
    let exported = is_exported(draft.name);
    if exported && is_top {
        reader.add_export(draft.at, draft.name, None, None);
    }
    draft.exported(exported)
}

/// Reads `func f(…)`; functions named `_` are compiled and cannot be called.
fn read_function<'t>(reader: &mut FactsReader<'t>, node: Node<'t>) {
    if let Some(name) = node.child_by_field_name("name").filter(|it| reader.text(*it) != "_") {
        let draft = SymbolDraft::new(SymbolKind::Function, node, name, reader.text(name))
            .body(node.child_by_field_name("body"));
        let draft = complete_draft(reader, draft, true);
        reader.open_symbol(&draft);
    }
}

/// Reads `func (r *T[P]) m(…)`: a method of `T`, which may be declared in another file of the
/// package.
fn read_method<'t>(reader: &mut FactsReader<'t>, node: Node<'t>) {
    if let Some(name) = node.child_by_field_name("name").filter(|it| reader.text(*it) != "_") {
        let draft = SymbolDraft::new(SymbolKind::Method, node, name, reader.text(name))
            .body(node.child_by_field_name("body"));
        let draft = complete_draft(reader, draft, false);
        let receiver = node
            .child_by_field_name("receiver")
            .and_then(first_child)
            .and_then(|parameter| parameter.child_by_field_name("type"));
        if let (Some(symbol), Some(of)) = (reader.open_symbol(&draft), receiver) {
            reader.apart.push((symbol, reader.text(find_type_name(of))));
        }
    }
}

/// Returns the node with the name of a type, without pointers, parentheses, package and type
/// arguments.
fn find_type_name(of: Node<'_>) -> Node<'_> {
    let mut at = of;
    for _ in 0..MAX_WRAPPERS {
        let inner = match at.kind() {
            "pointer_type" | "parenthesized_type" => first_child(at),
            "generic_type" => at.child_by_field_name("type"),
            "qualified_type" => at.child_by_field_name("name"),
            _ => None,
        };
        match inner {
            Some(inner) => at = inner,
            None => return at,
        }
    }
    at
}

/// Returns `true` if a spec is at the top of the file, alone or in a list.
fn is_top(reader: &FactsReader<'_>) -> bool {
    let kind = |levels| reader.above(levels).map(|above| above.kind());
    kind(1) == Some("source_file")
        || (kind(0) == Some("var_spec_list") && kind(2) == Some("source_file"))
}

/// Returns a draft that begins with the keyword if the spec is not in a list.
fn with_keyword<'t>(reader: &FactsReader<'t>, mut draft: SymbolDraft<'t>) -> SymbolDraft<'t> {
    let spec = draft.range.0;
    // In `const ( … )` the keyword belongs to all specs.
    let keyword = reader.parent().filter(|parent| find_child(*parent, "(").is_none());
    if let Some(parent) = keyword.filter(|parent| parent.kind() != "var_spec_list") {
        draft.range.0 = parent;
        draft.head = parent;
        draft.range.1 = spec;
    }
    draft
}

/// Reads `type T struct { … }` and its like. A struct counts as a class; its head ends where its
/// fields begin.
fn read_type_spec<'t>(reader: &mut FactsReader<'t>, node: Node<'t>) {
    let Some(name) = node.child_by_field_name("name").filter(|it| reader.text(*it) != "_") else {
        return;
    };
    let of = node.child_by_field_name("type");
    let (kind, body) = match of.map(|of| (of.kind(), of)) {
        Some(("struct_type", of)) => (SymbolKind::Class, find_child(of, "field_declaration_list")),
        Some(("interface_type", of)) => (SymbolKind::Interface, find_child(of, "{")),
        _ => (SymbolKind::Type, None),
    };
    let draft = SymbolDraft::new(kind, node, name, reader.text(name)).body(body);
    let draft = with_keyword(reader, draft);
    let is_top = is_top(reader);
    let draft = complete_draft(reader, draft, is_top);
    reader.open_symbol(&draft);
}

/// Returns the names of a field or value, without blank ones (`_`).
fn list_names<'t>(reader: &FactsReader<'t>, node: Node<'t>) -> Vec<Node<'t>> {
    let mut cursor = node.walk();
    node.children_by_field_name("name", &mut cursor)
        .filter(|name| name.is_named() && reader.text(*name) != "_")
        .collect()
}

/// Reads a field of a named struct. An embedded field has the name of its type.
fn read_field<'t>(reader: &mut FactsReader<'t>, node: Node<'t>) {
    if !reader.above(2).is_some_and(|above| matches!(above.kind(), "type_spec" | "type_alias")) {
        return;
    }
    let mut names = list_names(reader, node);
    if node.child_by_field_name("name").is_none() {
        names.extend(node.child_by_field_name("type").map(find_type_name));
    }
    for name in names {
        let text = reader.text(name);
        let draft = SymbolDraft::new(SymbolKind::Property, node, name, text);
        reader.add_symbol(&draft.exported(is_exported(text)));
    }
}

/// Reads a method of a named interface.
fn read_element<'t>(reader: &mut FactsReader<'t>, node: Node<'t>) {
    let of = reader.above(1).map(|above| above.kind());
    if let (Some("type_spec" | "type_alias"), Some(name)) = (of, node.child_by_field_name("name")) {
        let text = reader.text(name);
        let draft = SymbolDraft::new(SymbolKind::Method, node, name, text);
        reader.add_symbol(&draft.exported(is_exported(text)));
    }
}

/// Reads `const` and `var` at the top of the file: one symbol for each name.
fn read_value<'t>(reader: &mut FactsReader<'t>, node: Node<'t>) {
    if !is_top(reader) {
        return;
    }
    for name in list_names(reader, node) {
        let draft = SymbolDraft::new(SymbolKind::Variable, node, name, reader.text(name));
        let draft = with_keyword(reader, draft);
        let draft = complete_draft(reader, draft, true);
        reader.add_symbol(&draft);
    }
}

/// Reads a call. `t.Run("name", func…)` opens a subtest with that name, as `go test -run` knows it.
fn read_call<'t>(reader: &mut FactsReader<'t>, node: Node<'t>) {
    let Some(name) = node.child_by_field_name("function").and_then(find_callee) else {
        return;
    };
    match find_subtest_name(reader, node).filter(|_| reader.text(name) == "Run") {
        Some(text) => {
            let title = reader.text(text).trim_matches(['"', '`']);
            let body =
                node.child_by_field_name("arguments").and_then(|it| find_child(it, "func_literal"));
            reader.open_symbol(&SymbolDraft::new(SymbolKind::Test, node, text, title).body(body));
        }
        None => reader.add_call_of(Some(name)),
    }
}

/// Returns the node with the last name of a callee; `None` if the callee is an expression.
fn find_callee(function: Node<'_>) -> Option<Node<'_>> {
    let mut at = function;
    for _ in 0..MAX_WRAPPERS {
        at = match at.kind() {
            "identifier" => return Some(at),
            "selector_expression" => return at.child_by_field_name("field"),
            "index_expression" => at.child_by_field_name("operand")?,
            "parenthesized_expression" | "type_instantiation_expression" => first_child(at)?,
            _ => return None,
        };
    }
    None
}

/// Returns the literal that names a subtest, if the call has a literal and a function.
fn find_subtest_name<'t>(reader: &FactsReader<'t>, node: Node<'t>) -> Option<Node<'t>> {
    let function = node.child_by_field_name("function")?;
    let operand = function.child_by_field_name("operand")?;
    let arguments = list_children(node.child_by_field_name("arguments")?);
    let [text, run] = arguments.as_slice() else { return None };
    let is_text = matches!(text.kind(), "interpreted_string_literal" | "raw_string_literal");
    let is_test = run.kind() == "func_literal" || matches!(reader.text(operand), "t" | "b");
    (is_text && is_test).then_some(*text)
}
