//! Makes views of what is written otherwise: escaped, encoded, dumped, or with what a terminal does not show.

use std::ops::Range;
use std::sync::LazyLock;

use super::view::SourceView;
use super::visible::hidden_length;

/// The longest line that is decoded as one, in bytes.
const MAX_LINE: usize = 64 * 1024;

/// Fewer digits encode too little text.
const MIN_DIGITS: usize = 12;

/// Returns the text as a terminal shows it, and what it hides; `None` if it shows all of it.
pub(super) fn shown_view(text: &str) -> Option<(SourceView, Vec<Range<usize>>)> {
    let bytes = text.as_bytes();
    if !has_odd(bytes) {
        return None;
    }
    let (mut view, mut dropped) = (SourceView::default(), Vec::new());
    let (mut done, mut at) = (0, 0);
    loop {
        at = next_odd(bytes, at);
        let Some(byte) = bytes.get(at) else { break };
        if let Some(letter) = full_width(bytes, at) {
            view.copy(text.get(done..at).unwrap_or_default(), done);
            view.decode(letter.encode_utf8(&mut [0; 4]), at..at + 3);
            at += 3;
            done = at;
            continue;
        }
        let length = match byte {
            b'\n' | b'\t' | b' '..=b'~' => 0,
            b'\r' => usize::from(is_inside_word(bytes, at)),
            _ => hidden_length(bytes, at, *byte),
        };
        if length == 0 {
            at += 1;
            continue;
        }
        view.copy(text.get(done..at).unwrap_or_default(), done);
        if *byte == 8 {
            view.erase();
        } else if length > 8 {
            dropped.push(at..at + length);
        }
        at += length;
        done = at;
    }
    if done == 0 {
        return None;
    }
    view.copy(text.get(done..).unwrap_or_default(), done);
    Some((view, dropped))
}

/// Returns the ASCII character of which the wide form, as programs of East Asia write it, is here.
fn full_width(bytes: &[u8], at: usize) -> Option<char> {
    let [0xef, second @ (0xbc | 0xbd), third, ..] = bytes.get(at..)? else { return None };
    let code = u32::from(second & 3) << 6 | u32::from(third & 0x3f);
    char::from_u32(code + 0x20).filter(char::is_ascii_graphic)
}

/// The bytes for which [`has_odd`] is true.
static ODD: LazyLock<[bool; 256]> = LazyLock::new(|| {
    let mut odd = [false; 256];
    for (is_odd, byte) in odd.iter_mut().zip(0..=u8::MAX) {
        *is_odd = has_odd(&[byte]);
    }
    odd
});

/// The bytes that are tested for odd ones together.
const BLOCK: usize = 64;

/// Returns the place of the next byte that may not be shown.
fn next_odd(bytes: &[u8], from: usize) -> usize {
    let mut at = from;
    while let Some(block) = bytes.get(at..at + BLOCK) {
        if has_odd(block) {
            break;
        }
        at += BLOCK;
    }
    let rest = bytes.get(at..).unwrap_or_default();
    rest.iter()
        .position(|byte| ODD.get(usize::from(*byte)) == Some(&true))
        .map_or(bytes.len(), |found| at + found)
}

/// Returns `true` if some of the bytes may not be shown. The loop has no early exit, so that the compiler can test many at once.
#[expect(
    clippy::needless_bitwise_bool,
    reason = "branches would keep it from testing many at once"
)]
fn has_odd(bytes: &[u8]) -> bool {
    bytes.iter().fold(false, |odd, byte| {
        odd | (*byte < 0x20) & (*byte != b'\n') & (*byte != b'\t')
            | (*byte == 0x7f)
            | (*byte == 0xc2)
            | (*byte == 0xe2)
            | (*byte == 0xef)
    })
}

/// Returns `true` if visible characters are on both sides.
fn is_inside_word(bytes: &[u8], at: usize) -> bool {
    let is_shown = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_graphic);
    at > 0 && is_shown(bytes.get(at - 1)) && is_shown(bytes.get(at + 1))
}

/// Calls `take` with a view of each line that has escapes.
pub(super) fn each_unescaped(text: &str, mut take: impl FnMut(&SourceView)) {
    let bytes = text.as_bytes();
    let mut at = 0;
    let mut printable =
        memchr::memmem::find(bytes, b"=3D").or_else(|| memchr::memmem::find(bytes, b"=3d"));
    loop {
        let rest = bytes.get(at..).unwrap_or_default();
        let found = memchr::memchr3_iter(b'%', b'\\', b'&', rest).map(|found| at + found);
        let found = found.into_iter().find(|found| is_escape(bytes, *found));
        let Some(found) = [found, printable].into_iter().flatten().min() else { return };
        let from = found.saturating_sub(MAX_LINE).max(at);
        let line = bytes.get(from..found).and_then(|line| memchr::memrchr(b'\n', line));
        let start = text.ceil_char_boundary(line.map_or(from, |line| from + line + 1));
        let end = end_of_line(bytes, found, printable == Some(found));
        let end = text.floor_char_boundary(end).max(found + 1);
        if let Some(view) =
            unescaped(text, start..text.ceil_char_boundary(end), printable == Some(found))
        {
            take(&view);
        }
        at = text.ceil_char_boundary(end);
        if printable.is_some_and(|printable| printable < at) {
            let rest = bytes.get(at..).unwrap_or_default();
            printable = memchr::memmem::find(rest, b"=3D").map(|found| at + found);
        }
    }
}

