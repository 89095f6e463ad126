//! Python: modules, classes, functions, and `__all__`.

mod bind;
mod define;
mod export;
mod import;

use tree_sitter::Node;

use super::declare;
use super::reader::{FactsReader, NodeRole, SyntaxTable};
use crate::facts::{ImportKind, SymbolKind};
use papayu_lang::Language;

/// The table of Python.
pub(super) static TABLE: SyntaxTable = SyntaxTable::new(
    Language::Python,
    role_of_kind,
    |_| false,
    export::finish_exports,
    declare::python::read_declaration,
);

/// Returns the role of a node kind of tree-sitter-python. Strings are no comments here: docstrings
/// do not document the next item but the one around them.
fn role_of_kind(kind: &str) -> NodeRole {
    match kind {
        "comment" => NodeRole::Comment,
        "if_statement" | "for_statement" | "while_statement" | "try_statement"
        | "match_statement" | "lambda" => NodeRole::Nest,
        "import_statement" => NodeRole::Choose(import::read_import),
        "import_from_statement" => NodeRole::Choose(import::read_from),
        "future_import_statement" => NodeRole::Choose(import::read_future),
        "function_definition" => NodeRole::Read(define::read_function),
        "class_definition" => NodeRole::Open(define::open_definition, SymbolKind::Class),
        "type_alias_statement" => NodeRole::Read(define::read_type_alias),
        "assignment" => NodeRole::Read(bind::read_assignment),
        "augmented_assignment" => NodeRole::Read(export::read_added_exports),
        "call" => NodeRole::Read(read_call),
        // An annotation calls nothing, even where it looks like a call or an index.
        "type" => NodeRole::Skip,
        _ => NodeRole::Plain,
    }
}

/// Reads a call. `importlib.import_module("a")` imports; `__all__.extend([…])` and `.append("a")`
/// change the list of exports.
fn read_call<'t>(reader: &mut FactsReader<'t>, node: Node<'t>) {
    let Some(function) = node.child_by_field_name("function") else { return };
    let name = match function.kind() {
        "identifier" => Some(function),
        "attribute" => function.child_by_field_name("attribute"),
        _ => None,
    };
    let Some(name) = name else { return };
    match reader.text(name) {
        "import_module" | "__import__" => {
            if let Some(module) = first_text(reader, node) {
                let import = FactsReader::whole_import(node, ImportKind::Dynamic, module);
                reader.kept.add_import(import);
            }
        }
        "extend" | "append" if export::is_list(reader, function) => {
            if let Some(arguments) = node.child_by_field_name("arguments") {
                export::read_listed(reader, arguments);
            }
        }
        callee => reader.add_call(callee, node),
    }
}

/// Returns the first argument of a call if it is a plain string.
fn first_text<'t>(reader: &FactsReader<'t>, call: Node<'t>) -> Option<&'t str> {
    read_literal(reader, call.child_by_field_name("arguments")?.named_child(0)?)
}

/// Returns the content of a string; `None` for a string with prefixes or interpolation, or any
/// other node.
fn read_literal<'t>(reader: &FactsReader<'t>, node: Node<'t>) -> Option<&'t str> {
    if node.kind() != "string" || node.named_child_count() > 3 {
        return None;
    }
    let text = reader.text(node);
    // Three quotes before one: `"""` also begins with `"`.
    let quote = text.get(..3).filter(|quote| matches!(*quote, "\"\"\"" | "'''"));
    let quote = quote.or_else(|| text.get(..1).filter(|quote| matches!(*quote, "\"" | "'")))?;
    text.strip_prefix(quote)?.strip_suffix(quote)
}
