//! Runs with a goal and a recipe: the rule is applied first, a model changes the rest, and the goal is in the description.

use serde_json::Value;

use crate::batch::{ends, pairs, summary};
use crate::recipes::{CHECK, repository, test_of};
use crate::support::{Ran, TestEnv};

const GOAL: &str = "Move everything to the new names of acme";

const RENAME: &str =
    "id: rename\nlanguage: python\nmove: fetch from acme\nto: fetch_all from acme\n";

const SIZE: &str = "id: size\nlanguage: python\nrule: {pattern: 'fetch_all($A, $B)'}\nfix: fetch_all($A, size=$B)\n\
                    imports: {fetch_all: fetch_all from acme}\n";

/// A model that keeps the prompt and has one reply.
const MODEL: &str = r#"import json, re, sys
prompt = sys.stdin.read()
open("PLACE/prompt.txt", "a").write(prompt + "\nEND\n")
shown = dict(re.findall(r"FILE\[(.+)\] \(sha256=([0-9a-f]{64})\)", prompt))
patch = open("PLACE/model.patch").read()
action = {"kind": "PATCH_FILE", "path": "app.py", "base_sha256": shown.get("app.py"), "patch": patch}
actions, words = ([action], "the rest") if patch else ([], "NO_CHANGES: nothing is left")
print(json.dumps({"actions": actions, "summary": words}))
"#;

/// Runs with the model, which replies with a patch, or with none that there is nothing to do.
fn run(env: &TestEnv, patch: &str, arguments: &[&str]) -> Ran {
    let place = env.repo().join("..").display().to_string();
    env.write("../model.patch", patch);
    env.write("../model.py", &MODEL.replace("PLACE", &place));
    let command = format!("python3 {place}/model.py");
    let variables = [
        ("PAPAYU_LLM_PROVIDER", "command"),
        ("PAPAYU_LLM_COMMAND", &*command),
        ("PAPAYU_MAX_ATTEMPTS", "1"),
        ("PAPAYU_JUDGE", "off"),
    ];
    env.run_with(arguments, &variables)
}

fn outcome(env: &TestEnv) -> Value {
    serde_json::from_str(&env.read("out/outcome.json")).unwrap()
}

#[test]
fn a_model_goes_on_with_the_goal_where_the_rule_is_not_enough() {
    let env = TestEnv::new();
    let app = "import acme\nfrom acme import fetch\n\n\ndef report(name):\n    return fetch(name) + getattr(acme, 'fe' + 'tch')('b')\n";
    repository(&env, "red", &[("app.py", app), ("test_app.py", &test_of("'a:1b:1'"))]);
    let green = "from acme import fetch_all\n\n\ndef report(name):\n    return fetch_all(name)\n";
    repository(&env, "other", &[("app.py", green), ("test_app.py", &test_of("'a:1'"))]);
    env.write("repos.txt", "red\nother\n");
    env.write("rename.yml", RENAME);
    let last = "    return fetch_all(name) + getattr(acme, 'fe' + 'tch')('b')";
    let patch =
        format!("@@ -6,1 +6,1 @@\n-{last}\n+    return fetch_all(name) + acme.fetch_all('b')\n");
    let ran = run(
        &env,
        &patch,
        &[
            "batch", "repos.txt", "--recipe", "rename.yml", "--goal", GOAL, "--run", CHECK,
            "--emit", "worktree", "--progress", "none", "--out", "out",
        ],
    );
    let expected = pairs(&[("red", "fixed"), ("other", "nothing_to_fix")]);
    assert_eq!(ends(&summary(&env)), expected, "{ran:?} {:#}", summary(&env));
    let app = env.read("red/app.py");
    assert!(app.starts_with("import acme\nfrom acme import fetch_all\n"), "{app}");
    assert!(app.ends_with("fetch_all(name) + acme.fetch_all('b')\n"), "{app}");
    let prompt = env.read("../prompt.txt");
    // The repository that the rule does not concern asked nothing.
    assert_eq!(prompt.matches("\nEND\n").count(), 1, "{prompt}");
    assert!(prompt.contains(GOAL) && prompt.contains("CHANGED ALREADY"), "{prompt}");
    assert!(prompt.contains("+from acme import fetch_all"), "{prompt}");
}

#[test]
fn a_model_gets_the_places_that_the_rule_leaves_and_without_its_help_the_rule_counts() {
    let app = "from acme import fetch_all\n\n\ndef report(name):\n    return fetch_all(name, 1) + fetch_all(\n        'b',\n        # the size\n        2,\n    )\n";
    let after = app.replace("name, 1", "name, size=1");
    let rest = "@@ -8,1 +8,1 @@\n-        2,\n+        size=2,\n";
    for (patch, expected) in [("", after.clone()), (rest, after.replace(" 2,", " size=2,"))] {
        let env = TestEnv::new();
        repository(&env, "one", &[("app.py", app), ("test_app.py", &test_of("'a:1b:2'"))]);
        env.write("size.yml", SIZE);
        let arguments = [
            "fix", "--repo", "one", "--recipe", "size.yml", "--goal", GOAL, "--run", CHECK,
            "--emit", "worktree", "--out", "out",
        ];
        let ran = run(&env, patch, &arguments);
        assert_eq!((ran.code, env.read("one/app.py")), (0, expected), "{ran:?}");
        let outcome = outcome(&env);
        assert_eq!((&outcome["outcome"], &outcome["requests"]), (&"fixed".into(), &1.into()));
        let prompt = env.read("../prompt.txt");
        assert!(prompt.contains("app.py:5 stays as it is: the fix would delete a comment"));
        assert!(prompt.contains(GOAL), "{prompt}");
    }
}

