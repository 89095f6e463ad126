//! The texts with which configuration files write a value.

use std::ops::Range;

use papayu_base::config_text::ConfigFormat;
use serde_json::Value;

use super::fault::RecipeFault;

/// The largest number of which every smaller one is exact in all formats.
const MAX_NUMBER: f64 = 9_007_199_254_740_992.0;

/// Refuses a new value that cannot be written in one place.
pub(crate) fn check_value(value: &Value) -> Result<(), RecipeFault> {
    let is_exact =
        |it: &Value| it.as_f64().is_none_or(|number| it.is_f64() || number.abs() < MAX_NUMBER);
    let fault = match value {
        Value::Object(_) => ("it sets a table", "set the keys in it one by one"),
        Value::Array(items) if items.iter().any(|it| it.is_array() || it.is_object()) => {
            ("it sets a list of lists or tables", "a list has texts, numbers and switches")
        }
        Value::Array(items) if items.iter().any(Value::is_null) => {
            ("it sets a list with nothing in it", "a list has texts, numbers and switches")
        }
        Value::Array(items) if !items.iter().all(is_exact) => ("a number is too large", LARGE_HINT),
        it if !is_exact(it) => ("a number is too large", LARGE_HINT),
        _ => return Ok(()),
    };
    Err(RecipeFault::new(fault.0, fault.1))
}

const LARGE_HINT: &str = "write it as text";

/// Returns a value as files are read: numbers without a difference between whole ones and others, in INI files texts.
pub(crate) fn as_read(value: &Value, format: ConfigFormat) -> Value {
    match value {
        Value::Array(items) => items.iter().map(|item| as_read(item, format)).collect(),
        Value::Number(_) | Value::Bool(_) if format == ConfigFormat::Ini => {
            Value::String(value.to_string())
        }
        Value::Number(number) => number.as_f64().map_or_else(|| value.clone(), Value::from),
        other => other.clone(),
    }
}

/// Returns the places at which a text may write an old value, with the texts of the new one.
pub(crate) fn find_places(
    text: &str,
    old: &Value,
    new: &Value,
    format: ConfigFormat,
) -> Vec<(Range<usize>, String)> {
    let mut places = Vec::new();
    let spelled = spell(new, format);
    if let Value::String(old) = old {
        for (at, _) in text.match_indices(old.as_str()).filter(|_| !old.is_empty()) {
            let range = at..at + old.len();
            if let Value::String(new) = new {
                places.push((range.clone(), new.clone()));
            }
            places.push((range, spelled.clone()));
        }
    }
    let spans = find_spans(text).into_iter();
    let written = spans.map(|span| (span.clone(), text.get(span).unwrap_or_default()));
    let meant = written.filter(|(_, written)| means(written, old));
    places.extend(meant.map(|(span, written)| (span, keep_quotes(written, new, &spelled))));
    places
}

/// Returns a new text in the quotes of the old one, if it needs no escape in them.
fn keep_quotes(written: &str, new: &Value, spelled: &str) -> String {
    let quote = written.chars().next().filter(|c| "'\"".contains(*c));
    match (quote, new) {
        (Some(quote), Value::String(text))
            if !text.contains(|c: char| c == quote || c == '\\' || c.is_control()) =>
        {
            format!("{quote}{text}{quote}")
        }
        _ => spelled.to_owned(),
    }
}

/// Returns a new value as a file of the format writes it.
fn spell(value: &Value, format: ConfigFormat) -> String {
    match value {
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(|item| spell(item, format)).collect();
            format!("[{}]", items.join(", "))
        }
        Value::String(text) if format == ConfigFormat::Ini => text.clone(),
        other => other.to_string(),
    }
}

/// Returns whether the text of a place may be an old value; the reader of the format decides in the end.
fn means(written: &str, old: &Value) -> bool {
    match old {
        // A comment in the list would be lost.
        Value::Array(_) => written.starts_with('[') && !written.contains(['#', '/']),
        Value::Number(number) => {
            let plain = written.replace('_', "");
            plain.parse().ok().or_else(|| read_radix(&plain)) == number.as_f64()
        }
        Value::Bool(_) | Value::Null => !written.starts_with(['[', '"', '\'']),
        Value::String(text) => {
            let inner = written.get(1..written.len().max(2) - 1).unwrap_or_default();
            written.starts_with(['"', '\'']) && (inner == text || inner.contains('\\'))
        }
        Value::Object(_) => false,
    }
}

/// Returns a whole number that is written as `0x1f`, `0o17` or `0b11`.
fn read_radix(text: &str) -> Option<f64> {
    let radix = [("0x", 16), ("0o", 8), ("0b", 2)];
    let (mark, radix) = radix.into_iter().find(|(mark, _)| text.starts_with(mark))?;
    let number = u32::from_str_radix(text.strip_prefix(mark)?, radix).ok()?;
    Some(f64::from(number))
}

/// Returns the places of words, of quoted texts and of lists in brackets.
fn find_spans(text: &str) -> Vec<Range<usize>> {
    let mut spans = Vec::new();
    let mut open = Vec::new();
    let mut at = 0;
    let ends_word = |c: char| c.is_whitespace() || ",[]{}=:#\"'".contains(c);
    while let Some(c) = text.get(at..).and_then(|rest| rest.chars().next()) {
        let rest = text.get(at..).unwrap_or_default();
        let mut length = c.len_utf8();
        match c {
            '[' => open.push(at),
            ']' => spans.extend(open.pop().map(|start| start..at + 1)),
            '"' | '\'' => {
                if let Some(end) = quoted_end(rest, c) {
                    spans.push(at..at + end);
                    length = end;
                }
            }
            c if ends_word(c) => {}
            _ => {
                length = rest.find(ends_word).unwrap_or(rest.len());
                spans.push(at..at + length);
            }
        }
        at += length;
    }
    spans
}

/// Returns the length of a quoted text on one line.
fn quoted_end(text: &str, quote: char) -> Option<usize> {
    let mut is_escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            '\n' => return None,
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = quote == '"',
            c if c == quote => return Some(at + 1),
            _ => {}
        }
    }
    None
}
