//! Providers against real sockets: what arrives, what is tried again, what is given up and how it is said.

#![expect(clippy::unwrap_used, reason = "a test may stop at the first thing that is wrong")]

use std::sync::atomic::Ordering;
use std::thread;
use std::time::Duration;

use papayu_base::domain::Usage;
use papayu_base::domain::Version;
use papayu_providers::{
    self, FinishReason, ProviderFault, ProviderKind, ProviderReply, ReasoningEffort, ollama,
};
use serde_json::{Value, json};
use tokio::runtime::Runtime;
use wiremock::matchers::{body_partial_json, header, method, path};
use wiremock::{Mock, MockServer, ResponseTemplate};

use crate::providers_rig::{KEY, Rig, answer, config, impatient_server, raw_server};

/// A mock server that a test without async can use.
struct Server {
    runtime: Runtime,
    mock: MockServer,
}

impl Server {
    fn new() -> Self {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let mock = runtime.block_on(MockServer::start());
        Self { runtime, mock }
    }

    fn mount(&self, mock: Mock) {
        self.runtime.block_on(mock.mount(&self.mock));
    }

    /// Answers the next request with this, once; what is mounted first is used first.
    fn once(&self, response: ResponseTemplate) {
        self.mount(Mock::given(method("POST")).respond_with(response).up_to_n_times(1));
    }

    fn always(&self, response: ResponseTemplate) {
        self.mount(Mock::given(method("POST")).respond_with(response));
    }

    fn bodies(&self) -> Vec<Value> {
        let requests = self.runtime.block_on(self.mock.received_requests()).unwrap();
        requests.iter().map(|request| request.body_json().unwrap()).collect()
    }
}

