//! Protocols v2 and v3: where their actions are.

use serde_json::Value;

/// Returns `actions` (protocol section 1).
/// Other than v1, the versions have one place for them; the schema has made sure of it.
pub(super) fn action_list(value: &Value) -> &[Value] {
    value.get("actions").and_then(Value::as_array).map_or(&[], |list| list)
}
