//! Ruby. Definitions after `private` or `protected` are not exported. `Foo.new` is a call of
//! `Foo`. A name alone is no call, because it may be a variable.

use tree_sitter::Node;

use super::child::{find_child, first_child, list_children};
use super::declare;
use super::reader::{FactsReader, NodeRole, SyntaxTable};
use super::symbol::SymbolDraft;
use crate::declaration::Visibility;
use crate::facts::{ImportKind, ImportedName, SymbolKind};
use papayu_lang::Language;

/// The table of Ruby. Every comment right before a definition documents it (rdoc, YARD).
pub(super) static TABLE: SyntaxTable = SyntaxTable::new(
    Language::Ruby,
    role_of_kind,
    |_| true,
    |_| (),
    declare::ruby::read_declaration,
);

/// Most symbols before a `private :name` that it may refer to.
const MAX_BACK: usize = 200;

/// Returns the role of a node kind of tree-sitter-ruby.
fn role_of_kind(kind: &str) -> NodeRole {
    match kind {
        "comment" => NodeRole::Comment,
        "while" | "until" | "for" | "case" | "case_match" | "begin" | "block" | "do_block" => {
            NodeRole::Nest
        }
        "if" | "unless" => NodeRole::If,
        "module" => NodeRole::Open(open_named, SymbolKind::Module),
        "class" => NodeRole::Open(open_named, SymbolKind::Class),
        "method" | "singleton_method" => NodeRole::Read(read_method),
        "assignment" => NodeRole::Read(read_assignment),
        "call" => NodeRole::Read(read_call),
        "identifier" => NodeRole::Read(read_word),
        _ => NodeRole::Plain,
    }
}

/// Returns `true` if definitions here belong to a class or module.
fn is_member(reader: &FactsReader<'_>) -> bool {
    reader
        .kept
        .scope()
        .is_some_and(|scope| matches!(scope.kind, SymbolKind::Class | SymbolKind::Module))
}

/// Opens a symbol, and exports it if nothing contains it.
fn open_draft<'t>(reader: &mut FactsReader<'t>, draft: SymbolDraft<'t>) {
    if draft.exported && reader.kept.scope().is_none() {
        reader.add_export(draft.at, draft.name, None, None);
    }
    reader.open_symbol(&draft);
}

/// Opens `class A::B` or `module A`, which are always public.
fn open_named<'t>(reader: &mut FactsReader<'t>, node: Node<'t>, kind: SymbolKind) {
    if let Some(name) = node.child_by_field_name("name") {
        let draft = SymbolDraft::new(kind, node, name, reader.text(name));
        open_draft(reader, draft.body(node.child_by_field_name("body")).exported(true));
    }
}

/// Reads `def a` and `def self.a`. A visibility word may wrap the definition (`private def a`) or
/// be on a line before it.
fn read_method<'t>(reader: &mut FactsReader<'t>, node: Node<'t>) {
    let Some(name) = node.child_by_field_name("name") else { return };
    let wrapper = reader.above(1).filter(|above| above.kind() == "call");
    let word = wrapper.and_then(|call| call.child_by_field_name("method"));
    let hidden = match word.map(|word| reader.text(word)) {
        Some("private" | "protected" | "private_class_method") => true,
        Some("public") => false,
        // `private` on a line of its own does not apply to `def self.a`.
        _ => node.kind() == "method" && hides_next(reader),
    };
    let kind = if is_member(reader) { SymbolKind::Method } else { SymbolKind::Function };
    let draft = SymbolDraft::new(kind, node, name, reader.text(name));
    open_draft(reader, draft.body(node.child_by_field_name("body")).exported(!hidden));
}

/// Reads constants; one that is a new class or struct is a class.
fn read_assignment<'t>(reader: &mut FactsReader<'t>, node: Node<'t>) {
    let Some(left) = node
        .child_by_field_name("left")
        .filter(|_| reader.kept.scope().is_none() || is_member(reader))
    else {
        return;
    };
    let names =
        if left.kind() == "left_assignment_list" { list_children(left) } else { vec![left] };
    let block = node.child_by_field_name("right").filter(|right| is_new_class(reader, *right));
    for name in names.into_iter().filter(|name| name.kind() == "constant") {
        let kind = if block.is_some() { SymbolKind::Class } else { SymbolKind::Variable };
        let draft = SymbolDraft::new(kind, node, name, reader.text(name)).exported(true);
        if let Some(block) = block {
            open_draft(reader, draft.body(block.child_by_field_name("block")));
            return;
        }
        if reader.kept.scope().is_none() {
            reader.add_export(name, draft.name, None, None);
        }
        reader.add_symbol(&draft);
    }
}

/// Returns `true` for `Struct.new(…)`, `Class.new(…)` and `Data.define(…)`: their value is a class.
fn is_new_class(reader: &FactsReader<'_>, node: Node<'_>) -> bool {
    let part = |field| node.child_by_field_name(field).map(|part| reader.text(part));
    node.kind() == "call"
        && matches!(
            (part("receiver"), part("method")),
            (Some("Struct" | "Class"), Some("new")) | (Some("Data"), Some("define"))
        )
}

