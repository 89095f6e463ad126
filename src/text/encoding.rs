//! Bytes as text and back to the same bytes: UTF-8, UTF-16 with a mark, and older encodings where there is no doubt
//! or the file declares them.
//!
//! What is shown to a model is the text; what is written is in the file's own encoding, with the byte
//! order mark it had. Whatever cannot be written back byte for byte is no text here, and a character
//! that the file's encoding lacks is an error, never a `?` or an entity.

mod certainty;
mod declared;
mod words;

#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::collections::BTreeSet;

use encoding_rs::{EncoderResult, ISO_2022_JP};

use self::declared::Declared;

/// The byte order mark as a character. It is no part of [`Decoded::text`].
pub const MARK: char = '\u{feff}';

/// A file's text, and how it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decoded {
    /// The text, without a byte order mark.
    pub text: String,
    /// How the file holds it.
    pub encoding: Encoding,
}

/// How a file holds its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Encoding {
    form: Form,
    /// Whether the file begins with a byte order mark.
    mark: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Form {
    Utf8,
    Utf16Le,
    Utf16Be,
    Legacy(Legacy),
    /// ASCII in a file that declares this encoding, in which nothing else can be written here.
    Ascii(&'static str),
}

/// An encoding that was found out from the text itself, or that the text declares.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Legacy {
    encoding: &'static encoding_rs::Encoding,
    /// Other encodings that the same bytes could be in: they read the file alike, but not all that
    /// may be written into it.
    others: Vec<&'static encoding_rs::Encoding>,
    /// The characters beyond ASCII that the file holds; their bytes are known from it.
    known: BTreeSet<char>,
    /// What the file says of itself, where that is what makes it certain.
    declared: Option<Declared>,
}

/// Why bytes are no text that can be written back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotText {
    /// NUL, outside UTF-16.
    #[error("is binary: it holds NUL")]
    Binary,
    /// A byte order mark before what is not UTF-16.
    #[error("begins as UTF-16 does but is not UTF-16 text")]
    BrokenUtf16,
    /// Escapes as in ISO-2022, which change what ASCII means, and not its Japanese form.
    #[error(
        "holds escapes that change what the characters after them mean, and which is not certain"
    )]
    Escapes,
    /// Neither UTF-8 nor surely anything else.
    #[error("is not UTF-8, and which other encoding it is in is not certain")]
    Uncertain,
}

/// A character that cannot be written in a file's encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unwritable {
    /// The encoding has not that character, or would be read back as another one.
    #[error(
        "`{character}` (U+{:04X}) cannot be written in its encoding, {encoding}",
        u32::from(*character)
    )]
    Lacking {
        /// The first such character.
        character: char,
        /// The encoding's name.
        encoding: &'static str,
    },
    /// The encodings that the file may be in write it otherwise.
    #[error(
        "it is open which encoding it is in, {encoding} or one like it, and how `{character}` (U+{:04X}) \
         is written there",
        u32::from(*character)
    )]
    Open {
        /// The first such character.
        character: char,
        /// The likeliest encoding's name.
        encoding: &'static str,
    },
    /// The new text does not declare the encoding that the old one did.
    #[error("its declaration of {encoding} would change, and with it how the file is read")]
    Redeclared {
        /// The declared encoding's name.
        encoding: &'static str,
    },
}

/// Returns the text of a file, where writing it back gives the same bytes.
pub fn decode(bytes: &[u8]) -> Result<Decoded, NotText> {
    let decoded = match bytes {
        [0xff, 0xfe, rest @ ..] => utf16(rest, Form::Utf16Le),
        [0xfe, 0xff, rest @ ..] => utf16(rest, Form::Utf16Be),
        [0xef, 0xbb, 0xbf, rest @ ..] => utf8(rest, true).unwrap_or(Err(NotText::Uncertain)),
        // Pure ASCII to look at, but with escapes that change what the bytes after them mean.
        _ if bytes.is_ascii() && bytes.windows(2).any(|pair| pair == b"\x1b$") => escaped(bytes),
        _ if bytes.is_ascii() && !bytes.contains(&0) => Ok(ascii(bytes)),
        _ => utf8(bytes, false).unwrap_or_else(|| legacy(bytes)),
    }?;
    match decoded.encoding.encode(&decoded.text) {
        Ok(again) if again == bytes => Ok(decoded),
        _ => Err(NotText::Uncertain),
    }
}

