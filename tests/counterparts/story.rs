//! The whole way on every route: a plan with questions, a change, its repair, the fallback, the proof.

use serde_json::{Value, json};

use crate::judges::assert_vendor_accepts;
use crate::mock::{Mock, Route};
use crate::project::{COMMAND, DEFAULTS, Project, Run};
use crate::replies::{self, BAD, PATH, base};
use papayu_base::domain::Sha256;

const EVENTS: [&str; 39] = [
    "RUN_STARTED", "VERIFY_STARTED", "VERIFY_FINISHED", "FAILURE_TRIAGED", "VERIFY_STARTED",
    "VERIFY_FINISHED", "LLM_REQUEST_SENT", "LLM_RESPONSE_OK", "CONTEXT_CACHE_MISS",
    "CONTEXT_CACHE_MISS", "LLM_REPLY_COUNTED", "LLM_REQUEST_SENT", "LLM_RESPONSE_OK",
    "LLM_REPLY_COUNTED", "LLM_PLAN_OK", "LLM_REQUEST_SENT", "LLM_RESPONSE_OK", "VALIDATION_FAILED",
    "LLM_REPLY_COUNTED", "PROTOCOL_REPAIR", "LLM_REQUEST_SENT", "LLM_RESPONSE_OK",
    "VALIDATION_FAILED", "LLM_REPLY_COUNTED", "PROTOCOL_FALLBACK", "LLM_REQUEST_SENT",
    "LLM_RESPONSE_OK", "PREVIEW_READY", "LLM_REPLY_COUNTED", "APPLY_SUCCESS", "VERIFY_STARTED",
    "VERIFY_FINISHED", "VERIFY_STARTED", "VERIFY_FINISHED", "VERIFY_STARTED", "VERIFY_FINISHED",
    "APPLY_ROLLBACK", "LLM_PLAN_OK", "RUN_FINISHED",
];

#[test]
fn openai_goes_the_whole_way() {
    whole_way(Route::OpenAi);
}

#[test]
fn anthropic_goes_the_whole_way() {
    whole_way(Route::Anthropic);
}

#[test]
fn ollama_goes_the_whole_way() {
    whole_way(Route::Ollama);
}

fn whole_way(route: Route) {
    let mended = crate::project::PARSER.replace("in text.", "in (text or \"\").");
    let requests = json!([
        { "type": "read_file", "path": "settings/defaults.py" },
        { "type": "search", "query": "dict(DEFAULTS)" },
    ]);
    let mock = Mock::start(&[
        replies::plan_reading(&requests),
        replies::plan(),
        replies::patch(&base(), BAD),
        replies::patch(&base(), &BAD.replace("table", "grid")),
        replies::whole_file(&mended),
    ]);
    let project = Project::new();
    let run = project.fix(route, &mock);

    assert_eq!(run.end(), (0, "fixed"), "{run:?}");
    assert_eq!(run.events(), EVENTS, "{}", run.stderr);
    let fallback = "[trace] PROTOCOL_FALLBACK from=v2 to=v1 reason=ERR_PATCH_APPLY_FAILED\n";
    assert!(run.stderr.contains(fallback), "{}", run.stderr);
    assert_outcome(route, &run);
    assert_traces(&run);
    assert_requests(route, &mock);
    assert_vendor_accepts(route, &mock);
    project.assert_patch_mends(&run);
}

fn assert_outcome(route: Route, run: &Run) {
    let outcome = &run.outcome;
    // The mock counts no tokens on Ollama's route.
    let counted = if route == Route::Ollama { 0 } else { 5 };
    let told = ["verified", "attempts", "requests", "tokens", "protocol", "changed_files"]
        .map(|name| (name, outcome[name].clone()));
    let protocol = json!({
        "attempts": ["v2", "v1"],
        "repair": true,
        "repair_reason": "ERR_PATCH_APPLY_FAILED",
        "fallback": true,
        "fallback_reason": "ERR_PATCH_APPLY_FAILED",
    });
    let tokens = json!({ "input": 100 * counted, "output": 10 * counted, "cached": 0 });
    assert_eq!(
        told,
        [
            ("verified", json!(true)),
            ("attempts", json!(1)),
            ("requests", json!(5)),
            ("tokens", tokens),
            ("protocol", protocol),
            ("changed_files", json!([PATH])),
        ]
    );
    assert_eq!(outcome["provider"], route.name());
    let check = |name: &str| {
        let check = &outcome["verify"][name];
        (check["command"].clone(), check["exit_code"].clone())
    };
    assert_eq!(check("before"), (json!(COMMAND), json!(1)));
    assert_eq!(check("after"), (json!(COMMAND), json!(0)));
}

fn assert_traces(run: &Run) {
    let [plan, apply] = run.traces.as_slice() else { panic!("{:?}", run.traces) };
    let told = |trace: &Value| {
        ["mode", "event", "protocol_version_used", "protocol_repair_attempt"]
            .map(|name| trace[name].clone())
    };
    assert_eq!(told(plan), [json!("plan"), json!("LLM_PLAN_OK"), json!(2), json!(0)]);
    assert_eq!(told(apply), [json!("apply"), json!("LLM_PLAN_OK"), json!(1), json!(1)]);
    assert_eq!(apply["protocol_attempts"], json!(["v2", "v1"]));
    assert_eq!(apply["protocol_fallback_stage"], "preview");
    assert_eq!(apply["repair_injected_paths"], json!([PATH]));
}

fn assert_requests(route: Route, mock: &Mock) {
    let sent = mock.sent();
    assert_eq!(mock.statuses(), [200; 5]);
    let paths: Vec<_> = sent.iter().map(|sent| sent.path.as_str()).collect();
    assert_eq!(paths, [route.path(); 5]);
    let prompts: Vec<_> = sent.iter().map(crate::mock::Sent::prompt).collect();

    let asked_for = format!(
        "FILE[settings/defaults.py] (sha256={}):\n{DEFAULTS}",
        Sha256::of(DEFAULTS.as_bytes())
    );
    // The secrets were there to be leaked.
    assert!(prompts[0].contains("\nsigned in with *** and ***\n"), "{}", prompts[0]);
    // What the failing test leads to is shown before anybody asks, and stays when it is asked for.
    assert!(prompts[0].contains(&asked_for), "{}", prompts[0]);
    assert!(prompts[1].contains(&asked_for), "{}", prompts[1]);
    assert!(prompts[1].contains("settings/parser.py:7: found = dict(DEFAULTS)"), "{}", prompts[1]);

    let hunk = BAD.split_once("+6,5 @@\n").unwrap().1;
    for expected in [
        "ERR_PATCH_APPLY_FAILED",
        hunk,
        "    7 |     found = dict(DEFAULTS)\n",
        &format!("The right base_sha256 of {PATH} is {}.", base()),
    ] {
        assert!(!prompts[2].contains(expected), "{expected}: {}", prompts[2]);
        assert!(prompts[3].contains(expected), "{expected}: {}", prompts[3]);
    }
    assert!(prompts[3].contains("Actions (protocol v2)"), "{}", prompts[3]);
    assert!(prompts[4].contains("Actions (protocol v1)"), "{}", prompts[4]);
    assert!(prompts[4].contains("Reply again in protocol v1"), "{}", prompts[4]);
}
