//! The vendors' JSON, apart from the network: a request's body out, a reply's parts in.

use serde_json::{Value, json};

use super::capability::{Capabilities, Droppable};
use super::exchange::{Finish, Request};
use crate::domain::Usage;

pub(crate) mod anthropic;
pub(crate) mod gemini;
pub(crate) mod ollama;
pub(crate) mod openai;
pub(crate) mod responses;

/// A vendor's format.
#[derive(Clone, Copy)]
pub(crate) struct Wire {
    /// The parts that a request works without, in the order in which they are dropped.
    pub(crate) droppable: &'static [Droppable],
    /// Makes the body of a request.
    pub(crate) encode: fn(&Request, &Options<'_>) -> Value,
    /// Reads the body of a reply.
    pub(crate) decode: fn(&[u8]) -> Result<Parts, Misfit>,
}

/// The inputs of a body besides the request.
pub(crate) struct Options<'a> {
    /// The model's name.
    pub(crate) model: &'a str,
    /// How much the model reasons; `None` for its default.
    pub(crate) effort: Option<&'static str>,
    /// Optional request fields that the model accepts.
    pub(crate) capabilities: &'a Capabilities,
}

/// The contents of a reply's body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Parts {
    /// The model's text.
    pub(crate) text: String,
    /// Why it ended.
    pub(crate) finish: Finish,
    /// Tokens; zero where the server does not count.
    pub(crate) usage: Usage,
}

/// A body that is not of the documented form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Misfit {
    /// The fault of the body.
    pub(crate) reason: String,
    /// Tokens that the body reports nevertheless.
    pub(crate) usage: Usage,
}

/// Returns the text of the first message.
fn first_message(request: &Request) -> String {
    format!("{}{}", request.prefix, request.tail)
}

/// Returns the messages in the form that chat APIs share: the system's, the user's, then the turns.
fn chat_messages(request: &Request) -> Vec<Value> {
    let message = |role: &str, content: &str| json!({"role": role, "content": content});
    let first = first_message(request);
    let mut messages = vec![message("system", &request.system), message("user", &first)];
    for turn in &request.turns {
        messages.push(message("assistant", &turn.reply));
        messages.push(message("user", &turn.message));
    }
    messages
}

/// Returns the text of a message. Native tool calls become the JSON form that replies are decoded from.
fn message_text(message: &Value) -> Option<String> {
    let content = message.get("content").and_then(Value::as_str);
    let calls = message
        .get("tool_calls")
        .filter(|calls| calls.as_array().is_some_and(|calls| !calls.is_empty()));
    match calls {
        Some(calls) => Some(json!({ "content": content, "tool_calls": calls }).to_string()),
        None => content.map(str::to_owned),
    }
}

/// Reads a body as one JSON object; a server's error sent as a success is a misfit as well.
fn parse_object(body: &[u8]) -> Result<Value, Misfit> {
    let misfit = |reason: String| Misfit { reason, usage: Usage::default() };
    if body.trim_ascii_start().starts_with(b"<") {
        return Err(misfit(super::complaint::of_body(body)));
    }
    let json: Value =
        serde_json::from_slice(body).map_err(|error| misfit(format!("not JSON: {error}")))?;
    if !json.is_object() {
        return Err(misfit("not a JSON object".into()));
    }
    if json.get("error").is_some_and(|error| !error.is_null()) {
        return Err(misfit(super::complaint::of_body(body)));
    }
    Ok(json)
}

/// Returns the number at a JSON pointer, zero where there is none.
fn token_count(json: &Value, at: &str) -> u64 {
    json.pointer(at).and_then(Value::as_u64).unwrap_or_default()
}

#[cfg(test)]
mod tests;
