//! Reads pairs that have their name and their value under keys of their own.

use std::ops::Range;

use super::assigned::{AssignedValue, ValueStyle};
use super::value::{self, MAX_BETWEEN, Reader};

/// The keys of the value in a pair that has its name under a key too.
const VALUE_KEYS: [&str; 6] = ["value", "val", "default", "content", "secret_string", "string"];

/// Returns the value of a pair that has its name and its value under keys of their own, such as `name="password" value="x"`; other keys
/// may be in between.
pub(super) fn pair_value(text: &str, at: usize, name: &Range<usize>) -> Option<AssignedValue> {
    let before = text.get(..name.start)?;
    let opener = before.chars().next_back();
    let is_named = matches!(opener, Some('"' | '\'' | '>' | ':'))
        || before.ends_with(": ")
        || before.ends_with('=');
    if !is_named {
        return None;
    }
    if let Some(value) = value_before(text, name) {
        return Some(value);
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

/// Returns the value of a pair that has it before the name, as in `value: x` in the line before `name: DB_PASSWORD`.
fn value_before(text: &str, name: &Range<usize>) -> Option<AssignedValue> {
    let from = text.ceil_char_boundary(name.start.saturating_sub(MAX_BETWEEN));
    let before = text.get(from..name.start)?;
    let signs = |c: char| c.is_whitespace() || "\"':=,".contains(c);
    let key = before.trim_end_matches(signs);
    let pair = ["name", "Name", "key", "Key"].iter().find_map(|word| key.strip_suffix(word))?;
    let pair = pair.trim_end_matches(signs);
    let at = pair.rfind("value").or_else(|| pair.rfind("Value"))?;
    let found = value_of_key(text, from + at)?;
    let gap = text.get(found.place.end..from + pair.len().max(found.place.end - from))?;
    gap.chars().all(signs).then_some(found)
}

/// Returns `true` for the part before the colon of a name such as `android:value`.
fn is_namespace(space: &str, rest: &str) -> bool {
    !space.is_empty()
        && space.bytes().all(|byte| byte.is_ascii_alphanumeric())
        && rest.starts_with(|c: char| c.is_ascii_alphabetic())
}

/// Returns the value after one of [`VALUE_KEYS`].
fn value_of_key(text: &str, at: usize) -> Option<AssignedValue> {
    let word = text.get(at..text.floor_char_boundary(at + 24))?.to_ascii_lowercase();
    let key = VALUE_KEYS.into_iter().find(|key| word.starts_with(key)).map(str::len);
    // The key of the value has the same beginning as that of the name.
    let key = key.or_else(|| {
        word.strip_prefix("parameter")?.starts_with("value").then_some("parametervalue".len())
    })?;
    let mut reader = Reader { text, at: at + key, most: value::MAX_VALUE };
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