fn completion() -> Value {
    json!({
        "choices": [{"index": 0, "message": {"role": "assistant", "content": "{}"}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 100, "completion_tokens": 5,
                  "prompt_tokens_details": {"cached_tokens": 80}},
    })
}

fn good() -> ResponseTemplate {
    ResponseTemplate::new(200).set_body_json(completion())
}

fn failing(status: u16, message: &str) -> ResponseTemplate {
    ResponseTemplate::new(status).set_body_json(json!({"error": {"message": message}}))
}

fn reply(requests: u32) -> ProviderReply {
    let usage = Usage { input: 100, output: 5, cached: 80 };
    ProviderReply { text: "{}".into(), finish: FinishReason::Stop, usage, requests, merge: None }
}

#[test]
fn openai_is_asked_with_a_bearer_key() {
    let (server, rig) = (Server::new(), Rig::new());
    server.mount(
        Mock::given(path("/v1/chat/completions"))
            .and(header("authorization", format!("Bearer {KEY}").as_str()))
            .and(header("content-type", "application/json"))
            .and(body_partial_json(json!({"model": "some-model", "temperature": 0})))
            .respond_with(good()),
    );
    let provider = rig.open(&config(ProviderKind::OpenAi, &server.mock.uri()));
    assert_eq!(rig.ask(provider.as_ref()), Ok(reply(1)));
    assert_eq!(rig.events.names(), ["LLM_REQUEST_SENT", "LLM_RESPONSE_OK"]);
    let sent: Vec<_> = rig.events.take().remove(0).fields;
    assert_eq!(
        sent,
        [
            ("model", json!("some-model")),
            ("schema_version", json!(2)),
            ("provider", json!("openai")),
            ("token_budget", json!(4096)),
            ("input_chars", json!(36)),
        ]
    );
}

#[test]
fn anthropic_is_asked_with_its_own_headers() {
    let (server, rig) = (Server::new(), Rig::new());
    let body = json!({
        "type": "message", "content": [{"type": "text", "text": "{}"}], "stop_reason": "end_turn",
        "usage": {"input_tokens": 15, "cache_read_input_tokens": 80,
                  "cache_creation_input_tokens": 5, "output_tokens": 5},
    });
    server.mount(
        Mock::given(path("/v1/messages"))
            .and(header("x-api-key", KEY))
            .and(header("anthropic-version", "2023-06-01"))
            .respond_with(ResponseTemplate::new(200).set_body_json(body)),
    );
    let provider = rig.open(&config(ProviderKind::Anthropic, &server.mock.uri()));
    assert_eq!(rig.ask(provider.as_ref()), Ok(reply(1)));
}

#[test]
fn responses_are_asked_for_without_storing_them() {
    let (server, rig) = (Server::new(), Rig::new());
    let body = json!({
        "status": "completed",
        "output": [{"type": "message", "content": [{"type": "output_text", "text": "{}"}]}],
        "usage": {"input_tokens": 100, "output_tokens": 5, "input_tokens_details": {"cached_tokens": 80}},
    });
    server.mount(
        Mock::given(path("/v1/responses"))
            .and(header("authorization", format!("Bearer {KEY}").as_str()))
            .and(body_partial_json(json!({"store": false, "reasoning": {"effort": "high"}})))
            .respond_with(ResponseTemplate::new(200).set_body_json(body)),
    );
    let mut config = config(ProviderKind::Responses, &server.mock.uri());
    config.reasoning_effort = ReasoningEffort::High;
    let provider = rig.open(&config);
    assert_eq!(rig.ask(provider.as_ref()), Ok(reply(1)));
}

#[test]
fn gemini_is_asked_by_the_method_of_the_model_and_says_when_to_ask_again() {
    let (server, rig) = (Server::new(), Rig::new());
    let busy = json!({"error": {"code": 429, "status": "RESOURCE_EXHAUSTED", "message": "quota",
        "details": [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "7.5s"}]}});
    server.once(ResponseTemplate::new(429).set_body_json(busy));
    let body = json!({
        "candidates": [{"content": {"role": "model", "parts": [{"text": "{}"}]}, "finishReason": "STOP"}],
        "usageMetadata": {"promptTokenCount": 100, "candidatesTokenCount": 5, "cachedContentTokenCount": 80},
    });
    server.mount(
        Mock::given(path("/v1beta/models/some-model:generateContent"))
            .and(header("x-goog-api-key", KEY))
            .and(body_partial_json(
                json!({"generationConfig": {"responseMimeType": "application/json"}}),
            ))
            .respond_with(ResponseTemplate::new(200).set_body_json(body)),
    );
    let provider = rig.open(&config(ProviderKind::Gemini, &server.mock.uri()));
    assert_eq!(rig.ask(provider.as_ref()), Ok(reply(2)));
    assert_eq!(rig.slept(), Duration::from_millis(7_500));
}

#[test]
fn the_list_of_models_shows_that_address_and_key_are_right() {
    for (kind, list) in [
        (ProviderKind::Responses, "/v1/models"),
        (ProviderKind::Gemini, "/v1beta/models"),
        (ProviderKind::OpenAi, "/v1/models"),
    ] {
        let (server, rig) = (Server::new(), Rig::new());
        server.mount(
            Mock::given(method("GET")).and(path(list)).respond_with(ResponseTemplate::new(200)),
        );
        let config = config(kind, &server.mock.uri());
        let checked = papayu_providers::check_reachable(&config, rig.system()).unwrap();
        assert_eq!(checked.detail, format!("{}{list} answers", server.mock.uri()));
    }
}

#[test]
fn ollama_is_asked_without_streaming() {
    let (server, rig) = (Server::new(), Rig::new());
    let body = json!({"message": {"role": "assistant", "content": "{}"}, "done": true,
                      "done_reason": "length", "prompt_eval_count": 7, "eval_count": 3});
    server.mount(
        Mock::given(path("/api/chat"))
            .and(body_partial_json(json!({"stream": false, "format": {"type": "object"}})))
            .respond_with(ResponseTemplate::new(200).set_body_json(body)),
    );
    let provider = rig.open(&config(ProviderKind::Ollama, &server.mock.uri()));
    let usage = Usage { input: 7, output: 3, cached: 0 };
    let expected = ProviderReply {
        text: "{}".into(),
        finish: FinishReason::Length,
        usage,
        requests: 1,
        merge: None,
    };
    assert_eq!(rig.ask(provider.as_ref()), Ok(expected));
}

