//! Reads a file's syntax tree into facts, one language a file: pure, text in, values out.
//!
//! [`parse`] runs the grammar within bounds (`parser`), then one walk over the tree (`reader`) asks of every
//! node the role that the language's table (`SyntaxTable`) gives to its kind. A language is that table and the functions
//! it names; the `collector` keeps the facts they find. One walk without recursion reads a
//! file, so its depth is not limited by the stack.

mod c;
mod child;
mod collector;
mod comment;
mod complexity;
mod csharp;
mod declare;
mod go;
mod highlight;
mod java;
mod json;
mod owner;
mod php;
mod python;
mod reader;
mod ruby;
mod rust;
mod script;
mod secrets;
mod symbol;
mod syntax_tables;
mod yaml;

#[cfg(test)]
mod tests;

pub use complexity::score;
pub use highlight::{Highlight, find_highlights};
use papayu_lang::Language;

use super::declaration::Declaration;
use super::facts::{Complexity, FileFacts, Symbol, SymbolCall};
use papayu_lang::parse_tree;

/// The facts of a text, and its calls, which are numerous and kept separately.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParsedFile {
    /// Definitions, imports and exports of the file.
    pub facts: FileFacts,
    /// Calls in the file, each callee once for each caller.
    pub calls: Vec<SymbolCall>,
}

/// Reads a text; never fails: what cannot be read sets `parse_error`.
pub fn parse(language: Language, text: &str) -> ParsedFile {
    let table = syntax_tables::syntax_table(language);
    match parse_tree(language, text) {
        Some(tree) => secrets::mask_texts(reader::read(language, table, &tree, text)),
        None => unread(language, text),
    }
}

/// A symbol with the parts of its head.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeclaredSymbol {
    /// The symbol.
    pub symbol: Symbol,
    /// The parts of its head.
    pub declaration: Declaration,
}

/// Returns the symbols of a text in source order with the parts of their heads.
pub fn read_declarations(language: Language, text: &str) -> Vec<DeclaredSymbol> {
    let tree = parse_tree(language, text);
    let read =
        |tree| reader::read_declared(language, syntax_tables::syntax_table(language), &tree, text);
    tree.map(read).unwrap_or_default()
}

/// Returns the facts of a text that has no tree.
fn unread(language: Language, text: &str) -> ParsedFile {
    let loc = complexity::lines_of_code(text, &[]);
    let facts = FileFacts {
        language,
        parse_error: true,
        imports: Vec::new(),
        exports: Vec::new(),
        symbols: Vec::new(),
        complexity: Complexity { loc, nesting: 0, imports: 0, score: score(loc, 0, 0) },
        todos: Vec::new(),
    };
    ParsedFile { facts, calls: Vec::new() }
}