/// Returns the text of a file as people see it, odd bytes replaced where it is none.
pub fn shown(bytes: &[u8]) -> Cow<'_, str> {
    decode(bytes).map_or_else(|_| String::from_utf8_lossy(bytes), |decoded| decoded.text.into())
}

impl Encoding {
    /// Returns the name by which people know it.
    pub fn name(&self) -> &'static str {
        match &self.form {
            Form::Utf8 => "UTF-8",
            Form::Utf16Le => "UTF-16LE",
            Form::Utf16Be => "UTF-16BE",
            Form::Legacy(legacy) => legacy.encoding.name(),
            Form::Ascii(_) => "ASCII",
        }
    }

    /// Tells whether the file begins with a byte order mark.
    pub fn has_mark(&self) -> bool {
        self.mark
    }

    /// Returns the bytes of a text without a mark, the file's own mark before them. Fails with the
    /// first character that the encoding lacks or would write as another one.
    pub fn encode(&self, text: &str) -> Result<Vec<u8>, Unwritable> {
        let mark = if self.mark { MARK.to_string() } else { String::new() };
        let units = mark.encode_utf16().chain(text.encode_utf16());
        match &self.form {
            Form::Utf8 => Ok((mark + text).into_bytes()),
            Form::Utf16Le => Ok(units.flat_map(u16::to_le_bytes).collect()),
            Form::Utf16Be => Ok(units.flat_map(u16::to_be_bytes).collect()),
            Form::Legacy(legacy) => legacy.encode(text),
            Form::Ascii(encoding) => match text.chars().find(|c| !c.is_ascii()) {
                Some(character) => Err(Unwritable::Lacking { character, encoding }),
                None => Ok(text.as_bytes().to_vec()),
            },
        }
    }
}

impl Legacy {
    fn encode(&self, text: &str) -> Result<Vec<u8>, Unwritable> {
        let encoding = self.encoding.name();
        let lacking = |character| Unwritable::Lacking { character, encoding };
        let mut new = BTreeSet::new();
        for character in text.chars() {
            if character.is_ascii() || self.known.contains(&character) || !new.insert(character) {
                continue;
            }
            let bytes = in_bytes(self.encoding, character)
                .filter(|bytes| !is_control(self.declared, bytes))
                .ok_or(lacking(character))?;
            let alike = |other: &&'static _| in_bytes(other, character).as_ref() == Some(&bytes);
            if !self.others.iter().all(alike) {
                return Err(Unwritable::Open { character, encoding });
            }
        }
        let out = write(self.encoding, text).map_err(lacking)?;
        // Nobody reads the new bytes as they are meant when they say something else of themselves.
        if self.declared.is_some() && !text.is_ascii() && declared::find(&out) != self.declared {
            return Err(Unwritable::Redeclared { encoding });
        }
        Ok(out)
    }
}

/// Tells whether bytes hold what is a control character in the declared encoding.
fn is_control(declared: Option<Declared>, bytes: &[u8]) -> bool {
    matches!(declared, Some(Declared::Known { controls: true, .. }))
        && bytes.iter().any(|byte| (0x80..0xa0).contains(byte))
}

/// Text that is the same in nearly every encoding; what may come into it is what it declares.
fn ascii(bytes: &[u8]) -> Decoded {
    let text = String::from_utf8_lossy(bytes).into_owned();
    match declared::find(bytes) {
        None => Decoded { text, encoding: Encoding { form: Form::Utf8, mark: false } },
        Some(Declared::Other(name)) => {
            Decoded { text, encoding: Encoding { form: Form::Ascii(name), mark: false } }
        }
        Some(known @ Declared::Known { encoding, .. }) => as_declared(text, encoding, known),
    }
}

fn as_declared(
    text: String,
    encoding: &'static encoding_rs::Encoding,
    declared: Declared,
) -> Decoded {
    let mut decoded = decoded(text, encoding, Vec::new());
    if let Form::Legacy(legacy) = &mut decoded.encoding.form {
        legacy.declared = Some(declared);
    }
    decoded
}

/// `None` when the bytes are not UTF-8.
fn utf8(bytes: &[u8], mark: bool) -> Option<Result<Decoded, NotText>> {
    let text = std::str::from_utf8(bytes).ok()?.to_owned();
    let encoding = Encoding { form: Form::Utf8, mark };
    Some(if text.contains('\0') { Err(NotText::Binary) } else { Ok(Decoded { text, encoding }) })
}

