//! One anchored edit of a file, as a v3 reply asks for it.

/// The operation of an edit.
/// The names in JSON are those of [`name`](Self::name) (protocol v3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EditOp {
    /// Puts `after` in the place of `before`.
    Replace,
    /// Puts the lines of `after` before the place.
    InsertBefore,
    /// Puts the lines of `after` after the place.
    InsertAfter,
    /// Takes `before` away.
    Delete,
}

impl EditOp {
    /// Every operation.
    pub const ALL: [Self; 4] = [Self::Replace, Self::InsertBefore, Self::InsertAfter, Self::Delete];

    /// Returns the protocol's spelling.
    pub fn name(self) -> &'static str {
        match self {
            Self::Replace => "replace",
            Self::InsertBefore => "insert_before",
            Self::InsertAfter => "insert_after",
            Self::Delete => "delete",
        }
    }

    /// Returns the operation of that name, if there is one.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|op| op.name() == name)
    }
}

/// One edit, not yet compared with the file. A text that the reply leaves out is empty.
/// The rules of matching are in `patch::edit`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// The operation.
    pub op: EditOp,
    /// Text near the place.
    pub anchor: String,
    /// The text as it is.
    pub before: String,
    /// The text as it will be.
    pub after: String,
}

impl Edit {
    /// Returns its three texts.
    /// The limits on sizes count all three.
    pub fn texts(&self) -> [&str; 3] {
        [&self.anchor, &self.before, &self.after]
    }
}
