//! Rust. An `impl` block is a module named after its type, and its functions are that module's methods: a type
//! may have many blocks, and most of its traits are distinguished only by the block's head.
//!
//! Every item with `pub` of any scope is exported; members of a trait, and variants of an enum, are exported
//! with their parent. Macro calls are not read, except for the calls in them.

mod uses;

use tree_sitter::Node;

use super::child::{find_child, first_child};
use super::declare;
use super::reader::{FactsReader, NodeRole, SyntaxTable};
use super::symbol::SymbolDraft;
use crate::facts::SymbolKind;
use papayu_lang::Language;

/// The table of Rust.
pub(super) static TABLE: SyntaxTable = SyntaxTable::new(
    Language::Rust,
    role_of_kind,
    is_documentation,
    declare::rust::add_implemented_traits,
    declare::rust::read_declaration,
);

/// Most references, pointers and type arguments around the type of an `impl`.
const MAX_WRAPPERS: usize = 16;
/// Most bytes before an item that are searched for its attributes.
const MAX_ATTRIBUTES: usize = 2_000;

/// Returns `true` for outer documentation, `///` and `/** */`; `//!` documents what contains it.
fn is_documentation(comment: &str) -> bool {
    comment.starts_with("///") || comment.starts_with("/**")
}

/// Returns the role of a node kind of tree-sitter-rust.
fn role_of_kind(kind: &str) -> NodeRole {
    match kind {
        "line_comment" | "block_comment" => NodeRole::Comment,
        "attribute_item" => NodeRole::Prefix,
        "attribute" => NodeRole::Skip,
        "for_expression" | "while_expression" | "loop_expression" | "match_expression"
        | "closure_expression" => NodeRole::Nest,
        "if_expression" => NodeRole::If,
        "else_clause" => NodeRole::Else,
        "use_declaration" => NodeRole::Read(uses::read_use),
        "extern_crate_declaration" => NodeRole::Read(uses::read_extern_crate),
        "mod_item" => NodeRole::Read(uses::read_module),
        "function_item" | "function_signature_item" => NodeRole::Read(read_function),
        "struct_item" | "union_item" => NodeRole::Read(read_structure),
        "field_declaration" => NodeRole::Read(read_field),
        "enum_item" => NodeRole::Read(read_enumeration),
        "enum_variant" => NodeRole::Read(read_variant),
        "trait_item" => NodeRole::Read(read_interface),
        "impl_item" => NodeRole::Read(read_implementation),
        "type_item" | "associated_type" => NodeRole::Read(read_alias),
        "const_item" | "static_item" => NodeRole::Read(read_constant),
        "macro_definition" => NodeRole::Read(read_definition),
        "call_expression" => NodeRole::Read(read_call),
        "macro_invocation" => NodeRole::Read(read_macro_call),
        "token_tree" => NodeRole::Read(read_tokens),
        _ => NodeRole::Plain,
    }
}

/// Opens an item with a name, and exports it if it is at the top of the file.
fn open_item<'t>(
    reader: &mut FactsReader<'t>,
    node: Node<'t>,
    kind: SymbolKind,
    body: Option<Node<'t>>,
    exported: bool,
) {
    let Some(name) = node.child_by_field_name("name") else { return };
    let text = reader.text(name);
    if exported && reader.kept.scope().is_none() {
        reader.add_export(name, text, None, None);
    }
    reader.open_symbol(&SymbolDraft::new(kind, node, name, text).body(body).exported(exported));
}

/// Returns `true` for any visibility: `pub(crate)` and `pub(super)` items are used by other files
/// too.
fn is_pub(node: Node<'_>) -> bool {
    find_child(node, "visibility_modifier").is_some()
}

/// Returns `true` if other files can use an item that is in a trait or next to one.
fn is_shared(reader: &FactsReader<'_>, node: Node<'_>) -> bool {
    match reader.above(1).map(|above| above.kind()) {
        Some("trait_item") => reader.kept.scope().is_some_and(|scope| scope.exported),
        _ => is_pub(node),
    }
}

/// Reads a function with or without a body; in an `impl` or a trait it is a method.
fn read_function<'t>(reader: &mut FactsReader<'t>, node: Node<'t>) {
    let kind = match reader.above(1).map(|above| above.kind()) {
        Some("trait_item" | "impl_item") => SymbolKind::Method,
        _ => SymbolKind::Function,
    };
    let exported = is_shared(reader, node);
    open_item(reader, node, kind, node.child_by_field_name("body"), exported);
}

/// Reads a struct or union. A tuple struct has its fields in its head.
fn read_structure<'t>(reader: &mut FactsReader<'t>, node: Node<'t>) {
    let body = find_child(node, "field_declaration_list");
    open_item(reader, node, SymbolKind::Class, body, is_pub(node));
}

/// Reads a named field of a struct; those of an enum's variant are part of its head.
fn read_field<'t>(reader: &mut FactsReader<'t>, node: Node<'t>) {
    let of = reader.above(1).map(|above| above.kind());
    if let (Some("struct_item" | "union_item"), Some(name)) = (of, node.child_by_field_name("name"))
    {
        let draft = SymbolDraft::new(SymbolKind::Property, node, name, reader.text(name));
        reader.add_symbol(&draft.exported(is_pub(node)));
    }
}

/// Reads an enum.
fn read_enumeration<'t>(reader: &mut FactsReader<'t>, node: Node<'t>) {
    open_item(reader, node, SymbolKind::Enum, node.child_by_field_name("body"), is_pub(node));
}

