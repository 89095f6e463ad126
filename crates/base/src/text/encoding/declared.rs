//! Finds the encoding that a file declares: Python's coding comment, XML's `encoding`, HTML's `charset`.

use encoding_rs::{
    Encoding, IBM866, ISO_8859_2, ISO_8859_4, ISO_8859_5, ISO_8859_7, ISO_8859_13, ISO_8859_15,
    ISO_8859_16, KOI8_R, MACINTOSH, UTF_8, WINDOWS_1250, WINDOWS_1251, WINDOWS_1252, WINDOWS_1253,
    WINDOWS_1254, WINDOWS_1255, WINDOWS_1256, WINDOWS_1257, WINDOWS_1258, X_MAC_CYRILLIC,
};

/// The encoding that a file declares, if that is not UTF-8.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DeclaredEncoding {
    Ascii,
    Legacy(LegacyEncoding),
}

/// A declared encoding and the bytes that may be written in it.
/// Writing back is the hard part: every byte that is not changed must remain as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LegacyEncoding {
    /// The WHATWG encoding of that label, which can contain more than the declared one.
    pub(super) encoding: &'static Encoding,
    /// `true` if the bytes from 0x80 to 0x9F are control characters in the declared encoding.
    controls: bool,
    /// `true` if both encodings agree on every other byte, so that new characters can be written.
    is_complete: bool,
}

impl LegacyEncoding {
    /// Returns `true` if bytes contain a control character of the declared encoding.
    pub(super) fn has_control(self, bytes: &[u8]) -> bool {
        self.controls && bytes.iter().any(|byte| (0x80..0xa0).contains(byte))
    }

    /// Returns `true` if a character that the file does not contain yet can be written and read back.
    /// The control characters of ISO encodings are printable in the WHATWG encoding of the same
    /// label.
    pub(super) fn can_write(self, character: char) -> bool {
        let mut buffer = [0; 4];
        let text: &str = character.encode_utf8(&mut buffer);
        // Encoded and decoded again, because some encodings map two characters to one byte.
        let (bytes, _, has_unmappable) = self.encoding.encode(text);
        let again = self.encoding.decode_without_bom_handling_and_without_replacement(&bytes);
        let is_same = again.as_deref() == Some(text);
        self.is_complete && !has_unmappable && is_same && !self.has_control(&bytes)
    }
}

/// The declaration must be in this many bytes, as HTML requires.
const HEAD: usize = 1024;

/// Single-byte encodings that `encoding_rs` implements exactly: the name without punctuation, the encoding, and `true`
/// if the bytes from 0x80 to 0x9F are control characters.
// Both names of each encoding, as Python and the Web spell them.
const KNOWN: [(&str, &Encoding, bool); 32] = [
    ("cp1250", WINDOWS_1250, false),
    ("cp1251", WINDOWS_1251, false),
    ("cp1252", WINDOWS_1252, false),
    ("cp1253", WINDOWS_1253, false),
    ("cp1254", WINDOWS_1254, false),
    ("cp1255", WINDOWS_1255, false),
    ("cp1256", WINDOWS_1256, false),
    ("cp1257", WINDOWS_1257, false),
    ("cp1258", WINDOWS_1258, false),
    ("windows1250", WINDOWS_1250, false),
    ("windows1251", WINDOWS_1251, false),
    ("windows1252", WINDOWS_1252, false),
    ("windows1253", WINDOWS_1253, false),
    ("windows1254", WINDOWS_1254, false),
    ("windows1255", WINDOWS_1255, false),
    ("windows1256", WINDOWS_1256, false),
    ("windows1257", WINDOWS_1257, false),
    ("windows1258", WINDOWS_1258, false),
    ("latin1", WINDOWS_1252, true),
    ("iso88591", WINDOWS_1252, true),
    ("iso88592", ISO_8859_2, true),
    ("iso88594", ISO_8859_4, true),
    ("iso88595", ISO_8859_5, true),
    ("iso88597", ISO_8859_7, true),
    ("iso88599", WINDOWS_1254, true),
    ("iso885913", ISO_8859_13, true),
    ("iso885915", ISO_8859_15, true),
    ("iso885916", ISO_8859_16, true),
    ("koi8r", KOI8_R, false),
    ("cp866", IBM866, false),
    ("macroman", MACINTOSH, false),
    ("maccyrillic", X_MAC_CYRILLIC, false),
];

