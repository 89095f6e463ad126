//! Spans against OpenTelemetry's own classes: the request is well-formed, complete, and never in the way.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::net::TcpListener;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::judges;
use crate::mock::{Mock, Route};
use crate::project::{Project, SECRET_BY_FORM, SECRET_BY_VALUE};
use crate::replies::{self, GOOD, base};

/// A receiver as a process of its own; it ends when it is dropped.
struct Receiver {
    process: Child,
    url: String,
    folder: TempDir,
}

impl Receiver {
    fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut process = Command::new(judges::home().join("venv/bin/python"))
            .arg(judges::beside("otlp_receiver.py"))
            .arg(folder.path().join("spans.jsonl"))
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(process.stdout.take().unwrap()).lines();
        let line = lines.next().expect("the receiver ended before it listened").unwrap();
        let url = line.strip_prefix("ready ").expect(&line).to_owned();
        Self { process, url, folder }
    }

    fn spans(&self) -> Vec<Value> {
        let text = fs::read_to_string(self.folder.path().join("spans.jsonl")).unwrap_or_default();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn named<'a>(spans: &'a [Value], name: &str) -> &'a Value {
    spans.iter().find(|span| span["name"] == name).unwrap_or_else(|| panic!("{name}: {spans:#?}"))
}

#[test]
fn a_run_arrives_with_its_stages_its_requests_their_tokens_and_no_secret() {
    let mock = Mock::start(&[replies::plan(), replies::patch(&base(), GOOD)]);
    let receiver = Receiver::start();
    let variables = [
        ("OTEL_EXPORTER_OTLP_ENDPOINT", receiver.url.as_str()),
        ("OTEL_RESOURCE_ATTRIBUTES", "deployment.environment=ci"),
        ("TRACEPARENT", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"),
    ];
    let run = Project::new().fix_with(Route::OpenAi, &mock, &[], &variables);
    assert_eq!(run.end(), (0, "fixed"), "{run:?}");
    let spans = receiver.spans();
    let root = named(&spans, "run");
    assert_eq!(root["trace"], "0af7651916cd43dd8448eb211c80319c");
    assert_eq!(root["parent"], "b7ad6b7169203331");
    assert_eq!(root["resource"]["service.name"], "papayu-batch");
    assert_eq!(root["resource"]["deployment.environment"], "ci");
    assert_eq!(root["attributes"]["outcome"], "fixed");
    assert_eq!(root["attributes"]["run_id"], run.outcome["run_id"]);
    assert_eq!(root["attributes"]["gen_ai.usage.input_tokens"], run.outcome["tokens"]["input"]);
    for stage in ["verify before", "plan", "apply", "commit", "verify after"] {
        assert_eq!(named(&spans, stage)["parent"], root["id"], "{stage}");
    }
    let requests: Vec<_> = spans.iter().filter(|span| span["kind"] == 3).collect();
    let purposes: Vec<_> = requests.iter().map(|span| &span["attributes"]["purpose"]).collect();
    assert_eq!(purposes, [&json!("plan"), &json!("apply")], "{spans:#?}");
    let tokens = |name: &str| -> i64 {
        requests.iter().map(|span| span["attributes"][name].as_i64().unwrap()).sum()
    };
    assert_eq!(tokens("gen_ai.usage.output_tokens"), run.outcome["tokens"]["output"]);
    let all = json!(spans).to_string();
    assert!(!all.contains(SECRET_BY_FORM) && !all.contains(SECRET_BY_VALUE), "{all}");
}

#[test]
fn a_receiver_that_never_answers_costs_one_timeout_and_a_warning() {
    let mock = Mock::start(&[replies::plan(), replies::patch(&base(), GOOD)]);
    // Connections are accepted by the system; nothing ever reads them.
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", silent.local_addr().unwrap());
    let variables =
        [("OTEL_EXPORTER_OTLP_ENDPOINT", url.as_str()), ("OTEL_EXPORTER_OTLP_TIMEOUT", "300")];
    let started = Instant::now();
    let run = Project::new().fix_with(Route::OpenAi, &mock, &[], &variables);
    assert_eq!(run.end(), (0, "fixed"), "{run:?}");
    assert!(run.stderr.contains("spans were not exported: no answer within 300ms"), "{run:?}");
    assert!(started.elapsed() < Duration::from_secs(30), "{:?}", started.elapsed());
}
