//! The walk over a tree: a language's table of node kinds, and the interface for its functions.

use std::sync::OnceLock;

use tree_sitter::{Node, Tree, TreeCursor};

pub(super) use super::collector::line_of_row;
use super::collector::{Collector, CommentText};
use super::symbol::{DeclaredNode, SymbolDraft, last_row};
use super::{DeclaredSymbol, ParsedFile};
use crate::declaration::Declaration;
use crate::facts::{Import, ImportKind, SymbolKind};
use papayu_lang::Language;

/// The part of a node's children that the walk reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ChildWalk {
    /// Reads its children.
    Into,
    /// Reads its children, one level of nesting deeper.
    Deeper,
    /// Leaves its children out.
    Past,
}

/// Reads one node. The reader gives access to the nodes around it; its children are read
/// afterwards.
pub(super) type Visit = for<'t> fn(&mut FactsReader<'t>, Node<'t>);

/// Reads one node, and returns whether its children are read.
pub(super) type Choose = for<'t> fn(&mut FactsReader<'t>, Node<'t>) -> ChildWalk;

/// Opens a symbol of a kind for a declaration with a name.
pub(super) type OpenSymbol = for<'t> fn(&mut FactsReader<'t>, Node<'t>, SymbolKind);

/// Reads the parts of a definition's head; the symbol is not yet added.
pub(super) type Declare = for<'t> fn(&FactsReader<'t>, &DeclaredNode<'t>) -> Declaration;

/// The role of a node kind in the walk.
#[derive(Clone, Copy)]
pub(super) enum NodeRole {
    /// Nothing by itself.
    Plain,
    /// A comment.
    Comment,
    /// A decorator or attribute that precedes its item as a sibling in the tree: the next symbol
    /// starts at it.
    Prefix,
    /// Nests what is in it: a loop, a `match`, a `try`, a closure.
    Nest,
    /// Nests too, but not as the `if` of an `else if`: inside a [`NodeRole::Else`], or directly in
    /// a node of the same kind.
    If,
    /// The branch after `else`.
    Else,
    /// Is read by the language's own function.
    Read(Visit),
    /// The same, if the function skips some children.
    Choose(Choose),
    /// Is a declaration that opens a symbol of this kind.
    Open(OpenSymbol, SymbolKind),
    /// Contains nothing of interest.
    Skip,
}

