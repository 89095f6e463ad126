//! Whole runs against a scripted model: who is asked, what is proved, what stays in the tree.
#![expect(clippy::unwrap_used, reason = "a test may stop at the first thing that is wrong")]

use serde_json::{Value, json};

use crate::model::{Model, patch, plan};
use crate::support::TestEnv;

/// The command that proves the fix.
pub(crate) const CHECK: &str = "sh check.sh";
/// The file that is wrong, and what makes it right.
pub(crate) const WRONG: &str = "# the answer\n41\n# the end\n";
pub(crate) const RIGHT: &str = "@@ -1,3 +1,3 @@\n # the answer\n-41\n+42\n # the end\n";
const STILL_WRONG: &str = "@@ -1,3 +1,3 @@\n # the answer\n-41\n+43\n # the end\n";

/// A repository whose check fails: the answer is 41.
pub(crate) fn red() -> TestEnv {
    let env = TestEnv::new();
    env.write("answer.py", WRONG);
    env.write(
        "check.sh",
        "found=$(sed -n 2p answer.py)\ntest \"$found\" = 42 && exit 0\n\
         echo \"answer.py:2: error: expected 42, found $found\"\nexit 1\n",
    );
    env
}

pub(crate) fn good() -> Model {
    Model::serve([plan("write 42"), patch("answer.py", RIGHT)])
}

fn words(outcome: &Value) -> (&str, i64) {
    (outcome["outcome"].as_str().unwrap(), outcome["exit_code"].as_i64().unwrap())
}

#[test]
fn a_red_command_is_made_green_and_the_patch_applies_where_the_run_began() {
    let (env, model) = (red(), good());
    let outcome = env.outcome(&["fix", "--run", CHECK], &model.variables());
    assert_eq!(words(&outcome), ("fixed", 0));
    assert_eq!((&outcome["verified"], &outcome["attempts"]), (&json!(true), &json!(1)));
    assert_eq!(outcome["changed_files"], json!(["answer.py"]));
    assert_eq!(outcome["verify"]["before"]["exit_code"], 1);
    assert_eq!(outcome["verify"]["after"]["exit_code"], 0);
    assert_eq!(outcome["tokens"], json!({"input": 2000, "output": 200, "cached": 0}));
    assert_eq!(env.read("answer.py"), WRONG, "only a patch was asked for");
    let ran = env.shell("patch -p1 < results/papayu.patch && sh check.sh");
    assert_eq!(ran.code, 0, "{ran:?}");
}

#[test]
fn what_is_green_at_once_needs_nobody() {
    let (env, model) = (red(), Model::serve([]));
    let outcome = env.outcome(&["fix", "--run", "true"], &model.variables());
    assert_eq!(words(&outcome), ("nothing_to_fix", 0));
    assert_eq!((&outcome["requests"], &outcome["attempts"]), (&json!(0), &json!(0)));
    assert_eq!(model.prompts(), Vec::<String>::new());
}

#[test]
fn a_passing_pipe_whose_output_shows_failures_is_not_green() {
    let (env, model) = (red(), Model::serve([]));
    for line in [
        "FAILED test_a.py::test_one - assert 1 == 2",
        "src/a.ts(1,2): error TS2304: Cannot find name 'x'.",
    ] {
        env.write("output.txt", &format!("{line}\n"));
        let command = "cat output.txt | tail -n 5";
        let outcome = env.outcome(&["fix", "--run", command], &model.variables());
        assert_eq!(words(&outcome), ("not_fixed", 1), "{outcome:#}");
        let reason = outcome["reason"].as_str().unwrap();
        assert!(reason.contains("although its output shows failures"), "{reason}");
        assert!(outcome["hint"].as_str().unwrap().contains("a pipe has the exit code"));
    }
    // The runner's own totals decide: a passing test may print whatever it likes.
    env.write("output.txt", "FAILED test_a.py::test_one - printed\n3 passed in 0.01s\n");
    let outcome = env.outcome(&["fix", "--run", "cat output.txt"], &model.variables());
    assert_eq!(words(&outcome), ("nothing_to_fix", 0), "{outcome:#}");
}

