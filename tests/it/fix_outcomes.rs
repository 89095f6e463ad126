//! What a run leaves behind: traces, and no secrets.

use serde_json::json;

use crate::fix::{CHECK, good, red};
use crate::model::{KEY, Model, patch, plan};

const TOKEN: &str = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";

#[test]
fn each_exchange_leaves_a_trace_that_follows_its_schema() {
    let (env, model) = (red(), good());
    let outcome = env.outcome(&["fix", "--run", CHECK], &model.variables());
    let paths = outcome["trace_paths"].as_array().unwrap();
    let schema = env.run(&["schema", "trace"]).json();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let mut modes = Vec::new();
    for path in paths {
        let text = env.read(path.as_str().unwrap());
        assert_eq!(text.lines().count(), 1);
        let trace: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert!(validator.is_valid(&trace), "{trace:#}");
        assert_eq!(trace["run_id"], outcome["run_id"]);
        modes.push(json!([trace["mode"], trace["event"], trace["verify"]["after"]["exit_code"]]));
    }
    assert_eq!(modes, [json!(["plan", "LLM_PLAN_OK", null]), json!(["apply", "LLM_PLAN_OK", 0])]);
}

#[test]
fn traces_are_written_only_when_they_are_wanted() {
    let (env, model) = (red(), good());
    let variables = [model.variables(), vec![("PAPAYU_TRACE", "0")]].concat();
    let outcome = env.outcome(&["fix", "--run", CHECK], &variables);
    assert_eq!((&outcome["outcome"], &outcome["trace_paths"]), (&json!("fixed"), &json!([])));
    assert_eq!(env.shell("test -e .papa-yu/traces").code, 1);
}

#[test]
fn secrets_reach_neither_the_model_nor_any_file_nor_the_screen() {
    let env = red();
    let check = env.read("check.sh");
    env.write("check.sh", &format!("echo 'using {TOKEN}'\n{check}"));
    let say = |what: &str| plan(&format!("{what}, with {TOKEN} and {KEY}"));
    let hunks = format!("@@ -1,3 +1,3 @@\n # the answer\n-41\n+42 {TOKEN}\n # the end\n");
    let model =
        Model::serve([say("one"), patch("answer.py", &hunks), say("two"), say("NO_CHANGES:")]);
    let variables = [model.variables(), vec![("PAPAYU_TRACE_RAW", "1")]].concat();
    let arguments = ["fix", "--run", CHECK, "--log-format", "json", "--record", "all.jsonl"];
    let ran = env.run_with(&arguments, &variables);
    assert_eq!(ran.code, 1, "{ran:?}");
    for secret in [TOKEN, KEY] {
        let sent: Vec<_> = model.prompts().into_iter().filter(|it| it.contains(secret)).collect();
        assert_eq!(sent, Vec::<String>::new());
        assert!(!ran.stderr.contains(secret) && !ran.stdout.contains(secret), "{ran:?}");
        let found = env.shell(&format!("grep -rl -e {secret} .papa-yu || true"));
        assert_eq!(found.stdout, "", "{secret}");
    }
}

#[test]
fn a_plan_and_a_recording_hold_no_secrets() {
    let env = red();
    env.write("check.sh", &format!("echo 'answer.py:2: error: {TOKEN} is refused'\nexit 1\n"));
    let model = Model::serve([plan(&format!("renew {TOKEN}"))]);
    let arguments = ["plan", "--run", CHECK, "--record", "plan.jsonl"];
    let ran = env.run_with(&arguments, &model.variables());
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.stdout.contains(" is refused") && !ran.stdout.contains(TOKEN), "{ran:?}");
    // What a model itself says is kept as it was said: a replay must hear the same.
    let recording = env.read("plan.jsonl");
    assert_eq!(recording.matches(TOKEN).count(), 1, "{recording}");
}
