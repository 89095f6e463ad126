//! The parts of every reply: JSON, schema, summary and actions.

use serde_json::Value;

use super::{action, v1, v2};
use crate::protocol::extract::{
    Extracted, MAX_REPLY_BYTES, Repairs, after_thoughts, extract_json, is_ours,
};
use crate::protocol::refusal::Refusal;
use crate::protocol::schema::compiled_schema;
use crate::protocol::tool_calls;
use crate::protocol::wire_schema::drop_nulls;
use papayu_base::domain::{Action, ErrorCode, Version};

/// A reply that follows the schema.
/// `value` has no nulls, because models write them for "absent" and the schemas do not allow
/// them.
pub(super) struct ValidReply {
    /// The version that the reply follows: v3 if a reply in v2 has its edits.
    pub(super) version: Version,
    pub(super) value: Value,
    pub(super) repairs: Repairs,
}

/// Returns the JSON of a reply, valid against the schema of the version.
///
/// # Errors
///
/// Those of [`extract_json`], and `ERR_SCHEMA_VALIDATION` with the JSON pointer of the first
/// fault.
pub(super) fn extract_validated(version: Version, reply: &str) -> Result<ValidReply, Refusal> {
    let ValidReply { value, repairs, .. } = find_reply(version, reply)?;
    // Before the validation: a null in an optional field is no fault.
    let mut value = drop_nulls(value);
    let mut repairs = repairs;
    if let Some(Value::Array(requests)) = value.get_mut("context_requests") {
        let named = tool_calls::rename_requests(requests.clone());
        repairs.tool_calls |= named != *requests;
        *requests = named;
    }
    // A reply that only changes the memory has nothing to sum up.
    if only_remembers(&value)
        && let Some(members) = value.as_object_mut()
    {
        members.insert("summary".to_owned(), ONLY_REMEMBERS.into());
    }
    let version = if version == Version::V2 && has_edits(&value) { Version::V3 } else { version };
    compiled_schema(version).validate(&value).map_err(schema_refusal)?;
    Ok(ValidReply { version, value, repairs })
}

/// Returns `true` if an action has anchored edits. They say more than a patch does, so they are no reason to ask again.
fn has_edits(value: &Value) -> bool {
    let actions = value.get("actions").and_then(Value::as_array);
    let kind = |action: &Value| action.get("kind").and_then(Value::as_str) == Some("EDIT_FILE");
    actions.is_some_and(|actions| actions.iter().any(kind))
}

/// The summary of a reply that has a `memory_patch` and nothing else.
const ONLY_REMEMBERS: &str = "NO_CHANGES: only the engineering memory changes";

/// Returns `true` for a reply that has a `memory_patch`, no action, no request and no summary.
fn only_remembers(value: &Value) -> bool {
    let is_empty = |field: &str| match value.get(field) {
        None => true,
        Some(Value::Array(items)) => items.is_empty(),
        Some(Value::String(text)) => text.trim().is_empty(),
        Some(_) => false,
    };
    let patch = value.get("memory_patch").and_then(Value::as_object);
    patch.is_some_and(|patch| !patch.is_empty())
        && ["actions", "context_requests", "summary", "proposed_changes"].into_iter().all(is_empty)
}

/// Returns the JSON object of the protocol in a reply; without one, the object that its tool calls express.
fn find_reply(version: Version, reply: &str) -> Result<ValidReply, Refusal> {
    let extracted = extract_json(reply);
    // A byte order mark is no character of JSON, but some servers send one.
    let text = after_thoughts(reply.trim_start_matches('\u{feff}').trim())?;
    // An object with `tool_calls` is read as tool calls, even if it has fields of the protocol.
    let is_reply = extracted
        .as_ref()
        .is_ok_and(|found| is_ours(&found.value) && found.value.get("tool_calls").is_none());
    // Too long a reply is refused by `extract_json`, before anything else scans it.
    if reply.len() > MAX_REPLY_BYTES || is_reply && !tool_calls::begins_with_mark(text) {
        let Extracted { value, repaired } = extracted?;
        return Ok(ValidReply {
            version,
            value,
            repairs: Repairs { json: repaired, tool_calls: false },
        });
    }
    if let Some(value) = tool_calls::read_tool_calls(version, text)? {
        return Ok(ValidReply {
            version,
            value,
            repairs: Repairs { json: false, tool_calls: true },
        });
    }
    // No tool calls either: the error or the foreign object of the first search is the result.
    let Extracted { value, repaired } = extracted?;
    Ok(ValidReply { version, value, repairs: Repairs { json: repaired, tool_calls: false } })
}

/// Refuses a reply that is not of the schema.
pub(super) fn schema_refusal(reason: impl Into<String>) -> Refusal {
    Refusal::of_reply(ErrorCode::SchemaValidation, reason)
}

/// Returns the summary; empty if there is none.
pub(super) fn summary_text(value: &Value) -> String {
    value.get("summary").and_then(Value::as_str).unwrap_or_default().to_owned()
}

/// Returns the actions of a valid reply.
/// The schema has validated the items, so that an error here means a number out of range.
pub(super) fn decode_list(version: Version, value: &Value) -> Result<Vec<Action>, Refusal> {
    let list = match version {
        Version::V1 => v1::action_list(value)?,
        Version::V2 | Version::V3 => v2::action_list(value),
    };
    let mut actions = Vec::new();
    for (index, item) in list.iter().enumerate() {
        // The index is 0-based, as in the JSON pointers of the schema's faults.
        let action = action::decode_action(item)
            .ok_or_else(|| schema_refusal(format!("action {index} cannot be read")))?;
        actions.push(action);
    }
    Ok(actions)
}
