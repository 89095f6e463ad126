//! Inputs that keep readers busy; `--timeout` ends the run all the same.

use std::fs;
use std::time::{Duration, Instant};

use papayu_base::domain::Sha256;
use serde_json::json;

use crate::support::TestEnv;

/// The limit that each run gets, in seconds.
const LIMIT: &str = "4";

/// A run that obeys its limit takes a few seconds; a busy machine may make more of them.
const MOST: Duration = Duration::from_secs(90);

/// Runs the program with the limit and returns the name of its outcome.
fn ended(name: &str, env: &TestEnv, arguments: &[&str]) -> String {
    let start = Instant::now();
    let all = [arguments, &["--timeout", LIMIT, "--out", "../home/out"]].concat();
    let ran = env.run(&all);
    assert!(start.elapsed() < MOST, "{name}: {:?}: {ran:?}", start.elapsed());
    let outcome = fs::read_to_string(env.home().join("out/outcome.json")).unwrap();
    let outcome: serde_json::Value = serde_json::from_str(&outcome).unwrap();
    assert_eq!(outcome["exit_code"], ran.code, "{name}: {ran:?}");
    outcome["outcome"].as_str().unwrap().to_owned()
}

#[test]
fn sources_that_keep_the_parser_busy_end_with_the_time_limit() {
    // Each text alone takes seconds.
    for (name, ending, text) in [
        ("casts", "cs", format!("class A {{ void f() {{ x = {}", "(A)".repeat(200_000))),
        ("templates", "cpp", "a<".repeat(300_000)),
        ("type arguments", "ts", format!("let x = {}", "a<".repeat(200_000))),
    ] {
        let env = TestEnv::new();
        for number in 0..24 {
            env.write(&format!("a{number}.{ending}"), &format!("{text} {number}"));
        }
        env.write("build.in", &format!("a0.{ending}:1: error: x\n"));
        let arguments = ["fix", "--log", "build.in", "--run", "false", "--provider", "suggestions"];
        let outcome = ended(name, &env, &arguments);
        // A fast machine reads them in time.
        assert!(outcome == "not_fixed" || outcome == "over_budget", "{name}: {outcome}");
    }
}

#[test]
fn one_hostile_source_of_each_language_is_given_up_soon() {
    let env = TestEnv::new();
    for (file, text) in [
        ("a.rb", "%w(".repeat(60_000)),
        ("b.rb", "\"#{".repeat(60_000)),
        ("c.rb", "<<A\n".repeat(40_000)),
        ("a.php", format!("<?php {}", "{".repeat(600_000))),
        ("b.php", format!("<?php {}", "<<<A\n".repeat(100_000))),
        ("a.cs", "{".repeat(600_000)),
        ("a.js", "`${".repeat(100_000)),
        ("a.py", "[".repeat(300_000)),
        ("a.go", format!("package a\nfunc f() {{ {}", "func(){".repeat(60_000))),
        ("a.rs", "r#\"".repeat(100_000)),
        ("package.json", "{\"a\":".repeat(100_000)),
        ("tsconfig.json", "[".repeat(1_000_000)),
        ("pyproject.toml", format!("a={}", "[".repeat(100_000))),
        ("Cargo.toml", format!("{}a = 1\n", "a.".repeat(50_000))),
        ("pnpm-workspace.yaml", format!("packages: {}", "[".repeat(100_000))),
    ] {
        env.write(file, &text);
    }
    env.write("build.in", "a.py:1: error: x\n");
    let arguments = ["fix", "--log", "build.in", "--run", "false", "--provider", "suggestions"];
    let outcome = ended("all", &env, &arguments);
    assert!(outcome == "not_fixed" || outcome == "over_budget", "{outcome}");
}

#[test]
fn a_log_without_end_ends_with_the_time_limit() {
    let env = TestEnv::new();
    env.write("a.py", "a = 1\n");
    let ran = env.shell(&format!(
        "yes 'a.py:1:2: error: x' | \"$BIN\" fix --log - --run false --timeout {LIMIT}; echo \"code $?\""
    ));
    assert!(ran.stdout.ends_with("code 3\n"), "{ran:?}");
    assert!(ran.stderr.contains("the time limit of 4 s is reached"), "{ran:?}");
    let outcome = ended("the command", &env, &["fix", "--run", "yes 'a.py:1:2: error: x'"]);
    assert!(outcome == "not_fixed" || outcome == "over_budget", "{outcome}");
}

