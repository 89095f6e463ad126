//! A text with the positions of its lines, so that a line is found without reading those before it.

use std::rc::Rc;

/// A text that is read by line numbers.
#[derive(Clone, Debug)]
pub struct FileLines {
    text: Rc<str>,
    /// The byte at which each line starts.
    starts: Vec<usize>,
}

impl FileLines {
    /// Finds the lines of a text.
    pub fn of(text: Rc<str>) -> Self {
        let after = memchr::memchr_iter(b'\n', text.as_bytes()).map(|at| at + 1);
        let starts = std::iter::once(0).chain(after).filter(|at| *at < text.len()).collect();
        Self { text, starts }
    }

    /// Returns the whole text.
    pub fn text(&self) -> &Rc<str> {
        &self.text
    }

    /// Returns the number of lines, as [`str::lines`] counts them.
    pub fn count(&self) -> usize {
        self.starts.len()
    }

    /// Returns the lines from the first to the last one given, both from 1 and included, without their line
    /// ends. Lines that the text does not have are left out.
    pub fn range(&self, lines: (u32, u32)) -> impl Iterator<Item = &str> {
        let (start, end) = lines;
        let first = (start as usize).saturating_sub(1);
        let count = (end as usize).min(self.starts.len()).saturating_sub(first);
        (first..first + count).filter_map(|at| self.line_at(at))
    }

    /// Returns the line at a position from 0.
    fn line_at(&self, at: usize) -> Option<&str> {
        let start = *self.starts.get(at)?;
        let end = self.starts.get(at + 1).copied().unwrap_or(self.text.len());
        self.text.get(start..end)?.lines().next()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_those_of_the_standard_library() {
        for text in ["", "\n", "a", "a\n", "a\r\nb\n\nc", "\n\n", "é\r\n\r\nü"] {
            let lines = FileLines::of(text.into());
            let all: Vec<&str> = text.lines().collect();
            assert_eq!(lines.count(), all.len(), "{text:?}");
            assert_eq!(lines.range((1, u32::MAX)).collect::<Vec<_>>(), all, "{text:?}");
            for (start, end) in [(0, 1), (2, 3), (3, 2), (9, 12)] {
                let first = (start as usize).max(1) - 1;
                let count = (end as usize).saturating_sub(first);
                let wanted: Vec<&str> = text.lines().skip(first).take(count).collect();
                assert_eq!(lines.range((start, end)).collect::<Vec<_>>(), wanted, "{text:?}");
            }
        }
    }
}
