//! Runs in a folder of a repository: journals, results and memory are those of the repository.

use papayu_base::domain::Sha256;
use serde_json::json;

use crate::support::TestEnv;

/// Returns a repository with `app/a.py`, and the path of a plan that changes it in a run of `app`.
fn make_repository() -> (TestEnv, String) {
    let env = TestEnv::new();
    env.write("app/a.py", "a = 1\n");
    let made = env.shell(
        "git init -q -b main . && git add app && git -c user.name=a -c user.email=a@b commit -q -m a",
    );
    assert_eq!(made.code, 0, "{made:?}");
    let action = json!({ "kind": "PATCH_FILE", "path": "a.py",
        "patch": "--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-a = 1\n+a = 2\n",
        "base_sha256": Sha256::of(b"a = 1\n").to_string() });
    env.write("../home/plan.json", &json!({ "actions": [action], "summary": "s" }).to_string());
    let plan = env.home().join("plan.json").display().to_string();
    (env, plan)
}

/// Applies the plan in `app`; the command there succeeds with it.
fn apply_in_app(env: &TestEnv, plan: &str, more: &[&str]) {
    let words =
        ["apply", "--repo", "app", "--plan", plan, "--run", "grep -q 2 a.py", "--emit", "worktree"];
    let ran = env.run(&[&words[..], more].concat());
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(env.read("app/a.py"), "a = 2\n");
}

#[test]
fn a_run_in_a_folder_is_undone_and_redone_from_each_folder() {
    for (undo, redo) in [(".", "app"), ("app", ".")] {
        let (env, plan) = make_repository();
        apply_in_app(&env, &plan, &[]);
        let undone = env.run(&["undo", "--repo", undo]);
        assert!(undone.stdout.contains("app/a.py"), "{undone:?}");
        assert_eq!(env.read("app/a.py"), "a = 1\n");
        let redone = env.run(&["redo", "--repo", redo]);
        assert_eq!((redone.code, env.read("app/a.py")), (0, "a = 2\n".to_owned()), "{redone:?}");
    }
}

#[test]
fn runs_of_a_folder_are_listed_with_those_of_the_repository() {
    let (env, plan) = make_repository();
    apply_in_app(&env, &plan, &[]);
    assert_eq!(env.run(&["fix", "--provider", "suggestions", "--run", "true"]).code, 0);
    for folder in [".", "app"] {
        let listed = env.run(&["runs", "list", "--repo", folder, "--format", "json"]);
        assert_eq!(listed.json().as_array().map(Vec::len), Some(2), "{listed:?}");
        let shown = env.run(&["runs", "show", "--repo", folder]);
        assert_eq!(shown.code, 0, "{shown:?}");
    }
    assert!(!env.repo().join("app/.papa-yu").exists());
    assert_eq!(env.shell("git status --porcelain -- .papa-yu").stdout, "");
}

#[test]
fn a_change_in_a_folder_that_a_kill_interrupted_is_restored_by_a_run_at_the_top() {
    let (env, plan) = make_repository();
    let words = ["apply", "--repo", "app", "--plan", &plan, "--run", "grep -q 2 a.py && sleep 60"];
    let mut run = env.start(&words, &[]);
    while env.read("app/a.py") != "a = 2\n" {
        assert!(run.try_wait().unwrap().is_none(), "it ended early");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    run.kill().unwrap();
    run.wait().unwrap();
    let ran = env.run(&["fix", "--provider", "suggestions", "--run", "grep -q 1 app/a.py"]);
    assert_eq!((ran.code, env.read("app/a.py")), (0, "a = 1\n".to_owned()), "{ran:?}");
}

#[test]
fn memory_and_notes_of_the_top_are_those_of_its_folders() {
    let (env, _) = make_repository();
    let set = env.run(&["memory", "set", "project.build_command", "make all", "--repo", "app"]);
    assert_eq!(set.code, 0, "{set:?}");
    assert!(env.read(".papa-yu/project.json").contains("make all"));
    assert!(!env.repo().join("app/.papa-yu").exists());
}

#[test]
fn a_run_in_a_folder_names_the_project_above_it() {
    let env = TestEnv::new();
    env.write("shop/pyproject.toml", "[project]\nname = \"shop\"\nversion = \"1\"\n");
    env.write("shop/cart/total.py", "total = 1\n");
    env.write("shop/cart/lines/one.py", "line = 1\n");
    env.write("shop/checks/test_total.py", "from cart.total import total\nassert total == 1\n");
    assert_eq!(env.shell("git init -q").code, 0);
    for folder in ["shop/cart", "shop/cart/lines"] {
        let ran = env.run(&["fix", "--repo", folder]);
        assert_eq!(ran.code, 2, "{ran:?}");
        let shop = env.repo().join("shop").display().to_string();
        let named = format!("`{shop}` (`python3 -m unittest`)");
        let step = format!("`papayu-batch fix --repo {shop}` runs `python3 -m unittest` there");
        assert!(ran.stderr.contains(&named) && ran.stderr.contains(&step), "{ran:?}");
    }
}

#[test]
fn a_module_outside_of_the_folder_of_the_run_is_named_with_its_place() {
    let env = TestEnv::new();
    env.write("cart/total.py", "total = 1\n");
    env.write("lib/money.py", "euro = 1\n");
    assert_eq!(env.shell("git init -q").code, 0);
    let top = env.repo().display().to_string();
    for (import, place, step) in [
        (
            "cart.total",
            "at the top of the repository",
            format!(
                "run the command at the top of the repository (`papayu-batch fix --repo {top}`), or set `PYTHONPATH=../..` for it"
            ),
        ),
        (
            "money",
            "in the folder `../../lib`",
            "let the command find the folder: set `PYTHONPATH=../../lib` for it".to_owned(),
        ),
    ] {
        env.write("tests/unit/test_total.py", &format!("import {import}\n"));
        let words = ["fix", "--repo", "tests/unit", "--run", "python3 test_total.py"];
        let ended = env.outcome(&words, &[]);
        assert_eq!(ended["outcome"], "not_fixed", "{ended:#}");
        let reason = ended["reason"].as_str().unwrap();
        assert!(reason.contains(&format!("{place}, where the command does not look")), "{reason}");
        assert_eq!(ended["hint"], step);
    }
}

#[test]
fn a_run_above_several_projects_names_their_folders_from_here() {
    let env = TestEnv::new();
    env.write("mono/api/test_api.py", "import unittest\n");
    let ran = env.run(&["fix", "--repo", "mono"]);
    assert!(
        ran.stderr.contains("`papayu-batch fix --repo mono/api` works on one of them"),
        "{ran:?}"
    );
    env.write("repos.txt", "mono\n");
    let ran = env.run(&["batch", "repos.txt", "--out", "nightly"]);
    assert!(ran.stdout.contains("1 not started"), "{ran:?}");
    assert!(ran.stderr.contains("mono/api` works on one of them"), "{ran:?}");
}
