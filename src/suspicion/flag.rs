//! A place of a change that a person should read.

/// A place that a person should read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flag {
    /// The file.
    pub path: String,
    /// From 1.
    pub line: usize,
    /// A predicate of the change: "returns a constant from `total`".
    pub said: String,
}
