//! A reply's text becomes a plan or a set of actions: extracted, freed of nulls, validated,
//!
//! The order of steps: `extract_json`, then tool calls where no object of ours was found,
//! `drop_nulls`,
//! the schema of the version, `action_list` of `v1` or `v2`, `decode_action` for each item, and
//! last
//! the gate `mode`. Each step has one error code, and the first fault ends the reading.
//! converted.

mod action;
mod form;
mod plan;
mod reply;
mod v1;
mod v2;

pub use form::decode_form;
pub use plan::{PlanReply, decode_plan, decode_plan_reply};

use super::extract::Repairs;
use super::mode;
use super::refusal::Refusal;
use papayu_base::domain::{ActionSet, Version};
use reply::{ValidReply, decode_list, extract_validated, summary_text};

/// Returns the actions of an APPLY reply (protocol section 2), and how it was repaired.
///
/// # Errors
///
/// `ERR_APPLY_EMPTY_ACTIONS` for a reply without actions whose summary does not begin with
/// `NO_CHANGES:`, `ERR_SCHEMA_VALIDATION` for faults of the schema, and the errors of
/// [`extract_json`](super::extract::extract_json).
///
/// ```
/// use papayu_base::domain::Version;
/// use papayu_patch::protocol::decode_actions;
///
/// let reply = r#"{"actions": [{"kind": "DELETE_FILE", "path": "old.rs"},], "summary": "unused"}"#;
/// let (set, repairs) = decode_actions(Version::V2, reply)?;
/// assert_eq!(set.actions[0].path, "old.rs");
/// assert!(repairs.json, "a trailing comma is repaired");
/// # Ok::<(), papayu_patch::protocol::Refusal>(())
/// ```
pub fn decode_actions(version: Version, reply: &str) -> Result<(ActionSet, Repairs), Refusal> {
    let ValidReply { version, value, repairs } = extract_validated(version, reply)?;
    // Decoded before the gate: its refusal quotes the first action.
    let actions = decode_list(version, &value)?;
    let set = ActionSet { version, actions, summary: summary_text(&value), validated: value };
    mode::check_apply(&set)?;
    Ok((set, repairs))
}

#[cfg(test)]
mod tests;