/// Returns the declared encoding; `None` for UTF-8, for no declaration and for an unknown name.
/// XML's declaration comes first, then Python's comment, then HTML's tag.
pub(super) fn find_declaration(bytes: &[u8]) -> Option<DeclaredEncoding> {
    let head = bytes.get(..HEAD).unwrap_or(bytes);
    // Names are ASCII in every encoding that is decided by a declaration.
    let head: String = head.iter().map(|byte| char::from(*byte).to_ascii_lowercase()).collect();
    let label = xml_encoding(&head).or_else(|| comment_encoding(&head));
    encoding_of_label(label.or_else(|| meta_charset(&head))?)
}

/// Returns the encoding of a label in lower case; spellings differ in punctuation.
fn encoding_of_label(label: &str) -> Option<DeclaredEncoding> {
    // `ISO-8859-1`, `iso_8859_1` and `iso88591` are one name.
    let plain: String = label.chars().filter(char::is_ascii_alphanumeric).collect();
    if let Some((_, encoding, controls)) = KNOWN.iter().find(|(name, ..)| *name == plain) {
        let (controls, is_complete) = (*controls, true);
        return Some(DeclaredEncoding::Legacy(LegacyEncoding { encoding, controls, is_complete }));
    }
    // The WHATWG label means windows-1252.
    if ["ascii", "usascii"].contains(&plain.as_str()) {
        return Some(DeclaredEncoding::Ascii);
    }
    // Other encodings, several bytes wide among them, can be read but not extended.
    let hyphened = label.replace('_', "-");
    let encoding = [label, &hyphened, &plain]
        .iter()
        .find_map(|name| Encoding::for_label(name.as_bytes()))
        .filter(|encoding| *encoding != UTF_8)?;
    let (controls, is_complete) = (false, false);
    Some(DeclaredEncoding::Legacy(LegacyEncoding { encoding, controls, is_complete }))
}

/// Python's rule (PEP 263), which editors share: a comment in one of the first two lines.
fn comment_encoding(head: &str) -> Option<&str> {
    head.lines().take(2).find_map(|line| {
        // A form feed may precede the comment (PEP 263).
        let comment = line.trim_start_matches([' ', '\t', '\u{c}']).strip_prefix('#')?;
        comment.match_indices("coding").find_map(|(at, word)| {
            let rest = comment.get(at + word.len()..)?.strip_prefix([':', '='])?;
            leading_name(rest.trim_start_matches([' ', '\t']))
        })
    })
}

/// Returns the label in `<?xml version="1.0" encoding="…"?>`.
fn xml_encoding(head: &str) -> Option<&str> {
    let (declaration, _) = head.strip_prefix("<?xml")?.split_once("?>")?;
    // The version attribute comes before the encoding.
    attribute_value(declaration.split_once("encoding")?.1)
}

/// Only text that begins with a tag is HTML: in other files the tag is part of a string.
fn meta_charset(head: &str) -> Option<&str> {
    let html = Some(head.trim_start()).filter(|head| head.starts_with('<'))?;
    html.split("<meta").skip(1).find_map(|tag| {
        // `<meta charset=…>` and `<meta http-equiv=… content="…; charset=…">`.
        let tag = tag.split('>').next().unwrap_or_default();
        attribute_value(tag.split_once("charset")?.1)
    })
}

/// Returns the name after `=`, with or without quotes.
fn attribute_value(text: &str) -> Option<&str> {
    let value = text.trim_start().strip_prefix('=')?.trim_start();
    leading_name(value.trim_start_matches(['"', '\'']))
}

/// Returns the label at the start of the text.
fn leading_name(text: &str) -> Option<&str> {
    // The characters that labels have in the registry of IANA.
    let is_part = |c: char| c.is_ascii_alphanumeric() || "-_.:".contains(c);
    let end = text.find(|c| !is_part(c)).unwrap_or(text.len());
    text.get(..end).filter(|name| !name.is_empty())
}
