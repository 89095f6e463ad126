//! Bodies as sent, snapshot by snapshot, and bodies as no server should send them.

use std::sync::Arc;

use serde_json::{Value, json};

use super::{Misfit, Options, Parts, VendorWire, anthropic, gemini, ollama, openai, responses};
use crate::capability::Capabilities;
use crate::exchange::{Ask, FinishReason, ModelRequest, Turn, WireSchema};
use papayu_base::domain::{Mode, Usage, Version};
use papayu_base::text::{Masked, Masker};

fn masked(text: &str) -> Masked<String> {
    Masker::new([]).masked(text)
}

fn request() -> ModelRequest {
    ModelRequest {
        ask: Ask::Plan,
        mode: Mode::Plan,
        version: Version::V2,
        form: None,
        accepts_change: false,
        system: "Answer in JSON.".into(),
        prefix: masked("FILE[a.py] (sha256=00):\nx = 1\n"),
        tail: masked("The test fails: \"x\" is 1 — почини.\n"),
        turns: vec![],
        wire_schema: Arc::new(WireSchema {
            name: "plan_v2".into(),
            schema: json!({
                "type": "object",
                "properties": {"summary": {"type": "string"}},
                "required": ["summary"],
                "additionalProperties": false,
            }),
        }),
        max_output_tokens: 4096,
        shown: vec![],
        report: Arc::default(),
        stable: vec![],
    }
}

fn body(wire: VendorWire, model: &str, capabilities: &Capabilities) -> Value {
    (wire.encode)(&request(), &Options { model, effort: None, temperature: 0.0, capabilities })
}

#[test]
fn openai_body_is_stable() {
    let strict = Capabilities::new(true);
    insta::assert_json_snapshot!("openai_strict", body(openai::WIRE, "gpt-4o-mini", &strict));
    let mut old = Capabilities::new(false);
    for complaint in ["use max_completion_tokens instead of max_tokens", "temperature", "top_p"] {
        old.learn_from(openai::WIRE.droppable, complaint);
    }
    insta::assert_json_snapshot!("openai_refused", body(openai::WIRE, "o4-mini", &old));
}

#[test]
fn anthropic_body_is_stable() {
    let strict = Capabilities::new(true);
    let model = "claude-sonnet-4-5";
    insta::assert_json_snapshot!("anthropic_strict", body(anthropic::WIRE, model, &strict));
    let plain = Capabilities::new(false);
    insta::assert_json_snapshot!("anthropic_plain", body(anthropic::WIRE, model, &plain));
}

/// Returns the body of a request after a reply, with an effort.
fn later_body(wire: VendorWire, model: &str, capabilities: &Capabilities) -> Value {
    let turn = Turn { reply: masked("{}"), message: masked("Now the change.\n") };
    let later = ModelRequest { turns: vec![turn], ..request() };
    (wire.encode)(&later, &Options { model, effort: Some("low"), temperature: 0.5, capabilities })
}

#[test]
fn responses_body_is_stable() {
    let strict = Capabilities::new(true);
    insta::assert_json_snapshot!(
        "responses_strict",
        later_body(responses::WIRE, "gpt-4.1", &strict)
    );
    let mut old = Capabilities::new(false);
    for complaint in [
        "Unsupported parameter: 'temperature' is not supported with this model.",
        "Unsupported parameter: 'top_p' is not supported with this model.",
        "Unsupported parameter: 'reasoning.effort' is not supported with this model.",
    ] {
        assert!(old.learn_from(responses::WIRE.droppable, complaint).is_some(), "{complaint}");
    }
    insta::assert_json_snapshot!("responses_refused", later_body(responses::WIRE, "m", &old));
}

#[test]
fn gemini_body_is_stable() {
    let mut takes = Capabilities::new(true);
    insta::assert_json_snapshot!("gemini_strict", later_body(gemini::WIRE, "m", &takes));
    for complaint in [
        "Thinking level is not supported for this model.",
        "JSON mode is not enabled for models/gemma-3-27b-it",
    ] {
        assert!(takes.learn_from(gemini::WIRE.droppable, complaint).is_some(), "{complaint}");
    }
    insta::assert_json_snapshot!("gemini_refused", later_body(gemini::WIRE, "m", &takes));
}

#[test]
fn an_effort_is_sent_to_openai_until_it_is_refused() {
    let mut takes = Capabilities::new(false);
    let body = later_body(openai::WIRE, "gpt-5", &takes);
    assert_eq!(body.get("reasoning_effort"), Some(&json!("low")));
    let complaint = "Unrecognized request argument supplied: reasoning_effort";
    assert!(takes.learn_from(openai::WIRE.droppable, complaint).is_some());
    assert_eq!(later_body(openai::WIRE, "gpt-4o", &takes).get("reasoning_effort"), None);
}

