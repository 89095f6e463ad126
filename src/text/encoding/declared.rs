//! What a file says of its own encoding: Python's second line, XML's first, HTML's `<meta>`.

use encoding_rs::{
    Encoding, IBM866, ISO_8859_2, ISO_8859_4, ISO_8859_5, ISO_8859_7, ISO_8859_13, ISO_8859_15,
    ISO_8859_16, KOI8_R, MACINTOSH, UTF_8, WINDOWS_1250, WINDOWS_1251, WINDOWS_1252, WINDOWS_1253,
    WINDOWS_1254, WINDOWS_1255, WINDOWS_1256, WINDOWS_1257, WINDOWS_1258, X_MAC_CYRILLIC,
};

/// What a declaration of an encoding other than UTF-8 allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Declared {
    /// This encoding, whose every byte is known here; `controls` says that the bytes from 0x80 to 0x9F
    /// are control characters in the declared one.
    Known { encoding: &'static Encoding, controls: bool },
    /// Another one, in which only ASCII is surely the same.
    Other(&'static str),
}

/// As far as a declaration in HTML is looked for.
const HEAD: usize = 1024;

/// Names without hyphens and the like, and whether the bytes from 0x80 to 0x9F are control characters.
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

/// Returns what a file declares, unless that is UTF-8 or no encoding that is known by name.
pub(super) fn find(bytes: &[u8]) -> Option<Declared> {
    let head = bytes.get(..HEAD).unwrap_or(bytes);
    // Names are ASCII in every encoding that this is asked for.
    let head: String = head.iter().map(|byte| char::from(*byte).to_ascii_lowercase()).collect();
    let label = in_xml(&head).or_else(|| in_comment(&head)).or_else(|| in_meta(&head))?;
    named(label)
}

fn named(label: &str) -> Option<Declared> {
    let plain: String = label.chars().filter(char::is_ascii_alphanumeric).collect();
    if let Some((_, encoding, controls)) = KNOWN.iter().find(|(name, ..)| *name == plain) {
        return Some(Declared::Known { encoding, controls: *controls });
    }
    let hyphened = label.replace('_', "-");
    match [label, &hyphened, &plain].iter().find_map(|name| Encoding::for_label(name.as_bytes())) {
        Some(encoding) if encoding == UTF_8 => None,
        Some(_) if ["ascii", "usascii"].contains(&plain.as_str()) => Some(Declared::Other("ASCII")),
        Some(encoding) => Some(Declared::Other(encoding.name())),
        None => None,
    }
}

/// Python's rule (PEP 263), which editors share: a comment in one of the first two lines.
fn in_comment(head: &str) -> Option<&str> {
    head.lines().take(2).find_map(|line| {
        let comment = line.trim_start_matches([' ', '\t', '\u{c}']).strip_prefix('#')?;
        comment.match_indices("coding").find_map(|(at, word)| {
            let rest = comment.get(at + word.len()..)?.strip_prefix([':', '='])?;
            name(rest.trim_start_matches([' ', '\t']))
        })
    })
}

fn in_xml(head: &str) -> Option<&str> {
    let (declaration, _) = head.strip_prefix("<?xml")?.split_once("?>")?;
    quoted(declaration.split_once("encoding")?.1)
}

/// Only in what begins as HTML does: in other files it stands in a string.
fn in_meta(head: &str) -> Option<&str> {
    let html = Some(head.trim_start()).filter(|head| head.starts_with('<'))?;
    html.split("<meta").skip(1).find_map(|tag| {
        let tag = tag.split('>').next().unwrap_or_default();
        quoted(tag.split_once("charset")?.1)
    })
}

/// Returns the name after `=`, with or without quotes.
fn quoted(text: &str) -> Option<&str> {
    let value = text.trim_start().strip_prefix('=')?.trim_start();
    name(value.trim_start_matches(['"', '\'']))
}

fn name(text: &str) -> Option<&str> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || "-_.:".contains(c);
    let end = text.find(|c| !is_part(c)).unwrap_or(text.len());
    text.get(..end).filter(|name| !name.is_empty())
}
