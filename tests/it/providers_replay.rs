//! Recordings: what was recorded is answered again, and what was not is explained.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test may stop at the first thing that is wrong"
)]

use std::collections::VecDeque;
use std::path::Path;
use std::sync::Mutex;

use papayu_base::domain::{NoEvents, Usage};
use papayu_base::text::Masker;
use papayu_providers::{
    Ask, CallLimits, FinishReason, ModelRequest, Provider, ProviderError, ProviderFault,
    ProviderReply, Recorder, Replay,
};
use papayu_system::Disk;
use serde_json::{Value, json};

use crate::providers_rig::{Rig, request};

const FILE: &str = "run.jsonl";

/// A model that says what it was told to say.
struct Scripted(Mutex<VecDeque<Result<ProviderReply, ProviderError>>>);

impl Provider for Scripted {
    fn name(&self) -> &'static str {
        "openai"
    }

    fn model(&self) -> &'static str {
        "some-model"
    }

    fn ask(&self, _: &ModelRequest, _: &CallLimits<'_>) -> Result<ProviderReply, ProviderError> {
        self.0.lock().unwrap().pop_front().unwrap()
    }
}

fn reply(text: &str) -> ProviderReply {
    let usage = Usage { input: 3, output: 2, cached: 1 };
    ProviderReply {
        text: text.into(),
        finish: FinishReason::Length,
        usage,
        requests: 2,
        merge: None,
    }
}

fn failure(fault: ProviderFault) -> ProviderError {
    ProviderError { provider: "openai", fault, requests: 5 }
}

fn timeout() -> ProviderFault {
    ProviderFault::Timeout { url: "http://x".into(), seconds: 90 }
}

fn ask(provider: &dyn Provider, request: &ModelRequest) -> Result<ProviderReply, ProviderError> {
    let time_left = std::time::Duration::from_mins(1);
    provider.ask(request, &CallLimits { time_left, events: &NoEvents, checks: None })
}

fn apply_request() -> ModelRequest {
    ModelRequest { ask: Ask::Apply, stable: vec!["goal fix it".into()], ..request() }
}

/// Records two answers to one request, an interruption, and a failure of another request.
fn record(rig: &Rig) {
    let script = [
        Ok(reply("one")),
        Ok(reply("two")),
        Err(failure(ProviderFault::Interrupted)),
        Err(failure(timeout())),
    ];
    let header = json!({"model": "some-model", "goal": "fix it"});
    let Value::Object(header) = header else { panic!() };
    let masker = Masker::new([]);
    let model = Box::new(Scripted(Mutex::new(script.into())));
    let recorder = Recorder::new(model, &rig.disk, Path::new(FILE), header, &masker).unwrap();
    for request in [request(), request(), request(), apply_request()] {
        let _ = ask(&recorder, &request);
    }
}

fn replay(rig: &Rig) -> Replay {
    Replay::open_recording(&rig.disk, Path::new(FILE)).unwrap()
}

fn text(rig: &Rig) -> String {
    String::from_utf8(rig.disk.files.lock().unwrap()[Path::new(FILE)].clone()).unwrap()
}

fn difference(result: Result<ProviderReply, ProviderError>) -> String {
    match result.unwrap_err().fault {
        ProviderFault::NotRecorded { file, difference } if file == FILE => difference,
        other => panic!("{other}"),
    }
}

#[test]
fn a_recording_answers_as_the_model_did() {
    let rig = Rig::new();
    record(&rig);
    let replay = replay(&rig);
    assert_eq!(
        *replay.header(),
        json!({"papayu_recording": 1, "model": "some-model", "goal": "fix it"})
    );
    assert_eq!((replay.name(), replay.model()), ("replay", "some-model"));
    assert_eq!(ask(&replay, &request()), Ok(reply("one")));
    let failed = ProviderError { provider: "replay", fault: timeout(), requests: 5 };
    assert_eq!(ask(&replay, &apply_request()), Err(failed));
    // Wording and numbers that are not stable do not matter.
    let reworded =
        ModelRequest { system: "Other words.".into(), max_output_tokens: 1, ..request() };
    assert_eq!(ask(&replay, &reworded), Ok(reply("two")));
    let missing = difference(ask(&replay, &request()));
    assert_eq!(missing, "it was recorded 2 times and is asked once more");
}

