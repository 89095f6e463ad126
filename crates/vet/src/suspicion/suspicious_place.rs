//! A place of a change that a person should read.

use crate::rules::{RuleGrade, grade_of};

/// A place that a person should read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SuspiciousPlace {
    /// The file.
    pub path: String,
    /// From 1.
    pub line: usize,
    /// A predicate of the change: "returns a constant from `total`".
    pub message: String,
    /// The consequence for the fix.
    pub grade: RuleGrade,
}

impl SuspiciousPlace {
    /// Returns the finding of a rule that is code, at a line of a file.
    pub(super) fn new(rule: &str, path: &str, line: usize, message: impl Into<String>) -> Self {
        Self { path: path.to_owned(), line, message: message.into(), grade: grade_of(rule) }
    }
}
