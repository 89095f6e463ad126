//! Reads what is assigned to a name, in the syntaxes of settings, sources, markup and commands.

use std::ops::Range;

use super::value::{self, Reader};

/// The name of a setting, a variable, an element or an option.
#[derive(Clone, Debug)]
pub(super) struct Name {
    pub(super) place: Range<usize>,
    /// It begins with a dash.
    pub(super) is_option: bool,
}

/// The way in which a value is written. A word after `: ` may be a type, a quoted one is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ValueStyle {
    /// In quotes.
    Quoted,
    /// Directly after `=`.
    Bare,
    /// After `=` and a blank.
    Spaced,
    /// After a colon, with more in the line.
    Colon,
    /// The rest of a line that begins with the name, or a block below it.
    Line,
    /// Between two tags.
    Element,
    /// After a blank, as in commands.
    Word,
    /// The same in quotes.
    QuotedWord,
}

/// A value that is assigned.
#[derive(Clone, Debug)]
pub(super) struct AssignedValue {
    pub(super) place: Range<usize>,
    pub(super) style: ValueStyle,
}

/// Longer names are not read to their start.
const MAX_NAME: usize = 64;

/// The most bytes between a name and its value.
const MAX_BETWEEN: usize = 160;

/// The signs of an assignment or a comparison.
const OPERATORS: [&str; 18] = [
    "=", ":", ":=", "=>", "->", "==", "===", "!=", "!==", "||=", "??=", "?=", "+=", ".=", "::=",
    ":-", "<<<", "~>",
];

/// Commands that set the variable of the next word to the word after it.
const SETTERS: [&str; 12] =
    ["set", "-x", "-gx", "-Ux", "-U", "-g", "setx", "/M", "setenv", "ENV", "ARG", "put"];

/// Returns `true` for the characters of names.
fn is_of_name(c: char) -> bool {
    matches!(c, 'a'..='z' | 'A'..='Z' | '0'..='9' | '_' | '.' | '-')
        || !c.is_ascii() && c.is_alphanumeric()
}

/// Returns the name around a cue.
pub(super) fn name_at(text: &str, cue: &Range<usize>) -> Name {
    let bytes = text.as_bytes();
    let after = text.get(cue.end..text.floor_char_boundary(cue.end + MAX_NAME)).unwrap_or_default();
    let end = cue.end + after.find(|c| !is_of_name(c)).unwrap_or(after.len());
    let end =
        cue.end + text.get(cue.end..end).unwrap_or_default().trim_end_matches(['.', '-']).len();
    let before = text.ceil_char_boundary(cue.start.saturating_sub(MAX_NAME))..cue.start;
    let first = text
        .get(before.clone())
        .and_then(|before| before.char_indices().rfind(|at| !is_of_name(at.1)));
    let mut start = first.map_or(before.start, |(at, c)| before.start + at + c.len_utf8());
    // The letter of an escape such as `\n`.
    if start > 0
        && bytes.get(start - 1) == Some(&b'\\')
        && bytes.get(start).is_some_and(|byte| b"nrt".contains(byte))
    {
        start = cue.start.min(start + 1);
    }
    let dashes = bytes.get(start..cue.start).unwrap_or_default();
    let dashes = dashes.iter().take_while(|byte| matches!(byte, b'-' | b'.')).count();
    let is_option = bytes.get(start) == Some(&b'-');
    Name { place: start + dashes..end, is_option }
}

/// The text after a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Follows {
    /// A sign that may be one of an assignment.
    Sign,
    /// A blank and a word, which is a value only in commands.
    Word,
}

/// Returns what follows a name that goes on with this text, if a value can be assigned there. Most words of a text are no such names.
pub(super) fn may_be_assigned(rest: &[u8]) -> Option<Follows> {
    let name = rest.iter().take(MAX_NAME).take_while(|byte| is_of_name(char::from(**byte))).count();
    let rest = rest.get(name..)?;
    let closers = rest.iter().take(8).take_while(|byte| b"\\\"'`]".contains(byte)).count();
    let rest = rest.get(closers..).unwrap_or_default();
    let blanks = rest.iter().take(40).take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    let sign = rest.get(blanks)?;
    let next = rest.get(blanks + 1);
    let is_sign = match sign {
        b'=' | b'>' => true,
        b':' => !is_one_of(next, b":") || rest.get(blanks + 2) == Some(&b'='),
        b'<' => blanks == 0 || is_one_of(next, b"<"),
        b',' | b'/' | b'{' => closers > 0,
        b'\n' => begins_pair(rest.get(blanks + 1..).unwrap_or_default()),
        b'-' | b'~' => is_one_of(next, b">="),
        b'?' | b'!' | b'|' | b'+' | b'.' => is_one_of(next, b"=?|"),
        b'(' => blanks == 0 && is_one_of(next, b"\"'"),
        b'[' => is_one_of(next, b"]0123456789"),
        b'"' | b'\'' | b'\\' | b'`' => blanks > 0,
        byte if *byte < 0x80 && (blanks == 0 || !byte.is_ascii_graphic()) => return None,
        byte if *byte >= 0x80 => true,
        // The next attribute, or the key of a value.
        byte if byte.is_ascii_alphabetic() && closers > 0 => true,
        _ => return Some(Follows::Word),
    };
    is_sign.then_some(Follows::Sign)
}

