//! Reads what is assigned to a name, in the syntaxes of settings, sources, markup and commands.

use std::ops::Range;

use super::assigned::{AssignedValue, ValueStyle};
use super::pairs;
use super::surroundings;
use super::value::{self, MAX_BETWEEN, Reader, line_before};
use super::wording::is_command_line;

/// The name of a setting, a variable, an element or an option.
#[derive(Clone, Debug)]
pub(super) struct Name {
    pub(super) place: Range<usize>,
    /// It begins with a dash.
    pub(super) is_option: bool,
}

/// Longer names are not read to their start.
const MAX_NAME: usize = 64;

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
        b'=' | b'>' | b'\n' => true,
        b':' => !is_one_of(next, b":") || rest.get(blanks + 2) == Some(&b'='),
        b'<' => blanks == 0 || is_one_of(next, b"<"),
        b',' => {
            closers > 0
                || is_one_of(next, b"<")
                || matches!(rest.get(blanks + 1..), Some([b' ', b'"' | b'\'', ..]))
        }
        b'{' | b'(' if blanks > 0 => return Some(Follows::Word),
        b'/' | b'{' | b';' => closers > 0,
        b'-' | b'~' => is_one_of(next, b">="),
        b'?' | b'!' | b'|' | b'+' | b'.' => is_one_of(next, b"=?|"),
        b'(' => is_one_of(next, b"\"'"),
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

/// Returns the value that is assigned to a name, of which an unquoted one has at most `most` bytes; `None` without one.
pub(super) fn value_of(text: &str, name: &Name, most: usize) -> Option<AssignedValue> {
    let mut reader = Reader { text, at: name.place.end, most };
    let before = byte_before(text, name);
    if let Some(place) = value::next_cell(text, &name.place) {
        return Some(AssignedValue { place, style: ValueStyle::Element });
    }
    if let Some(start) = value::after_tag(text, &name.place) {
        return value::element(text, start)
            .map(|place| AssignedValue { place, style: ValueStyle::Element });
    }
    let closers = reader.skip(b"\\\"'`", 8);
    if let Some(place) = serialized(text, reader.at) {
        return Some(AssignedValue { place, style: ValueStyle::Quoted });
    }
    reader.skip(b"]", 1);
    reader.skip_index();
    let blanks = reader.skip(b" \t", 40);
    let is_quoted = closers > 0 && before.is_some_and(|byte| b"\"'`".contains(&byte));
    if let Some(place) = pairs::pair_value(text, reader.at, &name.place) {
        return Some(place);
    }
    if name.is_option
        && let Some(place) = next_argument(text, name, reader.at)
    {
        return Some(AssignedValue { place, style: ValueStyle::Argument });
    }
    match reader.peek() {
        Some(b',')
            if is_quoted || name.is_option || before == Some(b'{') || is_constant(text, name) =>
        {
            after_comma(&mut reader, name, is_quoted)
        }
        Some(b'(') => {
            reader.at += 1;
            let place = reader.quoted()?;
            let is_whole =
                reader.peek() == Some(b')') && !reads_value(text.get(name.place.clone())?);
            let style = if is_whole { ValueStyle::Argument } else { ValueStyle::Spaced };
            Some(AssignedValue { place, style })
        }
        Some(b'"' | b'\'' | b'\\' | b'N' | b'`') if blanks > 0 => {
            // Backticks are around code in a sentence.
            let is_code = reader.peek() == Some(b'`');
            let style = if is_code { ValueStyle::Word } else { ValueStyle::QuotedWord };
            reader.quoted().map(|place| AssignedValue { place, style })
        }
        _ => match reader.operator(&OPERATORS) {
            Some(operator) => after_operator(&mut reader, name, operator),
            None if blanks > 0 && is_command(text, name) => after_blanks(&mut reader, name, blanks),
            None => None,
        },
    }
}

/// Returns the byte before a name.
fn byte_before(text: &str, name: &Name) -> Option<u8> {
    text.as_bytes().get(name.place.start.checked_sub(1)?).copied()
}

/// Returns the quoted value after a comma: of a pair of Erlang, or the argument after the name.
fn after_comma(reader: &mut Reader<'_>, name: &Name, is_quoted: bool) -> Option<AssignedValue> {
    let before = reader.text.get(..name.place.start)?;
    if !is_quoted && !name.is_option {
        reader.skip(b",< ", 4);
        let is_pair = before.ends_with('{');
        let style = if is_pair { ValueStyle::Quoted } else { ValueStyle::Argument };
        return reader.quoted().map(|place| AssignedValue { place, style });
    }
    reader.at += 1;
    reader.skip(b" \t\n", 40);
    let place = reader.quoted()?;
    let rest = reader.text.get(reader.at..)?.trim_start_matches([' ', '\n']);
    let is_call = rest.starts_with(')') && before.trim_end_matches(['"', '\'', ' ']).ends_with('(');
    let style = if is_call { ValueStyle::Argument } else { ValueStyle::Word };
    Some(AssignedValue { place, style })
}

