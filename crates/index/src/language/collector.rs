//! The symbols, imports and exports collected while one file is read, by rows and bytes instead of
//! nodes.

use rustc_hash::FxBuildHasher;
use std::collections::HashSet;

use super::ParsedFile;
use super::comment::{self, CommentRun};
use super::complexity::{is_space, lines_of_code, score};
use crate::declaration::Visibility;
use crate::facts::{Complexity, Export, FileFacts, Import, Symbol, SymbolCall, SymbolKind};
use papayu_lang::Language;

/// Most symbols, imports, exports and calls of one file, each. Generated files have more.
const MAX_KEPT: usize = 50_000;
/// Most characters of a signature.
const MAX_SIGNATURE: usize = 200;
/// Most bytes of a head that are read for its signature.
const MAX_HEAD: usize = 2_000;
/// Most characters of a name.
const MAX_NAME: usize = 300;
/// Most bytes of a line that are searched for text before a comment.
const MAX_BEFORE: usize = 500;

/// The facts read so far, and the stack of symbols that are open.
pub(super) struct Collector<'t> {
    /// The whole file.
    pub(super) text: &'t str,
    pub(super) facts: FileFacts,
    /// In source order, one for each name in a caller.
    calls: Vec<SymbolCall>,
    /// The callers and names of `calls`.
    called: HashSet<(Option<u32>, &'t str), FxBuildHasher>,
    /// The names that were passed to `is_first`.
    named: HashSet<(Option<u32>, &'t str), FxBuildHasher>,
    /// The byte ranges of all comments.
    comments: Vec<(usize, usize)>,
    /// The comments and attributes before the next symbol.
    run: CommentRun,
    /// The open symbols, the innermost last.
    scopes: Vec<OpenScope>,
}

/// A symbol with its place in the text.
#[derive(Clone, Copy)]
pub(super) struct Placed<'t> {
    pub(super) kind: SymbolKind,
    pub(super) name: &'t str,
    /// Its first and its last row.
    pub(super) rows: (usize, usize),
    /// The row that bears the name.
    pub(super) at: usize,
    /// The bytes of its head.
    pub(super) head: (usize, usize),
    /// `true` if other files can import it, judged by the symbol alone.
    pub(super) exported: bool,
}

/// A comment with its place in the text.
#[derive(Clone, Copy)]
pub(super) struct CommentText {
    /// Its bytes.
    pub(super) bytes: (usize, usize),
    /// Its first and its last row.
    pub(super) rows: (usize, usize),
    /// Bytes before it on its line.
    pub(super) column: usize,
}

/// A symbol that is open: the walk is inside it.
#[derive(Clone, Copy)]
struct OpenScope {
    /// The number of ancestors when it was opened.
    depth: usize,
    /// Its position in the symbols.
    symbol: u32,
    /// The function that calls here belong to.
    caller: Option<u32>,
    /// The visibility of the following members, if a line of its own sets it.
    visibility: Option<Visibility>,
}

impl<'t> Collector<'t> {
    /// Returns a collector without facts.
    pub(super) fn new(language: Language, text: &'t str, parse_error: bool) -> Self {
        let facts = FileFacts {
            language,
            parse_error,
            imports: Vec::new(),
            exports: Vec::new(),
            symbols: Vec::new(),
            complexity: Complexity::default(),
            todos: Vec::new(),
        };
        Self {
            text,
            facts,
            calls: Vec::new(),
            called: HashSet::default(),
            named: HashSet::default(),
            comments: Vec::new(),
            run: CommentRun::default(),
            scopes: Vec::new(),
        }
    }

    /// Returns the symbol that is being read.
    pub(super) fn scope(&self) -> Option<&Symbol> {
        let scope = self.scopes.last()?;
        self.facts.symbols.get(scope.symbol as usize)
    }

    /// Returns the depth at which the innermost symbol was opened; `None` outside all symbols.
    pub(super) fn opened_at(&self) -> Option<usize> {
        self.scopes.last().map(|scope| scope.depth)
    }

