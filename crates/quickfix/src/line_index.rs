//! A file as the rules read it: its lines, the places that tools name, and the words that are code.

use std::cell::OnceCell;
use std::ops::Range;

use papayu_base::text::encoding::MARK;
use papayu_base::text::is_word_char;
use papayu_lang::find_code_words;

/// The unit in which a tool counts columns and offsets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    /// Bytes of UTF-8, as Go counts.
    Byte,
    /// Characters, as Python counts.
    Char,
    /// Units of UTF-16, as JavaScript counts.
    Utf16,
}

/// A text with the starts of its lines. A byte order mark is before all that is counted.
pub(super) struct LineIndex {
    /// The text with its byte order mark.
    pub(super) text: String,
    /// Its ending names the language.
    path: String,
    /// The first byte of each line.
    starts: Vec<usize>,
    /// `true` if a carriage return occurs without a line feed.
    has_lone_cr: bool,
    /// The words of code, found on first use.
    code: OnceCell<Vec<Range<usize>>>,
}

impl LineIndex {
    /// Reads a text; the ending of `path` names the language.
    pub(super) fn new(path: &str, text: String) -> Self {
        let first = mark_len(&text);
        let ends = text.match_indices('\n').map(|(at, _)| at + 1);
        let starts = std::iter::once(first).chain(ends).collect();
        let has_lone_cr = text.replace("\r\n", "").contains('\r');
        Self { path: path.to_owned(), text, starts, has_lone_cr, code: OnceCell::new() }
    }

    /// Returns the byte range of a line (from 1) with its ending; `None` for a line that does
    /// not exist.
    pub(super) fn line(&self, number: u32) -> Option<Range<usize>> {
        let at = (number as usize).checked_sub(1)?;
        let start = *self.starts.get(at)?;
        Some(start..self.starts.get(at + 1).copied().unwrap_or(self.text.len()))
    }

    /// Returns the first byte of a line (from 1); the end of the text for a line after the last.
    pub(super) fn line_start(&self, number: u32) -> usize {
        self.line(number).map_or(self.text.len(), |line| line.start)
    }

    /// Returns the number (from 1) of the line that contains a byte.
    pub(super) fn line_number(&self, at: usize) -> u32 {
        let before = self.starts.partition_point(|start| *start <= at);
        u32::try_from(before.max(1)).unwrap_or(u32::MAX)
    }

    /// Returns a line's text without its ending.
    pub(super) fn line_text(&self, number: u32) -> &str {
        let line = self.line(number).and_then(|range| self.text.get(range));
        line.unwrap_or_default().trim_end_matches(['\n', '\r'])
    }

    /// Returns the number of lines; a final line ending begins one more.
    pub(super) fn line_count(&self) -> u32 {
        u32::try_from(self.starts.len()).unwrap_or(u32::MAX)
    }

    /// Returns the byte at the end of a line (from 1), before its line ending; `None` past the last line.
    pub(super) fn line_end(&self, line: u32) -> Option<usize> {
        let start = self.byte_at(line, 1, Unit::Byte)?;
        let rest = self.text.get(start..)?;
        Some(start + rest.lines().next().map_or(0, str::len))
    }

    /// Returns the byte at a line and a column, both from 1; `None` if there is no such place.
    /// The column may be one past the end of the line, and the line one past the last.
    pub(super) fn byte_at(&self, line: u32, column: u32, unit: Unit) -> Option<usize> {
        // Tools disagree on whether a lone carriage return ends a line.
        if self.has_lone_cr {
            return None;
        }
        let column = (column as usize).checked_sub(1)?;
        if line == self.line_count().saturating_add(1) && column == 0 && !self.text.ends_with('\n')
        {
            return Some(self.text.len());
        }
        let range = self.line(line)?;
        Some(range.start + unit_bytes(self.text.get(range)?, column, unit)?)
    }

    /// Returns the byte after `count` units from the start of the text, without its byte order
    /// mark.
    pub(super) fn byte_offset(&self, count: usize, unit: Unit) -> Option<usize> {
        let mark = mark_len(&self.text);
        Some(mark + unit_bytes(self.text.get(mark..)?, count, unit)?)
    }

    /// Returns the byte at an offset in UTF-16 units, from 0. -1 is the place before the byte order mark.
    /// `None` past the end, and within a character.
    pub(super) fn utf16_offset(&self, offset: i64) -> Option<usize> {
        match usize::try_from(offset) {
            Ok(offset) => self.byte_offset(offset, Unit::Utf16),
            Err(_) => (offset == -1).then_some(0),
        }
    }

