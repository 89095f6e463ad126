//! Whole runs: a failure that the base has too, and the fix of a flaky test.

use serde_json::{Value, json};

use crate::support::TestEnv;

const RUN: &str = "python3 -m unittest test_answer";

/// A branch whose base has the answer `base`.
fn branch(base: &str, work: &str) -> TestEnv {
    let env = TestEnv::new();
    let git = |line: &str| {
        let ran = env.shell(&format!("git -c user.name=a -c user.email=a@b {line}"));
        assert_eq!(ran.code, 0, "{ran:?}");
    };
    env.write("answer.py", &format!("def answer():\n    return {base}\n"));
    env.write(
        "test_answer.py",
        "import unittest\nfrom answer import answer\n\n\nclass Test(unittest.TestCase):\n    \
         def test_answer(self):\n        self.assertEqual(answer(), 42)\n",
    );
    git("init -q -b main .");
    git("add -A");
    git("commit -q -m one");
    git("checkout -q -b work");
    env.write("answer.py", &format!("def answer():\n    return {work}\n"));
    env.write("notes.txt", "work\n");
    git("add -A");
    git("commit -q -m two");
    env
}

fn fix(env: &TestEnv, flags: &[&str]) -> Value {
    let begin = ["fix", "--provider", "suggestions", "--run", RUN];
    env.outcome(&[&begin, flags].concat(), &[])
}

#[test]
fn a_failure_of_the_base_is_not_that_of_the_work() {
    let env = branch("41", "40 + 1");
    let outcome = fix(&env, &["--base", "main"]);
    assert_eq!(outcome["outcome"].as_str().unwrap(), "not_fixed", "{outcome:#}");
    assert_eq!(outcome["failure_class"], "red_on_base");
    assert!(
        outcome["reason"].as_str().unwrap().starts_with("the failure is not one of this change: "),
        "{outcome:#}"
    );
    assert_eq!((&outcome["exit_code"], &outcome["requests"]), (&json!(1), &json!(0)));
    for flags in [&["--base", "main", "--fix-base"][..], &[], &["--base", "work"]] {
        assert_ne!(fix(&env, flags)["failure_class"], "red_on_base", "{flags:?}");
    }
    let outcome = fix(&env, &["--base", "nowhere"]);
    assert!(outcome["hint"].as_str().unwrap().contains("`nowhere`"), "{outcome:#}");
}

#[test]
fn a_failure_that_the_base_does_not_have_is_that_of_the_work() {
    let env = branch("42", "41");
    assert_ne!(fix(&env, &["--base", "main"])["failure_class"], "red_on_base");
}
