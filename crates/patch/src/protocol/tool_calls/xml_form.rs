//! Calls as tags with one tag for each parameter.

use serde_json::{Map, Value};

use super::call::{WrittenCall, read_json};
use super::names::is_name;

/// The beginnings of the tags that name a tool.
pub(super) const ELEMENTS: &[&str] =
    &["<function=", "<function name=", "<tool_call name=", "<invoke name=", "<tool name="];

/// Reads the element at the start of a text, and returns its call with the text after it.
///
/// # Errors
///
/// A text for the model: the element is cut off.
pub(super) fn read_element(text: &str) -> Result<(Vec<WrittenCall>, &str), String> {
    let opening = ELEMENTS.iter().find(|opening| text.starts_with(**opening));
    let opening = opening.ok_or("a tool call has no name")?;
    let tag = opening.trim_start_matches('<');
    let tag = tag.split(['=', ' ']).next().unwrap_or_default();
    let rest = text.get(opening.len()..).unwrap_or_default().trim_start_matches(['"', '\'']);
    let end = rest.find(|c: char| !is_name(c)).unwrap_or(rest.len());
    let (name, rest) = rest.split_at(end);
    if name.is_empty() {
        return Err("a tool call has no name".to_owned());
    }
    let rest = rest.trim_start_matches(['"', '\'']).trim_start();
    let close = format!("</{tag}>");
    if let Some(after) = rest.strip_prefix("/>") {
        return Ok((vec![WrittenCall { name: name.to_owned(), arguments: Map::new() }], after));
    }
    let rest = rest.strip_prefix('>').unwrap_or(rest).trim_start();
    if rest.starts_with('{') {
        let (value, after) = read_json(rest)?;
        let Value::Object(arguments) = value else {
            return Err(format!("the arguments of `{name}` are no object"));
        };
        // Llama writes `<function>` where `</function>` is meant.
        let after = after.trim_start();
        let closed = after.strip_prefix(&close).or_else(|| after.strip_prefix("<function>"));
        return Ok((
            vec![WrittenCall { name: name.to_owned(), arguments }],
            closed.unwrap_or(after),
        ));
    }
    let (arguments, after) = read_parameters(name, rest, &close)?;
    Ok((vec![WrittenCall { name: name.to_owned(), arguments }], after))
}

/// The tags of a child element with the name of the tool.
const NAME_TAGS: &[&str] = &["name", "tool_name", "tool", "function_name", "function"];
/// The tags of a child element around the parameters.
const GROUP_TAGS: &[&str] = &["arguments", "parameters", "args", "params", "input"];

/// Reads a call with the name in a child element: `<name>get_lines</name><path>a.py</path>`. `None` if the text begins
/// with another element; `close` is the tag that ends the call.
pub(super) fn read_children<'t>(
    text: &'t str,
    close: &str,
) -> Option<Result<(Vec<WrittenCall>, &'t str), String>> {
    let (name, rest) = NAME_TAGS.iter().find_map(|tag| {
        let inner = text.strip_prefix(&format!("<{tag}>"))?;
        inner.split_once(&format!("</{tag}>"))
    })?;
    let name = name.trim();
    if name.is_empty() || !name.chars().all(is_name) {
        return None;
    }
    let read = read_grouped(name, rest.trim_start(), close);
    Some(
        read.map(|(arguments, after)| {
            (vec![WrittenCall { name: name.to_owned(), arguments }], after)
        }),
    )
}

/// Reads the parameters of a call, which may be in an element of their own, as JSON or as further elements.
fn read_grouped<'t>(
    name: &str,
    rest: &'t str,
    close: &str,
) -> Result<(Map<String, Value>, &'t str), String> {
    let group = GROUP_TAGS.iter().find(|tag| rest.starts_with(&format!("<{tag}>")));
    let Some(tag) = group else { return read_parameters(name, rest, close) };
    let inner = rest.get(tag.len() + 2..).unwrap_or_default().trim_start();
    let end = format!("</{tag}>");
    let (arguments, after) = if inner.starts_with('{') {
        let (value, after) = read_json(inner)?;
        let Value::Object(arguments) = value else {
            return Err(format!("the arguments of `{name}` are no object"));
        };
        let after = after.trim_start();
        (arguments, after.strip_prefix(&end).unwrap_or(after))
    } else {
        read_parameters(name, inner, &end)?
    };
    let after = after.trim_start();
    Ok((arguments, after.strip_prefix(close).unwrap_or(after)))
}

/// Reads the parameters up to the tag that closes their element.
fn read_parameters<'t>(
    tool: &str,
    text: &'t str,
    close: &str,
) -> Result<(Map<String, Value>, &'t str), String> {
    let mut arguments = Map::new();
    let mut rest = text.trim_start();
    loop {
        if let Some(after) = rest.strip_prefix(close) {
            return Ok((arguments, after));
        }
        let cut_off = || format!("the call of `{tool}` is cut off, or its parameters are no tags");
        let opened = rest.strip_prefix('<').ok_or_else(cut_off)?;
        let (head, body) = opened.split_once('>').ok_or_else(cut_off)?;
        let (tag, name) = parameter_name(head).ok_or_else(cut_off)?;
        let end = format!("</{tag}>");
        let at = closing_place(body, &end, close).ok_or_else(cut_off)?;
        let value = body.get(..at).unwrap_or_default();
        if arguments.insert(name.to_owned(), Value::String(inner_text(value).to_owned())).is_some()
        {
            return Err(format!("the call of `{tool}` has the parameter `{name}` twice"));
        }
        rest = body.get(at + end.len()..).unwrap_or_default().trim_start();
    }
}

/// Returns the tag and the name of `parameter=NAME`, `parameter name="NAME"` or `NAME`.
fn parameter_name(head: &str) -> Option<(&str, &str)> {
    let (tag, name) = match head.split_once('=') {
        Some((tag, name)) => {
            (tag.split_whitespace().next()?, name.trim().trim_matches(['"', '\'']))
        }
        None => (head.trim(), head.trim()),
    };
    let is_word = |word: &str| !word.is_empty() && word.chars().all(is_name);
    (is_word(tag) && is_word(name)).then_some((tag, name))
}

/// Returns where the closing tag of a parameter is: the first one after which another tag or the end of the call
/// comes, because content may quote it.
fn closing_place(body: &str, end: &str, close: &str) -> Option<usize> {
    body.match_indices(end).map(|(at, _)| at).find(|at| {
        let after = body.get(at + end.len()..).unwrap_or_default().trim_start();
        after.starts_with(close)
            || after.strip_prefix('<').is_some_and(|after| {
                // A tag is short; a longer look ahead would take quadratic time.
                let near: String = after.chars().take(80).collect();
                near.split_once('>').is_some_and(|(head, _)| parameter_name(head).is_some())
            })
    })
}

/// Returns the value without the line ends next to its tags, which the template adds.
fn inner_text(value: &str) -> &str {
    let value = value.strip_prefix("\r\n").or_else(|| value.strip_prefix('\n')).unwrap_or(value);
    let trimmed = value.trim_end_matches([' ', '\t']);
    trimmed.strip_suffix("\r\n").or_else(|| trimmed.strip_suffix('\n')).unwrap_or(value)
}
