//! Python: modules, classes, functions, and `__all__`.

mod bind;
mod define;
mod export;
mod import;

use tree_sitter::Node;

use super::grammar::{Grammar, Role, Walk};
use super::reader::Reader;
use crate::index::facts::ImportKind;
use crate::lang::Language;

pub(super) static GRAMMAR: Grammar =
    Grammar::new(Language::Python, role, |_| false, export::settle);

fn role(kind: &str) -> Role {
    match kind {
        "comment" => Role::Comment,
        "if_statement" | "for_statement" | "while_statement" | "try_statement"
        | "match_statement" | "lambda" => Role::Nest,
        "import_statement" => Role::Read(import::statement),
        "import_from_statement" => Role::Read(import::from),
        "future_import_statement" => Role::Read(import::future),
        "function_definition" => Role::Read(define::function),
        "class_definition" => Role::Read(define::class),
        "type_alias_statement" => Role::Read(define::type_alias),
        "assignment" => Role::Read(bind::assignment),
        "augmented_assignment" => Role::Read(export::added),
        "call" => Role::Read(call),
        "type" => Role::Skip,
        _ => Role::Plain,
    }
}

fn call<'t>(reader: &mut Reader<'t>, node: Node<'t>) -> Walk {
    let Some(function) = node.child_by_field_name("function") else { return Walk::Into };
    let name = match function.kind() {
        "identifier" => Some(function),
        "attribute" => function.child_by_field_name("attribute"),
        _ => None,
    };
    let Some(name) = name else { return Walk::Into };
    match reader.text(name) {
        "import_module" | "__import__" => {
            if let Some(module) = first_text(reader, node) {
                let import = Reader::taken(node, ImportKind::Dynamic, module);
                reader.import(import);
            }
        }
        "extend" | "append" if export::is_list(reader, function) => {
            if let Some(arguments) = node.child_by_field_name("arguments") {
                export::listed(reader, arguments);
            }
        }
        callee => reader.call(callee, node),
    }
    Walk::Into
}

/// Returns the first argument of a call where it is a plain string.
fn first_text<'t>(reader: &Reader<'t>, call: Node<'t>) -> Option<&'t str> {
    literal(reader, call.child_by_field_name("arguments")?.named_child(0)?)
}

/// Returns the content of a string; `None` for a string with prefixes or interpolation, or any
/// other node.
fn literal<'t>(reader: &Reader<'t>, node: Node<'t>) -> Option<&'t str> {
    if node.kind() != "string" || node.named_child_count() > 3 {
        return None;
    }
    let text = reader.text(node);
    let quote = text.get(..3).filter(|quote| matches!(*quote, "\"\"\"" | "'''"));
    let quote = quote.or_else(|| text.get(..1).filter(|quote| matches!(*quote, "\"" | "'")))?;
    text.strip_prefix(quote)?.strip_suffix(quote)
}
