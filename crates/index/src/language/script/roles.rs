//! Assigns a function to each node kind of the three grammars.

use tree_sitter::Node;

use super::super::declare;
use super::super::reader::{ChildWalk, FactsReader, NodeRole, SyntaxTable};
use super::{bind, call, commonjs, define, export, import, member};
use crate::facts::SymbolKind;
use papayu_lang::Language;

pub(crate) static TYPESCRIPT: SyntaxTable = table_of(Language::TypeScript);
pub(crate) static TSX: SyntaxTable = table_of(Language::Tsx);
pub(crate) static JAVASCRIPT: SyntaxTable = table_of(Language::JavaScript);

const fn table_of(language: Language) -> SyntaxTable {
    let declare = declare::script::read_declaration;
    SyntaxTable::new(language, role_of_kind, is_documentation, finish_script, declare)
}

/// Decides at the end of the file which symbols its export lists export: `export { a }` may come
/// before `a`.
fn finish_script(reader: &mut FactsReader<'_>) {
    export::finish_exports(&mut reader.kept.facts);
}

/// Returns `true` for `JSDoc`.
pub(super) fn is_documentation(comment: &str) -> bool {
    comment.starts_with("/**")
}

/// Returns the role of a node kind; the kinds of tree-sitter-javascript are a part of those of
/// tree-sitter-typescript.
fn role_of_kind(kind: &str) -> NodeRole {
    match kind {
        "comment" => NodeRole::Comment,
        "decorator" => NodeRole::Prefix,
        "if_statement" => NodeRole::If,
        "else_clause" => NodeRole::Else,
        "for_statement" | "for_in_statement" | "while_statement" | "do_statement"
        | "switch_statement" | "try_statement" => NodeRole::Nest,
        "string" | "regex" => NodeRole::Skip,
        "type_annotation" | "type_arguments" | "type_parameters" => NodeRole::Choose(read_types),
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
        | "expression_statement" => NodeRole::Choose(read_simple),
        "import_statement" => NodeRole::Read(import::read_import),
        "export_statement" => NodeRole::Read(export::read_export),
        "function_declaration" | "generator_function_declaration" | "function_signature" => {
            NodeRole::Open(define::open_declared, SymbolKind::Function)
        }
        "arrow_function" | "function_expression" | "generator_function" => {
            NodeRole::Choose(define::read_closure)
        }
        "class_declaration" | "abstract_class_declaration" => {
            NodeRole::Open(define::open_declared, SymbolKind::Class)
        }
        "class" => NodeRole::Read(define::read_class_expression),
        "interface_declaration" => NodeRole::Open(define::open_declared, SymbolKind::Interface),
        "type_alias_declaration" => NodeRole::Open(define::open_declared, SymbolKind::Type),
        "enum_declaration" => NodeRole::Read(define::read_enumeration),
        "internal_module" | "module" => NodeRole::Open(define::open_declared, SymbolKind::Module),
        "ambient_declaration" => NodeRole::Read(define::read_ambient),
        "variable_declarator" => NodeRole::Read(bind::read_declarator),
        "assignment_expression" => NodeRole::Read(commonjs::read_assignment),
        "method_definition" => NodeRole::Choose(member::read_method),
        "method_signature" | "abstract_method_signature" => NodeRole::Read(member::read_signature),
        "public_field_definition" | "field_definition" => NodeRole::Read(member::read_field),
        "property_signature" => NodeRole::Read(member::read_property),
        "required_parameter" | "optional_parameter" => NodeRole::Read(member::read_parameter),
        "pair" => NodeRole::Read(member::read_pair),
        "call_expression" => NodeRole::Read(call::read_call),
        "new_expression" => NodeRole::Read(call::read_new),
        "jsx_opening_element" | "jsx_self_closing_element" => NodeRole::Read(call::read_element),
        _ => NodeRole::Plain,
    }
}

/// The longest text that is looked through for what would be worth going into.
const MAX_SIMPLE: usize = 64;

/// Skips short expressions that only read values: calls, definitions, assignments and comments show in their
/// text. Half of a file's nodes are in such expressions.
fn read_simple<'t>(reader: &mut FactsReader<'t>, node: Node<'t>) -> ChildWalk {
    let text = reader.text(node).as_bytes();
    // Its own brackets and quotes say nothing.
    let [_, inside @ .., _] = text else { return ChildWalk::Past };
    let is_sign = |byte: &u8| matches!(byte, b'(' | b'{' | b'=' | b'<' | b'`' | b'/' | b'@');
    let is_simple = inside.len() <= MAX_SIMPLE
        && !inside.iter().any(is_sign)
        && memchr::memmem::find(text, b"new").is_none();
    if is_simple { ChildWalk::Past } else { ChildWalk::Into }
}

/// Skips types that cannot contain comments on their own lines or modules; such types are frequent.
fn read_types<'t>(reader: &mut FactsReader<'t>, node: Node<'t>) -> ChildWalk {
    let short = node.start_position().row == node.end_position().row;
    let text = reader.text(node);
    if short && !text.contains("import") && !text.contains("/*") {
        ChildWalk::Past
    } else {
        ChildWalk::Into
    }
}
