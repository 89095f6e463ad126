//! Calls that the control tokens or tags of a chat template mark.

use super::call::{ToolCalls, WrittenCall, calls_of_value, read_json};
use super::names::is_name;
use super::{python_form, xml_form};

/// Most calls of one reply.
const MAX_CALLS: usize = 200;
/// The token before the calls of Llama 3.
const PYTHON_TAG: &str = "<|python_tag|>";
/// The token before the calls of Mistral.
const TOOL_CALLS: &str = "[TOOL_CALLS]";
/// The tokens around calls of `DeepSeek`. Some servers print them with plain bars and spaces.
const DEEPSEEK_CALL: &[&str] =
    &["<｜tool▁call▁begin｜>", "<|tool▁call▁begin|>", "<|tool_call_begin|>"];
const DEEPSEEK_SEPARATOR: &[&str] = &["<｜tool▁sep｜>", "<|tool▁sep|>", "<|tool_sep|>"];
const DEEPSEEK_END: &[&str] = &["<｜tool▁call▁end｜>", "<|tool▁call▁end|>", "<|tool_call_end|>"];
/// Tokens that end a message or group calls, and mean nothing else.
const GROUPING: &[&str] = &[
    "<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>", "<|tool▁calls▁begin|>", "<|tool▁calls▁end|>",
    "<|tool_calls_begin|>", "<|tool_calls_end|>", "<｜end▁of▁sentence｜>", "<|eom_id|>",
    "<|eot_id|>", "<|im_end|>", "</s>",
];
/// Tags that contain calls as JSON or as further tags.
const CONTAINERS: &[&str] = &[
    "<tool_call>", "<tool_calls>", "<tools>", "<function_call>", "<function_calls>",
    "<functioncall>", "<tool_use>", "<invoke>",
];

/// The next mark in a text.
#[derive(Clone, Copy)]
enum CallMark {
    PythonTag,
    ToolCalls,
    DeepSeek,
    Container(&'static str),
    Element,
}

/// Returns true if a mark comes before the first JSON object of a text.
pub(in crate::protocol) fn begins_with_mark(text: &str) -> bool {
    next_mark(text).is_some_and(|(at, ..)| !text.get(..at).unwrap_or_default().contains('{'))
}

/// Returns the calls of a text with marks; `None` if it has none.
pub(super) fn find_calls(text: &str) -> Option<Result<ToolCalls, String>> {
    // A text that begins with JSON is JSON; marks in it are content.
    if text.starts_with('{') || text.starts_with("[{") {
        return None;
    }
    let mut calls = ToolCalls::default();
    let (mut rest, mut marks) = (text, 0);
    while let Some((at, length, mark)) = next_mark(rest) {
        if calls.list.len() > MAX_CALLS || marks > MAX_CALLS {
            return Some(Err("the reply has more tool calls than any plan needs".to_owned()));
        }
        marks += 1;
        push_prose(&mut calls.prose, rest.get(..at).unwrap_or_default());
        let inner = rest.get(at + length..).unwrap_or_default();
        let read = match mark {
            CallMark::PythonTag => read_values(inner),
            CallMark::ToolCalls => read_mistral(inner),
            CallMark::DeepSeek => read_deepseek(inner),
            CallMark::Container(tag) => read_container(inner, tag),
            CallMark::Element => xml_form::read_element(rest.get(at..).unwrap_or_default()),
        };
        match read {
            Ok((found, after)) => {
                calls.list.extend(found);
                rest = after;
            }
            Err(fault) => return Some(Err(fault)),
        }
    }
    if calls.list.is_empty() {
        return None;
    }
    push_prose(&mut calls.prose, rest);
    calls.prose = calls.prose.trim().to_owned();
    Some(Ok(calls))
}

/// Adds text between calls, without the marks that group them.
fn push_prose(prose: &mut String, text: &str) {
    let mut text = GROUPING.iter().fold(text.to_owned(), |text, token| text.replace(token, ""));
    for tag in CONTAINERS {
        // The tag that closes a container with elements follows them.
        text = text.replace(&format!("</{}", tag.trim_start_matches('<')), "");
    }
    prose.push_str(&text.replace("```xml", "").replace("```", ""));
}

/// Returns the place, length and kind of the first mark, in one pass.
fn next_mark(text: &str) -> Option<(usize, usize, CallMark)> {
    text.match_indices(['<', '[']).find_map(|(at, _)| {
        let (length, mark) = mark_at(text.get(at..)?)?;
        Some((at, length, mark))
    })
}

/// Returns the mark that a text begins with, and its length in bytes; `None` for other text.
fn mark_at(text: &str) -> Option<(usize, CallMark)> {
    let starts = |token: &&&str| text.starts_with(**token);
    if let Some(token) = CONTAINERS.iter().find(starts) {
        return Some((token.len(), CallMark::Container(token)));
    }
    let single = [(PYTHON_TAG, CallMark::PythonTag), (TOOL_CALLS, CallMark::ToolCalls)];
    let deepseek = DEEPSEEK_CALL.iter().map(|token| (*token, CallMark::DeepSeek));
    let elements = xml_form::ELEMENTS.iter().map(|token| (*token, CallMark::Element));
    let mut marks = single.into_iter().chain(deepseek).chain(elements);
    marks.find(|(token, _)| text.starts_with(token)).map(|(token, mark)| (token.len(), mark))
}

type CallRead<'t> = Result<(Vec<WrittenCall>, &'t str), String>;

