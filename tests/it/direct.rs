//! Whole runs whose first reply brings the change, and the conversation that only grows.
#![expect(clippy::unwrap_used, reason = "a test may stop at the first thing that is wrong")]

use serde_json::{Value, json};

use crate::fix::{CHECK, RIGHT, red};
use crate::model::{Model, edit, patch, plan};
use crate::support::TestEnv;

/// A hunk whose lines the file does not have.
const LOST: &str = "@@ -1,3 +1,3 @@\n # the question\n-40\n+42\n # the start\n";
/// A change that is made and does not help.
const STILL_WRONG: &str = "@@ -1,3 +1,3 @@\n # the answer\n-41\n+43\n # the end\n";

fn fix(env: &TestEnv, model: &Model, more: &[(&str, &str)]) -> Value {
    env.outcome(&["fix", "--run", CHECK], &[model.variables(), more.to_vec()].concat())
}

fn traces(env: &TestEnv, outcome: &Value) -> Vec<Value> {
    let paths = outcome["trace_paths"].as_array().unwrap().iter();
    paths.map(|path| serde_json::from_str(&env.read(path.as_str().unwrap())).unwrap()).collect()
}

/// Asserts that each request begins with all messages of the one before it, so that a cache of prefixes
/// serves every token of an earlier request.
fn assert_grows(model: &Model) {
    let messages = |request: &Value| request["messages"].as_array().unwrap().clone();
    let requests: Vec<Vec<Value>> = model.requests().iter().map(messages).collect();
    for (before, after) in requests.iter().zip(requests.iter().skip(1)) {
        assert_eq!(after.get(..before.len()).unwrap(), before);
        assert!(after.len() > before.len());
    }
}

#[test]
fn a_certain_fix_takes_one_request_in_v2_and_v3() {
    for (version, reply) in [
        ("2", patch("answer.py", RIGHT)),
        ("3", edit("answer.py", &[["replace", "# the answer", "41", "42"]])),
    ] {
        let (env, model) = (red(), Model::serve([reply]));
        let outcome = fix(&env, &model, &[("PAPAYU_PROTOCOL_VERSION", version)]);
        assert_eq!((&outcome["outcome"], &outcome["requests"]), (&json!("fixed"), &json!(1)));
        let [trace] = traces(&env, &outcome).try_into().unwrap();
        assert_eq!((&trace["mode"], &trace["actions_count"]), (&json!("direct"), &json!(1)));
        assert!(model.prompts()[0].contains("reply with the change now"));
    }
}

#[test]
fn off_and_in_v1_a_plan_with_actions_is_refused_and_asked_for_again() {
    let whole = json!({
        "actions": [{"kind": "UPDATE_FILE", "path": "answer.py", "content": "# the answer\n42\n# the end\n"}],
        "summary": "writes 42",
    });
    for (variable, reply) in [
        (("PAPAYU_PROTOCOL_DIRECT", "0"), patch("answer.py", RIGHT)),
        (("PAPAYU_PROTOCOL_VERSION", "1"), whole),
    ] {
        let replies = [reply.clone(), plan("write 42"), reply];
        let (env, model) = (red(), Model::serve(replies));
        let outcome = fix(&env, &model, &[variable]);
        assert_eq!((&outcome["outcome"], &outcome["requests"]), (&json!("fixed"), &json!(3)));
        let prompts = model.prompts();
        assert!(!prompts[0].contains("reply with the change now"), "{}", prompts[0]);
        assert!(prompts[1].contains("ERR_PLAN_WITH_ACTIONS"), "{}", prompts[1]);
        assert_grows(&model);
    }
}

#[test]
fn a_plan_command_never_takes_a_change() {
    let (env, model) = (red(), Model::serve([patch("answer.py", RIGHT), plan("write 42")]));
    let ran = env.run_with(&["plan", "--run", CHECK], &model.variables());
    assert_eq!(ran.stdout, "write 42\n");
    assert!(model.prompts()[1].contains("ERR_PLAN_WITH_ACTIONS"));
}

#[test]
fn a_direct_change_that_does_not_apply_is_repaired_like_any_other() {
    let (env, model) = (red(), Model::serve([patch("answer.py", LOST), patch("answer.py", RIGHT)]));
    let outcome = fix(&env, &model, &[]);
    assert_eq!((&outcome["outcome"], &outcome["requests"]), (&json!("fixed"), &json!(2)));
    assert_eq!(outcome["protocol"]["repair_reason"], "ERR_PATCH_APPLY_FAILED");
    let [trace] = traces(&env, &outcome).try_into().unwrap();
    assert_eq!((&trace["mode"], &trace["protocol_repair_attempt"]), (&json!("direct"), &json!(1)));
    assert_grows(&model);
}

#[test]
fn reading_repair_fallback_and_a_second_attempt_only_add_to_the_conversation() {
    let asking = json!({
        "actions": [], "summary": "the check decides",
        "context_requests": [{"type": "read_file", "path": "check.sh", "start_line": 2, "end_line": 2}],
    });
    let whole = json!({
        "actions": [{"kind": "UPDATE_FILE", "path": "answer.py", "content": "# the answer\n43\n# the end\n"}],
        "summary": "writes 43",
    });
    let lost = patch("answer.py", LOST);
    let replies = [asking, lost.clone(), lost, whole, patch("answer.py", RIGHT)];
    let (env, model) = (red(), Model::serve(replies));
    let outcome = fix(&env, &model, &[]);
    assert_eq!((&outcome["outcome"], &outcome["requests"]), (&json!("fixed"), &json!(5)));
    let prompts = model.prompts();
    assert_grows(&model);
    assert!(prompts[1].contains("## MORE OF THE REPOSITORY\n"), "{}", prompts[1]);
    assert!(prompts[1].contains("Context rounds left: 1."), "{}", prompts[1]);
    assert!(prompts[3].contains("## RULES OF PROTOCOL v1"), "{}", prompts[3]);
    assert!(prompts[4].contains("## RULES OF PROTOCOL v2"), "{}", prompts[4]);
    assert!(prompts[4].contains("## ATTEMPT 1\n"), "{}", prompts[4]);
}

#[test]
fn requests_beyond_the_last_round_are_named_as_unanswered() {
    let asking = |path: &str| {
        let requests = json!([{"type": "read_file", "path": path}]);
        json!({"actions": [], "summary": "look", "context_requests": requests})
    };
    let replies =
        [asking("check.sh"), asking("answer.py"), asking("more.py"), patch("answer.py", RIGHT)];
    let (env, model) = (red(), Model::serve(replies));
    assert_eq!(fix(&env, &model, &[])["outcome"], "fixed");
    let prompts = model.prompts();
    assert!(prompts[2].contains("Context rounds left: 0;"), "{}", prompts[2]);
    assert!(prompts[3].contains("your last `context_requests` are not answered"), "{}", prompts[3]);
    assert_grows(&model);
}

#[test]
fn what_was_tried_directly_is_described_to_the_second_attempt() {
    let replies = [patch("answer.py", STILL_WRONG), patch("answer.py", RIGHT)];
    let (env, model) = (red(), Model::serve(replies));
    let outcome = fix(&env, &model, &[]);
    assert_eq!((&outcome["outcome"], &outcome["attempts"]), (&json!("fixed"), &json!(2)));
    assert!(model.prompts()[1].contains("## ATTEMPT 1\n"));
    assert_grows(&model);
}
