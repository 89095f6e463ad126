//! Anthropic's messages, with marks where its prompt cache may cut.

use serde_json::{Value, json};

use super::{Misfit, Options, Parts, VendorWire, parse_object, token_count};
use crate::capability::Feature;
use crate::exchange::{FinishReason, ModelRequest};
use papayu_base::domain::Usage;

/// The format.
///
/// There is no temperature in it: the current API's request has no such parameter, and recent
/// models refuse it. `max_tokens` is required and cannot be dropped.
pub(crate) const WIRE: VendorWire = VendorWire {
    droppable: &[(
        Feature::StructuredOutput,
        &[
            "output_config", "output_format", "output format", "response_format", "json_schema",
            "structured outputs",
        ],
    )],
    encode,
    decode,
};

/// Returns the body of `POST /v1/messages` (docs.anthropic.com, Messages).
fn encode(request: &ModelRequest, options: &Options<'_>) -> Value {
    // An empty block is refused, and so is a cache mark on one.
    let parts = [&request.prefix, &request.tail].into_iter().filter(|text| !text.is_empty());
    let content: Vec<Value> = parts.map(|text| cached_block(text)).collect();
    let mut messages = vec![json!({"role": "user", "content": content})];
    for (turn, left) in request.turns.iter().zip((0..request.turns.len()).rev()) {
        messages.push(json!({"role": "assistant", "content": *turn.reply}));
        // A request may have four marks: system, prefix, tail and its last message.
        let text = if left == 0 { cached_block(&turn.message) } else { text_block(&turn.message) };
        messages.push(json!({"role": "user", "content": [text]}));
    }
    let mut body = json!({
        "model": options.model,
        "max_tokens": request.max_output_tokens,
        "system": [cached_block(&request.system)],
        "messages": messages,
    });
    if options.capabilities.is_supported(Feature::StructuredOutput) {
        let schema = &request.wire_schema.schema;
        body["output_config"] = json!({"format": {"type": "json_schema", "schema": schema}});
    }
    body
}

fn text_block(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

/// Returns a block up to which the server caches the prompt for five minutes (Prompt caching,
/// `ephemeral`).
fn cached_block(text: &str) -> Value {
    json!({"type": "text", "text": text, "cache_control": {"type": "ephemeral"}})
}

/// Parses an answer. `input_tokens` does not include those read from or written to the cache, so
/// they are added.
fn decode(body: &[u8]) -> Result<Parts, Misfit> {
    let json = parse_object(body)?;
    let cached = token_count(&json, "/usage/cache_read_input_tokens");
    let written = token_count(&json, "/usage/cache_creation_input_tokens");
    let usage = Usage {
        input: token_count(&json, "/usage/input_tokens")
            .saturating_add(cached)
            .saturating_add(written),
        output: token_count(&json, "/usage/output_tokens"),
        cached,
    };
    let misfit = |reason: &str| Misfit { reason: reason.into(), usage };
    let blocks = json.get("content").and_then(Value::as_array);
    let blocks = blocks.ok_or_else(|| misfit("`content` is no list"))?;
    let finish = match json.get("stop_reason").and_then(Value::as_str) {
        Some("max_tokens" | "model_context_window_exceeded") => FinishReason::Length,
        Some("refusal") => FinishReason::Refusal,
        _ => FinishReason::Stop,
    };
    let texts = blocks.iter().filter(|block| block.get("type") == Some(&json!("text")));
    let texts: Vec<_> = texts.filter_map(|block| block.get("text")?.as_str()).collect();
    if texts.is_empty() && finish == FinishReason::Stop {
        return Err(misfit("`content` has no text block"));
    }
    Ok(Parts { text: texts.concat(), finish, usage })
}
