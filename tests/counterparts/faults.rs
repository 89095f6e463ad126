//! Servers that are busy, broken or hung, and replies that are cut off.

use std::time::{Duration, Instant};

use serde_json::json;

use crate::judges::assert_vendor_accepts;
use crate::mock::{Mock, Route};
use crate::project::Project;
use crate::replies::{self, GOOD, base};

#[test]
fn a_busy_server_is_asked_again_when_it_said() {
    for route in Route::ALL {
        let change = replies::patch(&base(), GOOD);
        let mock = Mock::start(&[replies::busy(2), replies::plan(), change]);
        let run = Project::new().fix(route, &mock);
        assert_eq!(run.end(), (0, "fixed"), "{run:?}");
        assert_eq!(mock.statuses(), [429, 200, 200]);
        assert_eq!(run.outcome["requests"], 3);
        assert!(run.outcome["timings_ms"]["llm"].as_u64().unwrap() >= 2000, "{}", run.outcome);
        let retry = "[trace] LLM_REQUEST_RETRY";
        let line = run.stderr.lines().find(|line| line.starts_with(retry)).expect(&run.stderr);
        assert!(line.contains(" wait_ms=2000 "), "{line}");
    }
}

#[test]
fn a_server_that_stumbles_once_is_asked_again() {
    for route in Route::ALL {
        let change = replies::patch(&base(), GOOD);
        let mock = Mock::start(&[replies::plan(), replies::error(500, "oops"), change]);
        let run = Project::new().fix(route, &mock);
        assert_eq!(run.end(), (0, "fixed"), "{run:?}");
        assert_eq!(mock.statuses(), [200, 500, 200]);
    }
}

#[test]
fn a_server_that_stays_broken_ends_the_run() {
    let mock = Mock::start(&vec![replies::error(500, "the disk is full"); 6]);
    let run = Project::new().fix(Route::OpenAi, &mock);
    assert_eq!(run.end(), (3, "provider_error"), "{run:?}");
    assert_eq!(mock.statuses(), [500; 5]);
    assert_eq!(run.outcome["requests"], 5);
    let reason = run.outcome["reason"].as_str().unwrap();
    assert!(reason.contains("the disk is full") && reason.contains("500"), "{reason}");
}

#[test]
fn a_reply_that_is_cut_off_is_asked_for_again() {
    for route in [Route::OpenAi, Route::Responses, Route::Anthropic, Route::Gemini] {
        // What arrived is complete JSON: that the server says it was cut off is enough.
        let cut = replies::cut_off(&json!({ "actions": [], "summary": "half" }).to_string());
        let change = replies::patch(&base(), GOOD);
        let mock = Mock::start(&[cut, replies::plan(), change]);
        let run = Project::new().fix(route, &mock);
        assert_eq!(run.end(), (0, "fixed"), "{run:?}");
        assert!(run.events().contains(&"LLM_RESPONSE_REPAIR"), "{}", run.stderr);
        let repair = mock.sent()[1].prompt();
        assert!(repair.contains("ERR_JSON_PARSE: the reply was cut off at"), "{repair}");
        let limit = |at: usize| {
            let sent = &mock.sent()[at].body;
            let names = [
                "/max_tokens",
                "/max_completion_tokens",
                "/max_output_tokens",
                "/generationConfig/maxOutputTokens",
            ];
            names.iter().find_map(|name| sent.pointer(name)).unwrap().as_u64()
        };
        // Twice as much, and at most a quarter of the window of the model.
        assert_eq!(limit(0), Some(16_384));
        assert!(matches!(limit(1), Some(32_000 | 32_768)), "{:?}", limit(1));
        assert_vendor_accepts(route, &mock);
    }
}

#[test]
fn half_a_json_is_asked_for_again_and_then_refused() {
    for route in Route::ALL {
        let whole = replies::patch(&base(), GOOD)["response"]["content"].clone();
        let whole = whole.as_str().unwrap();
        let half = replies::text(whole.get(..whole.len() / 2).unwrap());
        let mock = Mock::start(&[replies::plan(), half.clone(), replies::text(whole)]);
        let project = Project::new();
        let run = project.fix(route, &mock);
        assert_eq!(run.end(), (0, "fixed"), "{run:?}");
        assert!(run.events().contains(&"LLM_RESPONSE_REPAIR"), "{}", run.stderr);
        project.assert_patch_mends(&run);

        let mock = Mock::start(&[replies::plan(), half.clone(), half]);
        let run = Project::new().fix(route, &mock);
        assert_eq!(run.end(), (4, "rejected"), "{run:?}");
        assert_eq!(mock.statuses(), [200; 3]);
        let code = run.outcome["error_code"].as_str().unwrap();
        assert!(code.starts_with("ERR_JSON_"), "{code}");
    }
}

#[test]
fn a_server_that_hangs_is_left() {
    for route in Route::ALL {
        let slow = replies::late(replies::plan(), 20_000);
        let mock = Mock::start(&[slow.clone(), slow]);
        let started = Instant::now();
        let limit = [("PAPAYU_LLM_TIMEOUT_SEC", "1")];
        let run = Project::new().fix_with(route, &mock, &[], &limit);
        assert_eq!(run.end(), (3, "provider_error"), "{run:?}");
        assert!(started.elapsed() < Duration::from_secs(15), "{:?}", started.elapsed());
        let sent = run.events().iter().filter(|name| **name == "LLM_REQUEST_SENT").count();
        let hung = run.events().iter().filter(|name| **name == "LLM_REQUEST_TIMEOUT").count();
        // Once more, and no more than that.
        assert_eq!((sent, hung, mock.sent().len()), (2, 2, 2), "{}", run.stderr);
        assert_eq!(run.outcome["requests"], 2);
    }
}