#[test]
fn without_a_schema_ollama_gets_the_reply_as_a_tool_if_the_model_calls_tools() {
    let arguments = json!({"actions": [], "summary": "read it"});
    let message = json!({"role": "assistant", "content": "",
        "tool_calls": [{"function": {"name": "reply", "arguments": arguments}}]});
    let answer = json!({"message": message, "done": true});
    for (capabilities, is_sent) in [
        (json!(["completion", "tools"]), true),
        (json!(["completion"]), false),
        (json!(null), false),
    ] {
        let (server, rig) = (Server::new(), Rig::new());
        server.mount(
            Mock::given(path("/api/show"))
                .and(body_partial_json(json!({"model": "some-model"})))
                .respond_with(
                    ResponseTemplate::new(200).set_body_json(json!({"capabilities": capabilities})),
                )
                .expect(1),
        );
        let with_tool = json!({"tools": [{"type": "function", "function": {"name": "reply"}}]});
        let plain = json!({"message": {"content": "{}"}, "done": true});
        server.mount(
            Mock::given(path("/api/chat"))
                .and(body_partial_json(with_tool))
                .respond_with(ResponseTemplate::new(200).set_body_json(&answer)),
        );
        server.mount(
            Mock::given(path("/api/chat"))
                .respond_with(ResponseTemplate::new(200).set_body_json(plain)),
        );
        let mut config = config(ProviderKind::Ollama, &server.mock.uri());
        config.strict_json = Some(false);
        let provider = rig.open(&config);
        for _ in 0..2 {
            let text = rig.ask(provider.as_ref()).unwrap().text;
            let decoded = papayu_patch::protocol::decode_plan(Version::V2, &text);
            assert_eq!(decoded.is_ok_and(|(plan, _)| plan.summary == "read it"), is_sent, "{text}");
        }
    }
}

#[test]
fn retry_after_is_waited_for() {
    let (server, rig) = (Server::new(), Rig::new());
    server.once(failing(429, "slow down").insert_header("retry-after", "7"));
    server
        .once(failing(429, "again").insert_header("retry-after", "Sun, 01 Mar 2026 10:00:30 GMT"));
    server.always(good());
    let provider = rig.open(&config(ProviderKind::OpenAi, &server.mock.uri()));
    assert_eq!(rig.ask(provider.as_ref()), Ok(reply(3)));
    assert_eq!(rig.slept(), Duration::from_secs(37));
}

#[test]
fn a_retry_after_beyond_the_time_left_ends_the_call_at_once() {
    let (server, rig) = (Server::new(), Rig::new());
    server.always(failing(429, "slow down").insert_header("retry-after", "3600"));
    let provider = rig.open(&config(ProviderKind::OpenAi, &server.mock.uri()));
    let error = rig.ask_within(provider.as_ref(), Duration::from_mins(1)).unwrap_err();
    let url = format!("{}/v1/chat/completions", server.mock.uri());
    assert_eq!(
        error.to_string(),
        format!(
            "openai: {url} answered 429: slow down; waiting 3600.0 s for the next try would pass the 60.0 s left"
        )
    );
    assert_eq!((error.requests, rig.slept()), (1, Duration::ZERO));
}

#[test]
fn an_empty_account_is_not_asked_again() {
    let (server, rig) = (Server::new(), Rig::new());
    let body = json!({"error": {"message": "no money", "code": "insufficient_quota"}});
    server.always(ResponseTemplate::new(429).set_body_json(body));
    let provider = rig.open(&config(ProviderKind::OpenAi, &server.mock.uri()));
    assert_eq!(rig.ask(provider.as_ref()).unwrap_err().requests, 1);
}