fn is_one_of(byte: Option<&u8>, signs: &[u8]) -> bool {
    byte.is_some_and(|byte| signs.contains(byte))
}

/// Returns `true` if a line may begin with the key of a value, as after `name: password`.
fn begins_pair(line: &[u8]) -> bool {
    let first = line.iter().take(64).find(|byte| !byte.is_ascii_whitespace());
    first.is_some_and(|byte| b"vVdDcCsS<\"'".contains(byte))
}

/// Returns the value that is assigned to a name, of which an unquoted one has at most `most` bytes; `None` without one.
pub(super) fn value_of(text: &str, name: &Name, most: usize) -> Option<AssignedValue> {
    let bytes = text.as_bytes();
    let mut reader = Reader { text, at: name.place.end, most };
    let before = name.place.start.checked_sub(1).and_then(|at| bytes.get(at)).copied();
    if let Some(start) = value::after_tag(text, &name.place) {
        return value::element(text, start)
            .map(|place| AssignedValue { place, style: ValueStyle::Element });
    }
    let closers = reader.skip(b"\\\"'`", 8);
    reader.skip(b"]", 1);
    reader.skip_index();
    let blanks = reader.skip(b" \t", 40);
    let is_quoted = closers > 0 && before.is_some_and(|byte| b"\"'`".contains(&byte));
    if let Some(place) = pair_value(text, reader.at, &name.place) {
        return Some(place);
    }
    match reader.peek() {
        Some(b',') if is_quoted || name.is_option => {
            reader.at += 1;
            reader.skip(b" \t\n", 40);
            reader.quoted().map(|place| AssignedValue { place, style: ValueStyle::Word })
        }
        Some(b'(') => {
            reader.at += 1;
            reader.quoted().map(|place| AssignedValue { place, style: ValueStyle::Spaced })
        }
        Some(b'"' | b'\'' | b'\\' | b'N' | b'`') if blanks > 0 => {
            // Backticks are around code in a sentence.
            let is_code = reader.peek() == Some(b'`');
            let style = if is_code { ValueStyle::Word } else { ValueStyle::QuotedWord };
            reader.quoted().map(|place| AssignedValue { place, style })
        }
        _ => match reader.operator(&OPERATORS) {
            Some(operator) => after_operator(&mut reader, name, operator),
            None if blanks > 0 && is_command(text, name) => {
                reader.skip_operator("=");
                let rest = text.get(reader.at - blanks..).unwrap_or_default();
                reader.at += skipped_number(rest).saturating_sub(blanks);
                reader.word().map(|place| AssignedValue { place, style: ValueStyle::Word })
            }
            None => None,
        },
    }
}

/// Returns the value after the sign of an assignment.
fn after_operator(reader: &mut Reader<'_>, name: &Name, operator: &str) -> Option<AssignedValue> {
    let is_colon = operator == ":";
    let line = line_before(reader.text, name.place.start);
    let is_first = is_line_head(line);
    let blanks = reader.skip(b" \t", 40);
    if reader.skip_tag() {
        reader.skip(b" \t", 40);
    }
    if is_colon
        && is_first
        && let Some(place) = value::block(reader.text, reader.at, line.len())
    {
        return Some(AssignedValue { place, style: ValueStyle::Line });
    }
    reader.skip_line_break();
    if let Some(place) = reader.quoted() {
        return Some(AssignedValue { place, style: ValueStyle::Quoted });
    }
    let place = value::with_next_lines(reader.text, reader.bare()?);
    // A call around a literal.
    if reader.text.get(place.clone()).is_some_and(|value| value.ends_with('(')) {
        return reader.quoted().map(|place| AssignedValue { place, style: ValueStyle::Spaced });
    }
    let mut rest = Reader { at: place.end, ..*reader };
    rest.skip(b" \t&;>]*", 8);
    // `name: Type = value`
    if is_colon && rest.operator(&["=", ":="]).is_some() {
        rest.skip(b" \t", 8);
        let place = rest.quoted().map(|place| (place, ValueStyle::Quoted));
        let place = place.or_else(|| Some((rest.bare()?, ValueStyle::Spaced)));
        return place.map(|(place, style)| AssignedValue { place, style });
    }
    let style = match (is_colon, blanks) {
        (true, _) if is_first && reader.ends_line(place.end) => ValueStyle::Line,
        (true, _) => ValueStyle::Colon,
        (false, 0) => ValueStyle::Bare,
        (false, _) => ValueStyle::Spaced,
    };
    Some(AssignedValue { place, style })
}

