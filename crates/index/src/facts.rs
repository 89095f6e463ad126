//! The facts of one file: the symbols it defines, imports and exports.
//!
//! Plain values that stay small, because an index keeps those of every file of a repository.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use papayu_lang::Language;

/// Everything read off one file's syntax tree. Lines are 1-based and both ends belong to a range.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileFacts {
    /// The grammar that read it.
    pub language: Language,
    /// True if the syntax tree has errors. Everything outside the errors is still included.
    pub parse_error: bool,
    /// In source order.
    pub imports: Vec<Import>,
    /// In source order.
    pub exports: Vec<Export>,
    /// In source order, a parent before its children.
    pub symbols: Vec<Symbol>,
    /// Measures of how difficult the file is to read.
    pub complexity: Complexity,
    /// Notes left in comments, in source order.
    pub todos: Vec<Todo>,
}

/// One import statement, or one path of it where a statement names several modules.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Import {
    /// The module as the source spells it, quotes off: `./cart`, `..pkg.mod`, `crate::a::b`, `net/http`,
    /// `stdio.h`. C keeps the form by [`ImportKind`].
    pub module: Box<str>,
    /// The form of the import.
    pub kind: ImportKind,
    /// True if only types are imported (`import type`).
    pub type_only: bool,
    /// The imported names. Empty if the module is imported as a whole or for its side effects; `*`
    /// means all names.
    pub names: Vec<ImportedName>,
    /// The name the whole module goes by here (`import * as ns`, `import x as y`, Go's and Rust's
    /// aliases), where there is one.
    pub alias: Option<Box<str>>,
    /// 1-based line on which the statement starts.
    pub line: u32,
}

impl Import {
    /// Returns the import of a module as a whole.
    pub fn whole_module(module: &str, kind: ImportKind, line: u32) -> Self {
        let module = module.into();
        Self { module, kind, type_only: false, names: Vec::new(), alias: None, line }
    }
}

/// A name taken from a module.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImportedName {
    /// Its name in the module; `default` for JavaScript's default.
    pub name: Box<str>,
    /// Its name here where that is another one.
    pub alias: Option<Box<str>>,
}

/// The form of an import.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ImportKind {
    /// `import`, `use`, `from … import`, `using`, `#include <…>`.
    Import,
    /// `import(…)`, `importlib.import_module("…")`.
    Dynamic,
    /// `require(…)`; `require_relative` is [`ImportKind::Beside`].
    Require,
    /// `export … from`, `pub use`.
    ReExport,
    /// `mod name;`: a module in a file next to or below this one.
    Module,
    /// `#include "…"`, `require_relative`: a path relative to this file first.
    Beside,
}

/// A name the file gives away.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Export {
    /// The name others take it by; `default` for JavaScript's default, `*` for everything of a module.
    pub name: Box<str>,
    /// Its name here (or in `from`) where that is another one.
    pub local: Option<Box<str>>,
    /// The module it is passed on from, where it is not this file's own.
    pub from: Option<Box<str>>,
    /// 1-based line of the export.
    pub line: u32,
}

/// The kind of a symbol.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum SymbolKind {
    /// A function outside a class.
    Function,
    /// A class, struct, record or union.
    Class,
    /// A function of a class, trait, interface or `impl`; constructors too.
    Method,
    /// A field, property or enum member.
    Property,
    /// An interface, trait or protocol.
    Interface,
    /// A type alias, typedef.
    Type,
    /// An enum.
    Enum,
    /// A constant, static or variable at the top of a module, class or namespace.
    Variable,
    /// A module or namespace with a body in this file, or Rust's `impl` block.
    Module,
    /// A macro.
    Macro,
    /// A test or suite named by a text: `it("…")`, `describe("…")`, `t.Run("…")`.
    Test,
}

impl SymbolKind {
    /// Returns `true` for a symbol with a body of statements, which calls others and has no members
    /// that other files could use.
    pub fn is_callable(self) -> bool {
        matches!(self, Self::Function | Self::Method | Self::Test)
    }
}

/// A name the file defines.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Symbol {
    /// Its name; a test's is its text.
    pub name: Box<str>,
    /// Its kind.
    pub kind: SymbolKind,
    /// First line, from 1, decorators, attributes and doc comments included.
    pub start: u32,
    /// Last line, which belongs to it.
    pub end: u32,
    /// The line that bears the name.
    pub line: u32,
    /// Index in `symbols` of the enclosing symbol, from 0; `None` at the top level.
    pub parent: Option<u32>,
    /// True if other files can import it.
    pub exported: bool,
    /// Its head without its body, one line, at most 200 characters.
    pub signature: Box<str>,
}

/// A call, by the last name of what is called.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SymbolCall {
    /// `save` in `self.store.save(x)`.
    pub callee: Box<str>,
    /// Index in `symbols` of the innermost enclosing function, method or test; `None` outside of all.
    pub caller: Option<u32>,
    /// The first line of the call with this callee in this caller.
    pub line: u32,
}

/// Measures of how difficult a file is to read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Complexity {
    /// Lines that are neither blank nor only comment.
    pub loc: u32,
    /// The deepest nesting of blocks that decide or repeat (`if`, loops, `match`, `try`, closures' bodies).
    pub nesting: u32,
    /// Modules it takes something from.
    pub imports: u32,
    /// 0 to 100: see `language::score`.
    pub score: u32,
}

/// A note left in a comment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Todo {
    /// 1-based line.
    pub line: u32,
    /// `TODO`, `FIXME`, `HACK`, `XXX` or `BUG`.
    pub tag: Box<str>,
    /// The text after the tag, on one line, at most 200 characters.
    pub text: Box<str>,
}
