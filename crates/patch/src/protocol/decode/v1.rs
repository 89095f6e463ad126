//! Protocol v1: where its actions are.

use serde_json::Value;

use crate::protocol::refusal::Refusal;
use papayu_base::domain::ErrorCode;

/// Returns the root array, `actions`, or `proposed_changes.actions` (protocol section 1); an empty list if
/// there is none.
///
/// Fails with `ERR_SCHEMA_VALIDATION` if both places have actions, because neither may be dropped.
pub(super) fn action_list(value: &Value) -> Result<&[Value], Refusal> {
    if let Some(root) = value.as_array() {
        return Ok(root);
    }
    // An empty list in one place and actions in the other are no contradiction.
    let at =
        |place: &str| value.pointer(place).and_then(Value::as_array).map_or(&[][..], |list| list);
    match (at("/actions"), at("/proposed_changes/actions")) {
        ([], proposed) => Ok(proposed),
        (actions, []) => Ok(actions),
        _ => Err(Refusal::of_reply(
            ErrorCode::SchemaValidation,
            "the reply: actions are in `actions` or in `proposed_changes.actions`, not in both",
        )),
    }
}