#[test]
fn regular_expressions_of_matchers_end_with_the_time_limit() {
    let env = TestEnv::new();
    env.write("a.py", "a = 1\n");
    let matcher = |number: usize| {
        let regexp = format!("^(.*)(.*)(.*)(.*)(.*)(.*)(.*)(.*){number}$");
        json!({ "owner": number.to_string(), "pattern": [{ "regexp": regexp, "file": 1, "message": 2 }] })
    };
    let named = (0..8).map(|file| format!("::add-matcher::.github/m{file}.json\n"));
    let lines = format!("{}\n", "ab ".repeat(1_600)).repeat(3_000);
    env.write("build.in", &(named.collect::<String>() + &lines));
    for file in 0..8 {
        let all: Vec<_> = (0..16).map(|number| matcher(file * 16 + number)).collect();
        env.write(&format!(".github/m{file}.json"), &json!({ "problemMatcher": all }).to_string());
    }
    let outcome = ended("matchers", &env, &["fix", "--log", "build.in", "--run", "false"]);
    assert!(outcome == "not_fixed" || outcome == "over_budget", "{outcome}");
}

/// Makes a repository with a file and a plan that replaces all of its lines.
fn rewritten(before: &str, after: &str) -> TestEnv {
    let env = TestEnv::new();
    env.write("a.py", before);
    let signed = |sign: char, text: &str| {
        text.lines().map(|line| format!("{sign}{line}\n")).collect::<String>()
    };
    let (old, new) = (before.lines().count(), after.lines().count());
    let lines = signed('-', before) + &signed('+', after);
    let patch = format!("--- a/a.py\n+++ b/a.py\n@@ -1,{old} +1,{new} @@\n{lines}");
    let digest = Sha256::of(before.as_bytes()).to_string();
    let action =
        json!({ "kind": "PATCH_FILE", "path": "a.py", "patch": patch, "base_sha256": digest });
    env.write("../home/plan.json", &json!({ "actions": [action], "summary": "s" }).to_string());
    env
}

#[test]
fn a_change_that_rewrites_a_long_file_ends_with_the_time_limit() {
    let lines = |word: &str| (0..15_000).map(|n| format!("{word}{n} = {n}\n")).collect::<String>();
    let few = |seed: usize| {
        (0..60_000).map(|n| if n * seed % 7 < 3 { "a\n" } else { "b\n" }).collect::<String>()
    };
    for (name, before, after) in
        [("other lines", lines("x"), lines("y")), ("few different lines", few(1), few(3) + "c\n")]
    {
        let env = rewritten(&before, &after);
        // The comment of the control run has no such line.
        let check = "grep -q -e ^y1 -e ^c a.py";
        let outcome = ended(name, &env, &["apply", "--plan", "../home/plan.json", "--run", check]);
        assert!(outcome == "fixed" || outcome == "over_budget", "{name}: {outcome}");
    }
}

#[test]
fn a_command_that_the_time_limit_ends_is_no_failure_of_the_change() {
    for (name, check) in [
        ("the run before the change", "sleep 60"),
        ("the run after it", "if grep -q b a.py; then sleep 60; fi; exit 1"),
        // It passes once, and never ends again.
        ("the confirmation", "grep -q b a.py || exit 1; if [ -e x ]; then sleep 60; fi; touch x"),
        (
            "the run without the change",
            "if [ -e x ]; then rm x; sleep 60; fi; grep -q b a.py && touch x",
        ),
    ] {
        let env = rewritten("a\n", "b\n");
        let outcome = ended(name, &env, &["apply", "--plan", "../home/plan.json", "--run", check]);
        assert_eq!(outcome, "over_budget", "{name}");
        assert_eq!(env.read("a.py"), "a\n", "{name}");
    }
}
