//! Ollama's own chat route.

use serde_json::{Value, json};

use super::messages::{chat_messages, message_text};
use super::{Misfit, Options, Parts, VendorWire, parse_object, short_number, token_count};
use crate::capability::Feature;
use crate::exchange::{FinishReason, ModelRequest};
use papayu_base::domain::Usage;

/// The format. Unknown options are ignored by the server, never refused.
pub(crate) const WIRE: VendorWire = VendorWire {
    droppable: &[
        (Feature::StructuredOutput, &["format", "schema"]),
        (Feature::Tools, &["tools", "tool"]),
    ],
    encode,
    decode,
};

/// Code in the languages we see has rarely fewer bytes a token.
const BYTES_PER_TOKEN: usize = 3;

/// Smallest and largest context asked for, in tokens.
const CONTEXT: std::ops::RangeInclusive<usize> = 8 * 1024..=128 * 1024;

/// Returns the body of `POST /api/chat` without streaming.
fn encode(request: &ModelRequest, options: &Options<'_>) -> Value {
    let mut body = json!({
        "model": options.model,
        "messages": chat_messages(request),
        "stream": false,
        "options": {
            "temperature": short_number(options.temperature),
            "top_p": 1,
            "num_predict": request.max_output_tokens,
            "num_ctx": context_size(request),
        },
    });
    if options.capabilities.is_supported(Feature::StructuredOutput) {
        body["format"] = request.wire_schema.schema.clone();
    } else if options.capabilities.is_supported(Feature::Tools) {
        let description = "Sends the reply: actions, or context requests, with a summary";
        let parameters = &request.wire_schema.schema;
        let function =
            json!({ "name": "reply", "description": description, "parameters": parameters });
        body["tools"] = json!([{ "type": "function", "function": function }]);
    }
    body
}

/// Returns a context size for prompt and reply: the server truncates the prompt silently otherwise.
///
/// The size is a power of two, because the server reloads the model when it changes.
fn context_size(request: &ModelRequest) -> usize {
    let reply = usize::try_from(request.max_output_tokens).unwrap_or(*CONTEXT.end());
    let tokens = (request.input_bytes() / BYTES_PER_TOKEN).saturating_add(reply);
    tokens.clamp(*CONTEXT.start(), *CONTEXT.end()).next_power_of_two()
}

/// Parses an answer; durations in it are ignored.
fn decode(body: &[u8]) -> Result<Parts, Misfit> {
    let json = parse_object(body)?;
    let usage = Usage {
        input: token_count(&json, "/prompt_eval_count"),
        output: token_count(&json, "/eval_count"),
        cached: 0,
    };
    let misfit = |reason: &str| Misfit { reason: reason.into(), usage };
    if json.get("done").and_then(Value::as_bool) == Some(false) {
        return Err(misfit("`done` is false: the reply is cut off"));
    }
    let text = json.get("message").and_then(message_text);
    let text = text.ok_or_else(|| misfit("`message.content` is no text"))?;
    let finish = match json.get("done_reason").and_then(Value::as_str) {
        Some("length") => FinishReason::Length,
        _ => FinishReason::Stop,
    };
    Ok(Parts { text, finish, usage })
}
