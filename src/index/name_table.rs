//! The names of all definitions in one text, to find those that contain a query.

use super::code::FileId;

/// Separates names; no name has it.
const END: char = '\0';

/// The definitions of all files by their names in lower case.
#[derive(Debug, Default)]
pub(super) struct NameTable {
    /// The names, each followed by [`END`].
    text: String,
    /// For each name where it starts in the text, its file, and its position in the symbols of the file.
    rows: Vec<(usize, FileId, u32)>,
}

impl NameTable {
    /// Adds a definition.
    pub(super) fn push(&mut self, name: &str, file: FileId, place: u32) {
        self.rows.push((self.text.len(), file, place));
        if name.is_ascii() {
            self.text.extend(name.chars().map(|c| c.to_ascii_lowercase()));
        } else {
            self.text.push_str(&name.to_lowercase());
        }
        self.text.push(END);
    }

    /// Returns the definitions whose names contain a query in lower case, in the order of `push`, each with
    /// its name in lower case. An empty query is in all names.
    pub(super) fn find_containing(&self, query: &str) -> Vec<(&str, FileId, u32)> {
        if query.is_empty() {
            return (0..self.rows.len()).filter_map(|at| self.row(at)).collect();
        }
        let mut found: Vec<usize> = memchr::memmem::find_iter(self.text.as_bytes(), query)
            .map(|at| self.rows.partition_point(|(start, ..)| *start <= at).saturating_sub(1))
            .collect();
        found.dedup();
        found.into_iter().filter_map(|at| self.row(at)).collect()
    }

    fn row(&self, at: usize) -> Option<(&str, FileId, u32)> {
        let (start, file, place) = *self.rows.get(at)?;
        let name = self.text.get(start..)?.split(END).next()?;
        Some((name, file, place))
    }
}
