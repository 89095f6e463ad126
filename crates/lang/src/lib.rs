//! Languages: the language of a path, its role in a repair, and the tokens of its text.
//!
//! - [`Language`] and [`Family`]: the language of a path, from one table of endings.
//! - [`PathClass`]: source, test, test support, configuration and so on, from one table.
//! - [`ChangedText`]: a file before and after a change.
//! - [`is_test`], [`FileRole`]: the part a file plays by its path.
//! - [`parse_tree`]: the syntax tree of a text, within bounds of time and memory.
//! - [`find_spans`], [`cut_tokens`], [`find_code_words`]: comments, strings and words, from the tree.
//!
//! To add a language, add a row to the table in `language`, and with a grammar its variant and the two
//! functions in `grammar`; the index has a table of its own for what it reads of a tree.

mod angles;
mod arrows;
mod changed_text;
mod grammar;
mod language;
mod local_name;
mod parser;
mod path_class;
mod path_table;
mod python_standard;
mod scan;
mod script_rewrite;
mod spans;
mod test_path;
mod tokens;

pub use changed_text::ChangedText;
pub use language::{Family, Language};
pub use local_name::is_local_name;
pub use parser::parse_tree;
pub use path_class::{compile_globs, is_loaded_by_name};
pub use path_table::PathClass;
pub use python_standard::is_python_standard;
pub use scan::{NonCodeSpan, SpanKind};
pub use spans::find_spans;
pub use test_path::{FileRole, concerns_tests, is_declaration, is_test};
pub use tokens::{
    Comment, Token, TokenKind, Tokens, cut_tokens, find_code_words, has_same_code, undisguise,
};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
