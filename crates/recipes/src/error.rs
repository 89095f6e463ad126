//! The reason why a recipe file is refused.

use std::fmt;

/// A recipe file that is refused, with its place and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecipeError {
    /// The file, as the caller named it.
    pub file: String,
    /// The line, from 1; `None` if the fault is in the whole file.
    pub line: Option<usize>,
    /// The fault.
    pub reason: String,
    /// The remedy.
    pub hint: &'static str,
}

impl RecipeError {
    /// Returns the error of a whole file.
    pub(crate) fn new(file: &str, reason: impl Into<String>, hint: &'static str) -> Self {
        Self { file: file.to_owned(), line: None, reason: reason.into(), hint }
    }

    /// Adds the line.
    pub(crate) fn at(self, line: Option<usize>) -> Self {
        Self { line, ..self }
    }
}

impl fmt::Display for RecipeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`", self.file)?;
        if let Some(line) = self.line {
            write!(f, " line {line}")?;
        }
        write!(f, ": {}; {}", self.reason, self.hint)
    }
}

impl std::error::Error for RecipeError {}
