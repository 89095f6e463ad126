//! A language's table of node kinds, created once and used by the walk over the tree.

use std::sync::OnceLock;

use tree_sitter::Node;

use super::reader::Reader;

/// Tells the walk what to do with the children of the node just read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Walk {
    /// Reads its children.
    Into,
    /// Reads its children, one level of nesting deeper.
    Deeper,
    /// Leaves its children out.
    Past,
}

/// Reads one node; what is around it is asked of the reader.
pub(super) type Visit = for<'t> fn(&mut Reader<'t>, Node<'t>) -> Walk;

/// The role of a node kind in the walk.
#[derive(Clone, Copy)]
pub(super) enum Role {
    /// Nothing by itself.
    Plain,
    /// A comment.
    Comment,
    /// A decorator or attribute that precedes its item as a sibling in the tree: the next symbol
    /// starts at it.
    Prefix,
    /// Nests what is in it: a loop, a `match`, a `try`, a closure.
    Nest,
    /// Nests too, but not as the `else if` of another: in a [`Role::Else`], or straight in one of its own kind.
    If,
    /// The branch after `else`.
    Else,
    /// Is read by the language's own function.
    Read(Visit),
    /// Contains nothing of interest.
    Skip,
}

/// A language: its parser, and what its kinds of nodes are.
pub(super) struct Grammar {
    language: fn() -> tree_sitter::Language,
    role: fn(&str) -> Role,
    /// Returns `true` if a comment documents the next item.
    pub(super) documents: fn(&str) -> bool,
    /// Looks over everything once the walk is done.
    pub(super) settle: fn(&mut Reader<'_>),
    /// Writes a text with errors in another way of the same length, where that may have fewer.
    pub(super) mend: fn(&str) -> Option<String>,
    /// Returns `true` if a text nests deeper than the grammar's scanner can record: the scanner
    /// would abort the process.
    pub(super) too_deep: fn(&str) -> bool,
    made: OnceLock<Made>,
}

struct Made {
    language: tree_sitter::Language,
    roles: Vec<Role>,
}

impl Grammar {
    /// Returns the grammar of a parser whose named nodes have these roles.
    pub(super) const fn new(
        language: fn() -> tree_sitter::Language,
        role: fn(&str) -> Role,
        documents: fn(&str) -> bool,
        settle: fn(&mut Reader<'_>),
    ) -> Self {
        let made = OnceLock::new();
        Self { language, role, documents, settle, mend: |_| None, too_deep: |_| false, made }
    }

    /// Sets what writes a text differently that has errors: every byte keeps its place.
    pub(super) const fn mending(mut self, mend: fn(&str) -> Option<String>) -> Self {
        self.mend = mend;
        self
    }

    /// Sets the test for texts that must not be parsed.
    pub(super) const fn refusing(mut self, too_deep: fn(&str) -> bool) -> Self {
        self.too_deep = too_deep;
        self
    }

    /// Returns the language for the parser.
    pub(super) fn language(&self) -> &tree_sitter::Language {
        &self.made().language
    }

    /// Returns the role of a node's kind.
    pub(super) fn role(&self, node: Node<'_>) -> Role {
        self.made().roles.get(usize::from(node.kind_id())).copied().unwrap_or(Role::Plain)
    }

    fn made(&self) -> &Made {
        self.made.get_or_init(|| {
            let language = (self.language)();
            let count = u16::try_from(language.node_kind_count()).unwrap_or(u16::MAX);
            let role = |id| match language.node_kind_for_id(id) {
                Some(kind) if language.node_kind_is_named(id) => (self.role)(kind),
                _ => Role::Plain,
            };
            let roles = (0..count).map(role).collect();
            Made { language, roles }
        })
    }
}