#[test]
fn an_empty_prefix_is_no_block_for_anthropic() {
    let takes = Capabilities::new(false);
    let empty = ModelRequest { prefix: Masked::default(), ..request() };
    let body = (anthropic::WIRE.encode)(
        &empty,
        &Options { model: "m", effort: None, temperature: 0.0, capabilities: &takes },
    );
    let content = body.pointer("/messages/0/content").and_then(Value::as_array).map(Vec::len);
    assert_eq!(content, Some(1));
}

#[test]
fn ollama_body_is_stable() {
    let strict = Capabilities::new(true);
    let model = "qwen2.5-coder:7b-instruct";
    insta::assert_json_snapshot!("ollama_strict", body(ollama::WIRE, model, &strict));
    let plain = Capabilities::new(false);
    insta::assert_json_snapshot!("ollama_plain", body(ollama::WIRE, model, &plain));
}

#[test]
fn the_context_asked_of_ollama_holds_prompt_and_reply() {
    let takes = Capabilities::new(false);
    for (bytes, tokens) in [(0, 8192), (30_000, 16_384), (120_000, 65_536), (9_000_000, 131_072)] {
        let long = ModelRequest { prefix: masked(&"x".repeat(bytes)), ..request() };
        let body = (ollama::WIRE.encode)(
            &long,
            &Options { model: "m", effort: None, temperature: 0.0, capabilities: &takes },
        );
        assert_eq!(body.pointer("/options/num_ctx"), Some(&json!(tokens)), "{bytes}");
    }
}

/// Returns the parts of a reply; the counts are input, output and cached tokens.
fn parts(text: &str, finish: FinishReason, counts: [u64; 3]) -> Parts {
    let [input, output, cached] = counts;
    Parts { text: text.into(), finish, usage: Usage { input, output, cached } }
}

#[test]
fn replies_of_the_responses_api_are_read() {
    for (wire, body, expected) in [
        (
            responses::WIRE,
            json!({
                "status": "completed", "error": null, "incomplete_details": null,
                "output": [{"type": "reasoning", "summary": [{"type": "summary_text", "text": "h"}]},
                           {"type": "message", "content": [{"type": "output_text", "text": "a"},
                                                           {"type": "output_text", "text": "b"}]}],
                "usage": {"input_tokens": 9, "input_tokens_details": {"cached_tokens": 4},
                          "output_tokens": 7, "output_tokens_details": {"reasoning_tokens": 5}},
            }),
            parts("ab", FinishReason::Stop, [9, 7, 4]),
        ),
        (
            responses::WIRE,
            json!({"status": "completed",
                   "output": [{"type": "message", "content": [{"type": "refusal", "refusal": "no"}]}]}),
            parts("no", FinishReason::Refusal, [0, 0, 0]),
        ),
        (
            responses::WIRE,
            json!({"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"},
                   "output": [{"type": "reasoning", "summary": []}], "usage": {"output_tokens": 3}}),
            parts("", FinishReason::Length, [0, 3, 0]),
        ),
        (
            responses::WIRE,
            json!({"status": "incomplete", "incomplete_details": {"reason": "content_filter"},
                   "output": [{"type": "message", "content": [{"type": "output_text", "text": "x"}]}]}),
            parts("x", FinishReason::Refusal, [0, 0, 0]),
        ),
    ] {
        assert_eq!((wire.decode)(body.to_string().as_bytes()), Ok(expected), "{body}");
    }
}

#[test]
fn replies_of_gemini_are_read() {
    for (wire, body, expected) in [
        (
            gemini::WIRE,
            json!({
                "candidates": [{"content": {"role": "model", "parts": [
                    {"text": "h", "thought": true}, {"text": "a"}, {"text": "b"}]},
                    "finishReason": "STOP"}],
                "usageMetadata": {"promptTokenCount": 9, "cachedContentTokenCount": 4,
                                  "candidatesTokenCount": 2, "thoughtsTokenCount": 5},
            }),
            parts("ab", FinishReason::Stop, [9, 7, 4]),
        ),
        (
            gemini::WIRE,
            json!({"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"},
                   "usageMetadata": {"promptTokenCount": 9}}),
            parts("the prompt is blocked: PROHIBITED_CONTENT", FinishReason::Refusal, [9, 0, 0]),
        ),
        (
            gemini::WIRE,
            json!({"candidates": [{"finishReason": "SAFETY"}]}),
            parts("the reply is blocked: SAFETY", FinishReason::Refusal, [0, 0, 0]),
        ),
        (
            gemini::WIRE,
            json!({"candidates": [{"content": {"role": "model"}, "finishReason": "MAX_TOKENS"}]}),
            parts("", FinishReason::Length, [0, 0, 0]),
        ),
    ] {
        assert_eq!((wire.decode)(body.to_string().as_bytes()), Ok(expected), "{body}");
    }
}