/// Returns the end of the line; in quoted-printable it goes on after `=`.
fn end_of_line(bytes: &[u8], from: usize, is_printable: bool) -> usize {
    let most = bytes.len().min(from + MAX_LINE);
    let mut at = from;
    while let Some(end) = memchr::memchr(b'\n', bytes.get(at..most).unwrap_or_default()) {
        let before = bytes.get(..at + end).unwrap_or_default();
        if !is_printable || !before.ends_with(b"=") {
            return at + end;
        }
        at += end + 1;
    }
    most
}

/// Returns `true` if an escape begins here that can hide the name or the sign of an assignment.
fn is_escape(bytes: &[u8], at: usize) -> bool {
    match bytes.get(at..).unwrap_or_default() {
        [b'%', high, low, ..] => hex_byte(*high, *low)
            .is_some_and(|byte| byte.is_ascii_alphanumeric() || b"_=:\"{'".contains(&byte)),
        [b'\\', b'u' | b'x', rest @ ..] => rest.first().is_some_and(u8::is_ascii_hexdigit),
        [b'\\', b'"', ..] | [b'&', b'#', ..] => true,
        [b'&', rest @ ..] => {
            [&b"quot;"[..], b"lt;", b"amp;", b"apos;"].iter().any(|name| rest.starts_with(name))
        }
        _ => false,
    }
}

/// Returns a view of the line with its escapes resolved; `None` without any.
fn unescaped(text: &str, line: Range<usize>, is_printable: bool) -> Option<SourceView> {
    let bytes = text.as_bytes().get(..line.end)?;
    let mut view = SourceView::default();
    let (mut done, mut at) = (line.start, line.start);
    while let Some(byte) = bytes.get(at) {
        let escape = match byte {
            b'%' => percent(bytes, at),
            b'\\' => backslash(bytes, at),
            b'&' => reference(text, at, line.end),
            b'=' if is_printable => quoted_printable(bytes, at),
            _ => None,
        };
        let Some((c, length)) = escape else {
            at += 1;
            continue;
        };
        view.copy(text.get(done..at)?, done);
        let mut buffer = [0; 4];
        view.decode(c.map_or("", |c| c.encode_utf8(&mut buffer)), at..at + length);
        at += length;
        done = at;
    }
    if done == line.start {
        return None;
    }
    view.copy(text.get(done..line.end)?, done);
    Some(view)
}

/// A character, or none, and the length of its escape in bytes.
type Escape = (Option<char>, usize);

fn hex_byte(high: u8, low: u8) -> Option<u8> {
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    Some(digit(high)? << 4 | digit(low)?)
}

/// Returns the character of a byte; some letter for bytes beyond ASCII.
fn shown_byte(byte: u8) -> char {
    if byte.is_ascii() { char::from(byte) } else { 'ä' }
}

fn percent(bytes: &[u8], at: usize) -> Option<Escape> {
    let byte = hex_byte(*bytes.get(at + 1)?, *bytes.get(at + 2)?)?;
    Some((Some(shown_byte(byte)), 3))
}

fn quoted_printable(bytes: &[u8], at: usize) -> Option<Escape> {
    match bytes.get(at + 1..)? {
        [b'\n', ..] => Some((None, 2)),
        [b'\r', b'\n', ..] => Some((None, 3)),
        [high, low, ..] => Some((Some(shown_byte(hex_byte(*high, *low)?)), 3)),
        _ => None,
    }
}

fn hex_char(digits: &[u8]) -> Option<char> {
    let digits = std::str::from_utf8(digits).ok()?;
    char::from_u32(u32::from_str_radix(digits, 16).ok()?)
}

fn backslash(bytes: &[u8], at: usize) -> Option<Escape> {
    match bytes.get(at + 1)? {
        b'u' => Some((Some(hex_char(bytes.get(at + 2..at + 6)?)?), 6)),
        b'x' => Some((Some(hex_char(bytes.get(at + 2..at + 4)?)?), 4)),
        b'n' => Some((Some('\n'), 2)),
        b't' => Some((Some('\t'), 2)),
        b'r' => Some((Some('\r'), 2)),
        b'e' => Some((Some('\u{1b}'), 2)),
        byte @ (b'"' | b'\'' | b'/' | b'\\') => Some((Some(char::from(*byte)), 2)),
        _ => None,
    }
}