/// Returns the word after the blanks behind an option or a variable of a command.
fn after_blanks(reader: &mut Reader<'_>, name: &Name, blanks: usize) -> Option<AssignedValue> {
    let text = reader.text;
    reader.skip_operator("=");
    let number = skipped_number(text.get(reader.at - blanks..).unwrap_or_default());
    reader.at += number.saturating_sub(blanks);
    let line = line_before(text, name.place.start).trim_end_matches('-');
    let is_argument =
        is_clause(text, name) || number > 0 || name.is_option && is_command_line(line);
    let style = if is_argument { ValueStyle::Argument } else { ValueStyle::Word };
    reader.word().map(|place| AssignedValue { place, style })
}

/// An assignment up to its sign.
struct AssignmentHead<'a> {
    name: &'a Name,
    operator: &'a str,
    /// The byte before the name.
    before: Option<u8>,
    /// The blanks after the sign.
    blanks: usize,
}

impl AssignmentHead<'_> {
    fn is_colon(&self) -> bool {
        self.operator == ":"
    }

    /// Returns `true` for `=` or `:` without a blank.
    fn is_tight(&self) -> bool {
        self.blanks == 0 && (self.is_colon() || self.operator == "=")
    }

    /// Returns the style of an unquoted value.
    fn style_of(&self, reader: &Reader<'_>, place: &Range<usize>) -> ValueStyle {
        let (text, name) = (reader.text, &self.name.place);
        let is_printed =
            self.is_tight() && surroundings::is_in_record(text, name, place.end, self.is_colon());
        let is_dumped = self.operator == "=>" && self.before == Some(b'[');
        let is_setting =
            || self.operator == "=" && surroundings::is_setting_line(text, name, place);
        let is_line = is_line_head(line_before(text, name.start)) && reader.ends_line(place.end);
        match (self.is_colon(), self.blanks) {
            _ if is_printed || is_dumped || is_setting() => ValueStyle::Record,
            (true, _) if is_line => ValueStyle::Line,
            (true, _) => ValueStyle::Colon,
            (false, 0) => ValueStyle::Bare,
            (false, _) => ValueStyle::Spaced,
        }
    }

    /// Returns the value here, if it is more than one unquoted word: a literal, numbers, a phrase.
    fn whole_value(&self, reader: &mut Reader<'_>) -> Option<AssignedValue> {
        let text = reader.text;
        if let Some(place) = value::literal(reader) {
            return Some(AssignedValue { place, style: ValueStyle::Quoted });
        }
        let typed = value::typed_numbers(text, reader.at).filter(|_| self.is_colon());
        if let Some(place) = value::numbers(text, reader.at).or(typed) {
            return Some(AssignedValue { place, style: ValueStyle::Numbers });
        }
        if let Some(place) = surroundings::phrase_at(text, reader.at, false) {
            return Some(AssignedValue { place, style: ValueStyle::Argument });
        }
        if self.is_tight()
            && !self.is_colon()
            && let Some(place) = surroundings::phrase_at(text, reader.at, true)
            && (self.before.is_some_and(|byte| b"\"'".contains(&byte))
                || surroundings::is_in_record(text, &self.name.place, place.end, false))
        {
            return Some(AssignedValue { place, style: ValueStyle::Bare });
        }
        fallback(text, reader.at).map(|place| AssignedValue { place, style: ValueStyle::Quoted })
    }
}

/// Returns the value after the sign of an assignment.
fn after_operator(reader: &mut Reader<'_>, name: &Name, operator: &str) -> Option<AssignedValue> {
    let line = line_before(reader.text, name.place.start);
    let blanks = reader.skip(b" \t", 40);
    let before = byte_before(reader.text, name);
    let assignment = AssignmentHead { name, operator, before, blanks };
    let is_colon = assignment.is_colon();
    if reader.skip_tag() {
        reader.skip(b" \t", 40);
    }
    if is_colon
        && is_line_head(line)
        && let Some(place) = value::block(reader.text, reader.at, line.len())
    {
        return Some(AssignedValue { place, style: ValueStyle::Line });
    }
    reader.skip_line_break();
    if (is_colon || operator == "=>") && before == Some(b'"') && reader.peek() == Some(b'\n') {
        reader.skip(b" \t\n", MAX_BETWEEN);
    }
    if let Some(value) = assignment.whole_value(reader) {
        return Some(value);
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
        let numbers = value::numbers(rest.text, rest.at).map(|place| (place, ValueStyle::Numbers));
        let place =
            numbers.or_else(|| value::literal(&mut rest).map(|place| (place, ValueStyle::Quoted)));
        let place = place.or_else(|| Some((rest.bare()?, ValueStyle::Spaced)));
        return place.map(|(place, style)| AssignedValue { place, style });
    }
    let style = assignment.style_of(reader, &place);
    Some(AssignedValue { place, style })
}

/// Returns `true` if only indentation, quotes and the marks of lists and comments are before the name.
fn is_line_head(line: &str) -> bool {
    line.bytes().all(|byte| b" \t\"'-#;+>?*|".contains(&byte))
}

