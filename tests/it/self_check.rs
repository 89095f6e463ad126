//! The self-check of a summary: what is asked, what is checked, and that it never changes the result.
#![expect(clippy::unwrap_used, reason = "a test may stop at the first thing that is wrong")]
#![expect(clippy::disallowed_methods, reason = "a test moves its own files")]

use serde_json::{Value, json};

use crate::fix::{CHECK, RIGHT, red};
use crate::model::{Model, patch, plan};
use crate::support::TestEnv;

fn claim(text: &str, path: &str, line: i64, quote: &str) -> Value {
    json!({"claim": text, "path": path, "start_line": line, "end_line": line, "quote": quote})
}

/// Returns the reply of a self-check with one claim that is proved and four that are not.
fn claims() -> Value {
    json!({"claims": [
        claim("the answer was 41", "answer.py", 2, "41"),
        claim("the answer is 42", "answer.py", 2, "42"),
        claim("it has a test", "tests/test_answer.py", 1, ""),
        claim("it ends late", "answer.py", 9, ""),
        claim("it is fast", "", 0, ""),
    ]})
}

fn checked(env: &TestEnv, model: &Model, more: &[(&str, &str)]) -> Value {
    let variables = [model.variables(), more.to_vec()].concat();
    env.outcome(&["fix", "--run", CHECK, "--self-check"], &variables)
}

fn trace(env: &TestEnv, outcome: &Value) -> Value {
    serde_json::from_str(&env.read(outcome["trace_paths"][0].as_str().unwrap())).unwrap()
}

#[test]
fn claims_are_checked_against_the_files_as_shown_and_unproved_ones_are_named() {
    let unproved = json!([
        {"claim": "the answer is 42", "path": "answer.py", "start_line": 2, "end_line": 2, "reason": "the quoted text is not in these lines"},
        {"claim": "it has a test", "path": "tests/test_answer.py", "start_line": 1, "end_line": 1, "reason": "the file does not exist"},
        {"claim": "it ends late", "path": "answer.py", "start_line": 9, "end_line": 9, "reason": "the file has 3 lines"},
        {"claim": "it is fast", "path": "", "start_line": 0, "end_line": 0, "reason": "no file is cited"},
    ]);
    let expected = json!({"claims": 5, "proved": 1, "unproved": unproved});
    // A change in the tree is no evidence for the claims about the file before it.
    for emit in ["patch", "worktree"] {
        let env = red();
        let model = Model::serve([patch("answer.py", RIGHT), claims()]);
        let summary = env.repo().join("summary.md").display().to_string();
        let more = [("PAPAYU_EMIT", emit), ("GITHUB_STEP_SUMMARY", summary.as_str())];
        let outcome = checked(&env, &model, &more);
        assert_eq!(outcome["outcome"], "fixed", "{outcome}");
        assert_eq!(outcome["self_check"], expected);
        assert_eq!(trace(&env, &outcome)["self_check"], expected);
        assert_eq!((&outcome["requests"], &outcome["tokens"]["output"]), (&json!(2), &json!(200)));
        let page = env.read("summary.md");
        assert!(page.contains("| self-check | 1 of 5 claims proved |"), "{page}");
        assert!(page.contains("| not proved | `it has a test` `tests/test_answer.py:1`"), "{page}");
        let requests = model.requests();
        let messages = |at: usize| requests[at]["messages"].as_array().unwrap().clone();
        assert_eq!(messages(1)[..messages(0).len()], messages(0));
        let schema = &requests[1]["response_format"]["json_schema"]["name"];
        assert!(schema.is_null() || schema == "papayu_self_check", "{schema}");
        assert!(model.prompts()[1].contains("## SELF-CHECK"), "{:?}", model.prompts());
    }
}

#[test]
fn a_self_check_that_fails_or_is_off_leaves_the_fix_as_it_is() {
    for (reply, said) in [
        (json!("I am sure."), "ERR_JSON_EXTRACT"),
        (json!({"claims": [{"claim": "x"}]}), "ERR_SCHEMA_VALIDATION"),
        (json!({"refusal": "no"}), "answered 401"),
    ] {
        let (env, model) = (red(), Model::serve([patch("answer.py", RIGHT), reply]));
        let outcome = checked(&env, &model, &[]);
        assert_eq!((&outcome["outcome"], &outcome["requests"]), (&json!("fixed"), &json!(2)));
        assert_eq!(outcome["self_check"], Value::Null);
        let notices = outcome["notices"].to_string();
        assert!(notices.contains("the self-check failed: ") && notices.contains(said), "{notices}");
        assert_eq!(trace(&env, &outcome)["error_code"], Value::Null);
    }
    let (env, model) = (red(), Model::serve([patch("answer.py", RIGHT)]));
    let outcome = checked(&env, &model, &[("PAPAYU_MAX_REQUESTS", "1")]);
    assert_eq!((&outcome["outcome"], &outcome["requests"]), (&json!("fixed"), &json!(1)));
    assert!(outcome["notices"].to_string().contains("the limit of 1 request is reached"));

    let (env, model) = (red(), Model::serve([patch("answer.py", RIGHT), claims()]));
    let outcome = env.outcome(&["fix", "--run", CHECK], &model.variables());
    assert_eq!((&outcome["outcome"], &outcome["self_check"]), (&json!("fixed"), &Value::Null));
    assert_eq!(model.requests().len(), 1);
}

#[test]
fn a_plan_is_checked_too_and_a_recorded_check_is_replayed() {
    let (env, model) = (red(), Model::serve([plan("the answer is wrong"), claims()]));
    let variables = [model.variables(), vec![("PAPAYU_SELF_CHECK", "1")]].concat();
    let outcome = env.outcome(&["plan", "--run", CHECK], &variables);
    assert_eq!((&outcome["outcome"], &outcome["exit_code"]), (&json!("planned"), &json!(0)));
    assert_eq!(outcome["self_check"]["proved"], 1);

    let (env, model) = (red(), Model::serve([patch("answer.py", RIGHT), claims()]));
    let recorded = ["fix", "--run", CHECK, "--self-check", "--record", "session.jsonl"];
    let outcome = env.outcome(&recorded, &model.variables());
    let recording = env.read("session.jsonl");
    std::fs::remove_file(env.repo().join("session.jsonl")).unwrap();
    let again = red();
    again.write("session.jsonl", &recording);
    let replayed = ["fix", "--run", CHECK, "--self-check", "--provider", "replay:session.jsonl"];
    let replayed = again.outcome(&replayed, &[]);
    for field in ["outcome", "self_check", "requests", "tokens", "notices"] {
        assert_eq!(replayed[field], outcome[field], "{field}");
    }
}

#[test]
fn of_several_models_the_first_one_that_answers_is_asked() {
    let (one, two) = (
        Model::serve([patch("answer.py", RIGHT)]),
        Model::serve([patch("answer.py", RIGHT), claims()]),
    );
    let list = json!([{"url": one.url(), "model": "a"}, {"url": two.url(), "model": "b"}]);
    let list = list.to_string();
    let outcome = checked(&red(), &two, &[("PAPAYU_LLM_PROVIDERS", &list)]);
    assert_eq!(outcome["outcome"], "fixed", "{outcome}");
    assert_eq!(outcome["self_check"]["claims"], 5);
    assert_eq!((one.requests().len(), two.requests().len()), (2, 2));
}