#[test]
fn a_line_has_the_documented_form() {
    let rig = Rig::new();
    record(&rig);
    let recording = text(&rig);
    let line: Value = serde_json::from_str(recording.lines().nth(1).unwrap()).unwrap();
    assert_eq!(
        line,
        json!({
            "key": line["key"],
            "ask": "plan",
            "mode": "plan",
            "protocol": 2,
            "stable": ["goal fix it", "file a.py 00"],
            "request": {"system": "Answer in JSON.", "prefix": "FILE[a.py]\n", "tail": "It fails.\n"},
            "reply": {"text": "one", "finish": "length", "requests": 2,
                      "usage": {"input": 3, "output": 2, "cached": 1}},
        })
    );
    assert_eq!(recording.lines().count(), 4);
}

#[test]
fn a_miss_shows_how_the_nearest_request_differs() {
    let rig = Rig::new();
    record(&rig);
    let replay = replay(&rig);
    let changed =
        ModelRequest { stable: vec!["goal fix it".into(), "file a.py 11".into()], ..request() };
    assert_eq!(difference(ask(&replay, &changed)), "- file a.py 00\n+ file a.py 11");
    let other = ModelRequest { ask: Ask::Fallback, ..request() };
    assert_eq!(
        difference(ask(&replay, &other)),
        "no `fallback` request was recorded, only: plan, plan, apply"
    );
    let swapped =
        ModelRequest { stable: request().stable.into_iter().rev().collect(), ..request() };
    let expected = "the same lines were recorded in another order";
    assert_eq!(difference(ask(&replay, &swapped)), expected);
    let long = (0..100).map(|n| format!("{n} {}", "é".repeat(500))).collect();
    let shown = difference(ask(&replay, &ModelRequest { stable: long, ..request() }));
    assert_eq!(shown.lines().count(), 13);
    assert!(shown.chars().count() < 3000, "{shown}");
}

#[test]
fn damaged_recordings_are_refused_with_the_line() {
    let rig = Rig::new();
    record(&rig);
    let good = text(&rig);
    let cut = good.get(..good.len() - 40).unwrap();
    let edited = good.replacen("fix it\",\"file", "break it\",\"file", 1);
    let corrupt = good.replacen("\"ask\":\"plan\"", "\"ask\":7", 1);
    for (contents, expected) in [
        ("", "line 1: not a recording: the first line has no `papayu_recording`"),
        ("hello\n", "line 1: not a recording: the first line has no `papayu_recording`"),
        ("[1]\n", "line 1: not a recording: the first line has no `papayu_recording`"),
        ("{\"papayu_recording\":2}\n", "line 1: version 2 is newer than this program reads (1)"),
        (cut, "line 4: the line is cut off"),
        (&edited, "line 2: `key` is not the digest of the other fields"),
        (&corrupt, "line 2: not an exchange: "),
    ] {
        rig.disk.write(Path::new(FILE), contents.as_bytes()).unwrap();
        let error = Replay::open_recording(&rig.disk, Path::new(FILE)).err().unwrap().to_string();
        assert!(error.starts_with(&format!("recording {FILE}, {expected}")), "{error}");
    }
    let missing = Replay::open_recording(&rig.disk, Path::new("none")).err().unwrap().to_string();
    assert!(missing.starts_with("recording none, line 1: cannot be read: "), "{missing}");
}

#[test]
fn unknown_fields_are_let_pass() {
    let rig = Rig::new();
    record(&rig);
    let newer = text(&rig).replace("{\"key\"", "{\"mood\":\"good\",\"key\"");
    rig.disk.write(Path::new(FILE), newer.as_bytes()).unwrap();
    assert_eq!(ask(&replay(&rig), &request()), Ok(reply("one")));
}