/// Returns `true` if the word after the name is its value: of an option, after a command that sets variables, in a line of two words.
pub(super) fn is_command(text: &str, name: &Name) -> bool {
    let rest = text.get(name.place.end..).unwrap_or_default();
    // A number is the encoding of the value.
    let is_clause = is_clause(text, name);
    if name.is_option || is_clause || skipped_number(rest) > 0 {
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

/// Returns `true` for the name of a constant that is an argument.
fn is_constant(text: &str, name: &Name) -> bool {
    let before = text.get(..name.place.start).unwrap_or_default().trim_end();
    let shown = text.get(name.place.clone()).unwrap_or_default();
    before.ends_with([',', '('])
        && shown.contains('_')
        && !shown.bytes().any(|byte| byte.is_ascii_lowercase())
}

/// Returns `true` for the clause of SQL that gives a user a password.
fn is_clause(text: &str, name: &Name) -> bool {
    let is_clause =
        text.get(name.place.clone()).is_some_and(|it| it.eq_ignore_ascii_case("identified by"));
    let before = line_before(text, name.place.start).to_ascii_lowercase();
    is_clause && ["user ", "role ", "grant ", "alter "].iter().any(|word| before.contains(word))
}

/// Returns `true` for the name of a call that looks for a value, of which the argument is no value.
fn reads_value(name: &str) -> bool {
    const VERBS: [&str; 14] = [
        "get", "read", "find", "ask", "prompt", "load", "fetch", "has", "is", "check", "lookup",
        "input", "env", "hash",
    ];
    crate::text::split_identifier(name).iter().any(|word| VERBS.contains(&word.as_str()))
}

/// Returns the argument of an option that ends its line: the first word of the next one after a backslash, or the next item of a list.
fn next_argument(text: &str, name: &Name, at: usize) -> Option<Range<usize>> {
    let rest = text.get(at..)?;
    let mut reader = Reader { text, at, most: value::MAX_VALUE };
    if rest.starts_with("\\\n") || rest.starts_with("\\\r\n") {
        reader.skip_line_break();
        return reader.word();
    }
    let item = line_before(text, name.place.start).trim_end_matches('-');
    let dash = item.trim_end_matches(['"', '\'']);
    let next = rest.strip_prefix('\n')?;
    if !dash.trim_start().starts_with("- ") || dash.trim() != "-" {
        return None;
    }
    let indent = dash.len() - dash.trim_start().len();
    let line = next
        .get(indent..)
        .filter(|_| next.as_bytes().iter().take(indent).all(|byte| *byte == b' '))?;
    let inner = line.strip_prefix("- ")?;
    reader.at = text.len() - inner.len();
    reader.word()
}

/// Returns the value after a key in data that PHP serialized, as in `"password";s:5:"x";`.
fn serialized(text: &str, at: usize) -> Option<Range<usize>> {
    let rest = text.get(at..text.floor_char_boundary(at + 16))?;
    let inner = rest
        .strip_prefix(";s:")?
        .trim_start_matches(|c: char| c.is_ascii_digit())
        .strip_prefix(':')?;
    let mut reader = Reader { text, at: at + rest.len() - inner.len(), most: value::MAX_VALUE };
    reader.quoted()
}

/// Returns the length of a digit between two blanks, as in `password 7 0822455D0A16`.
fn skipped_number(rest: &str) -> usize {
    let bytes = rest.as_bytes();
    let is_number = matches!(bytes, [b' ', digit, b' ', next, ..] if digit.is_ascii_digit() && (next.is_ascii_alphanumeric() || *next == b'$'));
    if is_number { 3 } else { 0 }
}

/// Returns the literal that an expression has for the case that its first part is empty, as in `ENV['X'] || 'y'`.
fn fallback(text: &str, at: usize) -> Option<Range<usize>> {
    let line = text.get(at..text.floor_char_boundary(at + MAX_BETWEEN))?.lines().next()?;
    let sign =
        ["|| ", "?? ", " or "].iter().find_map(|sign| Some(line.find(sign)? + sign.len()))?;
    let first = line.get(..sign)?;
    if !first.contains(['(', '[', '$', '.']) || first.contains([',', '"', ';']) {
        return None;
    }
    let mut reader = Reader { text, at: at + sign, most: value::MAX_VALUE };
    reader.quoted()
}

/// Returns the literal that a declaration gives a name, with its type or its accessors between them.
pub(super) fn declared(text: &str, at: usize) -> Option<AssignedValue> {
    const HEADS: [&str; 8] = [
        " As String", " string", " String", " { get; set; }", " { get; init; }", " { get; }",
        " by lazy", " const char*",
    ];
    let rest = text.get(at..text.floor_char_boundary(at + MAX_BETWEEN))?;
    let after = HEADS.iter().find_map(|head| rest.strip_prefix(head))?;
    let literal = after.strip_prefix(" = ").or_else(|| after.strip_prefix(" { "))?;
    let mut reader = Reader { text, at: at + rest.len() - literal.len(), most: value::MAX_VALUE };
    reader.quoted().map(|place| AssignedValue { place, style: ValueStyle::Quoted })
}
