//! Calls in the syntax of Python, as Llama 3.2 and 4 write them: `[get_lines(path="a.py", start=1)]`.

use serde_json::{Map, Value};

use super::call::{ToolCalls, WrittenCall};
use super::names::{canonical_tool_name, is_name};

/// Returns the calls of a text that is one list of calls of known tools, perhaps fenced.
///
/// Returns `None` if the text is not such a list, so that another form is tried. An error never occurs; the
/// type is that of the other forms.
pub(super) fn find_calls(text: &str) -> Option<Result<ToolCalls, String>> {
    let text = ["```python", "```tool_code", "```tool_call", "```"]
        .iter()
        .find_map(|fence| text.strip_prefix(fence)?.trim_end().strip_suffix("```"))
        .unwrap_or(text)
        .trim();
    let (list, rest) = read_calls(text)?.ok()?;
    let is_known = list.iter().all(|call| canonical_tool_name(&call.name).is_some());
    (rest.trim().is_empty() && is_known).then(|| Ok(ToolCalls { list, prose: String::new() }))
}

/// Reads `[CALL, CALL]` or lines of `CALL`; `None` if the text begins otherwise.
pub(super) fn read_calls(text: &str) -> Option<Result<(Vec<WrittenCall>, &str), String>> {
    let is_list = text.starts_with('[');
    let mut rest = text.strip_prefix('[').unwrap_or(text).trim_start();
    let mut calls = Vec::new();
    loop {
        let Some((call, after)) = read_call(rest) else {
            let fault = "the arguments of a call cannot be read".to_owned();
            return (!calls.is_empty()).then_some(Err(fault));
        };
        calls.push(call);
        rest = after.trim_start();
        if is_list {
            if let Some(after) = rest.strip_prefix(']') {
                return Some(Ok((calls, after)));
            }
            rest = rest.strip_prefix(',')?.trim_start();
        } else if rest.is_empty() || rest.starts_with('<') {
            return Some(Ok((calls, rest)));
        } else {
            rest = rest.trim_start_matches(';').trim_start();
        }
    }
}

/// Reads `NAME(KEY=VALUE, …)`; `None` if the text begins otherwise or a value is no literal.
pub(super) fn read_call(text: &str) -> Option<(WrittenCall, &str)> {
    let end = text.find(|c: char| !is_name(c))?;
    let (name, rest) = text.split_at(end);
    let mut rest = rest.strip_prefix('(')?.trim_start();
    // `brave_search.call(…)` is the form of built-in tools.
    let name = name.strip_suffix(".call").unwrap_or(name);
    if name.is_empty() {
        return None;
    }
    let mut arguments = Map::new();
    while !rest.starts_with(')') {
        let (key, after) = rest.split_once('=')?;
        let key = key.trim();
        if key.is_empty() || !key.chars().all(is_name) {
            return None;
        }
        let (value, after) = read_literal(after.trim_start())?;
        if arguments.insert(key.to_owned(), value).is_some() {
            return None;
        }
        rest = after.trim_start();
        rest = match rest.strip_prefix(',') {
            Some(after) => after.trim_start(),
            None if rest.starts_with(')') => rest,
            None => return None,
        };
    }
    Some((WrittenCall { name: name.to_owned(), arguments }, rest.strip_prefix(')')?))
}

/// Reads a string, number, `True`, `False` or `None`.
fn read_literal(text: &str) -> Option<(Value, &str)> {
    for (word, value) in [
        ("True", Value::Bool(true)),
        ("true", Value::Bool(true)),
        ("False", Value::Bool(false)),
        ("false", Value::Bool(false)),
        ("None", Value::Null),
        ("null", Value::Null),
    ] {
        if let Some(after) = text.strip_prefix(word) {
            return Some((value, after));
        }
    }
    for quote in ["\"\"\"", "'''", "\"", "'"] {
        if let Some(inner) = text.strip_prefix(quote) {
            return read_string(inner, quote);
        }
    }
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (digits, after) = text.split_at(end);
    Some((Value::from(digits.parse::<u64>().ok()?), after))
}

/// Reads a string up to its closing quote, with the escapes that mean the same in Python and JSON.
fn read_string<'t>(text: &'t str, quote: &str) -> Option<(Value, &'t str)> {
    let mut value = String::new();
    let mut rest = text;
    loop {
        if let Some(after) = rest.strip_prefix(quote) {
            return Some((Value::String(value), after));
        }
        let mut chars = rest.chars();
        let character = chars.next()?;
        if character == '\n' && quote.len() == 1 {
            return None;
        }
        if character == '\\' {
            value.push(match chars.next()? {
                'n' => '\n',
                't' => '\t',
                'r' => '\r',
                escaped @ ('\\' | '\'' | '"') => escaped,
                // Any other escape is a guess.
                _ => return None,
            });
        } else {
            value.push(character);
        }
        rest = chars.as_str();
    }
}
