//! A reply's text becomes a plan or a set of actions: extracted, freed of nulls, validated,
//! converted.

mod action;
mod v1;
mod v2;

use serde_json::Value;

use super::extract::{Extracted, extract_json};
use super::mode;
use super::refusal::Refusal;
use super::schema::compiled_schema;
use super::wire_schema::drop_nulls;
use crate::domain::{Action, ActionSet, ErrorCode, Plan, Version};

/// Returns the plan of a PLAN reply (section 2), and true when damaged JSON was repaired.
///
/// # Errors
///
/// `ERR_PLAN_WITH_ACTIONS` for actions, `ERR_SCHEMA_VALIDATION` for an empty summary and other
/// faults of the schema, and the errors of [`extract_json`].
pub fn decode_plan(version: Version, reply: &str) -> Result<(Plan, bool), Refusal> {
    let Extracted { value, repaired } = extract_validated(version, reply)?;
    let summary = summary_text(&value);
    if summary.trim().is_empty() {
        return Err(schema_refusal("/summary: a PLAN needs a summary that is not empty"));
    }
    mode::check_plan(&decode_list(version, &value)?)?;
    let requests = value.get("context_requests").cloned().unwrap_or_else(|| Value::Array(vec![]));
    let context_requests = serde_json::from_value(requests)
        .map_err(|error| schema_refusal(format!("/context_requests: {error}")))?;
    Ok((Plan { summary, context_requests, validated: value }, repaired))
}

/// Returns the actions of an APPLY reply (section 2), and true when damaged JSON was repaired.
///
/// # Errors
///
/// `ERR_APPLY_EMPTY_ACTIONS` for a reply without actions whose summary does not begin with
/// `NO_CHANGES:`, `ERR_SCHEMA_VALIDATION` for faults of the schema, and the errors of
/// [`extract_json`].
///
/// ```
/// use papayu_batch::domain::Version;
/// use papayu_batch::protocol::decode_actions;
///
/// let reply = r#"{"actions": [{"kind": "DELETE_FILE", "path": "old.rs"},], "summary": "unused"}"#;
/// let (set, was_repaired) = decode_actions(Version::V2, reply)?;
/// assert_eq!(set.actions[0].path, "old.rs");
/// assert!(was_repaired, "a trailing comma is repaired");
/// # Ok::<(), papayu_batch::protocol::Refusal>(())
/// ```
pub fn decode_actions(version: Version, reply: &str) -> Result<(ActionSet, bool), Refusal> {
    let Extracted { value, repaired } = extract_validated(version, reply)?;
    let actions = decode_list(version, &value)?;
    let set = ActionSet { version, actions, summary: summary_text(&value), validated: value };
    mode::check_apply(&set)?;
    Ok((set, repaired))
}

fn extract_validated(version: Version, reply: &str) -> Result<Extracted, Refusal> {
    let Extracted { value, repaired } = extract_json(reply)?;
    let value = drop_nulls(value);
    compiled_schema(version).validate(&value).map_err(schema_refusal)?;
    Ok(Extracted { value, repaired })
}

fn schema_refusal(reason: impl Into<String>) -> Refusal {
    Refusal::of_reply(ErrorCode::SchemaValidation, reason)
}

fn summary_text(value: &Value) -> String {
    value.get("summary").and_then(Value::as_str).unwrap_or_default().to_owned()
}

fn decode_list(version: Version, value: &Value) -> Result<Vec<Action>, Refusal> {
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

#[cfg(test)]
mod tests;
