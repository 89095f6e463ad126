//! A language's table of node kinds, created once and used by the walk over the tree.

use std::sync::OnceLock;

use tree_sitter::Node;

use super::Language;
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
    language: Language,
    role: fn(&str) -> Role,
    /// Returns `true` if a comment documents the next item.
    pub(super) documents: fn(&str) -> bool,
    /// Looks over everything once the walk is done.
    pub(super) finish: fn(&mut Reader<'_>),
    roles: OnceLock<Vec<Role>>,
}

impl Grammar {
    /// Returns the grammar of a parser whose named nodes have these roles.
    pub(super) const fn new(
        language: Language,
        role: fn(&str) -> Role,
        documents: fn(&str) -> bool,
        finish: fn(&mut Reader<'_>),
    ) -> Self {
        let roles = OnceLock::new();
        Self { language, role, documents, finish, roles }
    }

    /// Returns the role of a node's kind.
    pub(super) fn role(&self, node: Node<'_>) -> Role {
        let roles = self.roles.get_or_init(|| self.list_roles());
        roles.get(usize::from(node.kind_id())).copied().unwrap_or(Role::Plain)
    }

    /// Returns the role of every kind of node, by its number in the grammar.
    fn list_roles(&self) -> Vec<Role> {
        let Some(language) = self.language.tree_sitter() else { return Vec::new() };
        let count = u16::try_from(language.node_kind_count()).unwrap_or(u16::MAX);
        let named = |id: &u16| language.node_kind_is_named(*id);
        (0..count)
            .map(|id| match language.node_kind_for_id(id).filter(|_| named(&id)) {
                Some(kind) => (self.role)(kind),
                None => Role::Plain,
            })
            .collect()
    }
}