fn reference(text: &str, at: usize, end: usize) -> Option<Escape> {
    let near = text.as_bytes().get(at + 1..end.min(at + 12))?;
    let length = near.iter().position(|byte| *byte == b';')?;
    let name = text.get(at + 1..at + 1 + length)?;
    let c = match name {
        "quot" => '"',
        "lt" => '<',
        "gt" => '>',
        "amp" => '&',
        "apos" => '\'',
        "equals" => '=',
        "colon" => ':',
        name => {
            let number = name.strip_prefix('#')?;
            let hex = number.strip_prefix(['x', 'X']).map(|hex| u32::from_str_radix(hex, 16));
            char::from_u32(hex.unwrap_or_else(|| number.parse()).ok()?)?
        }
    };
    Some((Some(c), length + 2))
}

/// Returns the text that is encoded in a run of base64 or hexadecimal digits, and in the lines that continue it; and its end.
pub(super) fn decoded_view(text: &str, run: &Range<usize>) -> Option<(SourceView, usize)> {
    let bytes = text.as_bytes();
    let start = run.start;
    // The name of a setting may be before the run.
    let head = bytes.get(run.clone())?;
    let trimmed = head.strip_suffix(b"==").or_else(|| head.strip_suffix(b"=")).unwrap_or(head);
    let start = memchr::memrchr(b'=', trimmed).map_or(start, |sign| start + sign + 1);
    let first = bytes.get(start..run.end)?;
    if first.len() < MIN_DIGITS {
        return None;
    }
    if !begins_as_text(first) {
        return None;
    }
    let is_hex = first.len() >= 16 && first.iter().take(64).all(u8::is_ascii_hexdigit);
    let width = if is_hex { Width { digits: 2, bits: 4 } } else { Width { digits: 4, bits: 6 } };
    let mut reader = Digits { bytes, at: start, line: first.len(), width };
    let mut view = SourceView::default();
    let is_wide = is_wide_text(first);
    while let Some((group, place)) = reader.next_group() {
        let is_text =
            |byte: &u8| byte.is_ascii_graphic() || b" \n\r\t".contains(byte) || !byte.is_ascii();
        // The first groups of what is no text show it.
        let group: Vec<u8> = group.into_iter().filter(|byte| !is_wide || *byte != 0).collect();
        if !group.iter().all(is_text) {
            if view.text().len() < 24 {
                return None;
            }
            break;
        }
        let piece: String = group.iter().map(|byte| shown_byte(*byte)).collect();
        view.decode(&piece, place);
    }
    let letters = view.text().bytes().filter(u8::is_ascii).count();
    (letters >= 8 && letters * 4 >= view.text().len() * 3).then_some((view, reader.at))
}

/// Returns the first bytes that digits of base64 encode, from the third on.
fn first_bytes(digits: &[u8]) -> Option<[u8; 8]> {
    let head = digits.get(..8)?;
    let mut values = head.iter().map(|byte| base64_digit(*byte));
    let bits = values.try_fold(0_u64, |bits, digit| Some(bits << 6 | u64::from(digit?)))?;
    Some(bits.to_be_bytes())
}

/// Returns `true` if the first digits of base64 are of ASCII text in two bytes a character, as Windows writes it.
fn is_wide_text(digits: &[u8]) -> bool {
    first_bytes(digits).is_some_and(|bytes| {
        bytes.iter().skip(2).step_by(2).all(|byte| byte.is_ascii_graphic() || *byte == b' ')
            && bytes.iter().skip(3).step_by(2).all(|byte| *byte == 0)
    })
}

/// Returns `true` if the first digits, of base64 or hexadecimal, are of text; those of other tokens are not.
pub(super) fn begins_as_text(digits: &[u8]) -> bool {
    let head = digits.get(..8).unwrap_or_default();
    let is_text = |byte: u32| matches!(byte, 9 | 10 | 13 | 0x20..=0x7e | 0x80..=0xff);
    let is_base64 = first_bytes(digits).is_some_and(|bytes| {
        bytes.iter().skip(2).all(|byte| matches!(byte, 9 | 10 | 13 | 0x20..=0x7e | 0xc2..=0xf4))
    });
    let pairs = head.as_chunks::<2>().0;
    let is_hex = || {
        pairs.iter().all(|pair| {
            hex_byte(pair[0], pair[1]).is_some_and(|byte| is_text(byte.into()) && byte < 0x80)
        })
    };
    is_base64 || is_wide_text(digits) || is_hex()
}

/// The value of each digit of base64, also of its form for addresses, and 64 for other bytes.
static BASE64: LazyLock<[u8; 256]> = LazyLock::new(|| {
    let mut values = [64; 256];
    for (value, byte) in values.iter_mut().zip(0..=u8::MAX) {
        *value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => 64,
        };
    }
    values
});

