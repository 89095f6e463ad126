//! Chat completions, as `OpenAI` documents them and many others serve them.

use serde_json::{Value, json};

use super::messages::{chat_messages, message_text};
use super::{Misfit, Options, Parts, VendorWire, parse_object, short_number, token_count};
use crate::capability::Feature;
use crate::exchange::{FinishReason, ModelRequest};
use papayu_base::domain::Usage;

/// The format.
pub(crate) const WIRE: VendorWire = VendorWire {
    droppable: &[
        (
            Feature::StructuredOutput,
            &["response_format", "response format", "json_schema", "structured outputs"],
        ),
        (Feature::ReasoningEffort, &["reasoning_effort", "reasoning effort"]),
        (Feature::MaxTokens, &["max_tokens"]),
        (Feature::MaxCompletionTokens, &["max_completion_tokens"]),
        (Feature::FrequencyPenalty, &["frequency_penalty"]),
        (Feature::PresencePenalty, &["presence_penalty"]),
        (Feature::TopP, &["top_p"]),
        (Feature::Temperature, &["temperature"]),
    ],
    encode,
    decode,
};

/// Makes the body. Servers cache by the longest common beginning, without being asked.
fn encode(request: &ModelRequest, options: &Options<'_>) -> Value {
    let mut body = json!({
        "model": options.model,
        "messages": chat_messages(request),
    });
    // Protocol section 3, generation parameters.
    for (feature, value) in [
        (Feature::Temperature, short_number(options.temperature)),
        (Feature::TopP, json!(1)),
        (Feature::PresencePenalty, json!(0)),
        (Feature::FrequencyPenalty, json!(0)),
    ] {
        if options.capabilities.is_supported(feature) {
            body[feature.name()] = value;
        }
    }
    let limits = [Feature::MaxTokens, Feature::MaxCompletionTokens];
    if let Some(limit) = limits.iter().find(|limit| options.capabilities.is_supported(**limit)) {
        body[limit.name()] = json!(request.max_output_tokens);
    }
    let effort =
        options.effort.filter(|_| options.capabilities.is_supported(Feature::ReasoningEffort));
    if let Some(effort) = effort {
        body["reasoning_effort"] = json!(effort);
    }
    if options.capabilities.is_supported(Feature::StructuredOutput) {
        let schema = &request.wire_schema;
        body["response_format"] = json!({
            "type": "json_schema",
            "json_schema": {"name": schema.name, "strict": true, "schema": schema.schema},
        });
    }
    body
}

/// Parses an answer of `POST /chat/completions`.
fn decode(body: &[u8]) -> Result<Parts, Misfit> {
    let json = parse_object(body)?;
    let usage = Usage {
        input: token_count(&json, "/usage/prompt_tokens"),
        output: token_count(&json, "/usage/completion_tokens"),
        cached: token_count(&json, "/usage/prompt_tokens_details/cached_tokens"),
    };
    let misfit = |reason: &str| Misfit { reason: reason.into(), usage };
    let choice =
        json.pointer("/choices/0").ok_or_else(|| misfit("`choices` is missing or empty"))?;
    let message = choice.get("message").ok_or_else(|| misfit("`choices[0].message` is missing"))?;
    let finish = match choice.get("finish_reason").and_then(Value::as_str) {
        Some("length") => FinishReason::Length,
        Some("content_filter") => FinishReason::Refusal,
        _ => FinishReason::Stop,
    };
    if let Some(refusal) = message.get("refusal").and_then(Value::as_str) {
        return Ok(Parts { text: refusal.to_owned(), finish: FinishReason::Refusal, usage });
    }
    match message_text(message) {
        Some(text) => Ok(Parts { text, finish, usage }),
        // A limit or a filter may leave nothing to show.
        None if finish != FinishReason::Stop => Ok(Parts { text: String::new(), finish, usage }),
        None => Err(misfit("`choices[0].message.content` is no text")),
    }
}
