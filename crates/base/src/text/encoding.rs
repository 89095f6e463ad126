//! Decodes the bytes of source files and encodes them again without changing a byte outside the edit.
//!
//! A model sees text; a file keeps its own encoding and byte order mark. Three kinds of files can be changed freely:
//! UTF-8, UTF-16 with a byte order mark, and files that declare a legacy encoding their bytes agree with. In every other
//! text only the ASCII lines can change, because any guess at the encoding could be wrong.

mod declared;

#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::collections::BTreeSet;

use self::declared::{DeclaredEncoding, LegacyEncoding};

/// The byte order mark as a character. It is not part of [`Decoded::text`].
pub const MARK: char = '\u{feff}';

/// The text of a file and the encoding to write it in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decoded {
    /// The text, without a byte order mark.
    pub text: String,
    /// The encoding of the file.
    pub encoding: Encoding,
}

/// The encoding of one file, with everything needed to write a changed text back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Encoding {
    form: EncodingForm,
    /// `true` if the file begins with a byte order mark.
    mark: bool,
}

/// The encoding of a text and the state that writing it needs.
#[derive(Clone, Debug, PartialEq, Eq)]
enum EncodingForm {
    Utf8,
    Utf16Le,
    Utf16Be,
    Legacy(LegacyText),
    /// ASCII lines that may change, and other lines in file order, which may not.
    AsciiLines(Vec<FixedLine>),
}

/// A line of an unknown encoding, which keeps its bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
struct FixedLine {
    /// The number of the line, from 1.
    number: usize,
    /// The line as UTF-8 with U+FFFD for invalid bytes, without its ending.
    shown: String,
    bytes: Vec<u8>,
}

/// A file in the legacy encoding that it declares.
#[derive(Clone, Debug, PartialEq, Eq)]
struct LegacyText {
    declared: LegacyEncoding,
    /// The characters beyond ASCII that the file contains: their bytes are known from the file.
    known: BTreeSet<char>,
}

/// The reason why bytes cannot be edited as text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotText {
    /// The bytes contain NUL and are not UTF-16.
    #[error("is binary: it contains NUL")]
    Binary,
    /// The bytes follow a UTF-16 byte order mark but are not valid UTF-16 text.
    #[error("begins with a UTF-16 byte order mark but is not UTF-16 text")]
    BrokenUtf16,
    /// The bytes contain ISO-2022 escapes, after which ASCII bytes are other characters.
    #[error("contains ISO-2022 escapes, which change the meaning of ASCII bytes")]
    Escapes,
    /// The bytes are neither UTF-8 nor plain lines in another encoding.
    #[error("is not UTF-8 and contains control characters")]
    Controls,
}

/// The reason why a changed text cannot be written in the encoding of its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unwritable {
    /// The encoding lacks the character, or decodes its bytes to another one.
    #[error(
        "`{character}` (U+{:04X}) cannot be written in its encoding, {encoding}",
        u32::from(*character)
    )]
    Lacking {
        /// The first such character.
        character: char,
        /// The name of the encoding.
        encoding: &'static str,
    },
    /// A line beyond ASCII was added, changed, moved or removed in a file of unknown encoding.
    #[error(
        "line {line} is not ASCII and the file does not declare its encoding, so only ASCII lines can change"
    )]
    FixedLine {
        /// The number of the line, from 1: in the new text, or in the old one if the line is missing.
        line: usize,
    },
    /// The new text does not declare the encoding that the old one declared.
    #[error("its declaration of {encoding} would change, and with it the meaning of its bytes")]
    Redeclared {
        /// The name of the declared encoding.
        encoding: &'static str,
    },
}

/// Decodes the bytes of a file, so that encoding the text again returns the same bytes.
///
/// # Errors
///
/// Fails for binary files, broken UTF-16, ISO-2022 escapes, and files that are not UTF-8 and contain control characters.
///
/// # Examples
///
/// ```
/// use papayu_base::text::encoding::{Unwritable, decode};
///
/// let file = decode(b"# caf\xe9\nx = 1\n")?;
/// assert_eq!(file.text, "# caf\u{fffd}\nx = 1\n");
/// // The encoding is unknown: ASCII lines change, all other bytes stay.
/// let edited = file.encoding.encode("# caf\u{fffd}\nx = 2\n");
/// assert_eq!(edited, Ok(b"# caf\xe9\nx = 2\n".to_vec()));
/// let refused = file.encoding.encode("# cafe\nx = 1\n");
/// assert_eq!(refused, Err(Unwritable::FixedLine { line: 1 }));
/// # Ok::<(), papayu_base::text::encoding::NotText>(())
/// ```
pub fn decode(bytes: &[u8]) -> Result<Decoded, NotText> {
    match bytes {
        [0xff, 0xfe, rest @ ..] => decode_utf16(rest, EncodingForm::Utf16Le),
        [0xfe, 0xff, rest @ ..] => decode_utf16(rest, EncodingForm::Utf16Be),
        [0xef, 0xbb, 0xbf, rest @ ..] => decode_utf8(rest, true),
        _ if bytes.is_ascii() => decode_ascii(bytes),
        _ => decode_utf8(bytes, false),
    }
}