fn base64_digit(byte: u8) -> Option<u8> {
    BASE64.get(usize::from(byte)).copied().filter(|value| *value < 64)
}

/// The digits of one group, and the bits of each.
#[derive(Clone, Copy)]
struct Width {
    digits: usize,
    bits: u32,
}

/// Reads the digits of a run and of the lines after it.
struct Digits<'t> {
    bytes: &'t [u8],
    at: usize,
    /// The length of the first line; one that is shorter is the last.
    line: usize,
    width: Width,
}

impl Digits<'_> {
    /// Returns the bytes of the next group, and their place.
    fn next_group(&mut self) -> Option<(Vec<u8>, Range<usize>)> {
        let (mut bits, mut count, mut start) = (0_u32, 0_u32, None);
        let mut end = self.at;
        for _ in 0..self.width.digits {
            let Some(digit) = self.next_digit() else { break };
            start = start.or(Some(self.at - 1));
            end = self.at;
            bits = bits << self.width.bits | digit;
            count += self.width.bits;
        }
        let whole = count / 8;
        let bits = bits >> (count % 8);
        let group = (0..whole)
            .rev()
            .map(|at| (bits >> (8 * at)).to_le_bytes().first().copied().unwrap_or_default())
            .collect::<Vec<u8>>();
        (whole > 0).then_some((group, start?..end))
    }

    fn next_digit(&mut self) -> Option<u32> {
        let byte = *self.bytes.get(self.at)?;
        if matches!(byte, b'\n' | b'\r') && self.line >= 32 {
            let rest = self.bytes.get(self.at..)?;
            let gap = rest.iter().take(80).take_while(|byte| byte.is_ascii_whitespace()).count();
            self.at += gap;
            return self.digit();
        }
        self.digit()
    }

    fn digit(&mut self) -> Option<u32> {
        let byte = *self.bytes.get(self.at)?;
        let digit = if self.width.bits == 4 {
            char::from(byte).to_digit(16)?
        } else {
            u32::from(base64_digit(byte)?)
        };
        self.at += 1;
        Some(digit)
    }
}

/// The longest line of a dump.
const MAX_DUMP_LINE: usize = 256;

/// The longest text before the offset in a line of a dump, such as a time.
const MAX_INDENT: usize = 64;

/// Returns the bytes of the hexadecimal dump of which a line has its offset at `at`, and the end of the dump.
pub(super) fn dump_view(text: &str, at: usize) -> Option<(SourceView, usize)> {
    let bytes = text.as_bytes();
    let from = at.saturating_sub(MAX_INDENT);
    let line = memchr::memrchr(b'\n', bytes.get(from..at)?);
    let start = line.map_or(from, |line| from + line + 1);
    let indent = at - start;
    let mut view = SourceView::default();
    let mut line = start;
    while line < bytes.len() {
        let near = bytes.get(line..bytes.len().min(line + MAX_DUMP_LINE))?;
        let end = line + memchr::memchr(b'\n', near).unwrap_or(near.len());
        if !read_dump_line(bytes, line + indent..end, &mut view) {
            break;
        }
        line = end + 1;
    }
    (!view.text().is_empty()).then_some((view, line))
}

/// Adds the bytes of a line of a dump.
fn read_dump_line(bytes: &[u8], line: Range<usize>, view: &mut SourceView) -> bool {
    let Some(row) = bytes.get(line.clone()) else { return false };
    let offset = row.iter().take(9).take_while(|byte| byte.is_ascii_hexdigit()).count();
    if !(6..=8).contains(&offset) || !matches!(row.get(offset), Some(b':' | b' ')) {
        return false;
    }
    let mut at = offset + 1;
    let mut count = 0;
    loop {
        at += row
            .get(at..)
            .unwrap_or_default()
            .iter()
            .take(3)
            .take_while(|byte| **byte == b' ')
            .count();
        let group = row.get(at..).unwrap_or_default();
        let group = group.iter().take_while(|byte| byte.is_ascii_hexdigit()).count();
        let ends = row.get(at + group).is_none_or(|byte| *byte == b' ');
        if !matches!(group, 2 | 4 | 8) || !ends || count >= 32 {
            return count > 0;
        }
        for pair in (at..at + group).step_by(2) {
            let (Some(high), Some(low)) = (row.get(pair), row.get(pair + 1)) else { return false };
            let byte = hex_byte(*high, *low).unwrap_or_default();
            let is_text = byte.is_ascii_graphic() || byte == b' ' || byte == b'\n';
            let piece = if is_text { char::from(byte).to_string() } else { "\u{fffd}".to_owned() };
            view.decode(&piece, line.start + pair..line.start + pair + 2);
            count += 1;
        }
        at += group;
    }
}
