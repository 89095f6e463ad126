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

/// How a value is written, which says what it can be: a word after `: ` may be a type, one in quotes is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Style {
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
}

/// A value that is assigned.
#[derive(Clone, Debug)]
pub(super) struct Value {
    pub(super) place: Range<usize>,
    pub(super) style: Style,
}

/// Longer names are not read to their start.
const MAX_NAME: usize = 64;

/// The most bytes between a name and its value.
const MAX_BETWEEN: usize = 96;

/// The signs of an assignment or a comparison.
const OPERATORS: [&str; 18] = [
    "=", ":", ":=", "=>", "->", "==", "===", "!=", "!==", "||=", "??=", "?=", "+=", ".=", "::=", ":-", "<<<", "~>",
];

/// Commands that set the variable of the next word to the word after it.
const SETTERS: [&str; 12] =
    ["set", "-x", "-gx", "-Ux", "-U", "-g", "setx", "/M", "setenv", "ENV", "ARG", "put"];

/// Returns `true` for the bytes of names.
fn is_of_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"_.-".contains(&byte)
}

/// Returns the name around a cue.
pub(super) fn name_at(text: &str, cue: &Range<usize>) -> Name {
    let bytes = text.as_bytes();
    let mut end = cue.end;
    while let Some(c) = text.get(end..).and_then(|rest| rest.chars().next()) {
        if end - cue.end > MAX_NAME || !(c.is_alphanumeric() || matches!(c, '_' | '.' | '-')) {
            break;
        }
        end += c.len_utf8();
    }
    while end > cue.end && matches!(bytes.get(end - 1), Some(b'.' | b'-')) {
        end -= 1;
    }
    let mut start = cue.start;
    while let Some(c) = text.get(..start).and_then(|before| before.chars().next_back()) {
        let is_part = c.is_alphanumeric() || matches!(c, '_' | '.' | '-');
        if cue.start - start > MAX_NAME || !is_part || is_escape(bytes, start) {
            break;
        }
        start -= c.len_utf8();
    }
    let dashes = bytes.get(start..cue.start).unwrap_or_default();
    let dashes = dashes.iter().take_while(|byte| matches!(byte, b'-' | b'.')).count();
    let is_option = bytes.get(start) == Some(&b'-');
    Name { place: start + dashes..end, is_option }
}

/// Returns `true` if the letter before `at` is part of an escape such as `\n`.
fn is_escape(bytes: &[u8], at: usize) -> bool {
    at >= 2
        && bytes.get(at - 2) == Some(&b'\\')
        && bytes.get(at - 1).is_some_and(|byte| b"nrt".contains(byte))
}

/// Returns `true` if a value can be assigned to a name that goes on with this text. Most words of a text are no such names.
pub(super) fn is_assigned(rest: &[u8]) -> bool {
    let name = rest.iter().take(MAX_NAME).take_while(|byte| is_of_name(**byte)).count();
    let Some(rest) = rest.get(name..) else { return false };
    let closers = rest.iter().take(8).take_while(|byte| b"\\\"'`]".contains(byte)).count();
    let rest = rest.get(closers..).unwrap_or_default();
    let blanks = rest.iter().take(40).take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    match rest.get(blanks) {
        Some(b'=' | b':' | b',' | b'>' | b'[' | b'<' | b'/' | b'\n') => true,
        Some(b'"' | b'\'' | b'\\') => blanks > 0,
        Some(b'?' | b'!' | b'|' | b'+' | b'.' | b'-' | b'(' | b'~' | b'{') => true,
        // The word after a name is a value only after few words, which are looked at later.
        Some(byte) => blanks > 0 && !byte.is_ascii_whitespace() || *byte >= 0x80,
        None => false,
    }
}

/// Returns the value that is assigned to a name; `None` without one.
pub(super) fn value_of(text: &str, name: &Name) -> Option<Value> {
    let bytes = text.as_bytes();
    let mut reader = Reader { text, at: name.place.end };
    let before = name.place.start.checked_sub(1).and_then(|at| bytes.get(at)).copied();
    if let Some(start) = value::after_tag(text, &name.place) {
        return value::element(text, start).map(|place| Value { place, style: Style::Element });
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
            reader.quoted().map(|place| Value { place, style: Style::Word })
        }
        Some(b'(') => {
            reader.at += 1;
            reader.quoted().map(|place| Value { place, style: Style::Spaced })
        }
        Some(b'"' | b'\'' | b'\\' | b'N' | b'`') if blanks > 0 && !is_quoted => {
            let quoted = reader.quoted();
            quoted.map(|place| Value { place, style: Style::Word })
        }
        _ => match reader.operator(&OPERATORS) {
            Some(operator) => after_operator(&mut reader, name, operator),
            None if blanks > 0 && is_command(text, name) => {
                reader.skip_operator("=");
                reader.word().map(|place| Value { place, style: Style::Word })
            }
            None => None,
        },
    }
}

