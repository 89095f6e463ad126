//! One file as the sources of names read it: its lines, and the words of it that are code.

use std::cell::OnceCell;
use std::ops::Range;

use crate::lang::find_code_words;

/// The text of a file.
pub(super) struct Page {
    pub(super) text: String,
    path: String,
    /// Where each line begins.
    starts: Vec<usize>,
    code: OnceCell<Vec<Range<usize>>>,
}

/// How a tool counts columns.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Columns {
    /// Bytes, as Go does.
    Bytes,
    /// Halves of UTF-16, as JavaScript does.
    Utf16,
    /// Characters, as Python does.
    Chars,
}

impl Page {
    /// Reads the text; `path` says which language it is.
    pub(super) fn new(path: &str, text: String) -> Self {
        let ends = text.match_indices('\n').map(|(at, _)| at + 1);
        let starts = std::iter::once(0).chain(ends).collect();
        Self { path: path.to_owned(), text, starts, code: OnceCell::new() }
    }

    /// Returns the bytes of a line (from 1), its ending included.
    pub(super) fn line(&self, number: u32) -> Option<Range<usize>> {
        let at = (number as usize).checked_sub(1)?;
        let start = *self.starts.get(at)?;
        Some(start..self.starts.get(at + 1).copied().unwrap_or(self.text.len()))
    }

    /// Returns the number (from 1) of the line that a byte stands in.
    pub(super) fn number(&self, at: usize) -> u32 {
        let before = self.starts.partition_point(|start| *start <= at);
        u32::try_from(before).unwrap_or(u32::MAX)
    }

    /// Returns a line's text without its ending.
    pub(super) fn line_text(&self, number: u32) -> &str {
        let line = self.line(number).and_then(|range| self.text.get(range));
        line.unwrap_or_default().trim_end_matches(['\n', '\r'])
    }

    /// Returns how many lines there are.
    pub(super) fn lines(&self) -> u32 {
        u32::try_from(self.starts.len()).unwrap_or(u32::MAX)
    }

    /// Returns the byte that a line and column name.
    pub(super) fn byte(&self, line: u32, column: u32, columns: Columns) -> Option<usize> {
        let range = self.line(line)?;
        let text = self.text.get(range.clone())?;
        let mut left = (column as usize).checked_sub(1)?;
        for (at, c) in text.char_indices() {
            if left == 0 {
                return Some(range.start + at);
            }
            let width = match columns {
                Columns::Bytes => c.len_utf8(),
                Columns::Utf16 => c.len_utf16(),
                Columns::Chars => 1,
            };
            left = left.checked_sub(width)?;
        }
        None
    }

    /// Returns every place where the word stands in code, not in strings or comments.
    pub(super) fn words(&self, word: &str) -> Vec<Range<usize>> {
        self.code()
            .iter()
            .filter(|at| self.text.get((*at).clone()) == Some(word))
            .cloned()
            .collect()
    }

    /// Returns the words of the file that are code, in order.
    pub(super) fn all_words(&self) -> impl Iterator<Item = &str> {
        self.code().iter().filter_map(|at| self.text.get(at.clone()))
    }

    /// Returns the word of code that begins at a byte.
    pub(super) fn word_at(&self, at: usize) -> Option<&str> {
        let found = self.code().binary_search_by_key(&at, |range| range.start).ok()?;
        self.text.get(self.code().get(found)?.clone())
    }

    /// Returns the one place of a word among the code of a line.
    pub(super) fn only_in_line(&self, line: u32, word: &str) -> Option<Range<usize>> {
        let range = self.line(line)?;
        let mut found = self.words(word).into_iter().filter(|at| range.contains(&at.start));
        found.next().filter(|_| found.next().is_none())
    }

    /// Returns the place of a word where a tool points: at the column, or, where it names none, the
    /// only one in the line.
    pub(super) fn pointed(
        &self,
        (line, column): (u32, Option<u32>),
        word: &str,
        columns: Columns,
    ) -> Option<Range<usize>> {
        let Some(column) = column else { return self.only_in_line(line, word) };
        let at = self.byte(line, column, columns)?;
        (self.word_at(at) == Some(word)).then(|| at..at + word.len())
    }

    /// Returns the line ending of the file.
    pub(super) fn ending(&self) -> &'static str {
        crate::text::lines::dominant_ending(&self.text)
    }

    fn code(&self) -> &[Range<usize>] {
        self.code.get_or_init(|| find_code_words(&self.path, &self.text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(page: &Page, places: Vec<Range<usize>>) -> Vec<u32> {
        places.into_iter().map(|at| page.number(at.start)).collect()
    }

    #[test]
    fn words_of_strings_and_comments_are_no_code() {
        let script =
            "// total\nlet total = 'total';\n/* total */ f(`a ${total} total`);\ntotals;\n";
        let page = Page::new("a.ts", script.to_owned());
        assert_eq!(shown(&page, page.words("total")), [2, 3]);
        let python = "# total\ntotal = 'it\\'s total'\n\"\"\"\ntotal\n\"\"\"\nf(total)\n";
        let page = Page::new("a.py", python.to_owned());
        assert_eq!(shown(&page, page.words("total")), [2, 6]);
        let formatted = "rf'total {total:total} {{total}}'\nf\"\"\"{a}\ntotal\n{total}\"\"\"\n";
        let page = Page::new("a.py", formatted.to_owned());
        assert_eq!(shown(&page, page.words("total")), [1, 1, 4]);
        let regex = "const quote = /`/g;\nlet total = 1; // `\nf('total', `total`);\n";
        let page = Page::new("a.js", regex.to_owned());
        assert_eq!(shown(&page, page.words("total")), [2]);
        let go = "var s = `total\n\\` + total\n";
        let page = Page::new("a.go", go.to_owned());
        assert_eq!(shown(&page, page.words("total")), [2]);
    }

    #[test]
    fn a_column_is_counted_as_its_tool_counts() {
        let page = Page::new("a.ts", "\nf('😀é', name);\n".to_owned());
        let byte = page.text.find("name").unwrap();
        for (columns, column) in [(Columns::Utf16, 10), (Columns::Bytes, 13), (Columns::Chars, 9)] {
            assert_eq!(page.byte(2, column, columns), Some(byte), "{column}");
        }
        assert_eq!(page.pointed((2, Some(10)), "name", Columns::Utf16), Some(byte..byte + 4));
        assert_eq!(page.pointed((2, None), "name", Columns::Utf16), Some(byte..byte + 4));
        assert_eq!(page.pointed((2, Some(8)), "name", Columns::Utf16), None);
        assert_eq!(page.byte(9, 1, Columns::Chars), None);
        assert_eq!(page.byte(0, 0, Columns::Chars), None);
    }

    #[test]
    fn hostile_texts_end_in_time() {
        for text in
            ["`${".repeat(100_000), "'".repeat(100_001), "/*".repeat(50_000), "\u{0}é".repeat(9)]
        {
            for path in ["a.ts", "a.py", "a.go", "a"] {
                let page = Page::new(path, text.clone());
                assert!(page.all_words().count() <= text.len());
            }
        }
    }
}
