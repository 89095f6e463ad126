//! PHP. `use A\B\C` imports `C` of `A\B`; members that are not private are exported. A namespace without a body
//! is a module symbol without members.

use std::collections::HashMap;

use rustc_hash::FxBuildHasher;
use tree_sitter::Node;

use super::child::{
    find_child, find_leading_child, first_after, first_child, last_child, list_children,
    remove_blanks,
};
use super::declare;
use super::reader::{FactsReader, NodeRole, SyntaxTable};
use super::symbol::SymbolDraft;
use crate::facts::{Import, ImportKind, ImportedName, SymbolKind};
use papayu_lang::Language;

/// The table of PHP. Only docblocks (`/** */`) document.
pub(super) static TABLE: SyntaxTable = SyntaxTable::new(
    Language::Php,
    role_of_kind,
    |comment| comment.starts_with("/**"),
    |_| (),
    declare::php::read_declaration,
);

/// Most names imported by one statement.
const MAX_NAMES: usize = 10_000;

/// Returns the role of a node kind of tree-sitter-php.
fn role_of_kind(kind: &str) -> NodeRole {
    match kind {
        "comment" => NodeRole::Comment,
        "for_statement" | "foreach_statement" | "while_statement" | "do_statement"
        | "switch_statement" | "match_expression" | "try_statement" | "anonymous_function"
        | "arrow_function" => NodeRole::Nest,
        "if_statement" => NodeRole::If,
        "else_clause" => NodeRole::Else,
        "namespace_definition" => NodeRole::Read(read_namespace),
        "namespace_use_declaration" => NodeRole::Read(read_use),
        "require_expression"
        | "require_once_expression"
        | "include_expression"
        | "include_once_expression" => NodeRole::Read(read_include),
        "class_declaration" => NodeRole::Open(open_declaration, SymbolKind::Class),
        "interface_declaration" | "trait_declaration" => {
            NodeRole::Open(open_declaration, SymbolKind::Interface)
        }
        "enum_declaration" => NodeRole::Open(open_declaration, SymbolKind::Enum),
        "enum_case" => NodeRole::Read(read_case),
        "function_definition" => NodeRole::Open(open_declaration, SymbolKind::Function),
        "method_declaration" => NodeRole::Open(open_declaration, SymbolKind::Method),
        "property_element" => NodeRole::Read(read_property),
        "property_promotion_parameter" => NodeRole::Read(read_promoted),
        "const_element" => NodeRole::Read(read_constant),
        "function_call_expression" => NodeRole::Read(read_function_call),
        "member_call_expression" | "nullsafe_member_call_expression" | "scoped_call_expression" => {
            NodeRole::Read(read_method_call)
        }
        "object_creation_expression" => NodeRole::Read(read_creation),
        _ => NodeRole::Plain,
    }
}

/// Returns `true` outside every class and function: at the top of the file or in a namespace.
fn is_top(reader: &FactsReader<'_>) -> bool {
    reader.kept.scope().is_none_or(|scope| scope.kind == SymbolKind::Module)
}

/// Opens a declaration with a `name`. In PHP every declaration at the top is visible to every file
/// that loads this one, so all of them are exports.
fn open_declaration<'t>(reader: &mut FactsReader<'t>, node: Node<'t>, kind: SymbolKind) {
    let Some(name) = node.child_by_field_name("name") else { return };
    let mut draft = SymbolDraft::new(kind, node, name, reader.text(name))
        .body(node.child_by_field_name("body"))
        .exported(!is_private(reader, node));
    draft.head = first_after(node, &["attribute_list"]);
    if is_top(reader) {
        reader.add_export(name, draft.name, None, None);
    }
    reader.open_symbol(&draft);
}

/// Returns `true` if a member is `private`; without a modifier members are public.
fn is_private(reader: &FactsReader<'_>, node: Node<'_>) -> bool {
    find_leading_child(node, "visibility_modifier")
        .is_some_and(|word| reader.text(word) == "private")
}