#[test]
fn a_server_error_is_retried_and_five_are_too_many() {
    let (server, rig) = (Server::new(), Rig::new());
    server.once(failing(500, "oops"));
    server.once(good());
    server.always(ResponseTemplate::new(502).set_body_string("<html><title>Bad Gateway</title>"));
    let provider = rig.open(&config(ProviderKind::OpenAi, &server.mock.uri()));
    assert_eq!(rig.ask(provider.as_ref()), Ok(reply(2)));
    assert_eq!(
        rig.events.names(),
        ["LLM_REQUEST_SENT", "LLM_REQUEST_RETRY", "LLM_REQUEST_SENT", "LLM_RESPONSE_OK"]
    );
    let error = rig.ask(provider.as_ref()).unwrap_err();
    assert_eq!(error.requests, 5);
    let ProviderFault::Refused { status: 502, message, .. } = error.fault else { panic!() };
    assert_eq!(message, "an HTML page: Bad Gateway; after 4 retries");
}

#[test]
fn a_connection_closed_in_the_middle_is_retried() {
    let rig = Rig::new();
    let body = completion().to_string();
    let cut = answer("200 OK", body.len(), "{\"choices\": [{\"in");
    let whole = answer("200 OK", body.len(), &body);
    let provider = rig.open(&config(ProviderKind::OpenAi, &raw_server(vec![cut, vec![], whole])));
    assert_eq!(rig.ask(provider.as_ref()), Ok(reply(3)));
}

#[test]
fn a_server_that_hangs_up_between_two_requests_is_no_trouble() {
    let rig = Rig::new();
    let url = impatient_server(&completion().to_string());
    let provider = rig.open(&config(ProviderKind::OpenAi, &url));
    for _ in 0..2 {
        assert_eq!(rig.ask(provider.as_ref()), Ok(reply(1)));
        thread::sleep(Duration::from_millis(200));
    }
}

#[test]
fn nobody_there_is_said_with_the_cause() {
    let rig = Rig::new();
    // A port that was free a moment ago.
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://user:pw@{}/v1?key=s3cret", listener.local_addr().unwrap());
    drop(listener);
    let error = rig.ask(rig.open(&config(ProviderKind::OpenAi, &url)).as_ref()).unwrap_err();
    let text = error.to_string();
    assert!(text.contains("Connection refused"), "{text}");
    // Asked once more after a short wait.
    assert_eq!(error.requests, 2);
    assert!(!text.contains("pw@") && !text.contains("s3cret"), "{text}");
}

#[test]
fn a_silent_server_is_asked_twice() {
    let rig = Rig::new();
    let timeout = Duration::from_millis(200);
    let mut config = config(ProviderKind::OpenAi, &raw_server(vec![]));
    config.timeout = timeout;
    let error = rig.ask(rig.open(&config).as_ref()).unwrap_err();
    assert!(matches!(error.fault, ProviderFault::Timeout { .. }), "{error}");
    assert_eq!(error.requests, 2);
    assert_eq!(
        rig.events.names(),
        [
            "LLM_REQUEST_SENT", "LLM_REQUEST_TIMEOUT", "LLM_REQUEST_RETRY", "LLM_REQUEST_SENT",
            "LLM_REQUEST_TIMEOUT",
        ]
    );
}

#[test]
fn without_time_left_nothing_is_sent() {
    let rig = Rig::new();
    let provider = rig.open(&config(ProviderKind::OpenAi, "http://127.0.0.1:1"));
    let error = rig.ask_within(provider.as_ref(), Duration::ZERO).unwrap_err();
    assert!(matches!(error.fault, ProviderFault::Timeout { seconds: 0, .. }), "{error}");
    assert_eq!((error.requests, rig.events.names()), (0, vec![]));
}

#[test]
fn an_interruption_ends_the_wait_for_an_answer() {
    let rig = Rig::new();
    let mut config = config(ProviderKind::OpenAi, &raw_server(vec![]));
    config.timeout = Duration::from_hours(1);
    let provider = rig.open(&config);
    let interrupted = rig.interrupted.clone();
    thread::spawn(move || {
        thread::sleep(Duration::from_millis(100));
        interrupted.store(true, Ordering::SeqCst);
    });
    let error = rig.ask_within(provider.as_ref(), Duration::from_hours(2)).unwrap_err();
    assert_eq!(error.fault, ProviderFault::Interrupted);
}