/// Reads a modifier on a line of its own in a class: the following members are private, or public.
fn read_word<'t>(reader: &mut FactsReader<'t>, node: Node<'t>) {
    if reader.parent().is_some_and(|parent| parent.kind() == "body_statement") && is_member(reader)
    {
        match reader.text(node) {
            "private" => reader.kept.set_member_visibility(Visibility::Private),
            "protected" => reader.kept.set_member_visibility(Visibility::Protected),
            "public" => reader.kept.set_member_visibility(Visibility::Public),
            _ => {}
        }
    }
}

/// Returns `true` if the following members cannot be called from outside the class.
fn hides_next(reader: &FactsReader<'_>) -> bool {
    let visibility = reader.kept.member_visibility();
    matches!(visibility, Some(Visibility::Private | Visibility::Protected))
}

/// Reads a call. Much of Ruby's syntax is calls: imports, attributes, visibility and tests of RSpec
/// and Minitest.
fn read_call<'t>(reader: &mut FactsReader<'t>, node: Node<'t>) {
    let Some(name) = node.child_by_field_name("method") else { return };
    let receiver = node.child_by_field_name("receiver");
    let arguments = node.child_by_field_name("arguments").map(list_children).unwrap_or_default();
    let word = reader.text(name);
    match (receiver.map(|receiver| reader.text(receiver)), word) {
        (None | Some("Kernel"), "require" | "require_relative" | "load" | "autoload") => {
            add_import(reader, node, word, &arguments);
        }
        (None, "attr_reader" | "attr_writer" | "attr_accessor") if is_member(reader) => {
            for argument in arguments {
                let draft = SymbolDraft::new(
                    SymbolKind::Property,
                    node,
                    argument,
                    plain_name(reader, argument),
                );
                reader.add_symbol(&draft.exported(!hides_next(reader)));
            }
        }
        (None, "private" | "protected" | "private_constant" | "private_class_method") => {
            let visibility = match word {
                "protected" => Visibility::Protected,
                _ => Visibility::Private,
            };
            for argument in arguments {
                hide_name(reader, plain_name(reader, argument), visibility);
            }
        }
        (
            None | Some("RSpec"),
            "describe" | "context" | "it" | "specify" | "feature" | "scenario" | "test" | "should",
        ) => open_test(reader, node, &arguments),
        (_, "new") => {
            let of = receiver.map_or(name, |receiver| match receiver.kind() {
                "constant" => receiver,
                "scope_resolution" => receiver.child_by_field_name("name").unwrap_or(name),
                _ => name,
            });
            reader.add_call(reader.text(of), of);
        }
        _ => reader.add_call(word, name),
    }
}

/// Returns the text of a string without interpolation; `None` for other nodes.
fn read_literal<'t>(reader: &FactsReader<'t>, node: Node<'t>) -> Option<&'t str> {
    let content = first_child(node).filter(|_| node.kind() == "string")?;
    (content.kind() == "string_content").then(|| reader.text(content))
}

/// Returns the name in a symbol or string.
fn plain_name<'t>(reader: &FactsReader<'t>, node: Node<'t>) -> &'t str {
    match node.kind() {
        "simple_symbol" => reader.text(node).trim_start_matches(':'),
        _ => read_literal(reader, node).unwrap_or_default(),
    }
}

/// Adds the import of `require`, `require_relative`, `load` or `autoload :Name, "path"`. A computed
/// path is no import.
fn add_import(reader: &mut FactsReader<'_>, node: Node<'_>, word: &str, arguments: &[Node<'_>]) {
    let path = match (word, arguments) {
        ("autoload", [_, path]) => *path,
        ("autoload", _) | (_, []) => return,
        (_, [path, ..]) => *path,
    };
    let Some(module) = read_literal(reader, path) else { return };
    let kind = match word {
        "require_relative" => ImportKind::Beside,
        "autoload" => ImportKind::Dynamic,
        _ => ImportKind::Require,
    };
    let mut import = FactsReader::whole_import(node, kind, module);
    if let ("autoload", [name, _]) = (word, arguments) {
        import.names.push(ImportedName { name: plain_name(reader, *name).into(), alias: None });
    }
    reader.kept.add_import(import);
}

/// Makes a member that was defined shortly before private or protected.
fn hide_name(reader: &mut FactsReader<'_>, name: &str, visibility: Visibility) {
    let symbols = reader.kept.facts.symbols.iter_mut().enumerate().rev().take(MAX_BACK);
    let Some((place, symbol)) = symbols.into_iter().find(|(_, symbol)| *symbol.name == *name)
    else {
        return;
    };
    symbol.exported = false;
    let declarations = reader.declarations.as_mut();
    if let Some(declaration) = declarations.and_then(|all| all.get_mut(place)) {
        declaration.visibility = Some(visibility);
    }
}

/// Opens a test or suite with a block; its name is its first argument.
fn open_test<'t>(reader: &mut FactsReader<'t>, node: Node<'t>, arguments: &[Node<'t>]) {
    let (Some(block), [title, ..]) = (node.child_by_field_name("block"), arguments) else {
        return;
    };
    let name = match title.kind() {
        "string" => reader.text(*title).trim_matches(['"', '\'']),
        "constant" | "scope_resolution" => reader.text(*title),
        _ => return,
    };
    let body = find_child(block, "do").or_else(|| find_child(block, "{")).unwrap_or(block);
    reader.open_symbol(&SymbolDraft::new(SymbolKind::Test, node, *title, name).body(Some(body)));
}
