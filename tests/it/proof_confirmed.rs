//! Whole runs: a fix is confirmed by the old tree, by the new tree, and by a wider command.
#![expect(clippy::unwrap_used, reason = "a test may stop at the first thing that is wrong")]

use serde_json::{Value, json};

use crate::support::TestEnv;

fn shop() -> TestEnv {
    let env = TestEnv::new();
    env.write("shop/__init__.py", "");
    env.write(
        "shop/cart.py",
        "def add(a, b):\n    return a - b\n\n\ndef take(a, b):\n    return a - b\n",
    );
    for (name, call) in [("add", "add(7, 4), 11"), ("take", "take(7, 4), 3")] {
        let text = format!(
            "import unittest\nfrom shop import cart\n\n\nclass Test(unittest.TestCase):\n    \
             def test_{name}(self):\n        self.assertEqual(cart.{call})\n"
        );
        env.write(&format!("tests/test_{name}.py"), &text);
    }
    env.write("tests/__init__.py", "");
    env
}

fn rewrite(env: &TestEnv, path: &str, line: usize, to: &str) -> Value {
    let digest = papayu_base::domain::Sha256::of(env.read(path).as_bytes()).to_string();
    json!({
        "kind": "REPLACE_RANGE", "path": path, "base_sha256": digest,
        "start_line": line, "end_line": line, "content": to
    })
}

fn apply(env: &TestEnv, actions: &[Value], run: &str, flags: &[&str]) -> Value {
    let reply = json!({"actions": actions, "summary": "a change"}).to_string();
    env.write("../home/plan.json", &reply);
    let begin = ["apply", "--plan", "../home/plan.json", "--run", run];
    env.outcome(&[&begin, flags].concat(), &[])
}

fn is_flaky(outcome: &Value) -> bool {
    outcome["outcome"] == "not_fixed"
        && outcome["reason"].as_str().unwrap().starts_with("flaky_command: ")
}

/// Counts its runs in a file outside of the repository, and ends as the arithmetic says.
fn counting(env: &TestEnv, is_green: &str) -> String {
    let count = env.writable_folder().join("count");
    env.write(
        "check.sh",
        &format!(
            "n=$(($(cat {0} 2>/dev/null || echo 0) + 1))\necho $n > {0}\n[ $(({is_green})) = 1 ]\n",
            count.display()
        ),
    );
    "sh check.sh".to_owned()
}

#[test]
fn a_command_that_passes_by_itself_proves_nothing() {
    for is_green in ["n >= 2", "n >= 3", "n == 2", "n % 2 == 0", "n % 3 == 2"] {
        let env = shop();
        let run = counting(&env, is_green);
        let change = rewrite(&env, "shop/cart.py", 2, "    return a + b\n");
        let outcome = apply(&env, &[change], &run, &[]);
        assert_ne!(outcome["outcome"], "fixed", "{is_green}: {outcome:#}");
        assert!(env.read("shop/cart.py").contains("return a - b\n\n\ndef take"), "{is_green}");
    }
}

#[test]
fn a_command_that_passes_after_any_change_proves_nothing() {
    let env = shop();
    env.write("../home/old.py", &env.read("shop/cart.py"));
    let run = "sh -c '! cmp -s shop/cart.py ../home/old.py'";
    let change = rewrite(&env, "shop/cart.py", 2, "    return a * b\n");
    let outcome = apply(&env, std::slice::from_ref(&change), run, &[]);
    assert!(is_flaky(&outcome), "{outcome:#}");
    assert!(outcome["reason"].as_str().unwrap().contains("only a comment added to `shop/cart.py`"));
    assert_eq!(env.read("shop/cart.py"), env.read("../home/old.py"));
    let outcome = apply(&env, &[change], run, &["--no-control-run"]);
    assert_eq!(outcome["outcome"], "fixed", "{outcome:#}");
}

#[test]
fn a_right_fix_is_confirmed_and_runs_without_repetition_where_that_is_off() {
    let run = "python3 -m unittest tests.test_add";
    let env = shop();
    let change = rewrite(&env, "shop/cart.py", 2, "    return a + b\n");
    let outcome = apply(&env, std::slice::from_ref(&change), run, &[]);
    assert_eq!(outcome["outcome"], "fixed", "{outcome:#}");
    let codes: Vec<_> = outcome["verify"]["repeated"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| &it["exit_code"])
        .collect();
    assert_eq!(codes, [&json!(0), &json!(1)]);
    assert_eq!(outcome["verify"]["guard"]["after"]["command"], "python3 -m unittest");
    let outcome = apply(&env, &[change], run, &["--no-control-run", "--guard", "off"]);
    assert_eq!(outcome["verify"]["repeated"], json!([]));
    assert_eq!(outcome["verify"]["guard"], Value::Null);
}

#[test]
fn a_change_of_source_runs_the_command_twice_and_the_confirmation_twice_more() {
    for (flags, has_test, runs) in [
        (&["--no-control-run"][..], false, 2),
        (&["--no-control-run"], true, 3),
        (&[], false, 4),
        (&[], true, 5),
    ] {
        let env = shop();
        let count = env.writable_folder().join("runs");
        let run =
            format!("sh -c 'echo >> {}; python3 -m unittest tests.test_add'", count.display());
        let mut actions = vec![rewrite(&env, "shop/cart.py", 2, "    return a + b\n")];
        if has_test {
            let text = "import unittest\n";
            actions
                .push(json!({"kind": "CREATE_FILE", "path": "tests/test_new.py", "content": text}));
        }
        let outcome = apply(&env, &actions, &run, flags);
        assert_eq!(outcome["outcome"], "fixed", "{outcome:#}");
        assert_eq!(env.read("../marks/runs").lines().count(), runs, "{flags:?} {has_test}");
    }
}

#[test]
fn a_fix_that_breaks_what_the_command_does_not_run_is_not_one() {
    let env = shop();
    let mut both = rewrite(
        &env,
        "shop/cart.py",
        2,
        "    return a + b\n\n\ndef take(a, b):\n    return a + b\n",
    );
    both["end_line"] = json!(6);
    let run = "python3 -m unittest tests.test_add";
    let both = [both];
    let outcome = apply(&env, &both, run, &[]);
    assert_eq!(outcome["outcome"], "not_fixed", "{outcome:#}");
    assert!(outcome["reason"].as_str().unwrap().contains("test_take"), "{outcome:#}");
    let outcome = apply(&env, &both, run, &["--guard", "python3 -m unittest tests.test_take"]);
    assert_eq!(outcome["outcome"], "not_fixed", "{outcome:#}");
    let outcome = apply(&env, &both, run, &["--guard", "off"]);
    assert_eq!(outcome["outcome"], "fixed", "{outcome:#}");
}
