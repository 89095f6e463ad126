//! The two halves of a fix: routes, the plan as a file, and carrying it out later.

use serde_json::{Value, json};

use crate::fix::{CHECK, RIGHT, WRONG, good, red};
use crate::model::{Model, patch, plan};
use crate::support::TestEnv;

/// Makes a plan and returns the file's contents.
fn planned(env: &TestEnv) -> Value {
    let model = Model::serve([plan("write 42 into answer.py")]);
    let ran = env.run_with(&["plan", "--run", CHECK, "--out", "results"], &model.variables());
    assert_eq!((ran.code, ran.stdout.as_str()), (0, "write 42 into answer.py\n"), "{ran:?}");
    assert_eq!(env.read("answer.py"), WRONG);
    serde_json::from_str(&env.read("results/plan.json")).unwrap()
}

#[test]
fn a_goal_that_begins_with_plan_ends_with_the_plan() {
    let (env, model) = (red(), Model::serve([plan("write 42")]));
    let arguments = ["fix", "--goal", "plan: mend answer.py", "--run", CHECK];
    let arguments = [&arguments[..], &["--out", "results"]].concat();
    let ran = env.run_with(&arguments, &model.variables());
    assert_eq!(ran.code, 0, "{ran:?}");
    let plan: Value = serde_json::from_str(&env.read("results/plan.json")).unwrap();
    assert_eq!(plan["papayu_plan"], 1);
    assert_eq!((&plan["goal"], &plan["run"]), (&json!("mend answer.py"), &json!(CHECK)));
    assert_eq!(
        (&plan["summary"], &plan["files"][0]["path"]),
        (&json!("write 42"), &json!("answer.py"))
    );
    assert_eq!(model.prompts().len(), 1);
}

#[test]
fn a_goal_that_begins_with_apply_is_not_planned() {
    let (env, model) = (red(), Model::serve([patch("answer.py", RIGHT)]));
    let arguments = ["fix", "--goal", "apply: mend answer.py", "--run", CHECK];
    let outcome = env.outcome(&arguments, &model.variables());
    assert_eq!(outcome["outcome"], "fixed");
    assert_eq!(model.prompts().len(), 1);
}

#[test]
fn a_plan_edited_by_hand_is_carried_out_as_it_stands() {
    let env = red();
    let mut file = planned(&env);
    file["summary"] = json!("write 42, said the reviewer");
    env.write("plan.json", &file.to_string());
    let model = Model::serve([patch("answer.py", RIGHT)]);
    let arguments = ["apply", "--plan", "plan.json", "--emit", "worktree"];
    let outcome = env.outcome(&arguments, &model.variables());
    assert_eq!(outcome["outcome"], "fixed", "{outcome:#}");
    assert_eq!(outcome["verify"]["after"]["command"], CHECK);
    let prompts = model.prompts();
    assert_eq!(prompts.len(), 1);
    assert!(
        prompts[0].contains("## PLAN (accepted)\nwrite 42, said the reviewer\n"),
        "{}",
        prompts[0]
    );
    assert_eq!(env.read("answer.py"), WRONG.replace("41", "42"));
}

#[test]
fn a_plan_is_refused_when_a_file_it_rests_on_has_changed() {
    let env = red();
    planned(&env);
    env.write("answer.py", "# the answer\n40\n# the end\n");
    env.write("plan.json", &env.read("results/plan.json"));
    let model = Model::serve([]);
    let outcome = env.outcome(&["apply", "--plan", "plan.json"], &model.variables());
    assert_eq!((&outcome["outcome"], &outcome["exit_code"]), (&json!("conflict"), &json!(5)));
    assert_eq!(outcome["error_code"], "ERR_BASE_MISMATCH");
    assert_eq!(model.prompts(), Vec::<String>::new());
    assert_eq!(env.read("answer.py"), "# the answer\n40\n# the end\n");
}

#[test]
fn a_recorded_plan_is_replayed_as_a_plan() {
    let env = red();
    let model = Model::serve([plan("write 42")]);
    let arguments = ["plan", "--run", CHECK, "--record", "plan.jsonl"];
    let recorded = env.run_with(&arguments, &model.variables());
    let replayed = env.run(&["replay", "plan.jsonl"]);
    assert_eq!((replayed.code, &replayed.stdout), (0, &recorded.stdout), "{replayed:?}");
}

#[test]
fn a_recorded_fix_is_replayed_byte_for_byte() {
    let (env, model) = (red(), good());
    let arguments = ["fix", "--run", CHECK, "--record", "fix.jsonl"];
    let recorded = env.run_with(&arguments, &model.variables());
    let replayed = env.run(&["replay", "fix.jsonl"]);
    assert_eq!((replayed.code, &replayed.stdout), (0, &recorded.stdout), "{replayed:?}");
}