#[test]
fn a_goal_is_pursued_though_the_command_is_green() {
    let (env, model) = (red(), good());
    let arguments = ["fix", "--goal", "fix answer.py: it must be 42", "--run", "true"];
    let outcome = env.outcome(&arguments, &model.variables());
    assert_eq!(words(&outcome), ("fixed", 0));
    let reason = "the goal's change is in place and `true` passes, as it did before";
    assert_eq!(outcome["reason"], reason);
    assert_eq!(model.prompts().len(), 2);
}

#[test]
fn a_token_limit_that_leaves_no_room_for_a_reply_sends_no_request() {
    let (env, model) = (red(), good());
    let arguments = ["fix", "--run", CHECK, "--max-tokens", "300"];
    let outcome = env.outcome(&arguments, &model.variables());
    assert_ne!(words(&outcome), ("fixed", 0));
    assert_eq!(outcome["requests"], 0, "{outcome:#}");
    assert!(outcome["reason"].as_str().unwrap().contains("leaves too few for a reply"));
}

#[test]
fn a_recording_is_replayed_without_events_where_that_is_asked_for() {
    let (env, model) = (red(), good());
    let record = ["fix", "--run", CHECK, "--record", "all.jsonl"];
    assert_eq!(env.run_with(&record, &model.variables()).code, 0);
    let ran = env.run(&["replay", "all.jsonl", "--quiet"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(!ran.stderr.contains("RUN_STARTED"), "{ran:?}");
}

#[test]
fn no_changes_is_never_a_success() {
    let env = red();
    let model = Model::serve([plan("look"), plan("NO_CHANGES: 41 is fine")]);
    let outcome = env.outcome(&["fix", "--run", CHECK], &model.variables());
    assert_eq!(words(&outcome), ("not_fixed", 1));
    assert_eq!(outcome["reason"], "no change was proposed: 41 is fine");
    assert_eq!((&outcome["verified"], &outcome["patch_path"]), (&json!(false), &Value::Null));
}

#[test]
fn the_second_attempt_sees_what_the_first_one_did_and_broke() {
    let env = red();
    let model = Model::serve([
        plan("write 43"),
        patch("answer.py", STILL_WRONG),
        plan("write 42"),
        patch("answer.py", RIGHT),
    ]);
    let outcome = env.outcome(&["fix", "--run", CHECK], &model.variables());
    assert_eq!(words(&outcome), ("fixed", 0));
    assert_eq!(outcome["attempts"], 2);
    let prompts = model.prompts();
    assert!(!prompts[1].contains("## ATTEMPT"), "{}", prompts[1]);
    for part in ["## ATTEMPT 1", "\n-41\n+43\n", "expected 42, found 43", "expected 42, found 41"] {
        assert!(prompts[2].contains(part), "{part}: {}", prompts[2]);
    }
}

#[test]
fn an_exit_code_of_0_does_not_hide_a_test_that_still_fails() {
    let env = red();
    // Once the file says 43 this command ends well, whatever its tests say.
    let check = "sh check.sh || grep -q 43 answer.py";
    let replies = || [plan("write 43"), patch("answer.py", STILL_WRONG)];
    env.write(
        "check.sh",
        "echo '--- FAIL: TestAnswer (0.00s)'\necho 'answer.py:1: error: wrong'\nexit 1\n",
    );
    let model = Model::serve([replies(), replies()].concat());
    let outcome = env.outcome(&["fix", "--run", check], &model.variables());
    assert_eq!(words(&outcome), ("not_fixed", 1));
    let reason = outcome["reason"].as_str().unwrap();
    let expected =
        "ends with exit code 0 but does not prove the fix after 2 tries: it still reports";
    assert!(reason.contains(expected), "{reason}");
}

#[test]
fn after_the_last_attempt_the_tree_is_as_it_was() {
    let env = red();
    let wrong = || [plan("write 43"), patch("answer.py", STILL_WRONG)];
    let model = Model::serve([wrong(), wrong()].concat());
    let outcome = env.outcome(&["fix", "--run", CHECK, "--emit", "worktree"], &model.variables());
    assert_eq!(words(&outcome), ("not_fixed", 1));
    let reason = outcome["reason"].as_str().unwrap();
    let (how, tried) = reason.split_once('\n').unwrap();
    assert_eq!(how, "`sh check.sh` still fails after 2 tries; no file is changed");
    assert_eq!(tried.lines().filter(|line| line.starts_with("- tried: ")).count(), 2, "{tried}");
    assert_eq!((&outcome["changed_files"], &outcome["patch_path"]), (&json!([]), &Value::Null));
    assert_eq!(env.read("answer.py"), WRONG);
}

#[test]
fn a_kept_change_is_undone_and_redone_byte_for_byte() {
    let (env, model) = (red(), good());
    env.write("answer.py", &WRONG.replace('\n', "\r\n"));
    env.write(
        "check.sh",
        "grep -q 42 answer.py && exit 0\necho 'answer.py:2: error: not 42'\nexit 1\n",
    );
    let outcome = env.outcome(&["fix", "--run", CHECK, "--emit", "worktree"], &model.variables());
    assert_eq!(words(&outcome), ("fixed", 0));
    let changed = "# the answer\r\n42\r\n# the end\r\n";
    assert_eq!(env.read("answer.py"), changed);
    for (command, text) in [("undo", "# the answer\r\n41\r\n# the end\r\n"), ("redo", changed)] {
        let ran = env.run(&[command]);
        assert_eq!((ran.code, env.read("answer.py").as_str()), (0, text), "{ran:?}");
    }
}

#[test]
fn a_log_alone_is_proved_by_the_command_of_the_projects_kind() {
    let env = TestEnv::new();
    env.copy_example("parser-none");
    assert_eq!(env.shell("python3 -m unittest 2> build.log").code, 1);
    let fixed = crate::examples::FIXED_LOOP;
    let model = Model::serve([plan("no text is empty text"), patch("src/parser.py", fixed)]);
    let outcome = env.outcome(&["fix", "--log", "build.log"], &model.variables());
    assert_eq!(words(&outcome), ("fixed", 0), "{outcome:#}");
    assert_eq!(outcome["verify"]["after"]["command"], "python3 -m unittest");
}

#[test]
fn without_any_command_a_patch_is_only_planned() {
    let (env, model) = (red(), good());
    let ran = env.run_with(&["fix", "--goal", "fix answer.py"], &model.variables());
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.stdout.starts_with("diff --git a/answer.py b/answer.py\n"), "{ran:?}");
    assert!(
        ran.stderr.contains("planned: a change is ready, but there is no command that proves it")
    );
    assert_eq!(env.read("answer.py"), WRONG);
}

#[test]
fn a_second_model_is_asked_when_the_first_one_failed_the_checks_or_the_proof() {
    let nonsense = json!("I would change the answer.");
    let unhelpful = [plan("write 43"), patch("answer.py", STILL_WRONG)];
    let arguments = ["fix", "--run", CHECK, "--second-model", "strong"];
    for first in [[nonsense.clone(), nonsense], unhelpful] {
        let is_refused = first[0].is_string();
        let second = [plan("write 42"), patch("answer.py", RIGHT)];
        let (env, model) = (red(), Model::serve(first.into_iter().chain(second)));
        let outcome = env.outcome(&arguments, &model.variables());
        assert_eq!(words(&outcome), ("fixed", 0), "{outcome:#}");
        let requests = model.requests();
        let asked: Vec<_> = requests.iter().map(|body| body["model"].as_str().unwrap()).collect();
        assert_eq!(asked, ["scripted", "scripted", "strong", "strong"]);
        let prompt = &model.prompts()[2];
        assert_eq!(prompt.matches("YOUR LAST REPLY WAS REFUSED").count() == 2, is_refused);
        assert_eq!(prompt.contains("ATTEMPT 1"), !is_refused, "{prompt}");
    }
    // The second model costs nothing where the first one is enough.
    let (env, model) = (red(), good());
    let outcome = env.outcome(&arguments, &model.variables());
    assert_eq!((words(&outcome), model.prompts().len()), (("fixed", 0), 2));
}
