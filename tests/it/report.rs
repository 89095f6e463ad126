//! `report` and `runs` over what real runs of the program leave.
#![expect(clippy::disallowed_methods, reason = "tests look at the disk themselves")]

use std::fs;

use crate::examples::rust_homes;
use crate::support::TestEnv;

/// A repository with one fixed run and one that found nothing.
fn with_runs() -> TestEnv {
    let env = TestEnv::new();
    env.copy_example("rust-typo");
    let fix = ["fix", "--run", "cargo test --offline", "--emit", "worktree"];
    let homes = rust_homes();
    let variables: Vec<_> =
        homes.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    let ran = env.run_with(&fix, &variables);
    assert_eq!(ran.code, 0, "{ran:?}");
    let again = env.run_with(&fix, &variables);
    assert_eq!(again.code, 0, "{again:?}");
    env
}

#[test]
fn a_folder_without_runs_is_reported_as_empty_and_what_is_damaged_is_named() {
    let env = TestEnv::new();
    let ran = env.run(&["report", "--format", "json", "--check", "graduation"]);
    assert_eq!((ran.code, &ran.json()["metrics"]["apply_count"]), (1, &0.into()), "{ran:?}");
    env.write(".papa-yu/traces/x.json", "{\"half\":");
    env.write(".papa-yu/runs/a/outcome.json", "[]");
    let ran = env.run(&["report"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    for name in ["traces/x.json", "runs/a/outcome.json"] {
        assert!(ran.stderr.contains("left out") && ran.stderr.contains(name), "{ran:?}");
    }
    assert!(env.run(&["runs", "list"]).stderr.contains("runs/a/outcome.json"));
    for command in ["show", "diff", "delete"] {
        let ran = env.run(&["runs", command, "none"]);
        assert_eq!(ran.code, 2);
        assert!(ran.stderr.contains("hint: `papayu-batch runs list`"), "{ran:?}");
    }
}

#[test]
fn runs_are_listed_shown_and_deleted_and_the_report_counts_them() {
    let env = with_runs();
    let list = env.run(&["runs", "list", "--format", "json"]).json();
    let outcomes: Vec<_> = list.as_array().unwrap().iter().map(|run| &run["outcome"]).collect();
    assert_eq!(outcomes, ["fixed", "nothing_to_fix"]);
    let fixed = list[0]["run_id"].as_str().unwrap();
    let shown = env.run(&["runs", "show", fixed, "--format", "json"]).json();
    assert_eq!(shown["zero_tokens"]["failures_fixed"], 1, "{shown}");
    let diff = env.run(&["runs", "diff", fixed]);
    assert!(diff.stdout.contains("\n-") && diff.stdout.contains("\n+"), "{diff:?}");
    let files = ["report.md", "report.html", "report.prom"].map(|name| env.home().join(name));
    let [markdown, html, metrics] = files.each_ref().map(|path| path.to_str().unwrap());
    let ran =
        env.run(&["report", "--markdown", markdown, "--html", html, "--openmetrics", metrics]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.stdout.contains("fixed at zero tokens        1"), "{ran:?}");
    let [markdown, html, metrics] = files.map(|path| fs::read_to_string(path).unwrap());
    assert!(markdown.contains("| fixed at zero tokens | 1 |"), "{markdown}");
    assert!(html.contains("<mark>") && html.contains("receipt.rs"), "{html}");
    assert!(metrics.contains("papayu_runs{outcome=\"fixed\"} 1\n"), "{metrics}");
    // A variable that is not set must not stand for the only run.
    assert_eq!(env.run(&["runs", "delete", ""]).code, 2);
    assert_eq!(env.run(&["runs", "delete", fixed]).code, 0);
    let left = env.run(&["runs", "list", "--format", "json"]).json();
    assert_eq!(left.as_array().unwrap().len(), 1);
}

#[test]
fn a_change_that_was_refused_or_did_not_help_is_kept_and_shown() {
    let edit = |path: &str, patch_text: &str| crate::model::patch(path, patch_text);
    let wrong = crate::fix::RIGHT.replace("+42", "+43");
    let test = "@@ -1,2 +1,2 @@\n def test_answer():\n-    assert answer() == 42\n+    assert answer() == 41\n";
    for (replies, shown, code) in [
        (vec![edit("answer.py", &wrong), edit("answer.py", &wrong)], "+43", 1),
        (vec![edit("test_answer.py", test), edit("test_answer.py", test)], "answer() == 41", 4),
    ] {
        let env = crate::fix::red();
        env.write("test_answer.py", "def test_answer():\n    assert answer() == 42\n");
        let replies = std::iter::once(crate::model::plan("write it")).chain(replies);
        let model = crate::model::Model::serve(replies);
        let goal = "fix answer.py and test_answer.py";
        let arguments = ["fix", "--goal", goal, "--run", crate::fix::CHECK, "--max-attempts", "1"];
        let ran = env.run_with(&arguments, &model.variables());
        assert_eq!(ran.code, code, "{ran:?}");
        let diff = env.run(&["runs", "diff"]);
        assert!(diff.stdout.contains(shown), "{diff:?}");
        assert!(diff.stderr.contains("the last change of the run, which is not in the files"));
    }
    let env = crate::fix::red();
    let _ = env.run(&["fix", "--run", "true"]);
    let diff = env.run(&["runs", "diff"]);
    assert_eq!((diff.code, diff.stdout.trim()), (0, ""), "{diff:?}");
    assert!(diff.stderr.contains("the run made no change: nothing to fix"), "{diff:?}");
}