/// Returns the text of a file for display, with U+FFFD for bytes that are not text.
pub fn shown(bytes: &[u8]) -> Cow<'_, str> {
    decode(bytes).map_or_else(|_| String::from_utf8_lossy(bytes), |decoded| decoded.text.into())
}

impl Encoding {
    /// Returns the common name, such as `UTF-8` or `windows-1251`; `ASCII` if only ASCII lines can change.
    pub fn name(&self) -> &'static str {
        match &self.form {
            EncodingForm::Utf8 => "UTF-8",
            EncodingForm::Utf16Le => "UTF-16LE",
            EncodingForm::Utf16Be => "UTF-16BE",
            EncodingForm::Legacy(legacy) => legacy.declared.encoding.name(),
            EncodingForm::AsciiLines(_) => "ASCII",
        }
    }

    /// Returns `true` if the file begins with a byte order mark.
    pub fn has_mark(&self) -> bool {
        self.mark
    }

    /// Returns the bytes of a text, after the byte order mark of the file if it has one.
    ///
    /// # Errors
    ///
    /// Fails if the encoding lacks a character, if a line of unknown encoding changed, or if the text declares another
    /// encoding than the file did.
    pub fn encode(&self, text: &str) -> Result<Vec<u8>, Unwritable> {
        let mark = if self.mark { MARK.to_string() } else { String::new() };
        let units = mark.encode_utf16().chain(text.encode_utf16());
        match &self.form {
            EncodingForm::Utf8 => Ok((mark + text).into_bytes()),
            EncodingForm::Utf16Le => Ok(units.flat_map(u16::to_le_bytes).collect()),
            EncodingForm::Utf16Be => Ok(units.flat_map(u16::to_be_bytes).collect()),
            EncodingForm::Legacy(legacy) => legacy.encode(text),
            EncodingForm::AsciiLines(fixed) => encode_lines(mark.into_bytes(), fixed, text),
        }
    }
}

impl LegacyText {
    /// Decodes bytes; `None` if they do not agree with the encoding or would be written differently.
    fn decode(declared: LegacyEncoding, bytes: &[u8]) -> Option<Self> {
        let text = declared.encoding.decode_without_bom_handling_and_without_replacement(bytes)?;
        let known = text.chars().filter(|c| !c.is_ascii()).collect();
        let read = Self { declared, known };
        // Some multi-byte encodings have two byte sequences for one character and write only one of them.
        let is_same = || read.encode(&text).is_ok_and(|again| again == bytes);
        (is_source_text(&text) && is_same()).then_some(read)
    }

    /// Encodes a text; new characters must be exact in the declared encoding.
    fn encode(&self, text: &str) -> Result<Vec<u8>, Unwritable> {
        let encoding = self.declared.encoding;
        let lacking = |character| Unwritable::Lacking { character, encoding: encoding.name() };
        let mut new = text.chars().filter(|c| !c.is_ascii() && !self.known.contains(c));
        if let Some(character) = new.find(|c| !self.declared.can_write(*c)) {
            return Err(lacking(character));
        }
        if text.is_ascii() {
            return Ok(text.as_bytes().to_vec());
        }
        let (bytes, _, _) = encoding.encode(text);
        // The yen sign of Shift_JIS, for example, would come back as a backslash.
        let again = encoding.decode_without_bom_handling_and_without_replacement(&bytes);
        if again.as_deref() != Some(text) {
            let character = text.chars().find(|c| !c.is_ascii()).unwrap_or(MARK);
            return Err(lacking(character));
        }
        if declared::find_declaration(&bytes) != Some(DeclaredEncoding::Legacy(self.declared)) {
            return Err(Unwritable::Redeclared { encoding: encoding.name() });
        }
        Ok(bytes.into_owned())
    }
}

/// Appends the text to `out`, each line beyond ASCII with the bytes that it has in the file.
fn encode_lines(mut out: Vec<u8>, fixed: &[FixedLine], text: &str) -> Result<Vec<u8>, Unwritable> {
    let mut fixed = fixed.iter();
    for (index, line) in text.split_inclusive('\n').enumerate() {
        if line.is_ascii() {
            out.extend_from_slice(line.as_bytes());
            continue;
        }
        let content = line.trim_end_matches(['\r', '\n']);
        match fixed.next().filter(|fixed| fixed.shown == content) {
            Some(fixed) => out.extend_from_slice(&fixed.bytes),
            None => return Err(Unwritable::FixedLine { line: index + 1 }),
        }
        out.extend_from_slice(line.get(content.len()..).unwrap_or_default().as_bytes());
    }
    match fixed.next() {
        Some(lost) => Err(Unwritable::FixedLine { line: lost.number }),
        None => Ok(out),
    }
}