    /// Makes the symbol at a position in the facts a member of the symbol around the innermost one, as the
    /// property that a constructor declares. Does nothing without a position.
    pub(super) fn move_out(&mut self, place: Option<u32>) {
        let outer = self.scopes.len().checked_sub(2).and_then(|at| self.scopes.get(at));
        let parent = outer.map(|scope| scope.symbol);
        let symbol = place.and_then(|place| self.facts.symbols.get_mut(place as usize));
        if let Some(symbol) = symbol {
            symbol.parent = parent;
        }
    }

    /// Returns `true` the first time a name is passed for the innermost symbol; with `outer`,
    /// for the symbol around it.
    pub(super) fn is_first(&mut self, name: &'t str, outer: bool) -> bool {
        let at = self.scopes.len().checked_sub(if outer { 2 } else { 1 });
        let scope = at.and_then(|at| self.scopes.get(at)).map(|scope| scope.symbol);
        self.named.insert((scope, name))
    }

    /// Sets the visibility of the following members of the innermost symbol.
    pub(super) fn set_member_visibility(&mut self, visibility: Visibility) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.visibility = Some(visibility);
        }
    }

    /// Returns the visibility of the following members of the innermost symbol, if it was set.
    pub(super) fn member_visibility(&self) -> Option<Visibility> {
        self.scopes.last()?.visibility
    }

    /// Adds a symbol without members. Returns its position; `None` without a name, or if the
    /// file has too many.
    pub(super) fn add_symbol(&mut self, placed: &Placed<'t>) -> Option<u32> {
        if placed.name.is_empty() || self.facts.symbols.len() >= MAX_KEPT {
            return None;
        }
        let place = u32::try_from(self.facts.symbols.len()).ok()?;
        // The comments and attributes before a definition are shown with it.
        let start = self.run.take_before(placed.rows.0);
        self.facts.symbols.push(Symbol {
            name: fold_blanks(placed.name, MAX_NAME),
            kind: placed.kind,
            start: line_of_row(start),
            end: line_of_row(placed.rows.1),
            line: line_of_row(placed.at),
            parent: self.scopes.last().map(|scope| scope.symbol),
            exported: placed.exported,
            signature: fold_signature(self.text, placed.head.0, placed.head.1),
        });
        Some(place)
    }

    /// Adds a symbol and opens it: everything until it is closed becomes its member. `depth` is the number of
    /// nodes around it.
    ///
    /// Returns its position in the facts; `None` without a name, or if the file has too many.
    pub(super) fn open_symbol(&mut self, placed: &Placed<'t>, depth: usize) -> Option<u32> {
        let symbol = self.add_symbol(placed)?;
        // A call in a closure, or in the class inside a function, is one of the function around it.
        let outer = self.scopes.last().and_then(|scope| scope.caller);
        let caller = if placed.kind.is_callable() { Some(symbol) } else { outer };
        self.scopes.push(OpenScope { depth, symbol, caller, visibility: None });
        Some(symbol)
    }

    /// Closes the innermost symbol.
    pub(super) fn close(&mut self) {
        self.scopes.pop();
    }

    /// Adds an import.
    pub(super) fn add_import(&mut self, import: Import) {
        if !import.module.is_empty() && self.facts.imports.len() < MAX_KEPT {
            self.facts.imports.push(import);
        }
    }

    /// Adds an export on a row: the name for others, the name here, and the module it comes
    /// from.
    pub(super) fn add_export(
        &mut self,
        row: usize,
        name: &str,
        local: Option<&str>,
        from: Option<&str>,
    ) {
        if !name.is_empty() && self.facts.exports.len() < MAX_KEPT {
            self.facts.exports.push(Export {
                name: name.into(),
                local: local.filter(|local| *local != name).map(Into::into),
                from: from.map(Into::into),
                line: line_of_row(row),
            });
        }
    }

    /// Adds a call from the innermost function; `row` is its line, from 0. A further call of the same name from
    /// there is left out.
    pub(super) fn add_call(&mut self, callee: &'t str, row: usize) {
        let caller = self.scopes.last().and_then(|scope| scope.caller);
        if callee.is_empty() || self.calls.len() >= MAX_KEPT {
            return;
        }
        // One call of a name from each caller: the graph has no use for more, and generated code repeats
        // them by the thousand.
        if self.called.insert((caller, callee)) {
            self.calls.push(SymbolCall { callee: callee.into(), caller, line: line_of_row(row) });
        }
    }

    /// Adds a comment. One that documents the next symbol becomes a part of its range.
    pub(super) fn add_comment(&mut self, remark: CommentText, documents: bool) {
        let (start, end) = remark.bytes;
        let text = self.text.get(start..end).unwrap_or_default();
        comment::find_todos(text, line_of_row(remark.rows.0), &mut self.facts.todos);
        // Kept until the end: the lines of code are counted without them.
        self.comments.push(remark.bytes);
        if documents && self.begins_line(start, remark.column) {
            self.run.add(remark.rows.0, remark.rows.1);
        }
    }

    /// Adds rows (from 0, the last included) that belong to the next symbol, such as comments and decorators.
    pub(super) fn add_prefix(&mut self, first: usize, last: usize) {
        self.run.add(first, last);
    }

    /// Records a level of nesting, 0 outside of all blocks; the deepest one counts.
    pub(super) fn note_nesting(&mut self, nesting: u32) {
        let complexity = &mut self.facts.complexity;
        complexity.nesting = complexity.nesting.max(nesting);
    }

    /// Returns `true` if only white space precedes a byte on its line. A comment far to the
    /// right is assumed to follow code.
    fn begins_line(&self, start: usize, column: usize) -> bool {
        let before = self.text.get(start.saturating_sub(column)..start);
        column < MAX_BEFORE && before.is_some_and(|before| before.chars().all(is_space))
    }

    /// Returns all facts, with the measures of complexity.
    pub(super) fn finish(mut self) -> ParsedFile {
        let loc = lines_of_code(self.text, &self.comments);
        let modules: HashSet<&str, FxBuildHasher> =
            self.facts.imports.iter().map(|import| &*import.module).collect();
        let imports = u32::try_from(modules.len()).unwrap_or(u32::MAX);
        let nesting = self.facts.complexity.nesting;
        self.facts.complexity =
            Complexity { loc, nesting, imports, score: score(loc, nesting, imports) };
        ParsedFile { facts: self.facts, calls: self.calls }
    }
}

/// Returns the head on one line, at most 200 characters.
fn fold_signature(text: &str, from: usize, to: usize) -> Box<str> {
    let mut to = to.max(from).min(from.saturating_add(MAX_HEAD)).min(text.len());
    while !text.is_char_boundary(to) {
        to -= 1;
    }
    fold_blanks(text.get(from..to).unwrap_or_default(), MAX_SIGNATURE)
}

/// Returns the line, from 1, of a row of tree-sitter, from 0.
pub(super) fn line_of_row(row: usize) -> u32 {
    u32::try_from(row + 1).unwrap_or(u32::MAX)
}

/// Returns the text with single blanks, cut after `most` characters.
pub(super) fn fold_blanks(text: &str, most: usize) -> Box<str> {
    let mut folded = String::with_capacity(text.len().min(most));
    for word in text.split_whitespace() {
        if !folded.is_empty() {
            folded.push(' ');
        }
        folded.push_str(word);
        // A character has at most four bytes, so that there are enough of them by now.
        if folded.len() > most * 4 {
            break;
        }
    }
    match folded.char_indices().nth(most) {
        Some((end, _)) => folded.get(..end).unwrap_or_default().trim_end().into(),
        None => folded.into(),
    }
}