fn utf16(bytes: &[u8], form: Form) -> Result<Decoded, NotText> {
    let (pairs, rest) = bytes.as_chunks::<2>();
    let unit = |pair: &[u8; 2]| match form {
        Form::Utf16Be => u16::from_be_bytes(*pair),
        _ => u16::from_le_bytes(*pair),
    };
    let text: Result<String, _> = char::decode_utf16(pairs.iter().map(unit)).collect();
    match text {
        Ok(text) if rest.is_empty() && certainty::is_clean(&text) => {
            Ok(Decoded { text, encoding: Encoding { form, mark: true } })
        }
        _ => Err(NotText::BrokenUtf16),
    }
}

/// ISO-2022 says with escapes which characters follow; only its Japanese form is known here.
fn escaped(bytes: &[u8]) -> Result<Decoded, NotText> {
    let text = read(ISO_2022_JP, bytes).ok_or(NotText::Escapes)?;
    Ok(decoded(text, ISO_2022_JP, Vec::new()))
}

fn legacy(bytes: &[u8]) -> Result<Decoded, NotText> {
    if bytes.contains(&0) {
        return Err(NotText::Binary);
    }
    let said = declared::find(bytes);
    if let Some(known @ Declared::Known { encoding, .. }) = said
        && !is_control(said, bytes)
        && !certainty::is_damaged_utf8(bytes)
        && let Some(text) = read(encoding, bytes)
    {
        return Ok(as_declared(text, encoding, known));
    }
    let sure = certainty::find(bytes).ok_or(NotText::Uncertain)?;
    Ok(decoded(sure.text, sure.encoding, sure.others))
}

fn decoded(
    text: String,
    encoding: &'static encoding_rs::Encoding,
    others: Vec<&'static encoding_rs::Encoding>,
) -> Decoded {
    let known = text.chars().filter(|c| !c.is_ascii()).collect();
    let form = Form::Legacy(Legacy { encoding, others, known, declared: None });
    Decoded { text, encoding: Encoding { form, mark: false } }
}

/// Returns the text that the bytes are in an encoding; `None` when they are not in it, hold what no
/// source text holds, or would be written back otherwise.
fn read(encoding: &'static encoding_rs::Encoding, bytes: &[u8]) -> Option<String> {
    let text = encoding.decode_without_bom_handling_and_without_replacement(bytes)?.into_owned();
    let is_same = || write(encoding, &text).is_ok_and(|again| again == bytes);
    (certainty::is_clean(&text) && is_same()).then_some(text)
}

/// Writes a text; the error is the first character that would not be read back.
fn write(encoding: &'static encoding_rs::Encoding, text: &str) -> Result<Vec<u8>, char> {
    let mut out = Vec::with_capacity(text.len());
    // Line by line, so that the escapes of one line never depend on another, changed one.
    let stateful = encoding == ISO_2022_JP;
    for part in if stateful { text.split_inclusive('\n').collect() } else { vec![text] } {
        push(encoding, part, &mut out)?;
    }
    let again = encoding.decode_without_bom_handling_and_without_replacement(&out);
    if again.as_deref() == Some(text) {
        return Ok(out);
    }
    // A yen sign would come back as a backslash, say.
    let lost = text.chars().find(|c| in_bytes(encoding, *c).is_none());
    Err(lost.or_else(|| text.chars().find(|c| !c.is_ascii())).unwrap_or(MARK))
}

fn push(
    encoding: &'static encoding_rs::Encoding,
    text: &str,
    out: &mut Vec<u8>,
) -> Result<(), char> {
    let mut encoder = encoding.new_encoder();
    let mut rest = text;
    let mut room = [0; 4096];
    loop {
        let (result, read, written) =
            encoder.encode_from_utf8_without_replacement(rest, &mut room, true);
        out.extend_from_slice(room.get(..written).unwrap_or_default());
        match result {
            EncoderResult::InputEmpty => return Ok(()),
            EncoderResult::OutputFull => rest = rest.get(read..).unwrap_or_default(),
            EncoderResult::Unmappable(character) => return Err(character),
        }
    }
}

/// Returns the bytes of one character, if they are read back as that character.
fn in_bytes(encoding: &'static encoding_rs::Encoding, character: char) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    push(encoding, character.encode_utf8(&mut [0; 4]), &mut bytes).ok()?;
    let again = encoding.decode_without_bom_handling_and_without_replacement(&bytes)?;
    again.chars().eq([character]).then_some(bytes)
}
