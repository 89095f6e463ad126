//! Messages in the forms that several vendors share.

use serde_json::{Value, json};

use crate::exchange::ModelRequest;

/// Returns the text of the first message.
pub(super) fn first_message(request: &ModelRequest) -> String {
    format!("{}{}", request.prefix, request.tail)
}

/// Returns the messages in the form that chat APIs share: the system's, the user's, then the turns.
pub(super) fn chat_messages(request: &ModelRequest) -> Vec<Value> {
    let message = |role: &str, content: &str| json!({"role": role, "content": content});
    let first = first_message(request);
    let mut messages = vec![message("system", &request.system), message("user", &first)];
    for turn in &request.turns {
        messages.push(message("assistant", &turn.reply));
        messages.push(message("user", &turn.message));
    }
    messages
}

/// Returns the text of a message. Native tool calls become the JSON form that replies are decoded from. `None`
/// for a message without both.
pub(super) fn message_text(message: &Value) -> Option<String> {
    let content = message.get("content").and_then(Value::as_str);
    let calls = message
        .get("tool_calls")
        .filter(|calls| calls.as_array().is_some_and(|calls| !calls.is_empty()));
    match calls {
        Some(calls) => Some(json!({ "content": content, "tool_calls": calls }).to_string()),
        None => content.map(str::to_owned),
    }
}