/// Reads JSON values, separated by spaces, `;` or `,`; or the calls of Python.
fn read_values(text: &str) -> CallRead<'_> {
    let mut rest = text.trim_start();
    if let Some(read) = python_form::read_calls(rest) {
        return read;
    }
    let mut calls = Vec::new();
    while rest.starts_with(['{', '[']) {
        let (value, after) = read_json(rest)?;
        calls.extend(marked_calls(&value)?);
        rest = after.trim_start_matches([';', ',', ' ', '\n', '\r', '\t']);
    }
    if calls.is_empty() {
        Err("a tool call has no JSON object".to_owned())
    } else {
        Ok((calls, rest))
    }
}

/// Reads `<tool_call>…</tool_call>` and similar tags. A tag that is never closed ends with the text, because
/// servers swallow the token that closes it; the value inside must be complete.
fn read_container<'t>(text: &'t str, tag: &str) -> CallRead<'t> {
    let mut rest = text.trim_start();
    rest = skip_fence(rest);
    let close = format!("</{}", tag.trim_start_matches('<'));
    if rest.starts_with(['{', '[']) {
        let (calls, after) = read_values(rest)?;
        let after = after.trim_start().trim_start_matches("```").trim_start();
        return Ok((calls, after.strip_prefix(&close).unwrap_or(after)));
    }
    if let Some(read) = xml_form::read_children(rest, &close) {
        return read;
    }
    // An empty group, or one with elements that are marks of their own.
    if rest.starts_with('<') {
        return Ok((Vec::new(), rest.strip_prefix(&close).unwrap_or(rest)));
    }
    // `NAME` on a line, then the arguments.
    let end = rest.find(|c: char| !is_name(c)).unwrap_or(rest.len());
    let (name, after) = rest.split_at(end);
    if name.is_empty() {
        return Err(format!("`{tag}` has no tool call"));
    }
    if after.starts_with('(') {
        let (calls, after) = python_form::read_call(rest)
            .ok_or_else(|| format!("the arguments of `{name}` cannot be read"))?;
        return Ok((vec![calls], after.trim_start().strip_prefix(&close).unwrap_or(after)));
    }
    let (call, after) = read_named(name, after)?;
    Ok((vec![call], after.trim_start().strip_prefix(&close).unwrap_or(after)))
}

/// Reads an array of calls, or `NAME[CALL_ID]ID[ARGS]{…}` once or more often.
fn read_mistral(text: &str) -> CallRead<'_> {
    let mut rest = text.trim_start();
    if rest.starts_with(['[', '{']) {
        return read_values(rest);
    }
    let mut calls = Vec::new();
    loop {
        let end = rest.find(|c: char| !is_name(c)).unwrap_or(rest.len());
        let (name, after) = rest.split_at(end);
        if name.is_empty() {
            return Err("`[TOOL_CALLS]` has no tool call".to_owned());
        }
        let after = match after.strip_prefix("[CALL_ID]") {
            Some(id) => id.trim_start_matches(is_name),
            None => after,
        };
        let (call, after) = read_named(name, after.strip_prefix("[ARGS]").unwrap_or(after))?;
        calls.push(call);
        let next = after.trim_start();
        let has_more = next.split(['[', '{']).next().is_some_and(|name| {
            !name.is_empty() && name.chars().all(is_name) && next.len() > name.len()
        });
        if !has_more {
            return Ok((calls, after));
        }
        rest = next;
    }
}

/// Reads `function<｜tool▁sep｜>NAME`, a fenced object; or `NAME<｜tool▁sep｜>{…}`.
fn read_deepseek(text: &str) -> CallRead<'_> {
    let separator = DEEPSEEK_SEPARATOR.iter().find_map(|token| text.split_once(token));
    let (first, rest) = separator.ok_or("a tool call is cut off before its name")?;
    let (name, rest) = if first.trim() == "function" {
        rest.split_once('\n').ok_or("a tool call is cut off after its name")?
    } else {
        (first, rest)
    };
    let (call, after) = read_named(name.trim(), rest)?;
    let after = after.trim_start().trim_start_matches("```").trim_start();
    let closed = DEEPSEEK_END.iter().find_map(|token| after.strip_prefix(token));
    Ok((vec![call], closed.unwrap_or(after)))
}

/// Reads the arguments after the name of a tool; they may be fenced.
fn read_named<'t>(name: &str, text: &'t str) -> Result<(WrittenCall, &'t str), String> {
    let text = skip_fence(text.trim_start());
    let (value, after) = read_json(text)?;
    match value {
        serde_json::Value::Object(arguments) => {
            Ok((WrittenCall { name: name.to_owned(), arguments }, after))
        }
        _ => Err(format!("the arguments of `{name}` are no object")),
    }
}

/// Returns a text without the opening fence and the name of its language.
fn skip_fence(text: &str) -> &str {
    match text.strip_prefix("```") {
        Some(fenced) => fenced.trim_start_matches(char::is_alphanumeric).trim_start(),
        None => text,
    }
}

fn marked_calls(value: &serde_json::Value) -> Result<Vec<WrittenCall>, String> {
    calls_of_value(value, true)
        .unwrap_or_else(|| Err("a tool call needs `name` and `arguments`".to_owned()))
}