/// Decodes ASCII bytes; the declaration of the file decides which characters can be added.
fn decode_ascii(bytes: &[u8]) -> Result<Decoded, NotText> {
    if bytes.contains(&0) {
        return Err(NotText::Binary);
    }
    if bytes.windows(2).any(|pair| pair == b"\x1b$") {
        return Err(NotText::Escapes);
    }
    let form = match declared::find_declaration(bytes) {
        None => EncodingForm::Utf8,
        Some(DeclaredEncoding::Ascii) => EncodingForm::AsciiLines(Vec::new()),
        Some(DeclaredEncoding::Legacy(declared)) => {
            EncodingForm::Legacy(LegacyText { declared, known: BTreeSet::new() })
        }
    };
    let text = String::from_utf8_lossy(bytes).into_owned();
    Ok(Decoded { text, encoding: Encoding { form, mark: false } })
}

/// Decodes UTF-8; other bytes are tried as the declared encoding.
fn decode_utf8(bytes: &[u8], mark: bool) -> Result<Decoded, NotText> {
    if bytes.contains(&0) {
        return Err(NotText::Binary);
    }
    match str::from_utf8(bytes) {
        Ok(text) => {
            let encoding = Encoding { form: EncodingForm::Utf8, mark };
            Ok(Decoded { text: text.to_owned(), encoding })
        }
        Err(_) => decode_legacy(bytes, mark),
    }
}

/// Decodes the bytes after a UTF-16 byte order mark.
fn decode_utf16(bytes: &[u8], form: EncodingForm) -> Result<Decoded, NotText> {
    let (pairs, rest) = bytes.as_chunks::<2>();
    let unit = |pair: &[u8; 2]| match form {
        EncodingForm::Utf16Be => u16::from_be_bytes(*pair),
        _ => u16::from_le_bytes(*pair),
    };
    let text: Result<String, _> = char::decode_utf16(pairs.iter().map(unit)).collect();
    match text {
        Ok(text) if rest.is_empty() && is_source_text(&text) => {
            Ok(Decoded { text, encoding: Encoding { form, mark: true } })
        }
        _ => Err(NotText::BrokenUtf16),
    }
}

/// Decodes bytes that are not UTF-8: in the declared encoding if they agree with it, else line by line.
fn decode_legacy(bytes: &[u8], mark: bool) -> Result<Decoded, NotText> {
    if let Some(DeclaredEncoding::Legacy(declared)) = declared::find_declaration(bytes)
        && !mark
        && !declared.has_control(bytes)
        // A damaged UTF-8 file can declare `latin1` too: that reading would be nonsense.
        && !is_mostly_utf8(bytes)
        && let Some(legacy) = LegacyText::decode(declared, bytes)
        && let Some(text) =
            declared.encoding.decode_without_bom_handling_and_without_replacement(bytes)
    {
        let encoding = Encoding { form: EncodingForm::Legacy(legacy), mark };
        return Ok(Decoded { text: text.into_owned(), encoding });
    }
    if bytes.iter().any(|byte| byte.is_ascii_control() && !b"\t\n\r\x0c".contains(byte)) {
        return Err(NotText::Controls);
    }
    let mut fixed = Vec::new();
    for (index, line) in bytes.split(|byte| *byte == b'\n').enumerate() {
        if !line.is_ascii() {
            // Any number of carriage returns belongs to the line's ending, as in `encode_lines`.
            let end = line.iter().rposition(|byte| *byte != b'\r').map_or(0, |last| last + 1);
            let bytes = line.get(..end).unwrap_or(line);
            let shown = String::from_utf8_lossy(bytes).into_owned();
            fixed.push(FixedLine { number: index + 1, shown, bytes: bytes.to_vec() });
        }
    }
    let text = String::from_utf8_lossy(bytes).into_owned();
    Ok(Decoded { text, encoding: Encoding { form: EncodingForm::AsciiLines(fixed), mark } })
}

/// Returns `true` if a text has only characters of source text: no controls except blanks and line ends, nothing
/// replaced, private or never assigned.
fn is_source_text(text: &str) -> bool {
    !text.chars().any(|c| match c {
        '\t' | '\n' | '\r' | '\u{c}' => false,
        '\u{fffd}' | '\u{e000}'..='\u{f8ff}' | '\u{f0000}'.. => true,
        c => c.is_control() || u32::from(c) & 0xfffe == 0xfffe,
    })
}

/// Returns `true` if more than half of the bytes beyond ASCII are valid UTF-8.
fn is_mostly_utf8(bytes: &[u8]) -> bool {
    let beyond = bytes.iter().filter(|byte| !byte.is_ascii()).count();
    let chunks = bytes.utf8_chunks();
    let valid: usize =
        chunks.map(|chunk| chunk.valid().bytes().filter(|byte| !byte.is_ascii()).count()).sum();
    valid * 2 > beyond
}
