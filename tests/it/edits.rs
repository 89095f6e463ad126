//! Whole runs in protocol v3: edits that land, their repair, and the way down to v2 and v1.
#![expect(clippy::unwrap_used, reason = "a test may stop at the first thing that is wrong")]
#![expect(clippy::disallowed_methods, reason = "tests look at the disk themselves")]

use std::fs;

use serde_json::{Value, json};

use crate::fix::{CHECK, RIGHT, WRONG, red};
use crate::model::{Model, edit, patch, plan};
use crate::support::TestEnv;

/// The edit that makes it right.
const GOOD: [&str; 4] = ["replace", "# the answer", "41", "42"];
/// Edits that do not land: text that is not there, and text that stands twice.
const LOST: [&str; 4] = ["replace", "# the answer", "40", "42"];
const TWICE: [&str; 4] = ["replace", "", "the", "42"];
const BAD_PATCH: &str = "@@ -1,3 +1,3 @@\n # the answers\n-40\n+42\n # the ends\n";

fn in_v3<'a>(model: &'a Model, more: &[(&'a str, &'a str)]) -> Vec<(&'a str, &'a str)> {
    [model.variables(), vec![("PAPAYU_PROTOCOL_VERSION", "3")], more.to_vec()].concat()
}

fn trace(env: &TestEnv, outcome: &Value) -> Value {
    let paths = outcome["trace_paths"].as_array().unwrap();
    serde_json::from_str(&env.read(paths.last().unwrap().as_str().unwrap())).unwrap()
}

/// Returns what the trace says of the protocol: asked, used, repaired, and why it stepped down.
fn protocol(trace: &Value) -> Value {
    json!([
        trace["protocol_attempts"],
        trace["protocol_version_used"],
        trace["protocol_repair_attempt"],
        trace["protocol_fallback_reason"],
        trace["error_code"],
    ])
}

#[test]
fn an_edit_is_proved_and_the_patch_applies_where_the_run_began() {
    let (env, model) = (red(), Model::serve([plan("write 42"), edit("answer.py", &[GOOD])]));
    let outcome = env.outcome(&["fix", "--run", CHECK], &in_v3(&model, &[]));
    assert_eq!((&outcome["outcome"], &outcome["verified"]), (&json!("fixed"), &json!(true)));
    let trace = trace(&env, &outcome);
    assert_eq!(protocol(&trace), json!([["v3"], 3, 0, null, null]));
    assert_eq!(trace["patch_strategy"], json!({"answer.py": ["edit_exact"]}));
    assert_eq!((&trace["schema_version"], &trace["protocol_default"]), (&json!(3), &json!(3)));
    assert_eq!(env.read("answer.py"), WRONG, "only a patch was asked for");
    let ran = env.shell("patch -p1 < results/papayu.patch && sh check.sh");
    assert_eq!(ran.code, 0, "{ran:?}");
}

#[test]
fn a_file_keeps_its_mark_its_endings_and_its_missing_newline() {
    let before = "\u{feff}# the answer\r\n41\r\n# the end";
    let edits = [
        GOOD,
        ["insert_after", "# the end", "", "# after\n# it"],
        ["insert_before", "# the answer", "", "# first"],
    ];
    let env = TestEnv::new();
    env.write("answer.py", before);
    let model = Model::serve([edit("answer.py", &edits)]);
    let arguments = [
        "fix", "--goal", "apply: mend answer.py", "--emit", "worktree", "--run",
        "grep 42 answer.py",
    ];
    let outcome = env.outcome(&arguments, &in_v3(&model, &[]));
    assert_eq!(outcome["outcome"], "fixed", "{outcome:#}");
    let after = "\u{feff}# first\r\n# the answer\r\n42\r\n# the end\r\n# after\r\n# it";
    assert_eq!(env.read("answer.py"), after);
}

