//! A place of a change that a person should read.

/// A place that a person should read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flag {
    /// The file.
    pub path: String,
    /// From 1.
    pub line: usize,
    /// A predicate of the change: "returns a constant from `total`".
    pub message: String,
}

impl Flag {
    /// Returns the flag of a line of a file.
    pub(super) fn new(path: &str, line: usize, message: impl Into<String>) -> Self {
        Self { path: path.to_owned(), line, message: message.into() }
    }
}
