//! Turns the places that tools name into bytes of a text: lines with columns, and units of UTF-16.

use crate::text::encoding::MARK;

/// What a column counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    /// Bytes of UTF-8.
    Byte,
    /// Characters.
    Char,
    /// Units of UTF-16, as JavaScript counts.
    Utf16,
}

/// A text and where its lines begin. A byte order mark is before all that is counted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Ruler {
    text: String,
    lines: Vec<Line>,
    has_lone_cr: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Line {
    byte: usize,
    utf16: usize,
}

impl Ruler {
    /// Measures a text.
    pub(super) fn new(text: String) -> Self {
        let mut line = Line { byte: mark_len(&text), utf16: 0 };
        let mut lines = vec![line];
        let mut has_lone_cr = false;
        for piece in bare(&text).split_inclusive('\n') {
            let ending = piece.trim_end_matches('\n').trim_end_matches('\r');
            has_lone_cr |= ending.contains('\r');
            line.byte += piece.len();
            line.utf16 += piece.encode_utf16().count();
            if piece.ends_with('\n') {
                lines.push(line);
            }
        }
        Self { text, lines, has_lone_cr }
    }

    /// Returns the whole text, byte order mark included.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Gives the text back.
    pub(super) fn into_text(self) -> String {
        self.text
    }

    /// Returns the bytes before a unit of UTF-16, counted from 0; -1 is before the byte order mark.
    pub(super) fn utf16(&self, offset: i64) -> Option<usize> {
        let Ok(offset) = usize::try_from(offset) else { return (offset == -1).then_some(0) };
        let after = self.lines.partition_point(|line| line.utf16 <= offset);
        let line = self.lines.get(after.checked_sub(1)?)?;
        Some(line.byte + bytes(self.text.get(line.byte..)?, offset - line.utf16, Unit::Utf16)?)
    }

    /// Returns the bytes before so many units.
    pub(super) fn offset(&self, count: usize, unit: Unit) -> Option<usize> {
        Some(mark_len(&self.text) + bytes(bare(&self.text), count, unit)?)
    }

    /// Returns the bytes before the ending of a line, counted from 1.
    pub(super) fn line_end(&self, line: usize) -> Option<usize> {
        let start = self.at(line, 1, Unit::Byte)?;
        let rest = self.text.get(start..)?;
        Some(start + rest.lines().next().map_or(0, str::len))
    }

    /// Returns the bytes before a line and a column, both counted from 1. The column may be one behind
    /// the line's end, and the line one behind the last; `None` is nowhere in the text.
    pub(super) fn at(&self, line: usize, column: usize, unit: Unit) -> Option<usize> {
        // Whether a lone carriage return ends a line is different from tool to tool.
        if self.has_lone_cr {
            return None;
        }
        let index = line.checked_sub(1)?;
        let column = column.checked_sub(1)?;
        if index == self.lines.len() && column == 0 && !self.text.ends_with('\n') {
            return Some(self.text.len());
        }
        let start = self.lines.get(index)?.byte;
        let end = self.lines.get(index + 1).map_or(self.text.len(), |next| next.byte);
        let line = self.text.get(start..end)?;
        Some(start + bytes(line, column, unit)?)
    }
}

fn mark_len(text: &str) -> usize {
    text.len() - bare(text).len()
}

fn bare(text: &str) -> &str {
    text.strip_prefix(MARK).unwrap_or(text)
}

/// Returns how many bytes the first `count` units take; `None` where they end inside a character or
/// behind the text.
fn bytes(text: &str, count: usize, unit: Unit) -> Option<usize> {
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

    fn before(ruler: &Ruler, byte: Option<usize>) -> Option<&str> {
        byte.and_then(|byte| ruler.text().get(..byte))
    }

    #[test]
    fn a_place_is_the_same_however_it_is_counted() {
        let ruler = Ruler::new(TEXT.to_owned());
        let expected = Some("\u{feff}é = '😀'");
        assert_eq!(before(&ruler, ruler.utf16(8)), expected);
        assert_eq!(before(&ruler, ruler.at(1, 9, Unit::Utf16)), expected);
        assert_eq!(before(&ruler, ruler.at(1, 8, Unit::Char)), expected);
        assert_eq!(before(&ruler, ruler.at(1, 12, Unit::Byte)), expected);
        assert_eq!(before(&ruler, ruler.offset(7, Unit::Char)), expected);
        assert_eq!(before(&ruler, ruler.line_end(1)), Some("\u{feff}é = '😀';"));
        assert_eq!(before(&ruler, ruler.at(2, 1, Unit::Char)), Some("\u{feff}é = '😀';\r\n"));
        assert_eq!(before(&ruler, ruler.at(2, 5, Unit::Char)), Some(TEXT));
        assert_eq!(before(&ruler, ruler.at(3, 1, Unit::Char)), Some(TEXT));
        assert_eq!(before(&ruler, ruler.utf16(-1)), Some(""));
        assert_eq!(before(&ruler, ruler.utf16(15)), Some(TEXT));
    }

    #[test]
    fn a_place_inside_a_character_or_behind_the_text_is_none() {
        let ruler = Ruler::new(TEXT.to_owned());
        assert_eq!([ruler.utf16(6), ruler.utf16(16), ruler.utf16(-2)], [None; 3]);
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
            assert_eq!(ruler.at(line, column, unit), None, "{line}:{column} {unit:?}");
        }
        assert_eq!(Ruler::new("a\rb\n".to_owned()).at(1, 1, Unit::Char), None);
    }

    #[test]
    fn an_empty_text_has_one_place() {
        let ruler = Ruler::new(String::new());
        assert_eq!((ruler.utf16(0), ruler.at(1, 1, Unit::Char)), (Some(0), Some(0)));
        assert_eq!(ruler.utf16(1), None);
    }
}
