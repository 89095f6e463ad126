//! C and C++, by one table: the additions of C++ have node kinds of their own.
//!
//! A type is a symbol where its body is; a function has one symbol for its definition and one for each
//! prototype. `A::b` outside its class is a method `b`, of `A` if the file declares `A` before. Every item that
//! is not `static` or private in its class is exported. Code that depends on macros is read as far as the
//! grammar can.

mod declarator;

use tree_sitter::Node;

use super::child::{find_child, first_child, list_children};
use super::declare;
use super::owner;
use super::reader::{FactsReader, NodeRole, SyntaxTable};
use super::symbol::SymbolDraft;
use crate::declaration::Visibility;
use crate::facts::{ImportKind, SymbolKind};
pub(super) use declarator::find_declared;
use declarator::{Declarator, last_name};
use papayu_lang::Language;

/// The table of C.
pub(super) static C: SyntaxTable = table_of(Language::C);

/// The table of C++ has the same roles, because node kinds of C++ do not occur in trees of C.
pub(super) static CPP: SyntaxTable = table_of(Language::Cpp);

const fn table_of(language: Language) -> SyntaxTable {
    let declare = declare::c::read_declaration;
    SyntaxTable::new(language, role_of_kind, |_| true, owner::assign_owners, declare)
}

/// Macros of test frameworks that look like functions: `TEST(Suite, Name) { … }`.
const TESTS: [&str; 5] = ["TEST", "TEST_F", "TEST_P", "TYPED_TEST", "TYPED_TEST_P"];

/// Returns the role of a node kind of tree-sitter-c and tree-sitter-cpp.
fn role_of_kind(kind: &str) -> NodeRole {
    match kind {
        "comment" => NodeRole::Comment,
        "for_statement" | "for_range_loop" | "while_statement" | "do_statement"
        | "switch_statement" | "try_statement" | "seh_try_statement" | "lambda_expression" => {
            NodeRole::Nest
        }
        "if_statement" => NodeRole::If,
        "else_clause" => NodeRole::Else,
        "preproc_include" => NodeRole::Read(read_include),
        "preproc_def" | "preproc_function_def" => NodeRole::Read(read_definition),
        "namespace_definition" => NodeRole::Read(read_namespace),
        "function_definition" => NodeRole::Read(read_function),
        "declaration" => NodeRole::Read(read_declaration),
        "field_declaration" => NodeRole::Read(read_member),
        "struct_specifier" | "union_specifier" | "class_specifier" | "enum_specifier" => {
            NodeRole::Read(read_specifier)
        }
        "enumerator" => NodeRole::Read(read_enumerator),
        "type_definition" => NodeRole::Read(read_type_definition),
        "alias_declaration" | "concept_definition" => NodeRole::Read(read_alias),
        "access_specifier" => NodeRole::Read(read_access),
        "call_expression" => NodeRole::Read(read_call),
        "new_expression" => NodeRole::Read(read_creation),
        _ => NodeRole::Plain,
    }
}

/// Reads `#include <a>` and `#include "a"`. With quotes the file's own folder is searched first, so
/// that is another kind of import. `#include MACRO` is left out.
fn read_include<'t>(reader: &mut FactsReader<'t>, node: Node<'t>) {
    if let Some(path) = node.child_by_field_name("path") {
        let kind = match path.kind() {
            "system_lib_string" => ImportKind::Import,
            "string_literal" => ImportKind::Beside,
            _ => return,
        };
        let module = reader.text(path).trim_matches(['"', '<', '>']);
        reader.kept.add_import(FactsReader::whole_import(node, kind, module));
    }
}

/// Returns `true` if the current node is at the top of the file or in a namespace.
fn is_top(reader: &FactsReader<'_>) -> bool {
    reader.kept.scope().is_none_or(|scope| scope.kind == SymbolKind::Module)
}

/// Returns `true` if a declaration is visible from other places, that is, not in a body of
/// statements.
fn is_seen(reader: &FactsReader<'_>) -> bool {
    let parent = reader.parent().map_or("", |parent| parent.kind());
    let in_body = reader.kept.scope().is_some_and(|scope| scope.kind.is_callable());
    let is_list = matches!(
        parent,
        "translation_unit"
            | "declaration_list"
            | "linkage_specification"
            | "template_declaration"
            | "field_declaration_list"
            | "ERROR"
    );
    !in_body && (is_list || parent.starts_with("preproc_"))
}

/// Returns `true` in the body of a class, struct or union.
fn in_class(reader: &FactsReader<'_>) -> bool {
    reader.kept.scope().is_some_and(|scope| scope.kind == SymbolKind::Class)
}