#[test]
fn an_edit_that_is_not_found_is_repaired_with_the_nearest_real_lines() {
    for (bad, code, said) in [
        (
            LOST,
            "ERR_EDIT_BEFORE_NOT_FOUND",
            "edit 1 does not apply: its `before` is not within 80 lines",
        ),
        (TWICE, "ERR_EDIT_AMBIGUOUS", "its `before` occurs at line 1 and at line 3"),
        (
            ["delete", "# an answer", "41", ""],
            "ERR_EDIT_ANCHOR_NOT_FOUND",
            "its anchor is not in the file",
        ),
    ] {
        let replies = [plan("write 42"), edit("answer.py", &[bad]), edit("answer.py", &[GOOD])];
        let (env, model) = (red(), Model::serve(replies));
        let outcome = env.outcome(&["fix", "--run", CHECK], &in_v3(&model, &[]));
        assert_eq!(outcome["outcome"], "fixed", "{outcome:#}");
        assert_eq!(outcome["protocol"]["repair_reason"], code);
        let trace = trace(&env, &outcome);
        assert_eq!(protocol(&trace), json!([["v3"], 3, 1, null, null]));
        assert_eq!(trace["repair_injected_paths"], json!(["answer.py"]));
        let repair = model.prompts().pop().unwrap();
        for expected in
            [code, said, "The edit:\n", "    1 | # the answer\n    2 | 41\n", "Copy `anchor`"]
        {
            assert!(repair.contains(expected), "{expected}: {repair}");
        }
    }
}

#[test]
fn v3_steps_down_to_v2_and_from_there_to_v1() {
    let whole = json!({"actions": [{"kind": "UPDATE_FILE", "path": "answer.py",
        "content": WRONG.replace("41", "42")}], "summary": "writes it"});
    let (lost, bad) = (edit("answer.py", &[LOST]), patch("answer.py", BAD_PATCH));
    let to_v2 = [plan("write 42"), lost.clone(), lost.clone(), patch("answer.py", RIGHT)];
    let to_v1 = [plan("write 42"), lost.clone(), lost, bad.clone(), bad, whole];
    for (replies, attempts) in
        [(to_v2.to_vec(), json!(["v3", "v2"])), (to_v1.to_vec(), json!(["v3", "v2", "v1"]))]
    {
        let (env, model) = (red(), Model::serve(replies));
        let arguments = ["fix", "--run", CHECK, "--log-format", "human"];
        let outcome = env.outcome(&arguments, &in_v3(&model, &[]));
        assert_eq!(outcome["outcome"], "fixed", "{outcome:#}");
        let code = "ERR_EDIT_BEFORE_NOT_FOUND";
        let expected = json!({"attempts": attempts, "repair": true, "repair_reason": code,
            "fallback": true, "fallback_reason": code});
        assert_eq!(outcome["protocol"], expected);
        let used = 4 - attempts.as_array().unwrap().len();
        assert_eq!(protocol(&trace(&env, &outcome)), json!([attempts, used, 1, code, null]));
        let prompts = model.prompts();
        assert!(prompts[3].contains("Reply again in protocol v2: unified diffs"), "{}", prompts[3]);
        if let Some(last) = prompts.get(5) {
            assert!(last.contains("Reply again in protocol v1: whole files"), "{last}");
        }
    }
}

#[test]
fn each_step_down_is_told_with_its_own_reason() {
    let clash = edit("answer.py", &[GOOD, ["delete", "", "41", ""]]);
    let whole = json!({"actions": [{"kind": "UPDATE_FILE", "path": "answer.py",
        "content": WRONG.replace("41", "42")}], "summary": "writes it"});
    let bad = patch("answer.py", BAD_PATCH);
    let (env, model) = (red(), Model::serve([plan("write 42"), clash, bad.clone(), bad, whole]));
    let ran = env.run_with(&["fix", "--run", CHECK, "--log-format", "json"], &in_v3(&model, &[]));
    assert_eq!(ran.code, 0, "{ran:?}");
    let events = ran.stderr.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let steps: Vec<_> = events
        .filter(|event| event["event"] == "PROTOCOL_FALLBACK")
        .map(|event| json!([event["from"], event["to"], event["reason"]]))
        .collect();
    let expected = [
        json!(["v3", "v2", "ERR_EDIT_APPLY_FAILED"]),
        json!(["v2", "v1", "ERR_PATCH_APPLY_FAILED"]),
    ];
    assert_eq!(steps, expected, "{}", ran.stderr);
}

