//! A symbol while it is being read: where its range, its name and its head come from.

use tree_sitter::Node;

use super::collector::Placed;
use crate::facts::SymbolKind;

/// A symbol as its language describes it.
#[derive(Clone, Copy)]
pub(super) struct SymbolDraft<'t> {
    pub(super) kind: SymbolKind,
    pub(super) name: &'t str,
    /// The node that bears the name.
    pub(super) at: Node<'t>,
    /// Its first and its last node; they may be the same.
    pub(super) range: (Node<'t>, Node<'t>),
    /// Start of its head, after the decorators inside the range.
    pub(super) head: Node<'t>,
    /// End of its head.
    pub(super) body: Option<Node<'t>>,
    /// `true` if other files can import it, judged by the symbol alone.
    pub(super) exported: bool,
}

impl<'t> SymbolDraft<'t> {
    /// Returns a symbol that is all of a node.
    pub(super) fn new(kind: SymbolKind, whole: Node<'t>, at: Node<'t>, name: &'t str) -> Self {
        let range = (whole, whole);
        Self { kind, name, at, range, head: whole, body: None, exported: false }
    }

    /// Sets what comes after the head.
    pub(super) fn body(mut self, body: Option<Node<'t>>) -> Self {
        self.body = body;
        self
    }

    /// Sets whether others can take it.
    pub(super) fn exported(mut self, exported: bool) -> Self {
        self.exported = exported;
        self
    }

    /// Returns it by rows and bytes.
    pub(super) fn placed(&self) -> Placed<'t> {
        let (first, last) = self.range;
        let to = self.body.map_or(last.end_byte(), |body| body.start_byte());
        Placed {
            kind: self.kind,
            name: self.name,
            rows: (first.start_position().row, last_row(last)),
            at: self.at.start_position().row,
            head: (self.head.start_byte(), to),
            exported: self.exported,
        }
    }
}

/// A symbol and the nodes that its parameters, types and modifiers are read from.
pub(super) struct DeclaredNode<'t> {
    pub(super) kind: SymbolKind,
    pub(super) name: &'t str,
    /// The node that bears the name.
    pub(super) at: Node<'t>,
    /// The node that declares it.
    pub(super) node: Node<'t>,
    /// `true` if other files can import it, judged by the symbol alone.
    pub(super) exported: bool,
}

impl<'t> DeclaredNode<'t> {
    /// Returns the subject of a draft that is made at the node `current`: a part of the node, or else all of it.
    pub(super) fn of(draft: &SymbolDraft<'t>, current: Node<'t>) -> Self {
        let whole = draft.range.0;
        let (part, all) = (whole.byte_range(), current.byte_range());
        let is_part = part.start >= all.start && part.end <= all.end && part != all;
        let node = if is_part { whole } else { current };
        Self { kind: draft.kind, name: draft.name, at: draft.at, node, exported: draft.exported }
    }
}

/// Returns the row of a node's last character: a node that ends with a line ending is not on the next line.
pub(super) fn last_row(node: Node<'_>) -> usize {
    let (start, end) = (node.start_position().row, node.end_position());
    if end.column == 0 && end.row > start { end.row - 1 } else { end.row }
}
