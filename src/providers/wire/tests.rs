//! Bodies as sent, snapshot by snapshot, and bodies as no server should send them.

use std::sync::Arc;

use serde_json::{Value, json};

use super::{Misfit, Options, Parts, Wire, anthropic, ollama, openai};
use crate::domain::{Mode, Usage, Version};
use crate::providers::capability::Capabilities;
use crate::providers::exchange::{Ask, Finish, Request, WireSchema};
use crate::text::{Masked, Masker};

fn masked(text: &str) -> Masked<String> {
    Masker::new([]).masked(text)
}

fn request() -> Request {
    Request {
        ask: Ask::Plan,
        mode: Mode::Plan,
        version: Version::V2,
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

fn body(wire: Wire, model: &str, capabilities: &Capabilities) -> Value {
    (wire.encode)(&request(), &Options { model, capabilities })
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

#[test]
fn an_empty_prefix_is_no_block_for_anthropic() {
    let takes = Capabilities::new(false);
    let empty = Request { prefix: Masked::default(), ..request() };
    let body = (anthropic::WIRE.encode)(&empty, &Options { model: "m", capabilities: &takes });
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
        let long = Request { prefix: masked(&"x".repeat(bytes)), ..request() };
        let body = (ollama::WIRE.encode)(&long, &Options { model: "m", capabilities: &takes });
        assert_eq!(body.pointer("/options/num_ctx"), Some(&json!(tokens)), "{bytes}");
    }
}

#[test]
fn replies_are_read_in_every_dialect() {
    let parts = |text: &str, finish, input, output, cached| Parts {
        text: text.into(),
        finish,
        usage: Usage { input, output, cached },
    };
    for (wire, body, expected) in [
        (
            openai::WIRE,
            json!({
                "choices": [{"message": {"content": "{}"}, "finish_reason": "stop"}],
                "usage": {"prompt_tokens": 9, "completion_tokens": 2,
                          "prompt_tokens_details": {"cached_tokens": 4}},
            }),
            parts("{}", Finish::Stop, 9, 2, 4),
        ),
        (
            openai::WIRE,
            json!({"choices": [{"message": {"content": null, "refusal": "no"}}], "usage": null}),
            parts("no", Finish::Refusal, 0, 0, 0),
        ),
        (
            openai::WIRE,
            json!({"choices": [{"message": {"content": null}, "finish_reason": "length"}]}),
            parts("", Finish::Length, 0, 0, 0),
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
            parts("ab", Finish::Length, 111, 7, 10),
        ),
        (
            anthropic::WIRE,
            json!({"content": [], "stop_reason": "refusal"}),
            parts("", Finish::Refusal, 0, 0, 0),
        ),
        (
            ollama::WIRE,
            json!({"message": {"role": "assistant", "content": "x"}, "done": true,
                   "done_reason": "stop", "prompt_eval_count": 3, "eval_count": 5}),
            parts("x", Finish::Stop, 3, 5, 0),
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
        (anthropic::WIRE, r#"{"content":[{"type":"tool_use"}]}"#, "`content` holds no text block"),
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