/// Reads `namespace A\B { … }`, or `namespace A\B;`, which applies to the end of the file and so
/// opens nothing.
fn read_namespace<'t>(reader: &mut FactsReader<'t>, node: Node<'t>) {
    if let Some(name) = node.child_by_field_name("name") {
        let body = node.child_by_field_name("body");
        let draft = SymbolDraft::new(SymbolKind::Module, node, name, reader.text(name));
        let draft = draft.body(body).exported(true);
        if body.is_some() {
            reader.open_symbol(&draft);
        } else {
            reader.add_symbol(&draft);
        }
    }
}

/// Reads a `use` at the top: an import for each namespace that names are taken from.
fn read_use<'t>(reader: &mut FactsReader<'t>, node: Node<'t>) {
    let prefix = find_child(node, "namespace_name").map(|it| remove_blanks(reader.text(it)));
    let list = node.child_by_field_name("body").unwrap_or(node);
    let mut imports: Vec<Import> = Vec::new();
    let mut places: HashMap<String, usize, FxBuildHasher> = HashMap::default();
    for clause in list_children(list).into_iter().take(MAX_NAMES) {
        if clause.kind() != "namespace_use_clause" {
            continue;
        }
        let alias = clause.child_by_field_name("alias").map(|alias| reader.text(alias).into());
        let Some(path) = first_child(clause).map(|path| remove_blanks(reader.text(path))) else {
            continue;
        };
        let path = match &prefix {
            Some(prefix) => format!("{prefix}\\{path}"),
            None => path,
        };
        let path = path.trim_start_matches('\\');
        // A class of the global namespace has no module that it could be taken from.
        let Some((module, name)) = path.rsplit_once('\\') else {
            let mut import = FactsReader::whole_import(node, ImportKind::Import, path);
            import.alias = alias;
            imports.push(import);
            continue;
        };
        let name = ImportedName { name: name.into(), alias };
        // Names of one namespace share an import, as names of one module do in other languages.
        let place = *places.entry(module.to_owned()).or_insert_with(|| {
            imports.push(FactsReader::whole_import(node, ImportKind::Import, module));
            imports.len() - 1
        });
        if let Some(import) = imports.get_mut(place) {
            import.names.push(name);
        }
    }
    for import in imports {
        reader.kept.add_import(import);
    }
}

/// Reads a `require` or `include` of a literal; `__DIR__ . '/a.php'` is `./a.php` in the file's
/// folder.
fn read_include<'t>(reader: &mut FactsReader<'t>, node: Node<'t>) {
    let mut at = first_child(node);
    if let Some(inner) = at.filter(|at| at.kind() == "parenthesized_expression") {
        at = first_child(inner);
    }
    let Some(at) = at else { return };
    if at.kind() == "binary_expression" {
        let left = at.child_by_field_name("left").map(|left| remove_blanks(reader.text(left)));
        let here = matches!(left.as_deref(), Some("__DIR__" | "dirname(__FILE__)"));
        let right = at.child_by_field_name("right").and_then(|right| read_literal(reader, right));
        if let Some(path) = right.filter(|path| here && path.starts_with('/')) {
            let import = FactsReader::whole_import(node, ImportKind::Beside, &format!(".{path}"));
            reader.kept.add_import(import);
        }
    } else if let Some(path) = read_literal(reader, at) {
        let import = FactsReader::whole_import(node, ImportKind::Require, path);
        reader.kept.add_import(import);
    }
}

/// Returns the text of a string without interpolation; `None` for other nodes.
fn read_literal<'t>(reader: &FactsReader<'t>, node: Node<'t>) -> Option<&'t str> {
    let parts = list_children(node);
    match (node.kind(), parts.as_slice()) {
        ("string" | "encapsed_string", [content]) if content.kind() == "string_content" => {
            Some(reader.text(*content))
        }
        _ => None,
    }
}

/// Reads a case of an enum (PHP 8.1), which is always public.
fn read_case<'t>(reader: &mut FactsReader<'t>, node: Node<'t>) {
    if let Some(name) = node.child_by_field_name("name") {
        let mut draft = SymbolDraft::new(SymbolKind::Property, node, name, reader.text(name));
        draft.head = first_after(node, &["attribute_list"]);
        reader.add_symbol(&draft.exported(true));
    }
}