#[test]
fn replies_are_read_in_every_dialect() {
    for (wire, body, expected) in [
        (
            openai::WIRE,
            json!({
                "choices": [{"message": {"content": "{}"}, "finish_reason": "stop"}],
                "usage": {"prompt_tokens": 9, "completion_tokens": 2,
                          "prompt_tokens_details": {"cached_tokens": 4}},
            }),
            parts("{}", FinishReason::Stop, [9, 2, 4]),
        ),
        (
            openai::WIRE,
            json!({"choices": [{"message": {"content": null, "refusal": "no"}}], "usage": null}),
            parts("no", FinishReason::Refusal, [0, 0, 0]),
        ),
        (
            openai::WIRE,
            json!({"choices": [{"message": {"content": null}, "finish_reason": "length"}]}),
            parts("", FinishReason::Length, [0, 0, 0]),
        ),
        (
            anthropic::WIRE,
            json!({
                "content": [{"type": "thinking", "thinking": "h"}, {"type": "text", "text": "a"},
                            {"type": "text", "text": "b"}],
                "stop_reason": "max_tokens",
                "usage": {"input_tokens": 1, "cache_read_input_tokens": 10,
                          "cache_creation_input_tokens": 100, "output_tokens": 7},
            }),
            parts("ab", FinishReason::Length, [111, 7, 10]),
        ),
        (
            anthropic::WIRE,
            json!({"content": [], "stop_reason": "refusal"}),
            parts("", FinishReason::Refusal, [0, 0, 0]),
        ),
        (
            ollama::WIRE,
            json!({"message": {"role": "assistant", "content": "x"}, "done": true,
                   "done_reason": "stop", "prompt_eval_count": 3, "eval_count": 5}),
            parts("x", FinishReason::Stop, [3, 5, 0]),
        ),
    ] {
        assert_eq!((wire.decode)(body.to_string().as_bytes()), Ok(expected), "{body}");
    }
}

#[test]
fn bodies_of_another_form_are_misfits() {
    let deep = "[".repeat(100_000);
    for (wire, body, reason) in [
        (openai::WIRE, "", "not JSON: EOF while parsing a value at line 1 column 0"),
        (openai::WIRE, "[]", "not a JSON object"),
        (openai::WIRE, "<html><title>Log in</title>", "an HTML page: Log in"),
        (openai::WIRE, r#"{"choices":[]}"#, "`choices` is missing or empty"),
        (openai::WIRE, r#"{"choices":[{}]}"#, "`choices[0].message` is missing"),
        (
            openai::WIRE,
            r#"{"choices":[{"message":{"content":[1]},"finish_reason":"stop"}]}"#,
            "`choices[0].message.content` is no text",
        ),
        (openai::WIRE, r#"{"error":{"message":"upstream died","code":502}}"#, "upstream died"),
        (
            openai::WIRE,
            "{\"choices\":[{\"mess",
            "not JSON: EOF while parsing a string at line 1 column 18",
        ),
        (openai::WIRE, &deep, "not JSON: recursion limit exceeded at line 1 column 128"),
        (anthropic::WIRE, r#"{"content":"x"}"#, "`content` is no list"),
        (anthropic::WIRE, r#"{"content":[{"type":"tool_use"}]}"#, "`content` has no text block"),
        (responses::WIRE, r#"{"status":"completed"}"#, "`output` is no list"),
        (responses::WIRE, r#"{"status":"queued","output":[]}"#, "`status` is `queued`"),
        (responses::WIRE, r#"{"status":"completed","output":[]}"#, "`output` has no text"),
        (
            responses::WIRE,
            r#"{"status":"failed","error":{"code":"server_error","message":"died"},"output":[]}"#,
            "died",
        ),
        (gemini::WIRE, "{}", "`candidates` is missing or empty"),
        (gemini::WIRE, r#"{"candidates":[{}]}"#, "`candidates[0]` has no text"),
        (
            gemini::WIRE,
            r#"{"candidates":[{"finishReason":"MALFORMED_RESPONSE"}]}"#,
            "a reply without text ended with `MALFORMED_RESPONSE`",
        ),
        (
            ollama::WIRE,
            r#"{"done":false,"message":{"content":"x"}}"#,
            "`done` is false: the reply is cut off",
        ),
        (ollama::WIRE, r#"{"response":"x"}"#, "`message.content` is no text"),
        (ollama::WIRE, r#"{"error":"no such model"}"#, "no such model"),
    ] {
        let misfit = Misfit { reason: reason.into(), usage: Usage::default() };
        assert_eq!((wire.decode)(body.as_bytes()), Err(misfit), "{body:.80}");
    }
    let invalid = (openai::WIRE.decode)(b"{\"choices\": \"\xff\"}");
    assert!(invalid.is_err());
}
