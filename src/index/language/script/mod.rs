//! TypeScript and JavaScript, with and without JSX: one reading of three grammars.

mod bind;
mod call;
mod commonjs;
mod define;
mod export;
mod import;
mod member;
mod suite;

use tree_sitter::Node;

use super::grammar::{Grammar, Role};
use super::reader::Reader;

pub(super) static TYPESCRIPT: Grammar = Grammar::new(
    || tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(),
    role,
    documents,
    export::settle,
);
pub(super) static TSX: Grammar =
    Grammar::new(|| tree_sitter_typescript::LANGUAGE_TSX.into(), role, documents, export::settle);
pub(super) static JAVASCRIPT: Grammar =
    Grammar::new(|| tree_sitter_javascript::LANGUAGE.into(), role, documents, export::settle);

fn documents(comment: &str) -> bool {
    comment.starts_with("/**")
}

fn role(kind: &str) -> Role {
    match kind {
        "comment" => Role::Comment,
        "decorator" => Role::Prefix,
        "if_statement" => Role::If,
        "else_clause" => Role::Else,
        "for_statement" | "for_in_statement" | "while_statement" | "do_statement"
        | "switch_statement" | "try_statement" => Role::Nest,
        "string" | "regex" => Role::Skip,
        "import_statement" => Role::Read(import::statement),
        "export_statement" => Role::Read(export::statement),
        "function_declaration" | "generator_function_declaration" | "function_signature" => {
            Role::Read(define::function)
        }
        "arrow_function" | "function_expression" | "generator_function" => {
            Role::Read(define::closure)
        }
        "class_declaration" | "abstract_class_declaration" => Role::Read(define::class),
        "class" => Role::Read(define::class_expression),
        "interface_declaration" => Role::Read(define::interface),
        "type_alias_declaration" => Role::Read(define::type_alias),
        "enum_declaration" => Role::Read(define::enumeration),
        "internal_module" | "module" => Role::Read(define::namespace),
        "ambient_declaration" => Role::Read(define::ambient),
        "variable_declarator" => Role::Read(bind::declarator),
        "assignment_expression" => Role::Read(commonjs::assignment),
        "method_definition" => Role::Read(member::method),
        "method_signature" | "abstract_method_signature" => Role::Read(member::signature),
        "public_field_definition" | "field_definition" => Role::Read(member::field),
        "property_signature" => Role::Read(member::property),
        "required_parameter" | "optional_parameter" => Role::Read(member::parameter),
        "pair" => Role::Read(member::pair),
        "call_expression" => Role::Read(call::call),
        "new_expression" => Role::Read(call::new),
        "jsx_opening_element" | "jsx_self_closing_element" => Role::Read(call::element),
        _ => Role::Plain,
    }
}

/// Returns what a string literal says, escapes as they are written; of a template only one without parts.
fn literal<'t>(reader: &Reader<'t>, node: Node<'t>) -> Option<&'t str> {
    let text = reader.text(node);
    match node.kind() {
        "string" => text.get(1..text.len().checked_sub(1)?),
        "template_string" if !has_child(node, "template_substitution") => {
            text.get(1..text.len().checked_sub(1)?)
        }
        _ => None,
    }
}

/// Returns the name of a property: quotes off, `#` and brackets left on.
fn property_name<'t>(reader: &Reader<'t>, node: Node<'t>) -> &'t str {
    literal(reader, node).unwrap_or_else(|| reader.text(node))
}

/// Whether a node has a child of that kind, named or not.
fn has_child(node: Node<'_>, kind: &str) -> bool {
    child(node, kind).is_some()
}

/// Returns the first child of that kind, named or not.
fn child<'t>(node: Node<'t>, kind: &str) -> Option<Node<'t>> {
    let mut cursor = node.walk();
    node.children(&mut cursor).find(|child| child.kind() == kind)
}

/// Returns the children with names.
fn children(node: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    let found = node.named_children(&mut cursor);
    found.filter(|child| child.kind() != "comment").collect()
}

/// Returns an expression without the parentheses and types around it.
fn bare(mut node: Node<'_>) -> Node<'_> {
    while is_wrapper(node.kind())
        && let Some(inner) = wrapped(node)
    {
        node = inner;
    }
    node
}

/// Whether a kind of expression is only dress around another: its value is its first child's.
fn is_wrapper(kind: &str) -> bool {
    matches!(
        kind,
        "parenthesized_expression"
            | "as_expression"
            | "satisfies_expression"
            | "non_null_expression"
            | "type_assertion"
    )
}

fn wrapped(node: Node<'_>) -> Option<Node<'_>> {
    let mut cursor = node.walk();
    let last = node.kind() == "type_assertion";
    let mut inner = node.named_children(&mut cursor).filter(|child| child.kind() != "comment");
    if last { inner.last() } else { inner.next() }
}

/// Whether a value is a function.
fn is_function(kind: &str) -> bool {
    matches!(kind, "arrow_function" | "function_expression" | "generator_function")
}