/// Reads a variant, which is as visible as its enum.
fn read_variant<'t>(reader: &mut FactsReader<'t>, node: Node<'t>) {
    if let Some(name) = node.child_by_field_name("name") {
        let exported = reader.kept.scope().is_some_and(|scope| scope.exported);
        let draft = SymbolDraft::new(SymbolKind::Property, node, name, reader.text(name));
        reader.add_symbol(&draft.exported(exported));
    }
}

/// Reads a trait.
fn read_interface<'t>(reader: &mut FactsReader<'t>, node: Node<'t>) {
    open_item(reader, node, SymbolKind::Interface, node.child_by_field_name("body"), is_pub(node));
}

/// Reads `impl Trait for a::T<P>`: a module named `T`; the functions in it are methods. Its head keeps
/// the trait.
fn read_implementation<'t>(reader: &mut FactsReader<'t>, node: Node<'t>) {
    if let Some(of) = node.child_by_field_name("type") {
        let draft = SymbolDraft::new(SymbolKind::Module, node, of, reader.text(find_type_name(of)));
        reader.open_symbol(&draft.body(node.child_by_field_name("body")));
    }
}

/// Returns the node with the name of a type, without path, references and type arguments.
fn find_type_name(of: Node<'_>) -> Node<'_> {
    let mut at = of;
    for _ in 0..MAX_WRAPPERS {
        let inner = match at.kind() {
            "generic_type" | "reference_type" | "pointer_type" => at.child_by_field_name("type"),
            "scoped_type_identifier" => at.child_by_field_name("name"),
            "array_type" => at.child_by_field_name("element"),
            "dynamic_type" => at.child_by_field_name("trait"),
            "bounded_type" => first_child(at),
            _ => None,
        };
        match inner {
            Some(inner) => at = inner,
            None => return at,
        }
    }
    at
}

/// Reads `type A = B;`, also in a trait.
fn read_alias<'t>(reader: &mut FactsReader<'t>, node: Node<'t>) {
    let exported = is_shared(reader, node);
    open_item(reader, node, SymbolKind::Type, None, exported);
}

/// Reads a constant or static, but not those that live in a function or in another's value.
fn read_constant<'t>(reader: &mut FactsReader<'t>, node: Node<'t>) {
    let is_local = reader.kept.scope().is_some_and(|scope| {
        matches!(scope.kind, SymbolKind::Function | SymbolKind::Method | SymbolKind::Variable)
    });
    let is_named = node.child_by_field_name("name").is_some_and(|name| reader.text(name) != "_");
    if is_named && !is_local {
        let exported = is_shared(reader, node);
        open_item(reader, node, SymbolKind::Variable, None, exported);
    }
}

/// Reads `macro_rules!`. It has no visibility; `#[macro_export]` makes it public.
fn read_definition<'t>(reader: &mut FactsReader<'t>, node: Node<'t>) {
    let body = node.children(&mut node.walk()).find(|it| matches!(it.kind(), "{" | "(" | "["));
    let exported = find_attribute(reader, node, "#[macro_export").is_some();
    open_item(reader, node, SymbolKind::Macro, body, exported);
}

/// Returns the line of the attribute that begins with `begin`, if it is directly before an
/// item.
fn find_attribute<'t>(reader: &FactsReader<'t>, node: Node<'t>, begin: &str) -> Option<&'t str> {
    let parent = reader.parent()?;
    let text = reader.text(parent);
    // Attributes are siblings before the item, so the text before it is read backwards.
    let end = node.start_byte().checked_sub(parent.start_byte())?;
    let mut start = end.saturating_sub(MAX_ATTRIBUTES);
    while !text.is_char_boundary(start) {
        start += 1;
    }
    let mut is_open = false;
    let is_attribute = |line: &&str| {
        let begins = line.starts_with("#[") || line.starts_with("//");
        is_open = !begins && (is_open || line.ends_with(']'));
        begins || is_open
    };
    let lines = text.get(start..end)?.lines().rev().map(str::trim);
    lines
        .filter(|line| !line.is_empty())
        .take_while(is_attribute)
        .find(|line| line.starts_with(begin))
}

/// Reads `a::b::<T>(c)` and `a.b(c)`: calls of `b`.
fn read_call<'t>(reader: &mut FactsReader<'t>, node: Node<'t>) {
    let mut at = node.child_by_field_name("function");
    if let Some(generic) = at.filter(|at| at.kind() == "generic_function") {
        at = generic.child_by_field_name("function");
    }
    if let Some(at) = at {
        let name = match at.kind() {
            "identifier" => Some(at),
            "scoped_identifier" => at.child_by_field_name("name"),
            "field_expression" => at.child_by_field_name("field"),
            _ => None,
        };
        reader.add_call_of(name);
    }
}

/// Reads `a::b!(…)`: a call of `b`.
fn read_macro_call<'t>(reader: &mut FactsReader<'t>, node: Node<'t>) {
    if let Some(path) = node.child_by_field_name("macro") {
        let name = path.child_by_field_name("name").unwrap_or(path);
        reader.add_call(reader.text(name), name);
    }
}

/// Reads the calls among the tokens of a macro: a name followed by parentheses, with or without
/// `!`.
fn read_tokens<'t>(reader: &mut FactsReader<'t>, node: Node<'t>) {
    let mut name: Option<Node<'t>> = None;
    for token in node.children(&mut node.walk()) {
        match token.kind() {
            "identifier" => name = Some(token),
            "!" => {}
            "token_tree" => {
                let called = name.take().filter(|_| reader.text(token).starts_with('('));
                reader.add_call_of(called);
            }
            _ => name = None,
        }
    }
}
