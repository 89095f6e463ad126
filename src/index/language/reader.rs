//! The one walk over a tree, and what every language's functions ask of it and tell it.

use rustc_hash::FxBuildHasher;
use std::collections::HashSet;
use tree_sitter::{Node, Tree, TreeCursor};

use super::comment::{self, Run};
use super::complexity::{lines_of_code, score};
use super::grammar::{Grammar, Role, Walk};
use super::symbol::Draft;
use super::{Language, Parsed};
use crate::index::facts::{Call, Complexity, Export, FileFacts, Import, ImportKind};
use crate::index::facts::{Symbol, SymbolKind};

/// Symbols, imports, exports and calls that are kept of one file, each.
const MAX_KEPT: usize = 50_000;

/// What has been read of a file so far, and where in the tree the walk is.
pub(super) struct Reader<'t> {
    text: &'t str,
    grammar: &'static Grammar,
    pub(super) facts: FileFacts,
    calls: Vec<Call>,
    called: HashSet<(Option<u32>, &'t str), FxBuildHasher>,
    named: HashSet<(Option<u32>, &'t str), FxBuildHasher>,
    comments: Vec<(usize, usize)>,
    run: Run,
    ancestors: Vec<Above<'t>>,
    scopes: Vec<Scope>,
    /// Whether the file has a list of what it gives away.
    pub(super) lists_exports: bool,
    /// Symbols that stand apart from the type they belong to, with its name.
    pub(super) apart: Vec<(u32, &'t str)>,
}

/// A node the walk is inside of.
struct Above<'t> {
    node: Node<'t>,
    /// Levels of nesting down to it, itself included.
    nesting: u32,
    /// Whether it is in a decorator or attribute.
    in_prefix: bool,
}

/// A symbol the walk is inside of.
#[derive(Clone, Copy)]
struct Scope {
    depth: usize,
    symbol: u32,
    caller: Option<u32>,
    /// Whether what comes next in it is private.
    hides: bool,
}

/// Returns what a tree says.
pub(super) fn read(
    language: Language,
    grammar: &'static Grammar,
    tree: &Tree,
    text: &str,
) -> Parsed {
    let facts = FileFacts {
        language,
        parse_error: tree.root_node().has_error(),
        imports: Vec::new(),
        exports: Vec::new(),
        symbols: Vec::new(),
        complexity: Complexity::default(),
        todos: Vec::new(),
    };
    let mut reader = Reader {
        text,
        grammar,
        facts,
        calls: Vec::new(),
        called: HashSet::default(),
        named: HashSet::default(),
        comments: Vec::new(),
        run: Run::default(),
        ancestors: Vec::new(),
        scopes: Vec::new(),
        lists_exports: false,
        apart: Vec::new(),
    };
    reader.walk(tree.walk());
    (grammar.settle)(&mut reader);
    reader.measured()
}

impl<'t> Reader<'t> {
    /// Returns a node's text; empty for one that is not there.
    pub(super) fn text(&self, node: Node<'_>) -> &'t str {
        self.text.get(node.byte_range()).unwrap_or_default()
    }

    /// Returns the node that the one being read stands in.
    pub(super) fn parent(&self) -> Option<Node<'t>> {
        self.above(0)
    }

    /// Returns the node so many levels above the parent.
    pub(super) fn above(&self, levels: usize) -> Option<Node<'t>> {
        let at = self.ancestors.len().checked_sub(levels + 1)?;
        self.ancestors.get(at).map(|above| above.node)
    }

    /// Returns the symbol that the node being read stands in.
    pub(super) fn scope(&self) -> Option<&Symbol> {
        let scope = self.scopes.last()?;
        self.facts.symbols.get(scope.symbol as usize)
    }

    /// Whether the node so many levels above the one being read is the one the innermost symbol was opened at.
    pub(super) fn opened_at(&self, levels: usize) -> bool {
        let depth = self.ancestors.len().checked_sub(levels);
        self.scopes.last().is_some_and(|scope| Some(scope.depth) == depth)
    }

    /// Moves the symbol being read out of the innermost one, into the one around that.
    pub(super) fn move_out(&mut self, place: Option<u32>) {
        let outer = self.scopes.len().checked_sub(2).and_then(|at| self.scopes.get(at));
        let parent = outer.map(|scope| scope.symbol);
        let symbol = place.and_then(|place| self.facts.symbols.get_mut(place as usize));
        if let Some(symbol) = symbol {
            symbol.parent = parent;
        }
    }

    /// Whether this is the first time that this name is asked for in the innermost symbol, or in the one
    /// around that.
    pub(super) fn is_first(&mut self, name: &'t str, outer: bool) -> bool {
        let at = self.scopes.len().checked_sub(if outer { 2 } else { 1 });
        let scope = at.and_then(|at| self.scopes.get(at)).map(|scope| scope.symbol);
        self.named.insert((scope, name))
    }

    /// Whether a function, method or test is around the node being read.
    pub(super) fn in_function(&self) -> bool {
        self.scopes.last().is_some_and(|scope| scope.caller.is_some())
    }

    /// Sets whether what comes next in the innermost symbol is private.
    pub(super) fn hide(&mut self, hides: bool) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.hides = hides;
        }
    }

    /// Whether what comes next in the innermost symbol is private.
    pub(super) fn hides(&self) -> bool {
        self.scopes.last().is_some_and(|scope| scope.hides)
    }

    /// Adds a symbol that nothing stands in.
    pub(super) fn define(&mut self, draft: &Draft<'t>) -> Option<u32> {
        if draft.name.is_empty() || self.facts.symbols.len() >= MAX_KEPT {
            return None;
        }
        let place = u32::try_from(self.facts.symbols.len()).ok()?;
        let (first, last) = draft.range;
        let start = self.run.start_before(first.start_position().row);
        self.facts.symbols.push(Symbol {
            name: draft.short_name(),
            kind: draft.kind,
            start: line(start),
            end: last_line(last),
            line: line(draft.at.start_position().row),
            parent: self.scopes.last().map(|scope| scope.symbol),
            exported: draft.exported,
            signature: draft.signature(self.text),
        });
        Some(place)
    }

    /// Adds a symbol; everything below the node being read stands in it.
    pub(super) fn open(&mut self, draft: &Draft<'t>) -> Option<u32> {
        let symbol = self.define(draft)?;
        let calls =
            matches!(draft.kind, SymbolKind::Function | SymbolKind::Method | SymbolKind::Test);
        let outer = self.scopes.last().and_then(|scope| scope.caller);
        let caller = if calls { Some(symbol) } else { outer };
        self.scopes.push(Scope { depth: self.ancestors.len(), symbol, caller, hides: false });
        Some(symbol)
    }

    /// Adds an import.
    pub(super) fn import(&mut self, import: Import) {
        if !import.module.is_empty() && self.facts.imports.len() < MAX_KEPT {
            self.facts.imports.push(import);
        }
    }

    /// Adds an export of a node: the name others take, its name here, the module it comes from.
    pub(super) fn export(
        &mut self,
        at: Node<'_>,
        name: &str,
        local: Option<&str>,
        from: Option<&str>,
    ) {
        if !name.is_empty() && self.facts.exports.len() < MAX_KEPT {
            self.facts.exports.push(Export {
                name: name.into(),
                local: local.filter(|local| *local != name).map(Into::into),
                from: from.map(Into::into),
                line: line(at.start_position().row),
            });
        }
    }

    /// Adds a call of that name from the innermost function around.
    pub(super) fn call(&mut self, callee: &'t str, at: Node<'_>) {
        let caller = self.scopes.last().and_then(|scope| scope.caller);
        if callee.is_empty() || self.calls.len() >= MAX_KEPT {
            return;
        }
        if self.called.insert((caller, callee)) {
            self.calls.push(Call {
                callee: callee.into(),
                caller,
                line: line(at.start_position().row),
            });
        }
    }

    /// Returns an import of a whole module where that node begins, to be filled in.
    pub(super) fn taken(at: Node<'_>, kind: ImportKind, module: &str) -> Import {
        Import {
            module: module.into(),
            kind,
            type_only: false,
            names: Vec::new(),
            alias: None,
            line: line(at.start_position().row),
        }
    }

    fn walk(&mut self, mut cursor: TreeCursor<'t>) {
        loop {
            let node = cursor.node();
            let above = self.enter(node);
            if let Some(above) = above
                && cursor.goto_first_child()
            {
                self.ancestors.push(above);
                continue;
            }
            self.leave();
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return;
                }
                self.ancestors.pop();
                self.leave();
            }
        }
    }

    /// Reads a node; returns what it is to its children, `None` when they are left out.
    fn enter(&mut self, node: Node<'t>) -> Option<Above<'t>> {
        let (outer, mut in_prefix) =
            self.ancestors.last().map_or((0, false), |above| (above.nesting, above.in_prefix));
        let walk = match self.grammar.role(node) {
            Role::Plain | Role::Else => Walk::Into,
            Role::Skip => Walk::Past,
            Role::Nest => Walk::Deeper,
            Role::If if self.is_else_if(node) => Walk::Into,
            Role::If => Walk::Deeper,
            Role::Read(visit) => visit(self, node),
            Role::Comment => {
                self.comment(node, in_prefix);
                Walk::Past
            }
            Role::Prefix => {
                if !in_prefix {
                    self.run.add(node.start_position().row, last_row(node));
                }
                in_prefix = true;
                Walk::Into
            }
        };
        let nesting = outer + u32::from(walk == Walk::Deeper);
        let complexity = &mut self.facts.complexity;
        complexity.nesting = complexity.nesting.max(nesting);
        (walk != Walk::Past).then_some(Above { node, nesting, in_prefix })
    }

    fn leave(&mut self) {
        if self.scopes.last().is_some_and(|scope| scope.depth == self.ancestors.len()) {
            self.scopes.pop();
        }
    }

    fn is_else_if(&self, node: Node<'t>) -> bool {
        self.parent().is_some_and(|parent| {
            parent.kind_id() == node.kind_id() || matches!(self.grammar.role(parent), Role::Else)
        })
    }

    fn comment(&mut self, node: Node<'t>, in_prefix: bool) {
        let text = self.text(node);
        comment::todos(text, line(node.start_position().row), &mut self.facts.todos);
        self.comments.push((node.start_byte(), node.end_byte()));
        if !in_prefix && (self.grammar.documents)(text) && self.begins_line(node) {
            self.run.add(node.start_position().row, last_row(node));
        }
    }

    /// Whether nothing but white space stands before a node on its line; long lines are taken to have more.
    fn begins_line(&self, node: Node<'_>) -> bool {
        let column = node.start_position().column;
        let before = self.text.get(node.start_byte().saturating_sub(column)..node.start_byte());
        column < 500 && before.is_some_and(|before| before.trim().is_empty())
    }

    fn measured(mut self) -> Parsed {
        let loc = lines_of_code(self.text, &self.comments);
        let modules: HashSet<&str, FxBuildHasher> =
            self.facts.imports.iter().map(|import| &*import.module).collect();
        let imports = u32::try_from(modules.len()).unwrap_or(u32::MAX);
        let nesting = self.facts.complexity.nesting;
        self.facts.complexity =
            Complexity { loc, nesting, imports, score: score(loc, nesting, imports) };
        Parsed { facts: self.facts, calls: self.calls }
    }
}

/// Returns the 1-based line of a row.
pub(super) fn line(row: usize) -> u32 {
    u32::try_from(row + 1).unwrap_or(u32::MAX)
}

/// Returns the 1-based line of a node's last character.
pub(super) fn last_line(node: Node<'_>) -> u32 {
    line(last_row(node))
}

/// Returns the row of a node's last character: a node that ends with a line ending is not on the next line.
fn last_row(node: Node<'_>) -> usize {
    let (start, end) = (node.start_position().row, node.end_position());
    if end.column == 0 && end.row > start { end.row - 1 } else { end.row }
}
