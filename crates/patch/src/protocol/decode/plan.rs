//! Replies to PLAN requests.

use serde_json::Value;

use super::reply::{ValidReply, decode_list, extract_validated, schema_refusal, summary_text};
use crate::protocol::extract::Repairs;
use crate::protocol::mode;
use crate::protocol::refusal::Refusal;
use papayu_base::domain::{ActionSet, Plan, Version};

/// Returns the plan of a PLAN reply (protocol section 2), and how it was repaired.
///
/// # Errors
///
/// `ERR_PLAN_WITH_ACTIONS` for actions, `ERR_SCHEMA_VALIDATION` for an empty summary and other
/// faults of the schema, and the errors of [`extract_json`](crate::protocol::extract::extract_json).
pub fn decode_plan(version: Version, reply: &str) -> Result<(Plan, Repairs), Refusal> {
    // The order of the checks decides which error a reply with several faults gets.
    let ValidReply { version, value, repairs } = extract_validated(version, reply)?;
    check_summary(&value)?;
    mode::check_plan(&decode_list(version, &value)?)?;
    Ok((read_plan(value)?, repairs))
}

/// The reply to a PLAN request that may be answered with a change (protocol section 13).
#[derive(Clone, Debug, PartialEq)]
pub enum PlanReply {
    /// A plan without actions.
    Plan(Plan),
    /// A change, and the same reply as a plan: it may ask to read more as well.
    Change(ActionSet, Plan),
}

/// Returns the plan or the change of a reply to a PLAN request that accepts both, and how it was
/// repaired.
///
/// # Errors
///
/// `ERR_SCHEMA_VALIDATION` for a reply that has neither actions nor a summary and for other faults of
/// the schema, and the errors of [`extract_json`](crate::protocol::extract::extract_json).
pub fn decode_plan_reply(version: Version, reply: &str) -> Result<(PlanReply, Repairs), Refusal> {
    let ValidReply { version, value, repairs } = extract_validated(version, reply)?;
    let actions = decode_list(version, &value)?;
    // Without actions the reply is a plan, whatever its summary announces.
    if actions.is_empty() {
        check_summary(&value)?;
        return Ok((PlanReply::Plan(read_plan(value)?), repairs));
    }
    let summary = summary_text(&value);
    // The validated value is in both parts, because the trace records it with either.
    let set = ActionSet { version, actions, summary, validated: value.clone() };
    Ok((PlanReply::Change(set, read_plan(value)?), repairs))
}

/// Refuses a plan with a blank summary: the schema accepts a text of blanks.
fn check_summary(value: &Value) -> Result<(), Refusal> {
    if summary_text(value).trim().is_empty() {
        return Err(schema_refusal("/summary: a PLAN needs a summary that is not empty"));
    }
    Ok(())
}

/// Moves the requests out of a valid reply. A reply without the field asks for nothing.
fn read_plan(value: Value) -> Result<Plan, Refusal> {
    let requests = value.get("context_requests").cloned().unwrap_or_else(|| Value::Array(vec![]));
    let context_requests = serde_json::from_value(requests)
        .map_err(|error| schema_refusal(format!("/context_requests: {error}")))?;
    Ok(Plan { summary: summary_text(&value), context_requests, validated: value })
}
