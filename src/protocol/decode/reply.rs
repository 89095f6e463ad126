//! The parts of every reply: JSON, schema, summary and actions.

use serde_json::Value;

use super::{action, v1, v2};
use crate::domain::{Action, ErrorCode, Version};
use crate::protocol::extract::{Extracted, extract_json};
use crate::protocol::refusal::Refusal;
use crate::protocol::schema::compiled_schema;
use crate::protocol::wire_schema::drop_nulls;

/// Returns the JSON of a reply, valid against the schema of the version.
pub(super) fn extract_validated(version: Version, reply: &str) -> Result<Extracted, Refusal> {
    let Extracted { value, repaired } = extract_json(reply)?;
    let value = drop_nulls(value);
    compiled_schema(version).validate(&value).map_err(schema_refusal)?;
    Ok(Extracted { value, repaired })
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
pub(super) fn decode_list(version: Version, value: &Value) -> Result<Vec<Action>, Refusal> {
    let list = match version {
        Version::V1 => v1::action_list(value)?,
        Version::V2 | Version::V3 => v2::action_list(value),
    };
    let mut actions = Vec::new();
    for (index, item) in list.iter().enumerate() {
        let action = action::decode_action(item)
            .ok_or_else(|| schema_refusal(format!("action {index} cannot be read")))?;
        actions.push(action);
    }
    Ok(actions)
}