#[test]
fn a_refused_response_format_is_dropped_and_remembered() {
    let (server, rig) = (Server::new(), Rig::new());
    server.once(failing(400, "'response_format' of type 'json_schema' is not supported"));
    server.always(good());
    let provider = rig.open(&config(ProviderKind::OpenAi, &server.mock.uri()));
    assert_eq!(rig.ask(provider.as_ref()), Ok(reply(2)));
    assert_eq!(rig.ask(provider.as_ref()), Ok(reply(1)));
    let with_format: Vec<_> =
        server.bodies().iter().map(|body| body.get("response_format").is_some()).collect();
    assert_eq!(with_format, [true, false, false]);
    assert!(rig.events.names().contains(&"LLM_RESPONSE_FORMAT_FALLBACK"));
}

#[test]
fn refused_parameters_are_dropped_one_by_one_and_remembered() {
    let (server, rig) = (Server::new(), Rig::new());
    server
        .once(failing(400, "'max_tokens' is not supported. Use 'max_completion_tokens' instead."));
    server.once(failing(400, "Unsupported value: 'temperature' does not support 0"));
    server.always(good());
    let provider = rig.open(&config(ProviderKind::OpenAi, &server.mock.uri()));
    assert_eq!(rig.ask(provider.as_ref()), Ok(reply(3)));
    let last = server.bodies().pop().unwrap();
    assert_eq!(last.get("temperature"), None);
    assert_eq!(last.get("max_tokens"), None);
    assert_eq!(last.get("max_completion_tokens"), Some(&json!(4096)));
    let dropped = rig
        .events
        .take()
        .into_iter()
        .filter(|event| event.name.as_str() == "LLM_PARAMETER_DROPPED");
    let dropped: Vec<_> = dropped.map(|event| event.fields[2].1.clone()).collect();
    assert_eq!(dropped, ["max_tokens", "temperature"]);
}

#[test]
fn a_server_that_refuses_everything_is_asked_a_bounded_number_of_times() {
    let (server, rig) = (Server::new(), Rig::new());
    let all = "response_format max_tokens max_completion_tokens temperature top_p presence_penalty \
               frequency_penalty";
    server.always(failing(400, all));
    let provider = rig.open(&config(ProviderKind::OpenAi, &server.mock.uri()));
    let error = rig.ask(provider.as_ref()).unwrap_err();
    assert!(matches!(error.fault, ProviderFault::Refused { status: 400, .. }), "{error}");
    assert_eq!(error.requests, 8);
}

#[test]
fn the_key_is_in_no_message() {
    for status in [400, 401, 403, 413] {
        let (server, rig) = (Server::new(), Rig::new());
        server.always(failing(status, &format!("bad key {KEY}\nsee https://example.org")));
        let provider = rig.open(&config(ProviderKind::OpenAi, &server.mock.uri()));
        let error = rig.ask(provider.as_ref()).unwrap_err();
        assert_eq!(error.requests, 1);
        let text = format!("{error} {error:?} {:?}", rig.events.take());
        assert!(text.contains("bad key *** see"), "{text}");
        assert!(!text.contains(KEY), "{text}");
        assert_eq!(error.to_string().contains("PAPAYU_LLM_API_KEY"), matches!(status, 401 | 403));
    }
}

#[test]
fn a_key_that_cannot_be_sent_is_not_shown_either() {
    let rig = Rig::new();
    let mut config = config(ProviderKind::OpenAi, "http://127.0.0.1:1");
    config.api_key = Some("two\nlines".into());
    let error = rig.ask(rig.open(&config).as_ref()).unwrap_err();
    let expected = "openai: header `authorization` has characters that cannot be sent";
    assert_eq!(error.to_string(), expected);
}