/// Adds a symbol, which begins with the `template<…>` around it. Symbols at the top are
/// exported.
fn add_declared<'t>(
    reader: &mut FactsReader<'t>,
    mut draft: SymbolDraft<'t>,
    opens: bool,
) -> Option<u32> {
    if let Some(template) = reader.parent().filter(|it| it.kind() == "template_declaration") {
        draft.range.0 = template;
        draft.head = template;
    }
    draft.exported = draft.exported && reader.kept.member_visibility() != Some(Visibility::Private);
    if draft.exported && is_top(reader) && draft.kind != SymbolKind::Method {
        reader.add_export(draft.at, draft.name, None, None);
    }
    if opens { reader.open_symbol(&draft) } else { reader.add_symbol(&draft) }
}

/// Reads a macro. The name that guards a header against being included twice is none.
fn read_definition<'t>(reader: &mut FactsReader<'t>, node: Node<'t>) {
    let Some(name) = node.child_by_field_name("name") else { return };
    let text = reader.text(name);
    let value = node.child_by_field_name("value");
    let guarded = reader
        // `#ifndef A_H` followed by `#define A_H`: only the first definition below a condition
        // is compared.
        .parent()
        .filter(|parent| parent.kind() == "preproc_ifdef" && value.is_none())
        .and_then(|parent| parent.child_by_field_name("name"));
    if guarded.is_none_or(|guarded| reader.text(guarded) != text) {
        let draft =
            SymbolDraft::new(SymbolKind::Macro, node, name, text).body(value).exported(true);
        add_declared(reader, draft, false);
    }
}

/// Reads `namespace a { … }`; one without a name is private to the file and makes no symbol.
fn read_namespace<'t>(reader: &mut FactsReader<'t>, node: Node<'t>) {
    if let Some(name) = node.child_by_field_name("name") {
        let draft = SymbolDraft::new(SymbolKind::Module, node, name, reader.text(name));
        reader.open_symbol(&draft.body(node.child_by_field_name("body")).exported(true));
    }
}

/// Returns `true` if a declaration has internal linkage; in a class, `static` makes a member of the
/// type.
fn is_static(reader: &FactsReader<'_>, node: Node<'_>) -> bool {
    let mut cursor = node.walk();
    node.children(&mut cursor)
        .any(|it| it.kind() == "storage_class_specifier" && reader.text(it) == "static")
}

/// Adds a function or method. Its class is assigned after the whole file is read.
fn add_function<'t>(
    reader: &mut FactsReader<'t>,
    node: Node<'t>,
    of: Declarator<'t>,
    exported: bool,
    body: Option<Node<'t>>,
) {
    let is_method = of.owner.is_some() || in_class(reader);
    let kind = if is_method { SymbolKind::Method } else { SymbolKind::Function };
    let mut name = reader.text(of.name);
    if of.name.kind() == "operator_cast" {
        name = name.split('(').next().unwrap_or(name).trim_end();
    }
    let draft = SymbolDraft::new(kind, node, of.name, name).body(body).exported(exported);
    let symbol = add_declared(reader, draft, node.kind() == "function_definition");
    if let (Some(symbol), Some(owner)) = (symbol, of.owner) {
        reader.apart.push((symbol, reader.text(owner)));
    }
}

/// Reads a function with a body. `TEST(Suite, Name) { … }` of googletest parses as a function
/// without a return type.
fn read_function<'t>(reader: &mut FactsReader<'t>, node: Node<'t>) {
    let Some(of) = node.child_by_field_name("declarator").and_then(find_declared) else {
        return;
    };
    let is_test = TESTS.contains(&reader.text(of.name));
    if is_test && node.child_by_field_name("type").is_none() {
        let declarator = node.child_by_field_name("declarator");
        let parameters = declarator.and_then(|it| it.child_by_field_name("parameters"));
        if let Some(parameters) = parameters {
            let title = reader.text(parameters).trim_matches(['(', ')']);
            let draft = SymbolDraft::new(SymbolKind::Test, node, parameters, title);
            reader.open_symbol(&draft.body(node.child_by_field_name("body")));
        }
        return;
    }
    let exported = in_class(reader) || !is_static(reader, node);
    let body =
        find_child(node, "field_initializer_list").or_else(|| node.child_by_field_name("body"));
    add_function(reader, node, of, exported, body);
}

/// Reads prototypes and globals, but nothing that lives in a function.
fn read_declaration<'t>(reader: &mut FactsReader<'t>, node: Node<'t>) {
    if !is_seen(reader) {
        return;
    }
    let exported = in_class(reader) || !is_static(reader, node);
    let declarators: Vec<_> = node.children_by_field_name("declarator", &mut node.walk()).collect();
    for of in declarators.into_iter().filter_map(find_declared) {
        if of.is_function {
            add_function(reader, node, of, exported, None);
        } else {
            let draft = SymbolDraft::new(SymbolKind::Variable, node, of.name, reader.text(of.name));
            add_declared(reader, draft.exported(exported), false);
        }
    }
}

