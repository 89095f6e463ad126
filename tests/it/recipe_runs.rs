//! Recipes in runs that must not use them: for another version, from a folder without any, and on their own result.

use serde_json::Value;

use crate::recipes::{CHECK, repository, test_of};
use crate::support::TestEnv;

const APP: &str = "import acme\n\n\ndef report(name):\n    return acme.fetch(name)\n";
const HEALED: &str = "import acme\n\n\ndef report(name):\n    return acme.fetch_all(name)\n";

/// A recipe for `acme` since its second version.
const RENAME: &str = "id: rename\nwhen: {tool: python, message: '*fetch*', dependency: acme, version: '>=2'}\n\
                      language: python\nmove: fetch from acme\nto: fetch_all from acme\n";

#[test]
fn a_recipe_for_another_version_is_not_tried_and_for_an_unknown_one_it_says_so() {
    let env = TestEnv::new();
    env.write("kept/rename.yml", RENAME);
    let test = test_of("'a:1'");
    for (name, pins, code, text) in [
        ("old", "acme==1.4\n", 1, "`rename` is not tried: it is for `acme` >=2, and this is 1.4"),
        ("new", "acme==2.1\n", 0, "RECIPE_TRIED"),
        ("none", "other==1\n", 0, "`acme` >=2 is not checked: neither a lock file"),
    ] {
        repository(
            &env,
            name,
            &[("app.py", APP), ("test_app.py", &test), ("requirements.txt", pins)],
        );
        let ran = env.run(&["recipe", "test", "kept/rename.yml", "--repo", name]);
        let words = text.trim_start_matches("`rename` is not tried: ");
        assert_eq!(ran.stdout.contains(words), name != "new", "{ran:?}");
        assert_eq!(ran.stdout.contains("+    return acme.fetch_all"), code == 0, "{ran:?}");
        let arguments = [
            "fix", "--repo", name, "--recipes", "kept", "--run", CHECK, "--emit", "worktree",
            "--max-attempts-total", "0", "--verbose",
        ];
        let ran = env.run(&arguments);
        assert_eq!(ran.code, code, "{ran:?}");
        assert!(ran.stderr.contains(text), "{name}: {ran:?}");
        let expected = if code == 0 { HEALED } else { APP };
        assert_eq!(env.read(&format!("{name}/app.py")), expected);
    }
}

#[test]
fn a_folder_without_recipes_is_named() {
    let env = TestEnv::new();
    env.write("empty/README.md", "nothing\n");
    for (place, reason) in [
        ("nowhere", "`nowhere`: there is no such file or folder"),
        ("empty", "`empty`: the folder has no recipe"),
    ] {
        let ran = env.run(&["recipe", "list", "--recipes", place]);
        assert!(ran.code == 0 && ran.stdout.contains(reason), "{ran:?}");
        let ran = env.run(&["recipe", "show", "a", "--recipes", place]);
        assert!(ran.code == 2 && ran.stderr.contains(reason), "{ran:?}");
    }
    let ran = env.run(&["recipe", "list"]);
    assert!(ran.stdout.starts_with("no recipes; "), "{ran:?}");
    env.write("a.py", "import nothing_there\n");
    let ran = env.run(&["fix", "--recipes", "nowhere", "--run", "python3 a.py", "--verbose"]);
    assert!(ran.stderr.contains("`nowhere`: there is no such file"), "{ran:?}");
}

/// Runs a fix that keeps its change in the tree; returns the outcome.
fn fix(env: &TestEnv, flags: &[&str]) -> Value {
    let all = ["fix", "--repo", "one", "--run", CHECK, "--emit", "worktree", "--out", "out"];
    let ran = env.run(&[&all[..], flags].concat());
    assert!(ran.code < 2, "{ran:?}");
    serde_json::from_str(&env.read("out/outcome.json")).unwrap()
}

#[test]
fn a_rule_that_adds_to_its_own_pattern_changes_nothing_the_second_time() {
    let env = TestEnv::new();
    let before = "from acme import fetch_all\n\n\ndef report(name):\n    return fetch_all(name)\n";
    repository(&env, "one", &[("app.py", before), ("test_app.py", &test_of("'a:1'"))]);
    env.write(
        "size.yml",
        "id: size\nlanguage: python\nrule: {pattern: fetch_all($$$A)}\nfix: fetch_all($$$A, size=1)\n\
         imports: {fetch_all: fetch_all from acme}\n",
    );
    let after = before.replace("fetch_all(name)", "fetch_all(name, size=1)");
    for expected in ["fixed", "nothing_to_fix"] {
        let outcome = fix(&env, &["--recipe", "size.yml"]);
        assert_eq!(outcome["outcome"], expected, "{outcome:#}");
        assert_eq!(env.read("one/app.py"), after);
    }
    let outcome = fix(&env, &["--recipe", "size.yml"]);
    let reason = outcome["reason"].as_str().unwrap();
    assert!(
        reason.contains("app.py:5 stays as it is: it is what the fix makes already"),
        "{reason}"
    );
}

#[test]
fn a_swap_is_not_made_a_second_time_where_the_command_shows_it() {
    let env = TestEnv::new();
    let swapped = "from acme import send\n\n\ndef report(name):\n    return send(name, 1)\n";
    repository(&env, "one", &[("app.py", swapped), ("test_app.py", &test_of("'1 of a'"))]);
    let rule = "language: python\nrule: {pattern: 'send($A, $B)'}\nfix: send($B, $A)\nimports: {send: send from acme}\n";
    env.write("swap.yml", &format!("id: swap\n{rule}"));
    env.write("kept/swap.yml", &format!("id: kept\nwhen: {{message: '*send*'}}\n{rule}"));
    let healed = swapped.replace("name, 1", "1, name");
    assert_eq!(fix(&env, &["--recipes", "kept"])["outcome"], "fixed");
    assert_eq!(env.read("one/app.py"), healed);
    // A recipe for failures does nothing to a repository that passes; one that is applied by itself is proved again.
    assert_eq!(fix(&env, &["--recipes", "kept"])["outcome"], "nothing_to_fix");
    assert_eq!(fix(&env, &["--recipe", "swap.yml"])["outcome"], "not_fixed");
    assert_eq!(env.read("one/app.py"), healed);
}