    /// Returns every place of a word in code, without strings and comments.
    pub(super) fn word_places(&self, word: &str) -> Vec<Range<usize>> {
        self.code()
            .iter()
            .filter(|at| self.text.get((*at).clone()) == Some(word))
            .cloned()
            .collect()
    }

    /// Returns the text before a name that begins at a byte by which it is one of something else: `a.b.`, `Type::`.
    pub(super) fn owner_before(&self, start: usize) -> &str {
        let before = self.text.get(..start).unwrap_or_default();
        let mut rest = before;
        while let Some(owner) = rest.strip_suffix('.').or_else(|| rest.strip_suffix("::")) {
            rest = owner.trim_end_matches(|c: char| is_word_char(c) || c == '$');
        }
        before.get(rest.len()..).unwrap_or_default()
    }

    /// Returns the words of code in a range of bytes, with their places.
    pub(super) fn words_in(&self, range: &Range<usize>) -> Vec<(Range<usize>, &str)> {
        let code = self.code();
        // The words are in the order of the text.
        let after =
            code.get(code.partition_point(|at| at.start < range.start)..).unwrap_or_default();
        let inside = after.iter().take_while(|at| at.end <= range.end);
        inside.filter_map(|at| Some((at.clone(), self.text.get(at.clone())?))).collect()
    }

    /// Returns the words of the file that are code, in order.
    pub(super) fn all_words(&self) -> impl Iterator<Item = &str> {
        self.code().iter().filter_map(|at| self.text.get(at.clone()))
    }

    /// Returns the word of code that begins at a byte. `None` in the middle of a word, and in strings and
    /// comments.
    pub(super) fn word_at(&self, at: usize) -> Option<&str> {
        let found = self.code().binary_search_by_key(&at, |range| range.start).ok()?;
        self.text.get(self.code().get(found)?.clone())
    }

    /// Returns the bytes of a word that occurs exactly once in the code of a line (from 1); `None` for no place
    /// and for several.
    pub(super) fn only_in_line(&self, line: u32, word: &str) -> Option<Range<usize>> {
        let range = self.line(line)?;
        let mut found = self.word_places(word).into_iter().filter(|at| range.contains(&at.start));
        found.next().filter(|_| found.next().is_none())
    }

    /// Returns the bytes of a word at a line and column, both from 1. Without a column, the word must occur
    /// once in the line. `None` if another word is there.
    pub(super) fn find_word(
        &self,
        line: u32,
        column: Option<u32>,
        word: &str,
        unit: Unit,
    ) -> Option<Range<usize>> {
        let Some(column) = column else { return self.only_in_line(line, word) };
        let at = self.byte_at(line, column, unit)?;
        (self.word_at(at) == Some(word)).then(|| at..at + word.len())
    }

    /// Returns the line ending that most lines have.
    pub(super) fn line_ending(&self) -> &'static str {
        papayu_base::text::lines::dominant_ending(&self.text)
    }

    /// Returns the words that are code, computed on first use: most diagnostics point at one word.
    fn code(&self) -> &[Range<usize>] {
        self.code.get_or_init(|| find_code_words(&self.path, &self.text))
    }
}

/// Returns the bytes of a byte order mark. Compilers count columns of the first line without it.
fn mark_len(text: &str) -> usize {
    if text.starts_with(MARK) { MARK.len_utf8() } else { 0 }
}

