//! Runs whose command ends with exit code 0 and whose output decides whether that is a proof.
#![expect(clippy::unwrap_used, reason = "a test may stop at the first thing that is wrong")]

use serde_json::Value;

use crate::fix::{RIGHT, WRONG, good};
use crate::model::Model;
use crate::support::TestEnv;

/// A runner of two tests that prints as cargo does. Its second test fails while the answer is wrong;
/// `$after` is its output once the answer is right.
fn project(after: &str) -> TestEnv {
    let env = TestEnv::new();
    env.write("answer.py", WRONG);
    let before = "test adds ... ok\ntest answer ... FAILED\ntest result: FAILED. 1 passed; 1 failed; 0 ignored";
    env.write("before.txt", before);
    env.write("after.txt", after);
    env.write(
        "check.sh",
        "grep -q 42 answer.py && cat after.txt && exit 0\ncat before.txt\n\
         echo 'answer.py:2: error: wrong'\nexit 1\n",
    );
    env
}

fn fix(env: &TestEnv, flags: &[&str]) -> (Value, usize) {
    let model = good();
    let arguments = [&["fix", "--run", "sh check.sh", "--max-attempts", "1"], flags].concat();
    let outcome = env.outcome(&arguments, &model.variables());
    (outcome, model.prompts().len())
}

fn assert_refused(outcome: &Value, reason: &str) {
    assert_eq!(outcome["outcome"], "not_fixed", "{outcome}");
    assert_eq!(outcome["proof"], Value::Null);
    let said = outcome["reason"].as_str().unwrap();
    assert!(said.contains(reason), "{said}");
}

#[test]
fn a_fix_whose_tests_are_seen_passing_has_the_proof_tests() {
    let env = project(
        "test adds ... ok\ntest answer ... ok\ntest result: ok. 2 passed; 0 failed; 0 ignored",
    );
    let (outcome, _) = fix(&env, &["--require-proof", "tests"]);
    assert_eq!((&outcome["outcome"], &outcome["proof"]), (&"fixed".into(), &"tests".into()));
    assert_eq!(outcome["verify"]["before"]["tests"]["failed"], 1);
    assert_eq!(outcome["verify"]["after"]["tests"]["passed"], 2);
    assert_eq!(outcome["verify"]["control"]["exit_code"], 1);
}

#[test]
fn exit_code_0_does_not_prove_a_fix_when_a_test_is_lost() {
    for (after, reason) in [
        (
            "test adds ... ok\ntest answer ... ignored\ntest result: ok. 1 passed; 0 failed; 1 ignored",
            "failed before and is not seen passing: `answer` (skipped now)",
        ),
        (
            "test answer ... ok\ntest more ... ok\ntest result: ok. 2 passed; 0 failed; 0 ignored",
            "passed before and is not seen passing: `adds`",
        ),
        ("test result: ok. 1 passed; 0 failed; 0 ignored", "1 test ran, 2 before"),
        ("===== no tests ran in 0.01s =====", "no test ran"),
        ("all is well", "2 tests ran before, none is seen now"),
    ] {
        let env = project(after);
        let (outcome, _) = fix(&env, &[]);
        assert_refused(&outcome, reason);
        assert_eq!(env.read("answer.py"), WRONG);
    }
}

#[test]
fn a_proof_weaker_than_the_required_one_is_refused() {
    let env = project("");
    env.write("before.txt", "");
    let (outcome, _) = fix(&env, &["--require-proof", "counts"]);
    assert_refused(&outcome, "the proof is `exit_code`, and `counts` is required");
    assert_eq!(fix(&env, &[]).0["proof"], "exit_code");
}

#[test]
fn a_command_that_passes_by_itself_the_second_time_is_not_shown_to_a_model() {
    let env = project("");
    let check = "test -e ../ran && exit 0; touch ../ran; echo 'answer.py:2: error: wrong'; exit 1";
    env.write("check.sh", check);
    let (outcome, prompts) = fix(&env, &["--sandbox", "off"]);
    assert_refused(
        &outcome,
        "failed, and passed when it ran again with only a comment added to `answer.py`",
    );
    assert_eq!(prompts, 0);
    assert_eq!(env.shell("rm ../ran").code, 0);
    let (_, prompts) = fix(&env, &["--no-control-run", "--sandbox", "off"]);
    assert_ne!(prompts, 0);
}

#[test]
fn a_command_that_passes_while_its_tests_fail_cannot_prove_anything() {
    let env = project("");
    env.write("check.sh", "cat before.txt\n");
    let model = Model::serve([]);
    let outcome = env.outcome(&["fix", "--run", "sh check.sh"], &model.variables());
    assert_refused(&outcome, "ends with exit code 0 although its output shows failures");
    assert!(RIGHT.contains("42") && model.prompts().is_empty());
}
