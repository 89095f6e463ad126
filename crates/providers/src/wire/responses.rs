//! The Responses API of `OpenAI`, without state on its server.

use serde_json::{Value, json};

use super::messages::first_message;
use super::{Misfit, Options, Parts, VendorWire, parse_object, short_number, token_count};
use crate::capability::Feature;
use crate::exchange::{FinishReason, ModelRequest};
use papayu_base::domain::Usage;

/// The format.
pub(crate) const WIRE: VendorWire = VendorWire {
    droppable: &[
        (
            Feature::StructuredOutput,
            &["text.format", "response_format", "json_schema", "structured outputs"],
        ),
        (
            Feature::ReasoningEffort,
            &["reasoning.effort", "reasoning_effort", "reasoning effort", "reasoning"],
        ),
        (Feature::TopP, &["top_p"]),
        (Feature::Temperature, &["temperature"]),
    ],
    encode,
    decode,
};

/// Returns the body of `POST /v1/responses`. The conversation is sent each time and `store` is off, so that the
/// server keeps none of it.
fn encode(request: &ModelRequest, options: &Options<'_>) -> Value {
    let message = |role: &str, content: &str| json!({"role": role, "content": content});
    let mut input = vec![message("user", &first_message(request))];
    for turn in &request.turns {
        input.push(message("assistant", &turn.reply));
        input.push(message("user", &turn.message));
    }
    let mut body = json!({
        "model": options.model,
        "instructions": request.system,
        "input": input,
        "max_output_tokens": request.max_output_tokens,
        "store": false,
    });
    let accepts = |feature| options.capabilities.is_supported(feature);
    let temperature = short_number(options.temperature);
    for (feature, value) in [(Feature::Temperature, temperature), (Feature::TopP, json!(1))] {
        if accepts(feature) {
            body[feature.name()] = value;
        }
    }
    if let Some(effort) = options.effort.filter(|_| accepts(Feature::ReasoningEffort)) {
        body["reasoning"] = json!({ "effort": effort });
    }
    if accepts(Feature::StructuredOutput) {
        let schema = &request.wire_schema;
        body["text"] = json!({"format": {
            "type": "json_schema", "name": schema.name, "strict": true, "schema": schema.schema,
        }});
    }
    body
}

/// Parses an answer. Cached tokens are part of `input_tokens`, those of reasoning of `output_tokens`.
fn decode(body: &[u8]) -> Result<Parts, Misfit> {
    let json = parse_object(body)?;
    let usage = Usage {
        input: token_count(&json, "/usage/input_tokens"),
        output: token_count(&json, "/usage/output_tokens"),
        cached: token_count(&json, "/usage/input_tokens_details/cached_tokens"),
    };
    let misfit = |reason: String| Misfit { reason, usage };
    let items = json.get("output").and_then(Value::as_array);
    let items = items.ok_or_else(|| misfit("`output` is no list".into()))?;
    let contents = items.iter().filter(|item| item.get("type") == Some(&json!("message")));
    let contents = contents.filter_map(|item| item.get("content")?.as_array()).flatten();
    let collect = |field: &str| -> Vec<&str> {
        contents.clone().filter_map(|part| part.get(field)?.as_str()).collect()
    };
    let refusal = collect("refusal");
    if !refusal.is_empty() {
        return Ok(Parts { text: refusal.concat(), finish: FinishReason::Refusal, usage });
    }
    let texts = collect("text");
    let cause = json.pointer("/incomplete_details/reason").and_then(Value::as_str);
    let finish = match (json.get("status").and_then(Value::as_str), cause) {
        (None | Some("completed"), _) => FinishReason::Stop,
        (Some("incomplete"), Some("content_filter")) => FinishReason::Refusal,
        (Some("incomplete"), _) => FinishReason::Length,
        (Some(status), _) => return Err(misfit(format!("`status` is `{status}`"))),
    };
    if texts.is_empty() && finish == FinishReason::Stop {
        return Err(misfit("`output` has no text".into()));
    }
    Ok(Parts { text: texts.concat(), finish, usage })
}
