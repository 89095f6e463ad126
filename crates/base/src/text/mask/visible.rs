//! Reads the bytes of a text that a reader sees as its characters, without breaks, colors and invisible characters.

use std::ops::Range;

/// Returns the bytes of the area, with their places, that are neither white space nor control characters nor part of an ANSI
/// sequence nor invisible. Escapes of line breaks, tabs and ANSI sequences (`\n`, `%0A`, `\u001b[31m`) count as these.
pub(super) fn visible_bytes(text: &str, area: Range<usize>) -> VisibleBytes<'_> {
    VisibleBytes { bytes: text.as_bytes(), at: area.start, end: area.end.min(text.len()) }
}

/// The visible bytes of an area.
pub(super) struct VisibleBytes<'t> {
    bytes: &'t [u8],
    at: usize,
    end: usize,
}

impl Iterator for VisibleBytes<'_> {
    type Item = (usize, u8);

    #[inline]
    fn next(&mut self) -> Option<(usize, u8)> {
        while self.at < self.end {
            let byte = *self.bytes.get(self.at)?;
            let hidden = hidden_length(self.bytes, self.at, byte);
            if hidden == 0 {
                self.at += 1;
                return Some((self.at - 1, byte));
            }
            self.at += hidden;
        }
        None
    }
}

/// For each byte, 0 if it is visible, 1 if it is not, and 2 if that depends on the next ones.
static KINDS: [u8; 256] = kinds();

const fn kinds() -> [u8; 256] {
    let mut kinds = [0; 256];
    let mut byte = 0_u8;
    loop {
        kinds[byte as usize] = match byte {
            b' ' | b'\n' => 1,
            0..=0x1f | 0x7f | b'\\' | b'%' | 0xc2 | 0xcd | 0xe1..=0xe3 | 0xef | 0xf3 => 2,
            _ => 0,
        };
        match byte.checked_add(1) {
            Some(next) => byte = next,
            None => return kinds,
        }
    }
}

/// Returns the bytes from `at` that are not visible; 0 if the byte there is.
#[inline]
pub(super) fn hidden_length(bytes: &[u8], at: usize, byte: u8) -> usize {
    match KINDS[usize::from(byte)] {
        2 => length_of_hidden(bytes, at),
        kind => usize::from(kind),
    }
}

/// Returns the bytes at `at` that are not visible, for a byte with which some of that kind can begin.
#[cold]
fn length_of_hidden(bytes: &[u8], at: usize) -> usize {
    match bytes.get(at..).unwrap_or_default() {
        [0x1b, rest @ ..] => 1 + sequence_length(rest),
        [0..=b' ' | 0x7f, ..] => 1,
        [b'\\', rest @ ..] => escape_length(rest),
        // A sequence of C1.
        [0xc2, 0x9b, rest @ ..] => {
            2 + rest.iter().take(64).position(|byte| (0x40..=0x7e).contains(byte)).map_or(0, |end| end + 1)
        }
        // Soft hyphens, and the control characters of C1; the joiner of graphemes.
        [0xc2, 0xad | 0x80..=0x9f, ..] | [0xcd, 0x8f, ..] => 2,
        // Percent-encoded line breaks and tabs; zero-width characters, direction marks, joiners.
        [b'%', b'0', b'A' | b'a' | b'D' | b'd' | b'9', ..]
        | [0xe2, 0x80, 0x8b..=0x8f | 0xaa..=0xae, ..]
        | [0xe2, 0x81, 0xa0..=0xaf, ..]
        // The separator of Mongolian vowels, the Hangul filler, variation selectors.
        | [0xe1, 0xa0, 0x8e, ..]
        | [0xe3, 0x85, 0xa4, ..]
        | [0xef, 0xb8, 0x80..=0x8f, ..]
        | [0xef, 0xbb, 0xbf, ..] => 3,
        // Tags.
        [0xf3, 0xa0, 0x80..=0x87, _, ..] => 4,
        _ => 0,
    }
}

/// Returns the length of an ANSI sequence, without its first byte.
fn sequence_length(rest: &[u8]) -> usize {
    let length = match rest.first() {
        Some(b'[') => rest
            .iter()
            .skip(1)
            .take(64)
            .position(|byte| (0x40..=0x7e).contains(byte))
            .map(|end| end + 2),
        Some(b']') => {
            rest.iter().take(512).position(|byte| *byte == 0x07 || *byte == 0x1b).map(|end| end + 1)
        }
        // A choice of a character set, as in `ESC ( B`.
        Some(0x20..=0x2f) => {
            let signs = rest.iter().take_while(|byte| (0x20..=0x2f).contains(*byte)).count();
            Some(
                signs
                    + usize::from(rest.get(signs).is_some_and(|byte| (0x30..=0x7e).contains(byte))),
            )
        }
        _ => None,
    };
    length.unwrap_or(0)
}

/// Returns the length of an escape after a backslash, with all backslashes; 0 if it writes a visible character.
fn escape_length(rest: &[u8]) -> usize {
    let slashes = rest.iter().take_while(|byte| **byte == b'\\').count();
    let rest = rest.get(slashes..).unwrap_or_default();
    let escapes: [&[u8]; 6] = [b"u001b", b"u001B", b"x1b", b"x1B", b"033", b"e"];
    for escape in escapes {
        let after = rest.strip_prefix(escape).filter(|after| after.first() == Some(&b'['));
        if let Some(after) = after {
            return 1 + slashes + escape.len() + sequence_length(after);
        }
    }
    match rest.first() {
        Some(b'n' | b'r' | b't') => 2 + slashes,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn breaks_colors_and_invisible_characters_are_left_out() {
        for (text, visible) in [
            ("a b\tc\r\nd\0", "abcd"),
            ("a\u{1b}[1;31mb\u{1b}]0;title\u{7}c", "abc"),
            (r"a\nb\\tc\r\nd", "abcd"),
            (r"a\u001b[31mb\x1b[0mc\033[Kd\e[1me", "abcde"),
            ("a%0Ab%0dc%41", "abc%41"),
            ("a\u{200b}b\u{ad}c\u{feff}d\u{2066}e\u{85}f", "abcdef"),
            ("a\u{1b}(Bb\u{fe0f}c\u{34f}d\u{e0061}e\u{180e}f\u{3164}g\u{9b}0mh", "abcdefgh"),
            (r"C:\dir\x \\ é“”", r"C:\dir\x\\é“”"),
            ("cut \u{1b}", "cut"),
            ("cut \\", r"cut\"),
        ] {
            let bytes: Vec<u8> = visible_bytes(text, 0..text.len()).map(|(_, byte)| byte).collect();
            assert_eq!(String::from_utf8(bytes).unwrap(), visible, "{text:?}");
        }
    }
}
