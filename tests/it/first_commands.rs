//! The first commands of a new user: `init`, `fix` without options, `plan` and `apply --plan`, `runs`.

use serde_json::{Value, json};

use crate::fix::{CHECK, RIGHT, WRONG, red};
use crate::model::{Model, patch, plan};
use crate::support::TestEnv;

/// A Python project with a misspelt attribute, without settings.
pub(crate) fn misspelt() -> TestEnv {
    let env = TestEnv::new();
    env.write(
        "shop.py",
        "class Item:\n    def __init__(self, price):\n        self.price = price\n\n\n\
         def total(items):\n    return sum(item.prce for item in items)\n",
    );
    env.write(
        "test_shop.py",
        "import unittest\nfrom shop import Item, total\n\n\nclass ShopTest(unittest.TestCase):\n    \
         def test_total(self):\n        self.assertEqual(total([Item(3), Item(4)]), 7)\n",
    );
    env
}

#[test]
fn a_fix_without_options_finds_the_command_and_prints_it() {
    let env = misspelt();
    let ran = env.run(&["fix"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let line = "using `python3 -m unittest`, found by `test_shop.py`; `--run` names another\n";
    assert!(ran.stderr.starts_with(line), "{ran:?}");
    assert!(ran.stdout.contains("+    return sum(item.price for item in items)"), "{ran:?}");
    env.write("shop.py", &env.read("shop.py").replace("prce", "price"));
    assert_eq!(env.outcome(&["fix"], &[])["outcome"], "nothing_to_fix");
}

#[test]
fn a_folder_without_a_known_project_needs_a_command() {
    let env = TestEnv::new();
    env.write("notes.txt", "a");
    let ran = env.run(&["fix"]);
    assert_eq!(ran.code, 2, "{ran:?}");
    assert!(ran.stderr.contains("error: no input:") && ran.stderr.contains("--run CMD"), "{ran:?}");
}

#[test]
fn a_goal_without_a_model_is_refused_before_the_command_runs() {
    let env = red();
    for (goal, error) in
        [("make it 42", "error: a goal needs a model"), ("", "error: the goal is empty")]
    {
        for command in ["fix", "plan"] {
            let ran = env.run(&[command, "--goal", goal, "--run", "touch was-run"]);
            assert_eq!(ran.code, 2, "{ran:?}");
            assert!(ran.stderr.contains(error), "{ran:?}");
            assert!(!env.repo().join("was-run").exists(), "{ran:?}");
        }
    }
}

#[test]
fn init_writes_a_file_whose_commented_lines_are_valid_settings() {
    let env = misspelt();
    let ran = env.run(&["init"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.stdout.starts_with("wrote papayu.toml\n"), "{ran:?}");
    let text = env.read("papayu.toml");
    assert!(text.contains("\ncommand = \"python3 -m unittest\"\n"), "{text}");
    assert!(!env.repo().join(".github").exists());
    let is_setting = |line: &str| line.starts_with("# ") && line.contains(" = ");
    let active = text
        .lines()
        .map(|line| line.strip_prefix("# ").filter(|_| is_setting(line)).unwrap_or(line));
    env.write("papayu.toml", &active.collect::<Vec<_>>().join("\n"));
    let doctor = env.run(&["doctor", "--format", "json"]).json();
    let settings = doctor["settings"].as_array().unwrap();
    let from_file = settings
        .iter()
        .filter(|row| row["origin"].as_str().is_some_and(|origin| origin.contains("papayu.toml")));
    assert!(from_file.count() > 5, "{doctor:#}");
}

#[test]
fn init_overwrites_nothing() {
    let env = misspelt();
    env.write("papayu.toml", "[run]\ncommand = \"make\"\n");
    let ran = env.run(&["init", "--workflow"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(env.read("papayu.toml"), "[run]\ncommand = \"make\"\n");
    assert!(env.read(".github/workflows/papayu-fix.yml").contains("papayu/papayu-batch@"));
    let again = env.run(&["init", "--workflow"]);
    assert_eq!(again.code, 1, "{again:?}");
    assert_eq!(again.stdout.matches("exists and is left as it is").count(), 2, "{again:?}");
}

#[test]
fn a_bundle_is_followed_by_its_publication_as_the_remote_allows() {
    let env = misspelt();
    let commit = "git init -q -b main . && git add -A && git -c user.name=A -c user.email=a@example.org commit -q -m x";
    assert_eq!(env.shell(commit).code, 0);
    let fix = ["fix", "--emit", "bundle", "--out", "results.out"];
    let ran = env.run(&fix);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(
        ran.stderr.contains("\n  papayu-batch publish results.out/bundle --emit branch\n"),
        "{ran:?}"
    );
    assert_eq!(env.shell("git remote add origin https://github.example/o/r").code, 0);
    let ran = env.run(&fix);
    assert!(ran.stderr.contains("\n  papayu-batch publish results.out/bundle\n"), "{ran:?}");
}

#[test]
fn init_in_a_folder_writes_the_workflow_at_the_top_of_the_repository() {
    let env = TestEnv::new();
    env.write("app/pyproject.toml", "[project]\nname = \"app\"\n");
    env.write(".github/workflows/t.yml", "name: tests\non: push\n");
    assert_eq!(env.shell("git init -q .").code, 0);
    let ran = env.run(&["init", "--workflow", "--repo", "app"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let workflow = env.read(".github/workflows/papayu-fix.yml");
    assert_eq!(workflow.matches("          working-directory: \"app\"\n").count(), 2, "{workflow}");
    assert!(workflow.contains("workflows: [\"tests\"]"), "{workflow}");
    assert!(env.repo().join("app/papayu.toml").is_file());
    assert!(!env.repo().join("app/.github").exists());
}

#[test]
fn a_plan_of_the_tools_shows_its_change_and_the_newest_plan_is_applied() {
    let env = misspelt();
    let ran = env.run(&["plan"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(
        ran.stdout.contains("AttributeError: 'Item' object has no attribute 'prce'"),
        "{ran:?}"
    );
    assert!(ran.stdout.contains("-    return sum(item.prce for item in items)"), "{ran:?}");
    assert!(ran.stderr.contains("\n  papayu-batch apply --plan "), "{ran:?}");
    let ran = env.run(&["apply", "--plan", "--emit", "worktree"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.stderr.starts_with("applying the plan of run "), "{ran:?}");
    assert!(env.read("shop.py").contains("item.price"));
}

#[test]
fn without_a_plan_apply_names_the_folder_that_has_none() {
    let env = red();
    let ran = env.run(&["apply", "--plan"]);
    assert_eq!(ran.code, 2, "{ran:?}");
    assert!(ran.stderr.contains("/.papa-yu/runs` has left a plan"), "{ran:?}");
}

#[test]
fn verbose_prints_the_output_of_the_command_with_secrets_masked() {
    let (env, model) = (red(), Model::serve([plan("write 42"), patch("answer.py", RIGHT)]));
    env.write("check.sh", &format!("echo token=$A_TOKEN; {}", env.read("check.sh")));
    let command = "export A_TOKEN=ghp_16C7e42F292c6912E7710c838347Ae178B4a; sh check.sh";
    let ran = env.run_with(&["fix", "--run", command, "--verbose"], &model.variables());
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.stderr.contains("\nanswer.py:2: error: expected 42, found 41\n"), "{ran:?}");
    assert!(ran.stderr.contains("\ntoken=") && !ran.stderr.contains("ghp_16C7"), "{ran:?}");
    let ran = env.run_with(&["fix", "--run", CHECK], &model.variables());
    assert!(!ran.stderr.contains("[trace]"), "{ran:?}");
    assert_eq!(env.read("answer.py"), WRONG);
}

#[test]
fn runs_are_listed_in_columns_and_the_newest_is_shown_as_text() {
    let env = misspelt();
    assert_eq!(env.run(&["runs", "list"]).stdout, "no runs yet\n");
    assert_eq!(env.run(&["runs", "show", "--last"]).code, 2);
    let run_id =
        env.run(&["fix", "--format", "json"]).json()["run_id"].as_str().unwrap().to_owned();
    let list = env.run_with(&["runs", "list"], &[("COLUMNS", "60")]).stdout;
    let rows: Vec<Vec<&str>> = list.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(rows[0], ["RUN", "WHEN", "RESULT", "COST", "REASON"]);
    assert_eq!(rows[1][..4], [run_id.get(..8).unwrap(), "now", "fixed", "$0.00"], "{list}");
    assert!(list.lines().all(|line| line.chars().count() <= 60), "{list}");
    let shown = env.run(&["runs", "show", "--last"]).stdout;
    assert!(shown.starts_with("fixed: `python3 -m unittest` failed before the change"), "{shown}");
    assert!(shown.contains("\nchanged    shop.py\n"), "{shown}");
    assert!(!shown.contains("null") && !shown.contains("exit_code"), "{shown}");
    let json = env.run(&["runs", "show", "--last", "--format", "json"]).json();
    assert_eq!(json["run_id"], Value::from(run_id));
    let diff = env.run(&["runs", "diff", "--last"]).stdout;
    assert!(diff.contains("+    return sum(item.price for item in items)"), "{diff}");
}

#[test]
fn the_context_shows_the_failure_of_the_detected_command_as_fix_runs_it() {
    let env = misspelt();
    let ran = env.run(&["context"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.stderr.contains("using `python3 -m unittest"), "{ran:?}");
    assert!(ran.stdout.contains("shop.py"), "{ran:?}");
    let empty = TestEnv::new();
    let ran = empty.run(&["context"]);
    assert!(ran.code == 2 && ran.stderr.contains("no input"), "{ran:?}");
}

#[test]
fn a_plan_that_was_asked_for_is_a_success_and_an_unproved_change_is_not() {
    let env = red();
    let model = Model::serve([plan("write 42"), plan("write 42"), patch("answer.py", RIGHT)]);
    let planned = env.outcome(&["plan", "--run", CHECK], &model.variables());
    assert_eq!((&planned["outcome"], &planned["exit_code"]), (&json!("planned"), &json!(0)));
    let goal = ["fix", "--goal", "answer.py must be 42"];
    let unproved = env.outcome(&goal, &model.variables());
    assert_eq!((&unproved["outcome"], &unproved["exit_code"]), (&json!("planned"), &json!(1)));
}

#[test]
fn failures_of_a_log_stay_when_the_command_that_was_found_shows_only_others() {
    let env = misspelt();
    env.write("build.log", "src/a.ts(1,2): error TS2304: Cannot find name 'x'.\n");
    let outcome = env.outcome(&["fix", "--log", "build.log"], &[]);
    assert_eq!(outcome["outcome"], "not_fixed", "{outcome:#}");
    let reason = outcome["reason"].as_str().unwrap();
    assert!(reason.contains("Cannot find name 'x'") && reason.contains("src/a.ts:1"), "{reason}");
    assert!(env.read("shop.py").contains("prce"));
}
