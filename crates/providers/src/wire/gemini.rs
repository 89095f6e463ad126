//! The `generateContent` method of the Gemini API.

use serde_json::{Value, json};

use super::messages::first_message;
use super::{Misfit, Options, Parts, VendorWire, parse_object, token_count};
use crate::capability::Feature;
use crate::exchange::{FinishReason, ModelRequest};
use papayu_base::domain::Usage;

/// The format.
///
/// No temperature is sent: since Gemini 3 the vendor advises against values below the default of 1, with which its
/// models may repeat themselves without end.
pub(crate) const WIRE: VendorWire = VendorWire {
    droppable: &[
        (
            Feature::StructuredOutput,
            &[
                "responsejsonschema", "response_json_schema", "response_schema",
                "responsemimetype", "response_mime_type", "json mode", "schema",
            ],
        ),
        (
            Feature::ReasoningEffort,
            &["thinkinglevel", "thinking_level", "thinking level", "thinking_config", "thinking"],
        ),
    ],
    encode,
    decode,
};

/// Finish reasons of a candidate that the vendor withholds because of its content.
const BLOCKED: [&str; 7] =
    ["SAFETY", "RECITATION", "LANGUAGE", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "MODEL_ARMOR"];

/// Returns the body of `POST /v1beta/models/MODEL:generateContent`; the model is part of the address.
fn encode(request: &ModelRequest, options: &Options<'_>) -> Value {
    let content = |role: &str, text: &str| json!({"role": role, "parts": [{"text": text}]});
    let mut contents = vec![content("user", &first_message(request))];
    for turn in &request.turns {
        contents.push(content("model", &turn.reply));
        contents.push(content("user", &turn.message));
    }
    let mut config = json!({ "maxOutputTokens": request.max_output_tokens });
    let accepts = |feature| options.capabilities.is_supported(feature);
    if accepts(Feature::StructuredOutput) {
        config["responseMimeType"] = json!("application/json");
        config["responseJsonSchema"] = request.wire_schema.schema.clone();
    }
    if let Some(effort) = options.effort.filter(|_| accepts(Feature::ReasoningEffort)) {
        config["thinkingConfig"] = json!({ "thinkingLevel": effort.to_ascii_uppercase() });
    }
    json!({
        "systemInstruction": {"parts": [{"text": request.system}]},
        "contents": contents,
        "generationConfig": config,
    })
}

/// Parses an answer. Cached tokens are part of the prompt's; tokens of thoughts are paid as output and are not
/// part of the candidates'.
fn decode(body: &[u8]) -> Result<Parts, Misfit> {
    let json = parse_object(body)?;
    let count = |name: &str| token_count(&json, &format!("/usageMetadata/{name}"));
    let usage = Usage {
        input: count("promptTokenCount"),
        output: count("candidatesTokenCount").saturating_add(count("thoughtsTokenCount")),
        cached: count("cachedContentTokenCount"),
    };
    let misfit = |reason: String| Misfit { reason, usage };
    let refused = |text: String| Ok(Parts { text, finish: FinishReason::Refusal, usage });
    if let Some(reason) = json.pointer("/promptFeedback/blockReason").and_then(Value::as_str) {
        return refused(format!("the prompt is blocked: {reason}"));
    }
    let candidate = json.pointer("/candidates/0");
    let candidate = candidate.ok_or_else(|| misfit("`candidates` is missing or empty".into()))?;
    let parts = candidate.pointer("/content/parts").and_then(Value::as_array);
    // Thoughts are no part of the reply.
    let visible = parts.into_iter().flatten().filter(|it| it.get("thought") != Some(&json!(true)));
    let texts: Vec<&str> = visible.filter_map(|part| part.get("text")?.as_str()).collect();
    let finish = match candidate.get("finishReason").and_then(Value::as_str) {
        Some(reason) if BLOCKED.contains(&reason) => {
            return refused(format!("the reply is blocked: {reason}"));
        }
        Some("MAX_TOKENS") => FinishReason::Length,
        Some(reason) if texts.is_empty() => {
            return Err(misfit(format!("a reply without text ended with `{reason}`")));
        }
        _ => FinishReason::Stop,
    };
    if texts.is_empty() && finish == FinishReason::Stop {
        return Err(misfit("`candidates[0]` has no text".into()));
    }
    Ok(Parts { text: texts.concat(), finish, usage })
}
