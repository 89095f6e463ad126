//! The vendors' JSON, apart from the network: a request's body out, a reply's parts in.

use serde_json::Value;

use super::capability::{Capabilities, Droppable};
use super::exchange::{FinishReason, ModelRequest};
use papayu_base::domain::Usage;

pub(crate) mod anthropic;
pub(crate) mod gemini;
mod messages;
pub(crate) mod ollama;
pub(crate) mod openai;
pub(crate) mod responses;

/// A vendor's format.
#[derive(Clone, Copy)]
pub(crate) struct VendorWire {
    /// The parts that a request works without, in the order in which they are dropped.
    pub(crate) droppable: &'static [Droppable],
    /// Makes the body of a request.
    pub(crate) encode: fn(&ModelRequest, &Options<'_>) -> Value,
    /// Reads the body of a reply.
    pub(crate) decode: fn(&[u8]) -> Result<Parts, Misfit>,
}

/// The inputs of a body besides the request.
pub(crate) struct Options<'a> {
    /// The model's name.
    pub(crate) model: &'a str,
    /// The amount of reasoning; `None` for the model's default.
    pub(crate) effort: Option<&'static str>,
    /// The temperature.
    pub(crate) temperature: f64,
    /// Optional request fields that the model accepts.
    pub(crate) capabilities: &'a Capabilities,
}

/// The contents of a reply's body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Parts {
    /// The model's text.
    pub(crate) text: String,
    /// Why it ended.
    pub(crate) finish: FinishReason,
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

/// Returns a number without a fraction where it has none: some servers take no `0.0`.
fn short_number(number: f64) -> Value {
    let text = number.to_string();
    text.parse::<i64>().map_or_else(|_| Value::from(number), Value::from)
}

/// Returns the number at a JSON pointer, zero where there is none.
fn token_count(json: &Value, at: &str) -> u64 {
    json.pointer(at).and_then(Value::as_u64).unwrap_or_default()
}

#[cfg(test)]
mod tests;