#[test]
fn without_the_fallback_to_v1_the_one_to_v2_is_still_taken() {
    let (lost, bad) = (edit("answer.py", &[LOST]), patch("answer.py", BAD_PATCH));
    let replies = [plan("write 42"), lost.clone(), lost, bad.clone(), bad];
    let (env, model) = (red(), Model::serve(replies));
    let variables = in_v3(&model, &[("PAPAYU_PROTOCOL_FALLBACK_TO_V1", "0")]);
    let outcome = env.outcome(&["fix", "--run", CHECK], &variables);
    assert_eq!(outcome["error_code"], "ERR_PATCH_APPLY_FAILED", "{outcome:#}");
    assert_eq!(outcome["protocol"]["attempts"], json!(["v3", "v2"]));
    assert_eq!(model.prompts().len(), 5);
}

#[test]
fn a_file_that_changed_meanwhile_is_read_again_for_v2() {
    let env = red();
    let file = env.repo().join("answer.py");
    let changed = "# the answer\n41\n# the end\n# new\n";
    let act = move |number| {
        if number == 1 {
            fs::write(&file, changed).unwrap();
        }
    };
    let hunks = "@@ -1,4 +1,4 @@\n # the answer\n-41\n+42\n # the end\n # new\n";
    let replies = [plan("write 42"), edit("answer.py", &[GOOD]), patch("answer.py", hunks)];
    let model = Model::serve_after(replies, act);
    let outcome = env.outcome(&["fix", "--run", CHECK], &in_v3(&model, &[]));
    assert_eq!(outcome["protocol"]["fallback_reason"], "ERR_EDIT_BASE_MISMATCH", "{outcome:#}");
    assert!(model.prompts()[2].contains("# the end\n# new\n"), "{}", model.prompts()[2]);
    assert_eq!(protocol(&trace(&env, &outcome))[0], json!(["v3", "v2"]));
}

#[test]
fn a_mask_in_an_edit_is_not_written_over_a_secret() {
    let env = red();
    let token = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";
    let text = format!("{WRONG}TOKEN = \"{token}\"\n");
    env.write("answer.py", &text);
    let writes = ["replace", "# the answer", "41", "42\nTOKEN = \"***\""];
    let (env, model) = (
        env,
        Model::serve([plan("write 42"), edit("answer.py", &[writes]), plan("NO_CHANGES: no")]),
    );
    let arguments = ["fix", "--run", CHECK, "--emit", "worktree"];
    let outcome = env.outcome(&arguments, &in_v3(&model, &[]));
    assert_eq!(outcome["protocol"]["fallback_reason"], "ERR_EDIT_APPLY_FAILED", "{outcome:#}");
    assert_eq!(env.read("answer.py"), text);
    assert!(!model.prompts().concat().contains(token));
}

#[test]
fn a_recording_is_replayed_in_its_own_protocol() {
    let replies = [plan("write 42"), edit("answer.py", &[LOST]), edit("answer.py", &[GOOD])];
    let (env, model) = (red(), Model::serve(replies));
    let arguments = ["fix", "--run", CHECK, "--record", "fix.jsonl"];
    let recorded = env.run_with(&arguments, &in_v3(&model, &[]));
    let replayed = env.run(&["replay", "fix.jsonl"]);
    assert_eq!((replayed.code, &replayed.stdout), (0, &recorded.stdout), "{replayed:?}");
}
