//! Assigns a function to each node kind of the three grammars.

use tree_sitter::Node;

use super::super::declare;
use super::super::reader::{Grammar, Reader, Role, Walk};
use super::{bind, call, commonjs, define, export, import, member};
use crate::index::facts::SymbolKind;
use crate::lang::Language;

pub(crate) static TYPESCRIPT: Grammar = grammar_of(Language::TypeScript);
pub(crate) static TSX: Grammar = grammar_of(Language::Tsx);
pub(crate) static JAVASCRIPT: Grammar = grammar_of(Language::JavaScript);

const fn grammar_of(language: Language) -> Grammar {
    let declare = declare::script::read_declaration;
    Grammar::new(language, role_of_kind, is_documentation, finish_script, declare)
}

/// Decides at the end of the file which symbols its export lists export: `export { a }` may come
/// before `a`.
fn finish_script(reader: &mut Reader<'_>) {
    export::finish_exports(&mut reader.kept.facts);
}

/// Returns `true` for `JSDoc`.
pub(super) fn is_documentation(comment: &str) -> bool {
    comment.starts_with("/**")
}

/// Returns the role of a node kind; the kinds of tree-sitter-javascript are a part of those of
/// tree-sitter-typescript.
fn role_of_kind(kind: &str) -> Role {
    match kind {
        "comment" => Role::Comment,
        "decorator" => Role::Prefix,
        "if_statement" => Role::If,
        "else_clause" => Role::Else,
        "for_statement" | "for_in_statement" | "while_statement" | "do_statement"
        | "switch_statement" | "try_statement" => Role::Nest,
        "string" | "regex" => Role::Skip,
        "type_annotation" | "type_arguments" | "type_parameters" => Role::Choose(read_types),
        "member_expression"
        | "subscript_expression"
        | "binary_expression"
        | "unary_expression"
        | "update_expression"
        | "non_null_expression"
        | "parenthesized_expression"
        | "spread_element"
        | "array"
        | "arguments"
        | "template_string"
        | "return_statement"
        | "throw_statement"
        | "expression_statement" => Role::Choose(read_simple),
        "import_statement" => Role::Read(import::read_import),
        "export_statement" => Role::Read(export::read_export),
        "function_declaration" | "generator_function_declaration" | "function_signature" => {
            Role::Open(define::open_declared, SymbolKind::Function)
        }
        "arrow_function" | "function_expression" | "generator_function" => {
            Role::Choose(define::read_closure)
        }
        "class_declaration" | "abstract_class_declaration" => {
            Role::Open(define::open_declared, SymbolKind::Class)
        }
        "class" => Role::Read(define::read_class_expression),
        "interface_declaration" => Role::Open(define::open_declared, SymbolKind::Interface),
        "type_alias_declaration" => Role::Open(define::open_declared, SymbolKind::Type),
        "enum_declaration" => Role::Read(define::read_enumeration),
        "internal_module" | "module" => Role::Open(define::open_declared, SymbolKind::Module),
        "ambient_declaration" => Role::Read(define::read_ambient),
        "variable_declarator" => Role::Read(bind::read_declarator),
        "assignment_expression" => Role::Read(commonjs::read_assignment),
        "method_definition" => Role::Choose(member::read_method),
        "method_signature" | "abstract_method_signature" => Role::Read(member::read_signature),
        "public_field_definition" | "field_definition" => Role::Read(member::read_field),
        "property_signature" => Role::Read(member::read_property),
        "required_parameter" | "optional_parameter" => Role::Read(member::read_parameter),
        "pair" => Role::Read(member::read_pair),
        "call_expression" => Role::Read(call::read_call),
        "new_expression" => Role::Read(call::read_new),
        "jsx_opening_element" | "jsx_self_closing_element" => Role::Read(call::read_element),
        _ => Role::Plain,
    }
}

/// The longest text that is looked through for what would be worth going into.
const MAX_SIMPLE: usize = 64;

/// Skips short expressions that only read values: calls, definitions, assignments and comments show in their
/// text. Half of a file's nodes are in such expressions.
fn read_simple<'t>(reader: &mut Reader<'t>, node: Node<'t>) -> Walk {
    let text = reader.text(node).as_bytes();
    // Its own brackets and quotes say nothing.
    let [_, inside @ .., _] = text else { return Walk::Past };
    let is_sign = |byte: &u8| matches!(byte, b'(' | b'{' | b'=' | b'<' | b'`' | b'/' | b'@');
    let is_simple = inside.len() <= MAX_SIMPLE
        && !inside.iter().any(is_sign)
        && memchr::memmem::find(text, b"new").is_none();
    if is_simple { Walk::Past } else { Walk::Into }
}

/// Skips types that cannot contain comments on their own lines or modules; such types are frequent.
fn read_types<'t>(reader: &mut Reader<'t>, node: Node<'t>) -> Walk {
    let short = node.start_position().row == node.end_position().row;
    let text = reader.text(node);
    if short && !text.contains("import") && !text.contains("/*") { Walk::Past } else { Walk::Into }
}