/// A language: the roles of its parser's node kinds, and its own functions.
pub(super) struct SyntaxTable {
    /// The language of the parser.
    language: Language,
    /// Returns the role of a node kind.
    role: fn(&str) -> NodeRole,
    /// Returns `true` if a comment documents the next item.
    pub(super) documents: fn(&str) -> bool,
    /// Completes the facts after the walk, for rules that need the whole file.
    pub(super) finish: fn(&mut FactsReader<'_>),
    /// Reads the parts of a head.
    declare: Declare,
    /// The roles by the numbers of the kinds, filled on first use: comparing names for every
    /// node would be slow.
    roles: OnceLock<Vec<NodeRole>>,
}

impl SyntaxTable {
    /// Returns the table of a parser's named nodes.
    pub(super) const fn new(
        language: Language,
        role: fn(&str) -> NodeRole,
        documents: fn(&str) -> bool,
        finish: fn(&mut FactsReader<'_>),
        declare: Declare,
    ) -> Self {
        let roles = OnceLock::new();
        Self { language, role, documents, finish, declare, roles }
    }

    /// Returns the role of a node's kind.
    pub(super) fn role(&self, node: Node<'_>) -> NodeRole {
        let roles = self.roles.get_or_init(|| self.list_roles());
        roles.get(usize::from(node.kind_id())).copied().unwrap_or(NodeRole::Plain)
    }

    /// Returns the role of every kind of node, by its number in the grammar.
    fn list_roles(&self) -> Vec<NodeRole> {
        let Some(language) = self.language.tree_sitter() else { return Vec::new() };
        let count = u16::try_from(language.node_kind_count()).unwrap_or(u16::MAX);
        let named = |id: &u16| language.node_kind_is_named(*id);
        (0..count)
            .map(|id| match language.node_kind_for_id(id).filter(|_| named(&id)) {
                Some(kind) => (self.role)(kind),
                None => NodeRole::Plain,
            })
            .collect()
    }
}

/// The facts read so far, and the position in the tree.
pub(super) struct FactsReader<'t> {
    /// The whole file.
    text: &'t str,
    table: &'static SyntaxTable,
    /// The facts read so far.
    pub(super) kept: Collector<'t>,
    /// The nodes around the current one, the outermost first.
    ancestors: Vec<Above<'t>>,
    /// The node that is read.
    current: Option<Node<'t>>,
    /// The declaration of each symbol, if they are asked for.
    pub(super) declarations: Option<Vec<Declaration>>,
    /// `true` if the file has a list of its exports.
    pub(super) lists_exports: bool,
    /// Symbols written outside the type they belong to, with the type's name.
    pub(super) apart: Vec<(u32, &'t str)>,
}

/// A node that contains the current one.
struct Above<'t> {
    node: Node<'t>,
    /// Levels of nesting down to it, itself included.
    nesting: u32,
    /// `true` inside a decorator or attribute.
    in_prefix: bool,
}

/// Returns the facts of a tree.
pub(super) fn read(
    language: Language,
    table: &'static SyntaxTable,
    tree: &Tree,
    text: &str,
) -> ParsedFile {
    read_tree(language, table, tree, text, None).kept.finish()
}

/// Returns the symbols of a tree with their declarations.
pub(super) fn read_declared(
    language: Language,
    table: &'static SyntaxTable,
    tree: &Tree,
    text: &str,
) -> Vec<DeclaredSymbol> {
    let reader = read_tree(language, table, tree, text, Some(Vec::new()));
    let declarations = reader.declarations.unwrap_or_default().into_iter();
    let symbols = reader.kept.finish().facts.symbols.into_iter();
    symbols
        .zip(declarations)
        .map(|(symbol, declaration)| DeclaredSymbol { symbol, declaration })
        .collect()
}

/// Walks over a tree and completes the facts. Declarations are read only if a list for them is
/// given.
fn read_tree<'t>(
    language: Language,
    table: &'static SyntaxTable,
    tree: &'t Tree,
    text: &'t str,
    declarations: Option<Vec<Declaration>>,
) -> FactsReader<'t> {
    let kept = Collector::new(language, text, tree.root_node().has_error());
    let mut reader = FactsReader {
        text,
        table,
        kept,
        ancestors: Vec::new(),
        current: None,
        declarations,
        lists_exports: false,
        apart: Vec::new(),
    };
    reader.walk_tree(tree.walk());
    (table.finish)(&mut reader);
    reader
}

impl<'t> FactsReader<'t> {
    /// Returns the text of a node; empty for a range outside of the text.
    pub(super) fn text(&self, node: Node<'_>) -> &'t str {
        self.text.get(node.byte_range()).unwrap_or_default()
    }

    /// Returns the parent of the current node.
    pub(super) fn parent(&self) -> Option<Node<'t>> {
        self.above(0)
    }