/// Returns the value after the sign of an assignment.
fn after_operator(reader: &mut Reader<'_>, name: &Name, operator: &str) -> Option<Value> {
    let is_colon = operator == ":";
    let line = line_before(reader.text, name.place.start);
    let is_first = is_line_head(line);
    let blanks = reader.skip(b" \t", 40);
    if reader.skip_tag() {
        reader.skip(b" \t", 40);
    }
    if is_colon && is_first && let Some(place) = value::block(reader.text, reader.at, line.len()) {
        return Some(Value { place, style: Style::Line });
    }
    reader.skip_line_break();
    if let Some(place) = reader.quoted() {
        return Some(Value { place, style: Style::Quoted });
    }
    let place = reader.bare()?;
    // A call around a literal.
    if reader.text.get(place.clone()).is_some_and(|value| value.ends_with('(')) {
        return reader.quoted().map(|place| Value { place, style: Style::Spaced });
    }
    let mut rest = Reader { text: reader.text, at: place.end };
    rest.skip(b" \t&;>]*", 8);
    // `name: Type = value`
    if is_colon && rest.operator(&["=", ":="]).is_some() {
        rest.skip(b" \t", 8);
        let place = rest.quoted().map(|place| (place, Style::Quoted));
        let place = place.or_else(|| Some((rest.bare()?, Style::Spaced)));
        return place.map(|(place, style)| Value { place, style });
    }
    let style = match (is_colon, blanks) {
        (true, _) if is_first && reader.ends_line(place.end) => Style::Line,
        (true, _) => Style::Colon,
        (false, 0) => Style::Bare,
        (false, _) => Style::Spaced,
    };
    Some(Value { place, style })
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
fn is_command(text: &str, name: &Name) -> bool {
    if name.is_option {
        return true;
    }
    let line = line_before(text, name.place.start);
    let mut words = line.split_whitespace().rev();
    match words.next() {
        None => {
            let rest = text.get(name.place.end..).unwrap_or_default();
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

/// Returns the value of a pair that has its name and its value under keys of their own, such as `name="password" value="x"`.
fn pair_value(text: &str, at: usize, name: &Range<usize>) -> Option<Value> {
    let before = text.get(..name.start)?;
    let opener = before.chars().next_back();
    let is_named = matches!(opener, Some('"' | '\'' | '>')) || before.ends_with(": ") || before.ends_with("=");
    if !is_named {
        return None;
    }
    let near = text.get(at..text.floor_char_boundary(at + MAX_BETWEEN))?;
    let gap = near.len() - near.trim_start_matches([' ', '\t', '\n', '\r', ',', ';', '{', '<', '/', '\\', '"', '\'', '>']).len();
    let word = near.get(gap..)?;
    // The end tag of the name, or the rest of its tag.
    let word = word.split_once('<').filter(|_| opener == Some('>')).map_or(word, |(_, rest)| rest);
    let lower = word.get(..word.floor_char_boundary(16))?.to_ascii_lowercase();
    let keys = ["value", "val", "default", "content", "secret_string", "string"];
    let key = keys.into_iter().find(|key| lower.starts_with(key))?;
    let mut reader = Reader { text, at: at + near.len() - word.len() + key.len() };
    if reader.peek() == Some(b'>') {
        return value::element(text, reader.at + 1).map(|place| Value { place, style: Style::Element });
    }
    reader.skip(b"\\\"' \t", 8);
    reader.operator(&["=", ":", "=>"])?;
    let blanks = reader.skip(b" \t", 8);
    let quoted = reader.quoted().map(|place| Value { place, style: Style::Quoted });
    let style = if blanks > 0 { Style::Line } else { Style::Bare };
    quoted.or_else(|| Some(Value { place: reader.bare()?, style }))
}