/// Returns the part of the line before a place, of at most some hundred bytes.
pub(super) fn line_before(text: &str, at: usize) -> &str {
    let from = text.ceil_char_boundary(at.saturating_sub(256));
    let before = text.get(from..at).unwrap_or_default();
    before.rsplit('\n').next().unwrap_or_default()
}

/// Returns `true` if only indentation, quotes and the marks of lists and comments are before the name.
fn is_line_head(line: &str) -> bool {
    line.bytes().all(|byte| b" \t\"'-#;+>?*|".contains(&byte))
}

/// Returns `true` if the word after the name is its value: of an option, after a command that sets variables, in a line of two words.
pub(super) fn is_command(text: &str, name: &Name) -> bool {
    let rest = text.get(name.place.end..).unwrap_or_default();
    // A number is the encoding of the value.
    if name.is_option || skipped_number(rest) > 0 {
        return true;
    }
    let line = line_before(text, name.place.start);
    let mut words = line.rsplit(|c: char| c.is_ascii_whitespace()).filter(|word| !word.is_empty());
    match words.next() {
        None => {
            let rest = rest.get(..rest.floor_char_boundary(512)).unwrap_or(rest);
            let line = rest.lines().next().unwrap_or_default();
            line.split_whitespace().count() == 1
        }
        Some(word) => {
            SETTERS.contains(&word)
                || words.next().is_some_and(|verb| verb == "login")
                || text.get(name.place.clone()) == Some("requirepass")
        }
    }
}

/// Returns the length of a digit between two blanks, as in `password 7 0822455D0A16`.
fn skipped_number(rest: &str) -> usize {
    let bytes = rest.as_bytes();
    let is_number = matches!(bytes, [b' ', digit, b' ', next, ..] if digit.is_ascii_digit() && (next.is_ascii_alphanumeric() || *next == b'$'));
    if is_number { 3 } else { 0 }
}

/// The keys of the value in a pair that has its name under a key too.
const VALUE_KEYS: [&str; 6] = ["value", "val", "default", "content", "secret_string", "string"];

/// Returns the value of a pair that has its name and its value under keys of their own, such as `name="password" value="x"`; other keys
/// may be in between.
fn pair_value(text: &str, at: usize, name: &Range<usize>) -> Option<AssignedValue> {
    let before = text.get(..name.start)?;
    let opener = before.chars().next_back();
    let is_named = matches!(opener, Some('"' | '\'' | '>' | ':'))
        || before.ends_with(": ")
        || before.ends_with('=');
    if !is_named {
        return None;
    }
    let near = text.get(at..text.floor_char_boundary(at + MAX_BETWEEN))?;
    let mut start = 0;
    // The parts between two signs: the rest of the tag or line of the name, then each other key.
    for part in
        near.split_inclusive([' ', '\t', '\n', ',', ';', '{', '<', '>', '"', '\'', '/', '\\'])
    {
        let done = near.get(..start)?;
        let is_of_other = part.starts_with("name") && start > 0 && !done.ends_with('/');
        if is_of_other || part.contains('}') || done.ends_with("\n- ") {
            return None;
        }
        let local = part.split_once(':').filter(|(space, rest)| is_namespace(space, rest));
        let word = local.map_or(part, |(_, rest)| rest);
        let from = at + start + part.len() - word.len();
        if let Some(value) = value_of_key(text, from) {
            return Some(value);
        }
        start += part.len();
    }
    None
}

/// Returns `true` for the part before the colon of a name such as `android:value`.
fn is_namespace(space: &str, rest: &str) -> bool {
    !space.is_empty()
        && space.bytes().all(|byte| byte.is_ascii_alphanumeric())
        && rest.starts_with(|c: char| c.is_ascii_alphabetic())
}

/// Returns the value after one of [`VALUE_KEYS`].
fn value_of_key(text: &str, at: usize) -> Option<AssignedValue> {
    let word = text.get(at..text.floor_char_boundary(at + 16))?.to_ascii_lowercase();
    let key = VALUE_KEYS.into_iter().find(|key| word.starts_with(key))?;
    let mut reader = Reader { text, at: at + key.len(), most: value::MAX_VALUE };
    if reader.peek() == Some(b'>') {
        return value::element(text, reader.at + 1)
            .map(|place| AssignedValue { place, style: ValueStyle::Element });
    }
    reader.skip(b"\\\"' \t", 8);
    reader.operator(&["=", ":", "=>"])?;
    let blanks = reader.skip(b" \t", 8);
    let quoted = reader.quoted().map(|place| AssignedValue { place, style: ValueStyle::Quoted });
    let style = if blanks > 0 { ValueStyle::Line } else { ValueStyle::Bare };
    quoted.or_else(|| Some(AssignedValue { place: reader.bare()?, style }))
}