/// Reads one name of a property declaration, with the range and head of the declaration.
fn read_property<'t>(reader: &mut FactsReader<'t>, node: Node<'t>) {
    let declaration = reader.parent().unwrap_or(node);
    if let Some(name) = node.child_by_field_name("name") {
        let is_static = find_leading_child(declaration, "static_modifier").is_some();
        let kind = if is_static { SymbolKind::Variable } else { SymbolKind::Property };
        let text = reader.text(name).trim_start_matches('$');
        let mut draft = SymbolDraft::new(kind, declaration, name, text);
        draft.head = first_after(declaration, &["attribute_list"]);
        reader.add_symbol(&draft.exported(!is_private(reader, declaration)));
    }
}

/// Reads a constructor's parameter that is a property of the class too.
fn read_promoted<'t>(reader: &mut FactsReader<'t>, node: Node<'t>) {
    let Some(name) = node.child_by_field_name("name") else { return };
    let text = reader.text(name).trim_start_matches(['&', '$']);
    // The symbol that is open is the constructor.
    let class = reader.kept.scope().and_then(|method| method.parent);
    let mut draft = SymbolDraft::new(SymbolKind::Property, node, name, text);
    draft.head = first_after(node, &["attribute_list"]);
    let draft = draft.exported(!is_private(reader, node));
    let symbol =
        reader.add_symbol(&draft).and_then(|it| reader.kept.facts.symbols.get_mut(it as usize));
    if let Some(symbol) = symbol {
        symbol.parent = class;
    }
}

/// Reads `const A = 1, B = 2;`: one symbol for each name, with the range of the whole declaration.
fn read_constant<'t>(reader: &mut FactsReader<'t>, node: Node<'t>) {
    let declaration = reader.parent().unwrap_or(node);
    if let Some(name) = first_child(node) {
        let mut draft =
            SymbolDraft::new(SymbolKind::Variable, declaration, name, reader.text(name));
        draft.head = first_after(declaration, &["attribute_list"]);
        if is_top(reader) {
            reader.add_export(name, draft.name, None, None);
        }
        reader.add_symbol(&draft.exported(!is_private(reader, declaration)));
    }
}

/// Reads `f(…)` and `\A\f(…)`. `define('NAME', …)` at the top defines a constant as well; a name
/// that is computed is no name.
fn read_function_call<'t>(reader: &mut FactsReader<'t>, node: Node<'t>) {
    let Some(function) = node.child_by_field_name("function") else { return };
    let name = match function.kind() {
        "name" => function,
        "qualified_name" | "relative_name" => last_child(function).unwrap_or(function),
        _ => return,
    };
    reader.add_call(reader.text(name), name);
    let arguments = node.child_by_field_name("arguments");
    let named = arguments.and_then(first_child).and_then(first_child);
    let named = named.filter(|_| reader.text(name) == "define" && is_top(reader));
    if let Some((at, text)) = named.and_then(|at| Some((at, read_literal(reader, at)?))) {
        reader.add_export(at, text, None, None);
        reader.add_symbol(&SymbolDraft::new(SymbolKind::Variable, node, at, text).exported(true));
    }
}

/// Reads `$a->b()`, `$a?->b()` and `A::b()`. A computed name, `$a->$b()`, is no call that can be
/// resolved.
fn read_method_call<'t>(reader: &mut FactsReader<'t>, node: Node<'t>) {
    reader.add_call_of(node.child_by_field_name("name").filter(|it| it.kind() == "name"));
}

/// Reads `new A\B()`: a call of `B`. `new self` and the like name the class around, so they are no
/// calls of another.
fn read_creation<'t>(reader: &mut FactsReader<'t>, node: Node<'t>) {
    let name = match first_child(node) {
        Some(name) if name.kind() == "name" => Some(name),
        Some(path) if matches!(path.kind(), "qualified_name" | "relative_name") => last_child(path),
        _ => None,
    };
    let fixed = |name: &Node<'_>| !matches!(reader.text(*name), "self" | "static" | "parent");
    reader.add_call_of(name.filter(fixed));
}