#[test]
fn the_goal_describes_the_change_of_a_rule_that_is_enough_and_needs_no_model() {
    let env = TestEnv::new();
    let app = "from acme import fetch\n\n\ndef report(name):\n    return fetch(name)\n";
    repository(&env, "one", &[("app.py", app), ("test_app.py", &test_of("'a:1'"))]);
    env.write("rename.yml", RENAME);
    let flags = |goal: &'static str| {
        [
            "fix", "--repo", "one", "--recipe", "rename.yml", "--goal", goal, "--run", CHECK,
            "--emit", "bundle", "--out", "out",
        ]
    };
    let ran = env.run(&flags("plan: what is to do"));
    assert!(ran.code == 2 && ran.stderr.contains("the goal asks for a plan"), "{ran:?}");
    let ran = env.run(&flags(GOAL));
    assert_eq!(ran.code, 0, "{ran:?}");
    let outcome = outcome(&env);
    assert_eq!((&outcome["outcome"], &outcome["requests"]), (&"fixed".into(), &0.into()));
    let bundle: Value = serde_json::from_str(&env.read("out/bundle/manifest.json")).unwrap();
    let summary = bundle["summary"].as_str().unwrap();
    let applied = "Apply recipe: fetch from acme is now fetch_all from acme";
    assert_eq!(summary, format!("{GOAL}\n\n{applied}"));
}

/// A model that knows the fix, and a recipe of it.
const TEACHER: &str = r###"import json, re, sys
prompt = sys.stdin.read()
if "## RECIPE" in prompt:
    assert "+    return fetch_all(name, 2)" in prompt and "AssertionError" in prompt
    print(json.dumps({"recipe": open("PLACE/model.yml").read()}))
else:
    shown = dict(re.findall(r"FILE\[(.+)\] \(sha256=([0-9a-f]{64})\)", prompt))
    patch = "@@ -5,1 +5,1 @@\n-    return fetch_all(name, 1)\n+    return fetch_all(name, 2)\n"
    action = {"kind": "PATCH_FILE", "path": "app.py", "base_sha256": shown["app.py"], "patch": patch}
    print(json.dumps({"actions": [action], "summary": "another size"}))
"###;

#[test]
fn a_model_is_asked_once_for_a_recipe_and_only_one_that_makes_its_fix_is_kept() {
    let good = "when: {tool: python, message: '*AssertionError*'}\nlanguage: python\nrule: {pattern: 'fetch_all($A, 1)'}\n\
                fix: fetch_all($A, 2)\nimports: {fetch_all: fetch_all from acme}\n";
    let bad = good.replace("fix: fetch_all($A, 2)", "fix: fetch_all($A, 3)");
    let app = "from acme import fetch_all\n\n\ndef report(name):\n    return fetch_all(name, 1)\n";
    for (text, setting, requests, told) in [
        (good, "true", 2, "fetch_all($A, 1)"),
        (&*bad, "true", 2, "the recipe of the model: its rules do not make the same change"),
        (good, "false", 1, "no recipe: "),
    ] {
        let env = TestEnv::new();
        repository(&env, "one", &[("app.py", app), ("test_app.py", &test_of("'a:2'"))]);
        let place = env.repo().join("..").display().to_string();
        env.write("../model.yml", text);
        env.write("../model.py", &TEACHER.replace("PLACE", &place));
        let (command, kept) = (format!("python3 {place}/model.py"), format!("{place}/kept"));
        let variables = [
            ("PAPAYU_LLM_PROVIDER", "command"),
            ("PAPAYU_LLM_COMMAND", &*command),
            ("PAPAYU_JUDGE", "off"),
            ("PAPAYU_RECIPES_DIR", &kept),
            ("PAPAYU_RECIPES_ASK_MODEL", setting),
        ];
        let recording = format!("{place}/recorded.jsonl");
        let arguments = ["fix", "--repo", "one", "--run", CHECK, "--verbose", "--out", "out"];
        let ran = env.run_with(&[&arguments[..], &["--record", &recording]].concat(), &variables);
        assert_eq!(ran.code, 0, "{ran:?}");
        assert!(ran.stderr.contains(told), "{ran:?}");
        let is_kept = setting == "true" && text == good;
        let check = |provider: &str| {
            let outcome = outcome(&env);
            assert_eq!(outcome["recipes"].as_array().map_or(0, Vec::len), usize::from(is_kept));
            assert_eq!(outcome["requests"], requests, "{provider} {outcome:#}");
            let listed = env.run(&["recipe", "list", "--recipes", &kept]);
            assert_eq!(listed.stdout.contains("healed 1 of 1"), is_kept, "{provider} {listed:?}");
        };
        check("command");
        // The same run from its recording.
        let _ = std::fs::remove_dir_all(&kept);
        let replay = format!("replay:{recording}");
        let replayed: Vec<(&str, &str)> =
            variables[2..].iter().copied().chain([("PAPAYU_LLM_PROVIDER", &*replay)]).collect();
        let ran = env.run_with(&arguments, &replayed);
        assert_eq!(ran.code, 0, "{ran:?}");
        check("replay");
    }
}
