//! The user's own command, behaving as badly as commands do.

use std::fs;
use std::time::{Duration, Instant};

use serde_json::json;

use super::model::Model;
use super::{Run, patch, reply, run};
use crate::support::TestEnv;

const NO_CHANGES: &str = r#"{"actions": [], "summary": "NO_CHANGES: nothing to do"}"#;

fn env() -> TestEnv {
    let env = TestEnv::new();
    env.write("a.py", "a = 1\n");
    env.write("../home/plan.json", &reply(&json!([patch("a.py", "a = 1\n")])));
    env
}

fn apply(env: &TestEnv, command: &str, flags: &[&str]) -> Run {
    run(env, &[&["apply", "--plan", "../home/plan.json", "--run", command], flags].concat(), &[])
}

#[test]
fn a_command_that_cannot_run_is_a_usage_error() {
    for command in ["no-such-program --flag", "./a.py", "/", "../home"] {
        let env = env();
        let before = env.tree();
        let model = Model::saying(&[NO_CHANGES]);
        let fixed = run(&env, &["fix", "--run", command], &model.variables());
        let given = apply(&env, command, &[]);
        for run in [fixed, given] {
            assert_eq!(run.end(), (2, "usage_error", ""), "{command}: {run:?}");
            let program = command.split(' ').next().unwrap();
            assert!(run.ran.stderr.contains(&format!("cannot run `{program}`")), "{run:?}");
            assert!(run.outcome["hint"].as_str().unwrap().contains("--run"), "{run:?}");
        }
        assert!(model.asked().is_empty() && before == env.tree());
    }
}

#[test]
fn a_command_that_hangs_floods_or_is_killed_is_red_and_the_tree_is_as_before() {
    for (command, flags) in [
        ("sleep 60", &["--verify-timeout", "1"][..]),
        ("trap '' TERM; sleep 60; sleep 60", &["--verify-timeout", "1"]),
        ("yes $(printf %0500d 1) | head -c 200000000", &[]),
        ("kill -9 $$", &[]),
        ("kill -SEGV $$", &[]),
        ("setsid sh -c 'echo $$ > ../marks/orphan; exec sleep 20' & sleep 0.3; false", &[]),
        ("rm a.py; false", &[]),
        ("rm -rf .papa-yu; false", &[]),
    ] {
        let env = env();
        env.writable_folder();
        let before = env.tree();
        let start = Instant::now();
        // Green on the tree as it was: what is said of the change is what is tested.
        let command = format!("grep -q 'a = 1' a.py || {{ {command}; }}");
        let run = apply(&env, &command, flags);
        assert!(start.elapsed() < Duration::from_mins(5), "{command}: {:?}", start.elapsed());
        assert_eq!((run.end().0, run.end().1), (1, "not_fixed"), "{command}: {run:?}");
        assert!(before == env.tree(), "{command}: {run:?}");
        let _ = env.shell("kill $(cat ../marks/orphan)");
    }
}

#[test]
fn what_the_command_writes_into_a_changed_file_is_kept_as_a_copy_and_told() {
    let env = env();
    let before = env.tree();
    let run = apply(&env, "grep -q 'a = 1' a.py || { echo mine >> a.py; false; }", &[]);
    assert_eq!((run.end().0, run.end().1), (1, "not_fixed"), "{run:?}");
    assert!(before == env.tree());
    let copies = env.repo().join(".papa-yu/cache/restored");
    let of_run = fs::read_dir(copies).unwrap().next().unwrap().unwrap();
    assert_eq!(fs::read_to_string(of_run.path().join("a.py")).unwrap(), "a = 2\nmine\n");
    assert!(run.ran.stderr.contains(of_run.file_name().to_str().unwrap()), "{run:?}");
}

#[test]
fn a_file_that_the_command_edits_before_the_change_is_a_conflict() {
    for (command, code) in [
        ("echo mine > a.py; false", "ERR_BASE_MISMATCH"),
        ("rm -f a.py; false", "ERR_BASE_MISMATCH"),
    ] {
        let env = env();
        let run = apply(&env, command, &["--emit", "worktree"]);
        assert_eq!(run.end(), (5, "conflict", code), "{run:?}");
        let left = fs::read_to_string(env.repo().join("a.py")).unwrap_or_default();
        assert_eq!(
            left,
            if command.starts_with("rm") { "" } else { "mine\n" },
            "what is the user's stays"
        );
    }
}

#[test]
fn other_files_that_the_command_writes_are_not_ours_to_take_back() {
    let env = env();
    let run = apply(&env, "echo log > made.log; grep -q 'a = 1' a.py", &[]);
    assert_eq!((run.end().0, run.end().1), (1, "not_fixed"), "{run:?}");
    assert_eq!(fs::read_to_string(env.repo().join("a.py")).unwrap(), "a = 1\n");
    assert_eq!(fs::read_to_string(env.repo().join("made.log")).unwrap(), "log\n");
}
