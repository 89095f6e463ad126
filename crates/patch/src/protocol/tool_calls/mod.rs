//! Reads replies that call tools instead of following the protocol, as small local models do.
//!
//! Calls are read in the forms of published chat templates (XML, JSON, control tokens, Python) and become the
//! actions and context requests of a reply, which then passes the schema and the gates like any other. A call
//! that cannot be expressed is an error: no part of a reply is dropped.

mod arguments;
mod call;
mod json_form;
mod marked_form;
mod names;
mod python_form;
mod reply;
mod xml_form;

use serde_json::Value;

use super::refusal::Refusal;
use papayu_base::domain::{ErrorCode, Version};

pub(in crate::protocol) use marked_form::begins_with_mark;
pub use names::{canonical_tool_name, tool_aliases};

/// Returns the reply that the tool calls of a text express; `None` if the text has no tool call.
///
/// # Errors
///
/// `ERR_JSON_PARSE` for calls that are cut off or damaged, `ERR_SCHEMA_VALIDATION` for a tool or a parameter that
/// has no counterpart in the protocol.
pub(super) fn read_tool_calls(version: Version, text: &str) -> Result<Option<Value>, Refusal> {
    let Some(found) = marked_form::find_calls(text)
        .or_else(|| python_form::find_calls(text))
        .or_else(|| json_form::find_calls(text))
    else {
        return Ok(None);
    };
    let calls = found.map_err(|fault| Refusal::of_reply(ErrorCode::JsonParse, fault))?;
    let reply = reply::build_reply(version, &calls)
        .map_err(|fault| Refusal::of_reply(ErrorCode::SchemaValidation, fault))?;
    Ok(Some(reply))
}

/// Returns context requests with the names of tools, and those of their parameters, in the words of the protocol:
/// `{"type": "get_file", "file": "a.py"}`. A request that has no counterpart stays as it is.
pub(super) fn rename_requests(requests: Vec<Value>) -> Vec<Value> {
    requests
        .into_iter()
        .flat_map(|request| reply::requests_of_value(&request).unwrap_or_else(|| vec![request]))
        .collect()
}
