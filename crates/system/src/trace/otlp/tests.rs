//! Spans against a receiver in memory.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use secrecy::ExposeSecret as _;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::registry;

use super::*;
use crate::os::OsClock;
use crate::trace::otlp_config::RemoteParent;
use crate::trace::spans;
use crate::{HttpError, HttpResponse};
use papayu_base::domain::{Outcome, OutcomeKind, RunId, Usage};

#[derive(Clone)]
struct Receiver {
    answer: Result<&'static str, HttpError>,
    requests: Arc<Mutex<Vec<HttpRequest>>>,
}

impl Http for Receiver {
    fn send(&self, request: &HttpRequest) -> Result<HttpResponse, HttpError> {
        self.requests.lock().unwrap().push(request.clone());
        let body = self.answer.clone()?.as_bytes().to_vec();
        Ok(HttpResponse { status: 200, headers: Vec::new(), body })
    }
}

/// Runs `work` under a layer that sends to a receiver with that answer.
fn observe(
    answer: Result<&'static str, HttpError>,
    work: fn(),
) -> (Vec<HttpRequest>, Option<String>) {
    let receiver = Receiver { answer, requests: Arc::default() };
    let config = OtlpConfig {
        url: "http://h/v1/traces".to_owned(),
        headers: vec![("x-key".to_owned(), "k".into())],
        timeout: Duration::from_secs(1),
        resource: vec![("service.name".to_owned(), "s".to_owned())],
        parent: Some(RemoteParent { trace_id: "a".repeat(32), span_id: "b".repeat(16) }),
    };
    let clock = Box::new(OsClock::new(Arc::new(AtomicBool::new(false))));
    let mask = Box::new(|text: &str| text.replace("secret", "***"));
    let layer = OtlpLayer::new(config, Box::new(receiver.clone()), clock, mask);
    tracing::subscriber::with_default(registry().with(layer.clone()), work);
    let requests = receiver.requests.lock().unwrap().clone();
    (requests, layer.error())
}

/// One run with a stage in it and two requests in that, the second of which fails.
fn work() {
    let run = spans::run_span(&RunId::new("r".to_owned()));
    run.in_scope(|| {
        let _foreign = tracing::info_span!("foreign").entered();
        let _stage = spans::stage_span("plan").entered();
        let request = spans::request_span("openai", "gpt", "plan");
        let usage = Usage { input: 7, output: 2, cached: 0 };
        request.in_scope(|| spans::record_usage(&request, usage, Some(0.25)));
        spans::record_error(&spans::request_span("openai", "gpt", "plan"), "no secret");
    });
    spans::record_outcome(&run, &Outcome::new(RunId::new("r".to_owned()), OutcomeKind::Fixed, ""));
}

fn attribute<'a>(span: &'a Value, key: &str) -> &'a Value {
    let attributes = span["attributes"].as_array().unwrap();
    &attributes.iter().find(|attribute| attribute["key"] == key).unwrap()["value"]
}

#[test]
fn a_run_is_one_request_with_its_stages_and_requests_below_it() {
    let (requests, error) = observe(Ok("{\"partialSuccess\":{}}"), work);
    assert_eq!((requests.len(), error), (1, None));
    assert_eq!(requests[0].headers[0].1.expose_secret(), "k");
    let body: Value = serde_json::from_slice(requests[0].body.as_ref().unwrap()).unwrap();
    let resource = &body["resourceSpans"][0];
    assert_eq!(attribute(&resource["resource"], "service.name")["stringValue"], "s");
    let spans = resource["scopeSpans"][0]["spans"].as_array().unwrap();
    let names: Vec<_> = spans.iter().map(|span| span["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["chat gpt", "chat gpt", "plan", "run"]);
    let [failed, request, stage, run] = &spans[..] else { panic!("{spans:?}") };
    assert_eq!(run["traceId"], "a".repeat(32));
    assert_eq!(run["parentSpanId"], "b".repeat(16));
    assert!(spans.iter().all(|span| span["traceId"] == run["traceId"]));
    assert_eq!(request["parentSpanId"], stage["spanId"]);
    assert_eq!((&request["kind"], &stage["kind"]), (&json!(3), &json!(1)));
    assert_eq!(attribute(request, "gen_ai.usage.input_tokens")["intValue"], "7");
    assert_eq!(attribute(request, "cost_usd")["doubleValue"], 0.25);
    assert_eq!(failed["status"], json!({ "code": 2, "message": "no ***" }));
    assert_eq!(attribute(run, "outcome")["stringValue"], "fixed");
    let time = |span: &Value, name: &str| span[name].as_str().unwrap().parse::<u128>().unwrap();
    assert!(time(run, "startTimeUnixNano") <= time(request, "startTimeUnixNano"));
    assert!(time(run, "endTimeUnixNano") > 1_700_000_000_000_000_000);
}

#[test]
fn a_receiver_that_fails_is_asked_once_and_named() {
    let twice = || {
        work();
        work();
    };
    let (requests, error) = observe(Err(HttpError::Connection("refused".to_owned())), twice);
    assert_eq!((requests.len(), error), (1, Some("refused".to_owned())));
    let partial = "{\"partialSuccess\":{\"rejectedSpans\":\"2\",\"errorMessage\":\"full\"}}";
    let (_, error) = observe(Ok(partial), work);
    assert_eq!(error, Some("the receiver rejected 2 spans: \"full\"".to_owned()));
}
