//! A weakening that was found.

/// A weakening, and the line that shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Weakening {
    /// The file.
    pub path: String,
    /// From 1.
    pub line: usize,
    /// A predicate about the change: "takes the test `a` away".
    pub rule: String,
    /// The line is one of the file as it was before the change.
    pub is_before: bool,
}