/// Reads the fields and prototypes of a class: `int a, *b, f();` declares three members.
fn read_member<'t>(reader: &mut FactsReader<'t>, node: Node<'t>) {
    if !in_class(reader) {
        return;
    }
    let kind = if is_static(reader, node) { SymbolKind::Variable } else { SymbolKind::Property };
    let declarators: Vec<_> = node.children_by_field_name("declarator", &mut node.walk()).collect();
    for of in declarators.into_iter().filter_map(find_declared) {
        if of.is_function {
            add_function(reader, node, of, true, None);
        } else {
            let draft = SymbolDraft::new(kind, node, of.name, reader.text(of.name)).exported(true);
            add_declared(reader, draft, false);
        }
    }
}

/// Reads a struct, union, class or enum that has a body; one without a name is its `typedef`'s.
fn read_specifier<'t>(reader: &mut FactsReader<'t>, node: Node<'t>) {
    let (Some(body), Some(name)) =
        (node.child_by_field_name("body"), node.child_by_field_name("name"))
    else {
        return;
    };
    open_type(reader, node, node, last_name(name), Some(body));
}

/// Opens a type. In a `class` members are private up to the first access specifier, in a `struct`
/// public.
fn open_type<'t>(
    reader: &mut FactsReader<'t>,
    whole: Node<'t>,
    specifier: Node<'t>,
    name: Node<'t>,
    body: Option<Node<'t>>,
) {
    let is_enum = specifier.kind() == "enum_specifier";
    let kind = if is_enum { SymbolKind::Enum } else { SymbolKind::Class };
    let draft = SymbolDraft::new(kind, whole, name, reader.text(name)).body(body).exported(true);
    if add_declared(reader, draft, true).is_some() {
        let is_class = specifier.kind() == "class_specifier";
        let visibility = if is_class { Visibility::Private } else { Visibility::Public };
        reader.kept.set_member_visibility(visibility);
    }
}

/// Reads a value of an enum; it is as visible as the enum.
fn read_enumerator<'t>(reader: &mut FactsReader<'t>, node: Node<'t>) {
    if let Some(name) = node.child_by_field_name("name") {
        let exported = reader.kept.scope().is_none_or(|scope| scope.exported);
        let draft = SymbolDraft::new(SymbolKind::Property, node, name, reader.text(name));
        reader.add_symbol(&draft.exported(exported));
    }
}

/// Reads a `typedef`: a type for each name; a struct without a name takes the first.
fn read_type_definition<'t>(reader: &mut FactsReader<'t>, node: Node<'t>) {
    let of = node.child_by_field_name("type");
    let body = of.and_then(|of| of.child_by_field_name("body"));
    let own = of.filter(|_| body.is_some()).and_then(|of| of.child_by_field_name("name"));
    let declarators: Vec<_> = node.children_by_field_name("declarator", &mut node.walk()).collect();
    let mut unnamed = of.filter(|_| body.is_some() && own.is_none());
    let mut struct_name = None;
    for name in declarators.into_iter().filter_map(find_declared).map(|of| of.name) {
        let text = reader.text(name);
        if unnamed.take().is_some() {
            struct_name = Some(name);
        } else if own.is_none_or(|own| reader.text(own) != text) {
            let draft = SymbolDraft::new(SymbolKind::Type, node, name, text).exported(true);
            add_declared(reader, draft, false);
        }
    }
    if let (Some(name), Some(of)) = (struct_name, of) {
        open_type(reader, node, of, name, body);
    }
}

/// Reads `using A = B;` and `concept A = …;`, but not the aliases in functions.
fn read_alias<'t>(reader: &mut FactsReader<'t>, node: Node<'t>) {
    if let Some(name) = node.child_by_field_name("name").filter(|_| is_seen(reader)) {
        let draft =
            SymbolDraft::new(SymbolKind::Type, node, name, reader.text(name)).exported(true);
        add_declared(reader, draft, false);
    }
}

/// Reads `private:` and its like. `protected` members count as shared: subclasses in other files
/// use them.
fn read_access<'t>(reader: &mut FactsReader<'t>, node: Node<'t>) {
    if in_class(reader) && reader.parent().is_some_and(|it| it.kind() == "field_declaration_list") {
        reader.kept.set_member_visibility(match reader.text(node) {
            "private" => Visibility::Private,
            "protected" => Visibility::Protected,
            _ => Visibility::Public,
        });
    }
}

/// Reads `a::b<T>(c)` and `a->b(c)`: calls of `b`. A call through an expression has no name.
fn read_call<'t>(reader: &mut FactsReader<'t>, node: Node<'t>) {
    if let Some(function) = node.child_by_field_name("function") {
        let name = last_name(function);
        if matches!(name.kind(), "identifier" | "field_identifier" | "type_identifier") {
            reader.add_call(reader.text(name), name);
        }
    }
}

/// Reads `new a::B<T>(…)`: a call of `B`.
fn read_creation<'t>(reader: &mut FactsReader<'t>, node: Node<'t>) {
    reader.add_call_of(node.child_by_field_name("type").map(last_name));
}
