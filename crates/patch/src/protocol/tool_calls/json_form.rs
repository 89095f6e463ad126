//! Calls as bare or fenced JSON: `tool_calls`, `function_call`, objects with `name` and `arguments`.

use super::call::{ToolCalls, WrittenCall, calls_of_value, read_json};

/// The mark of a fence, which may contain calls.
const FENCE: &str = "```";

/// Returns the calls of a text in which every JSON value is a call; `None` if there is none, or if another value
/// could be the answer.
pub(super) fn find_calls(text: &str) -> Option<Result<ToolCalls, String>> {
    let (mut list, mut prose, mut rest): (Vec<WrittenCall>, String, &str) =
        (Vec::new(), String::new(), text);
    while let Some(start) = next_value(rest) {
        prose.push_str(rest.get(..start).unwrap_or_default());
        let (value, after) = match read_json(rest.get(start..)?) {
            Ok(read) => read,
            // Damaged JSON is an error of the reply only if a call came before it.
            Err(fault) if !list.is_empty() => return Some(Err(fault)),
            Err(_) => return None,
        };
        match calls_of_value(&value, false)? {
            Ok(calls) => list.extend(calls),
            Err(fault) => return Some(Err(fault)),
        }
        if let Some(content) = value.get("content").and_then(serde_json::Value::as_str) {
            prose.push_str(content);
        }
        rest = after;
    }
    if list.is_empty() {
        return None;
    }
    prose.push_str(rest);
    let prose = prose.replace(FENCE, "").replace("json", "").trim().to_owned();
    Some(Ok(ToolCalls { list, prose }))
}

/// Returns where the next object, or array of objects, begins: at the start of a line, or after another value.
fn next_value(text: &str) -> Option<usize> {
    text.match_indices(['{', '[']).map(|(at, _)| at).find(|at| is_value_start(text, *at))
}

/// Returns `true` if the bracket at an offset in bytes opens an object, or an array of objects.
fn is_value_start(text: &str, at: usize) -> bool {
    // Only the near text is looked at, so that many brackets take linear time.
    let from = (at.saturating_sub(40)..=at).find(|from| text.is_char_boundary(*from));
    let before = text.get(from.unwrap_or(at)..at).unwrap_or_default();
    let line = before.rsplit('\n').next().unwrap_or_default().trim();
    let after = text.get(at + 1..).unwrap_or_default().trim_start();
    let opens = if text.as_bytes().get(at) == Some(&b'{') { '"' } else { '{' };
    // `;` and `,` separate the calls of some models, `` ` `` and a word open a fence.
    let is_separator = line.chars().all(|c| matches!(c, ';' | ',' | '`'));
    after.starts_with(opens) && (is_separator || line.ends_with(':') || line.starts_with(FENCE))
}
