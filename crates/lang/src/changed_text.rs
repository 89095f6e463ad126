//! The text of a file before and after a change.

use super::{Family, PathClass};

/// One file of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChangedText<'a> {
    /// Its path in the repository.
    pub path: &'a str,
    /// Its text before; empty for a new file.
    pub before: &'a str,
    /// Its text after; empty for a removed file.
    pub after: &'a str,
}

impl ChangedText<'_> {
    /// Returns `true` if the file is code of the product: no test, no build description, no
    /// generated file.
    pub fn is_source(&self) -> bool {
        let text = if self.before.is_empty() { self.after } else { self.before };
        Family::of_path(self.path).is_code()
            && PathClass::of_file(self.path, text) == PathClass::Source
    }

    /// Returns `true` if the file is data of the product, such as JSON that the code reads.
    pub fn is_data(&self) -> bool {
        !Family::of_path(self.path).is_code() && PathClass::of_path(self.path) == PathClass::Source
    }
}
