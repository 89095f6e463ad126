//! Finds the one JSON value in a reply, among prose, thoughts and fences.

use serde_json::Value;

use super::json_repair;
use super::refusal::Refusal;
use super::scan::{self, BalancedSpan, Flaw};
use papayu_base::domain::ErrorCode;

/// The longest reply read, in bytes.
/// Measured before the thoughts are removed, so that the search is bounded as well.
pub const MAX_REPLY_BYTES: usize = 16 * 1024 * 1024;

/// Most separate values looked at in one reply.
/// A reply of brackets only, `[][][]…`, would otherwise keep the parser busy for minutes.
const MAX_VALUES: usize = 1000;

/// The JSON of a reply.
#[derive(Clone, Debug, PartialEq)]
pub struct Extracted {
    /// An object or an array, not validated yet.
    pub value: Value,
    /// True when harmless damage was repaired (`json_repaired_locally` in the trace).
    pub repaired: bool,
}

/// The ways in which a reply was made usable.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Repairs {
    /// Harmless damage of the JSON was repaired (`json_repaired_locally` in the trace).
    pub json: bool,
    /// Tool calls were read as actions and context requests (`tool_call_repaired` in the trace).
    pub tool_calls: bool,
}

/// Returns the JSON of a reply (protocol section 3): the whole text or what is fenced before what is bare,
/// then a value with our fields before any other, then the longest. Refuses what is too long
/// (`ERR_CONTENT_TOO_LARGE`), broken or cut off (`ERR_JSON_PARSE`), or not there
/// (`ERR_JSON_EXTRACT`). Takes linear time.
///
/// ```
/// use papayu_patch::protocol::extract::extract_json;
///
/// let reply = "Here is the plan:\n```json\n{\"actions\": []}\n```\nShall I go on?";
/// assert_eq!(extract_json(reply)?.value, serde_json::json!({ "actions": [] }));
///
/// let cut_off = extract_json("{\"actions\": [").unwrap_err();
/// assert_eq!(cut_off.code.as_str(), "ERR_JSON_PARSE");
/// # Ok::<(), papayu_patch::protocol::Refusal>(())
/// ```
pub fn extract_json(reply: &str) -> Result<Extracted, Refusal> {
    if reply.len() > MAX_REPLY_BYTES {
        let reason = format!("the reply is longer than {MAX_REPLY_BYTES} bytes");
        return Err(Refusal::of_reply(ErrorCode::ContentTooLarge, reason));
    }
    // The byte order mark and blanks around a reply carry nothing.
    let text = after_thoughts(reply.trim_start_matches('\u{feff}').trim())?;
    // A reply that begins with a bracket is JSON from its start; a fence in it is part of a
    // string.
    if !text.starts_with(['{', '[']) {
        let fenced = longest_span(text, scan::fenced_start)?;
        // A fenced value without our fields may be an example, so bare values are tried as
        // well.
        if let Some(found) = fenced.filter(|found| is_ours(&found.value)) {
            return Ok(found);
        }
    }
    longest_span(text, scan::bare_start)?.ok_or_else(|| {
        Refusal::of_reply(ErrorCode::JsonExtract, "the reply has no JSON object or array")
    })
}

/// Returns the longest value with our fields, else the longest. Where a longer one is broken it was
/// meant to be the answer, and the shorter must not pass for it.
fn longest_span(
    text: &str,
    next_start: fn(&str, usize) -> Option<usize>,
) -> Result<Option<Extracted>, Refusal> {
    let mut best: Option<((bool, usize), Extracted)> = None;
    let mut broken: Option<(usize, String)> = None;
    // `from` only grows, which makes the search linear.
    let (mut from, mut values) = (0, 0);
    while let Some(start) = next_start(text, from) {
        values += 1;
        if values > MAX_VALUES {
            return Err(extract_refusal(Flaw::TooMany));
        }
        // A flaw ends the search: the text after an unbalanced bracket cannot be trusted.
        let span = scan::scan_value(text, start).map_err(extract_refusal)?;
        let length = span.end - span.start;
        match parse_span(text, span) {
            Ok(found) => {
                let rank = (is_ours(&found.value), length);
                // The first of several equal values remains.
                if best.as_ref().is_none_or(|(known, _)| rank > *known) {
                    best = Some((rank, found));
                }
            }
            Err(reason) if broken.as_ref().is_none_or(|(known, _)| length > *known) => {
                broken = Some((length, reason));
            }
            Err(_) => {}
        }
        // Values inside a value are part of it and not looked at again.
        from = span.end;
    }
    let length = best.as_ref().map_or(0, |((_, length), _)| *length);
    match broken {
        // A broken value that is shorter than the best one was an example in the prose.
        Some((lost, reason)) if lost > length => {
            Err(Refusal::of_reply(ErrorCode::JsonParse, reason))
        }
        _ => Ok(best.map(|(_, found)| found)),
    }
}