/// Returns the number of bytes of the first `count` units; `None` if they end inside a
/// character or after the text.
fn unit_bytes(text: &str, count: usize, unit: Unit) -> Option<usize> {
    let (mut byte, mut counted) = (0, 0);
    for letter in text.chars() {
        if counted >= count {
            break;
        }
        byte += letter.len_utf8();
        counted += match unit {
            Unit::Byte => letter.len_utf8(),
            Unit::Char => 1,
            Unit::Utf16 => letter.len_utf16(),
        };
    }
    (counted == count).then_some(byte)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\u{feff}é = '😀';\r\nlast";

    fn line_numbers(index: &LineIndex, places: Vec<Range<usize>>) -> Vec<u32> {
        places.into_iter().map(|at| index.line_number(at.start)).collect()
    }

    #[test]
    fn the_owner_of_a_name_ends_where_no_sign_of_one_is() {
        for (text, owner) in
            [("x:a.b.c", "a.b."), ("f(Type::c", "Type::"), ("g().c", "."), ("{a:c", "")]
        {
            let index = LineIndex::new("a.ts", text.to_owned());
            assert_eq!(index.owner_before(text.len() - 1), owner, "{text}");
        }
    }

    #[test]
    fn words_of_strings_and_comments_are_no_code() {
        let script =
            "// total\nlet total = 'total';\n/* total */ f(`a ${total} total`);\ntotals;\n";
        let python = "# total\ntotal = 'it\\'s total'\n\"\"\"\ntotal\n\"\"\"\nf(total)\n";
        let formatted = "rf'total {total:total} {{total}}'\nf\"\"\"{a}\ntotal\n{total}\"\"\"\n";
        let regex = "const quote = /`/g;\nlet total = 1; // `\nf('total', `total`);\n";
        let go = "var s = `total\n\\` + total\n";
        for (path, text, expected) in [
            ("a.ts", script, &[2, 3][..]),
            ("a.py", python, &[2, 6]),
            ("a.py", formatted, &[1, 1, 4]),
            ("a.js", regex, &[2]),
            ("a.go", go, &[2]),
        ] {
            let index = LineIndex::new(path, text.to_owned());
            assert_eq!(line_numbers(&index, index.word_places("total")), expected, "{text}");
        }
    }

    #[test]
    fn a_column_is_counted_as_its_tool_counts() {
        let index = LineIndex::new("a.ts", "\nf('😀é', name);\n".to_owned());
        let byte = index.text.find("name").unwrap();
        for (unit, column) in [(Unit::Utf16, 10), (Unit::Byte, 13), (Unit::Char, 9)] {
            assert_eq!(index.byte_at(2, column, unit), Some(byte), "{column}");
        }
        assert_eq!(index.find_word(2, Some(10), "name", Unit::Utf16), Some(byte..byte + 4));
        assert_eq!(index.find_word(2, None, "name", Unit::Utf16), Some(byte..byte + 4));
        assert_eq!(index.find_word(2, Some(8), "name", Unit::Utf16), None);
        assert_eq!(index.byte_at(9, 1, Unit::Char), None);
        assert_eq!(index.byte_at(0, 0, Unit::Char), None);
    }

    #[test]
    fn a_place_is_the_same_however_it_is_counted() {
        let index = LineIndex::new("a", TEXT.to_owned());
        for (place, before) in [
            (index.utf16_offset(8), "\u{feff}é = '😀'"),
            (index.byte_at(1, 9, Unit::Utf16), "\u{feff}é = '😀'"),
            (index.byte_at(1, 8, Unit::Char), "\u{feff}é = '😀'"),
            (index.byte_at(1, 12, Unit::Byte), "\u{feff}é = '😀'"),
            (index.byte_offset(7, Unit::Char), "\u{feff}é = '😀'"),
            (index.line_end(1), "\u{feff}é = '😀';"),
            (index.byte_at(2, 1, Unit::Char), "\u{feff}é = '😀';\r\n"),
            (index.byte_at(2, 5, Unit::Char), TEXT),
            (index.byte_at(3, 1, Unit::Char), TEXT),
            (index.utf16_offset(-1), ""),
            (index.utf16_offset(15), TEXT),
        ] {
            assert_eq!(place.and_then(|place| index.text.get(..place)), Some(before));
        }
    }

    #[test]
    fn a_place_inside_a_character_or_past_the_text_is_none() {
        let index = LineIndex::new("a", TEXT.to_owned());
        assert_eq!([6, 16, -2].map(|offset| index.utf16_offset(offset)), [None; 3]);
        for (line, column, unit) in [
            (0, 1, Unit::Char),
            (1, 0, Unit::Char),
            (1, 2, Unit::Byte),
            (1, 7, Unit::Utf16),
            (1, 12, Unit::Char),
            (2, 6, Unit::Char),
            (3, 2, Unit::Char),
            (4, 1, Unit::Char),
        ] {
            assert_eq!(index.byte_at(line, column, unit), None, "{line}:{column} {unit:?}");
        }
        assert_eq!(LineIndex::new("a", "a\rb\n".to_owned()).byte_at(1, 1, Unit::Char), None);
        let empty = LineIndex::new("a", String::new());
        assert_eq!((empty.utf16_offset(0), empty.utf16_offset(1)), (Some(0), None));
        assert_eq!(empty.byte_at(1, 1, Unit::Char), Some(0));
    }

    #[test]
    fn hostile_texts_end_in_time() {
        for text in
            ["`${".repeat(100_000), "'".repeat(100_001), "/*".repeat(50_000), "\u{0}é".repeat(9)]
        {
            for path in ["a.ts", "a.py", "a.go", "a"] {
                let index = LineIndex::new(path, text.clone());
                assert!(index.all_words().count() <= text.len());
            }
        }
    }
}
