//! Servers that refuse: a parameter, the key; and our own limit on requests.

use crate::judges::assert_vendor_accepts;
use crate::mock::{Mock, Route};
use crate::project::{KEY, Project};
use crate::replies::{self, GOOD, base};

#[test]
fn a_refused_response_format_costs_one_request_more() {
    let refusal = "Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model.";
    let change = replies::patch(&base(), GOOD);
    let mock = Mock::start(&[replies::error(400, refusal), replies::plan(), change]);
    let project = Project::new();
    let run = project.fix(Route::OpenAi, &mock);
    assert_eq!(run.end(), (0, "fixed"), "{run:?}");
    assert_eq!(mock.statuses(), [400, 200, 200]);
    let told = run.events().iter().filter(|n| **n == "LLM_RESPONSE_FORMAT_FALLBACK").count();
    assert_eq!((told, &run.outcome["requests"]), (1, &3.into()), "{}", run.stderr);
    // It is remembered: the APPLY does not try again.
    let strict: Vec<_> =
        mock.sent().iter().map(|sent| sent.body.get("response_format").is_some()).collect();
    assert_eq!(strict, [true, false, false]);
    assert_vendor_accepts(Route::OpenAi, &mock);
    project.assert_patch_mends(&run);
}

#[test]
fn the_schema_goes_where_each_vendor_wants_it() {
    for (route, place) in [
        (Route::OpenAi, "/response_format/json_schema/schema"),
        (Route::Responses, "/text/format/schema"),
        (Route::Anthropic, "/output_config/format/schema"),
        (Route::Gemini, "/generationConfig/responseJsonSchema"),
        (Route::Ollama, "/format"),
    ] {
        let answers = [replies::plan(), replies::patch(&base(), GOOD)];
        let mock = Mock::start(&answers);
        let run = Project::new().fix(route, &mock);
        assert_eq!(run.end(), (0, "fixed"), "{run:?}");
        for sent in mock.sent() {
            assert_eq!(sent.body.pointer(place).unwrap()["type"], "object", "{route:?}");
        }
        assert_vendor_accepts(route, &mock);

        let mock = Mock::start(&answers);
        let lax = [("PAPAYU_LLM_STRICT_JSON", "0")];
        let run = Project::new().fix_with(route, &mock, &[], &lax);
        assert_eq!(run.end(), (0, "fixed"), "{run:?}");
        for sent in mock.sent() {
            assert_eq!(sent.body.pointer(place), None, "{route:?}");
        }
        assert_vendor_accepts(route, &mock);
    }
}

#[test]
fn a_refused_key_ends_the_run_and_is_not_repeated() {
    for route in Route::ALL {
        let refusal = format!("Incorrect API key provided: {KEY}.");
        let mock = Mock::start(&[replies::error(401, &refusal)]);
        let run = Project::new().fix(route, &mock);
        assert_eq!(run.end(), (3, "provider_error"), "{run:?}");
        assert_eq!(mock.statuses(), [401]);
        let reason = run.outcome["reason"].as_str().unwrap();
        assert!(reason.contains("Incorrect API key provided: ***"), "{reason}");
        assert!(reason.contains("PAPAYU_LLM_API_KEY"), "{reason}");
        let headers = mock.sent()[0].headers.to_string();
        assert!(headers.contains(KEY), "the key was not sent: {headers}");
    }
}

#[test]
fn a_reply_that_a_filter_blocks_is_a_refusal_and_is_asked_for_once_more() {
    for (route, words) in [
        (Route::OpenAi, "the model refused to answer"),
        (Route::Gemini, "the model refused to answer: the reply is blocked: SAFETY"),
    ] {
        let blocked = replies::blocked();
        let change = replies::patch(&base(), GOOD);
        let mock = Mock::start(&[blocked.clone(), replies::plan(), change]);
        let run = Project::new().fix(route, &mock);
        assert_eq!(run.end(), (0, "fixed"), "{run:?}");
        assert!(mock.sent()[1].prompt().contains(words), "{}", mock.sent()[1].prompt());

        let mock = Mock::start(&[blocked.clone(), blocked]);
        let run = Project::new().fix(route, &mock);
        assert_eq!(run.end(), (4, "rejected"), "{run:?}");
        let reason = run.outcome["reason"].as_str().unwrap();
        assert!(reason.contains(words), "{reason}");
    }
}

#[test]
fn a_limit_on_requests_stops_before_the_next_one() {
    for route in Route::ALL {
        let mock = Mock::start(&[replies::plan(), replies::patch(&base(), GOOD)]);
        let run = Project::new().fix_with(route, &mock, &["--max-requests", "1"], &[]);
        assert_eq!(run.end(), (3, "over_budget"), "{run:?}");
        assert_eq!(mock.statuses(), [200]);
        let reason = run.outcome["reason"].as_str().unwrap();
        assert_eq!(reason, "the limit of 1 request is reached");
    }
}