    /// Returns the node that many levels above the parent: `above(0)` is the parent. `None` above the root.
    pub(super) fn above(&self, levels: usize) -> Option<Node<'t>> {
        let at = self.ancestors.len().checked_sub(levels + 1)?;
        self.ancestors.get(at).map(|above| above.node)
    }

    /// Returns `true` if the innermost symbol was opened at the node `levels` above the current
    /// one.
    pub(super) fn opened_at(&self, levels: usize) -> bool {
        let depth = self.ancestors.len().checked_sub(levels);
        depth.is_some() && self.kept.opened_at() == depth
    }

    /// Adds a symbol without members. Returns its position, or `None` if it was not kept.
    pub(super) fn add_symbol(&mut self, draft: &SymbolDraft<'t>) -> Option<u32> {
        let declaration = self.read_declaration(draft);
        let place = self.kept.add_symbol(&draft.placed());
        self.keep_declaration(place, declaration)
    }

    /// Adds a symbol. Everything below the current node becomes its member.
    ///
    /// Returns its position in the facts; `None` without a name, or if the file has too many.
    pub(super) fn open_symbol(&mut self, draft: &SymbolDraft<'t>) -> Option<u32> {
        let declaration = self.read_declaration(draft);
        let place = self.kept.open_symbol(&draft.placed(), self.ancestors.len());
        self.keep_declaration(place, declaration)
    }

    /// Returns the declaration of a symbol that is not yet added, if declarations are asked for.
    fn read_declaration(&self, draft: &SymbolDraft<'t>) -> Option<Declaration> {
        self.declarations.as_ref()?;
        let subject = DeclaredNode::of(draft, self.current?);
        Some((self.table.declare)(self, &subject))
    }

    /// Keeps the declaration of a symbol that was added; returns the symbol's position.
    fn keep_declaration(
        &mut self,
        place: Option<u32>,
        declaration: Option<Declaration>,
    ) -> Option<u32> {
        if let (Some(_), Some(kept)) = (place, &mut self.declarations) {
            kept.push(declaration.unwrap_or_default());
        }
        place
    }

    /// Adds an export of a node: the name others take, its name here, the module it comes from.
    pub(super) fn add_export(
        &mut self,
        at: Node<'_>,
        name: &str,
        local: Option<&str>,
        from: Option<&str>,
    ) {
        self.kept.add_export(at.start_position().row, name, local, from);
    }

    /// Adds a call of a name from the innermost function.
    pub(super) fn add_call(&mut self, callee: &'t str, at: Node<'_>) {
        self.kept.add_call(callee, at.start_position().row);
    }

    /// Adds a call of the name in a node, if there is one.
    pub(super) fn add_call_of(&mut self, name: Option<Node<'_>>) {
        if let Some(name) = name {
            self.add_call(self.text(name), name);
        }
    }

    /// Returns the import of a whole module on the line of a node; the caller fills in names.
    pub(super) fn whole_import(at: Node<'_>, kind: ImportKind, module: &str) -> Import {
        Import::whole_module(module, kind, line_of_row(at.start_position().row))
    }

    /// Walks over all nodes in document order without recursion, so that no depth of nesting
    /// exhausts the stack.
    fn walk_tree(&mut self, mut cursor: TreeCursor<'t>) {
        loop {
            let node = cursor.node();
            let above = self.enter_node(node);
            if let Some(above) = above
                && cursor.goto_first_child()
            {
                self.ancestors.push(above);
                continue;
            }
            self.leave_node();
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return;
                }
                self.ancestors.pop();
                self.leave_node();
            }
        }
    }

    /// Reads a node. Returns what its children need to know, or `None` if they are skipped.
    fn enter_node(&mut self, node: Node<'t>) -> Option<Above<'t>> {
        self.current = Some(node);
        let (outer, mut in_prefix) =
            self.ancestors.last().map_or((0, false), |above| (above.nesting, above.in_prefix));
        let walk = match self.table.role(node) {
            NodeRole::Plain | NodeRole::Else => ChildWalk::Into,
            NodeRole::Skip => ChildWalk::Past,
            NodeRole::If if self.is_else_if(node) => ChildWalk::Into,
            NodeRole::Nest | NodeRole::If => ChildWalk::Deeper,
            NodeRole::Read(visit) => {
                visit(self, node);
                ChildWalk::Into
            }
            NodeRole::Choose(choose) => choose(self, node),
            NodeRole::Open(open, kind) => {
                open(self, node, kind);
                ChildWalk::Into
            }
            NodeRole::Comment => {
                self.add_comment(node, in_prefix);
                ChildWalk::Past
            }
            NodeRole::Prefix => {
                // One inside the symbol it belongs to is in its range already.
                if !in_prefix && !self.opened_at(1) {
                    self.kept.add_prefix(node.start_position().row, last_row(node));
                }
                in_prefix = true;
                ChildWalk::Into
            }
        };
        let nesting = outer + u32::from(walk == ChildWalk::Deeper);
        self.kept.note_nesting(nesting);
        (walk != ChildWalk::Past).then_some(Above { node, nesting, in_prefix })
    }

    /// Closes the innermost symbol when the walk leaves the node that opened it.
    fn leave_node(&mut self) {
        if self.kept.opened_at() == Some(self.ancestors.len()) {
            self.kept.close();
        }
    }

    /// Returns `true` for the `if` of an `else if`. Some grammars put it into an else clause, some
    /// directly into the other `if`.
    fn is_else_if(&self, node: Node<'t>) -> bool {
        self.parent().is_some_and(|parent| {
            parent.kind_id() == node.kind_id() || matches!(self.table.role(parent), NodeRole::Else)
        })
    }

    /// Adds a comment; one inside a decorator documents nothing.
    fn add_comment(&mut self, node: Node<'t>, in_prefix: bool) {
        let start = node.start_position();
        let remark = CommentText {
            bytes: (node.start_byte(), node.end_byte()),
            rows: (start.row, last_row(node)),
            column: start.column,
        };
        let documents = !in_prefix && (self.table.documents)(self.text(node));
        self.kept.add_comment(remark, documents);
    }
}