#[test]
fn redirects_are_not_followed() {
    let (server, rig) = (Server::new(), Rig::new());
    let elsewhere = format!("{}/elsewhere", server.mock.uri());
    server
        .mount(Mock::given(path("/v1/chat/completions")).respond_with(
            ResponseTemplate::new(307).insert_header("location", elsewhere.as_str()),
        ));
    let provider = rig.open(&config(ProviderKind::OpenAi, &server.mock.uri()));
    let error = rig.ask(provider.as_ref()).unwrap_err();
    let ProviderFault::Refused { status: 307, message, .. } = error.fault else { panic!() };
    assert_eq!(message, "no message; redirects are not followed, set the final URL");
    assert_eq!(server.bodies().len(), 1);
}

#[test]
fn a_huge_answer_is_not_read_to_its_end() {
    let rig = Rig::new();
    let huge = " ".repeat(9 * 1024 * 1024);
    let url = raw_server(vec![answer("200 OK", 10 * huge.len(), &huge)]);
    let error = rig.ask(rig.open(&config(ProviderKind::OpenAi, &url)).as_ref()).unwrap_err();
    let shown = format!("{url}/v1/chat/completions");
    assert_eq!(
        error.to_string(),
        format!(
            "openai: {shown} answered something unreadable: the answer is longer than 8388608 bytes"
        )
    );
}

#[test]
fn nonsense_with_status_200_is_asked_for_once_more() {
    for nonsense in ["<html><title>Log in</title>", "{\"choices\": [", "{}", "[1]", "\u{0}"] {
        let (server, rig) = (Server::new(), Rig::new());
        server.always(ResponseTemplate::new(200).set_body_string(nonsense));
        let provider = rig.open(&config(ProviderKind::OpenAi, &server.mock.uri()));
        let error = rig.ask(provider.as_ref()).unwrap_err();
        assert!(matches!(error.fault, ProviderFault::Unreadable { .. }), "{error}");
        assert_eq!(error.requests, 2);
    }
}

#[test]
fn tokens_of_an_unusable_answer_are_counted() {
    let (server, rig) = (Server::new(), Rig::new());
    let empty = json!({"choices": [], "usage": {"prompt_tokens": 11, "completion_tokens": 1}});
    server.once(ResponseTemplate::new(200).set_body_json(empty));
    server.always(good());
    let provider = rig.open(&config(ProviderKind::OpenAi, &server.mock.uri()));
    let usage = rig.ask(provider.as_ref()).unwrap().usage;
    assert_eq!(usage, Usage { input: 111, output: 6, cached: 80 });
}

#[test]
fn the_vendors_hosts_need_a_key() {
    let rig = Rig::new();
    for kind in [ProviderKind::OpenAi, ProviderKind::Anthropic] {
        let mut config = config(kind, "");
        (config.url, config.api_key) = (None, None);
        let error = papayu_providers::open_provider(&config, rig.system()).err().unwrap();
        assert!(error.to_string().ends_with("set `PAPAYU_LLM_API_KEY`"), "{error}");
    }
}

#[test]
fn the_ollama_check_tells_what_is_missing() {
    let (server, rig) = (Server::new(), Rig::new());
    let list = json!({"models": [{"name": "some-model:latest"}, {"name": "other:7b"}]});
    server.mount(
        Mock::given(method("GET"))
            .and(path("/api/tags"))
            .respond_with(ResponseTemplate::new(200).set_body_json(list)),
    );
    let mut config = config(ProviderKind::Ollama, &server.mock.uri());
    assert_eq!(ollama::check_model(&config, rig.system()), Ok(()));
    config.model = Some("missing".into());
    let error = ollama::check_model(&config, rig.system()).unwrap_err().to_string();
    assert_eq!(error, "ollama: the model is not there; run `ollama pull missing`");
    config.url = Some(raw_server(vec![answer("404 Not Found", 2, "no")]));
    config.model = None;
    let error = ollama::check_model(&config, rig.system()).unwrap_err().to_string();
    assert!(error.contains("no list of models (status 404)"), "{error}");
}