/// Returns the error code of a flaw: a value that never ends is broken JSON, while too many
/// values are too much content.
fn extract_refusal(flaw: Flaw) -> Refusal {
    let code = match flaw {
        Flaw::TooMany => ErrorCode::ContentTooLarge,
        Flaw::CutOff | Flaw::Crossed { .. } | Flaw::TooDeep => ErrorCode::JsonParse,
    };
    Refusal::of_reply(code, flaw.to_string())
}

/// Parses one balanced value: strictly at first, then with harmless damage repaired.
///
/// Fails with a sentence for the model if the damage is not harmless, or an object has two members of the same
/// name: a parser would silently drop the first.
pub(super) fn parse_span(text: &str, span: BalancedSpan) -> Result<Extracted, String> {
    let json = text.get(span.start..span.end).unwrap_or_default();
    let found = match serde_json::from_str(json) {
        Ok(value) => Extracted { value, repaired: false },
        // The strict parser's message is the one to quote: it names the first damage.
        Err(error) => match json_repair::parse_lenient(json) {
            Ok(value) => Extracted { value, repaired: true },
            Err(_) => return Err(format!("the JSON is broken: {error}")),
        },
    };
    // Parsers keep the last of two members of one name: an action would be lost without a word.
    if strings_in(&found.value) == span.strings {
        Ok(found)
    } else {
        let name = json_repair::find_duplicate_key(json).map(|name| format!(": `{name}`"));
        let name = name.unwrap_or_default();
        Err(format!("the JSON is broken: an object has two members of the same name{name}"))
    }
}

/// Counts keys and string values; recursion is bounded by the parser's depth limit.
/// The scanner has counted the strings in the text; a difference means that the parser dropped
/// a member.
fn strings_in(value: &Value) -> usize {
    match value {
        Value::String(_) => 1,
        Value::Array(items) => items.iter().map(strings_in).sum(),
        Value::Object(members) => members.values().map(|member| 1 + strings_in(member)).sum(),
        _ => 0,
    }
}

/// Returns true for a value with fields of the protocol; a model may quote other JSON as well.
pub(super) fn is_ours(value: &Value) -> bool {
    // `kind` is the field of an action, for a reply that is one action without a list.
    const FIELDS: [&str; 6] =
        ["actions", "proposed_changes", "summary", "context_requests", "memory_patch", "kind"];
    match value {
        Value::Object(members) => FIELDS.iter().any(|field| members.contains_key(*field)),
        // Protocol v1 allows a bare array of actions.
        Value::Array(items) => items.first().is_some_and(|first| first.get("kind").is_some()),
        _ => false,
    }
}

/// Leaves out what a reasoning model thinks aloud before it answers: drafts in there are no answer.
///
/// # Errors
///
/// `ERR_JSON_EXTRACT` if an opening tag is never closed: the reply was cut inside the thoughts.
pub(super) fn after_thoughts(text: &str) -> Result<&str, Refusal> {
    let end = ["</think>", "</thinking>"].into_iter().find_map(|tag| text.split_once(tag));
    // The first closing tag ends the thoughts: models do not nest them.
    if text.starts_with("<think>") || text.starts_with("<thinking>") {
        return end.map(|(_, answer)| answer.trim_start()).ok_or_else(|| {
            let reason = "the reply ends before its thoughts do: it has no answer";
            Refusal::of_reply(ErrorCode::JsonExtract, reason)
        });
    }
    // Some servers swallow the opening tag; a closing one inside a value is the model's content.
    match end {
        Some((thoughts, answer)) if !is_inside_a_value(text, thoughts.len()) => {
            Ok(answer.trim_start())
        }
        _ => Ok(text),
    }
}

/// Returns true if the byte offset `at` is inside a JSON value of the text.
fn is_inside_a_value(text: &str, at: usize) -> bool {
    let mut from = 0;
    while let Some(start) = scan::bare_start(text, from).filter(|start| *start < at) {
        match scan::scan_value(text, start) {
            Ok(span) if span.end > at => return true,
            Ok(span) => from = span.end,
            // A reply that begins with a broken value is JSON; elsewhere a bracket may be
            // prose.
            Err(_) => return start == 0,
        }
    }
    false
}

#[cfg(test)]
mod tests;
