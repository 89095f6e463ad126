//! Whole runs: the proof without new tests, with changed tests, and places that are flagged for review.
#![expect(clippy::unwrap_used, reason = "a test may stop at the first thing that is wrong")]

use serde_json::{Value, json};

use crate::support::TestEnv;

/// Fails while the answer is wrong; the test file says what is right.
const CHECK: &str = "sh test/check.sh";

fn red() -> TestEnv {
    let env = TestEnv::new();
    env.write("answer.py", "def answer(question):\n    return len(question)\n");
    env.write(
        "test/check.sh",
        "found=$(python3 -c 'import answer; print(answer.answer(\"why\"))')\n\
         for file in test/*.txt; do test \"$found\" = \"$(cat $file)\" && exit 0; done\n\
         echo \"answer.py:2: error: found $found\"\nexit 1\n",
    );
    env.write("test/wanted.txt", "6\n");
    env
}

fn create(path: &str, content: &str) -> Value {
    json!({"kind": "CREATE_FILE", "path": path, "content": content})
}

fn rewrite(env: &TestEnv, path: &str, line: usize, to: &str) -> Value {
    let digest = papayu_base::domain::Sha256::of(env.read(path).as_bytes()).to_string();
    json!({
        "kind": "REPLACE_RANGE", "path": path, "base_sha256": digest,
        "start_line": line, "end_line": line, "content": to
    })
}

fn apply(env: &TestEnv, actions: &[Value], flags: &[&str]) -> Value {
    let reply = json!({"actions": actions, "summary": "a change"}).to_string();
    env.write("../home/plan.json", &reply);
    let begin = ["apply", "--plan", "../home/plan.json", "--run", CHECK];
    env.outcome(&[&begin, flags].concat(), &[])
}

fn words(outcome: &Value) -> (&str, &Value) {
    (outcome["outcome"].as_str().unwrap(), &outcome["proof_tests"])
}

#[test]
fn a_fix_that_brings_a_test_is_proved_without_it_first() {
    let env = red();
    let right = rewrite(&env, "answer.py", 2, "    return len(question) * 2\n");
    let test = create("test/more.txt", "7\n");
    let outcome = apply(&env, &[right, test.clone()], &[]);
    assert_eq!(words(&outcome), ("fixed", &json!("as_they_were")), "{outcome:#}");

    // The new file alone would make the command pass.
    let env = red();
    let wrong = rewrite(&env, "answer.py", 2, "    return len(question) + 4\n");
    let outcome = apply(&env, &[wrong.clone(), test.clone()], &[]);
    assert_eq!(words(&outcome), ("not_fixed", &Value::Null), "{outcome:#}");
    let outcome = apply(&env, &[create("test/more.txt", "3\n")], &[]);
    assert_eq!(words(&outcome), ("not_fixed", &Value::Null), "{outcome:#}");
    let outcome = apply(&env, &[wrong, test], &["--allow-test-edits"]);
    assert_eq!(words(&outcome), ("fixed", &json!("changed")), "{outcome:#}");
}

#[test]
fn the_outcome_says_whether_the_old_tests_prove_it_too() {
    let env = red();
    let right = rewrite(&env, "answer.py", 2, "    return len(question) * 2\n");
    let same = rewrite(&env, "test/wanted.txt", 1, "6\n\n");
    let outcome = apply(&env, &[right, same], &["--allow-test-edits"]);
    assert_eq!(words(&outcome), ("fixed", &json!("as_they_were")), "{outcome:#}");

    let env = red();
    let other = rewrite(&env, "test/wanted.txt", 1, "3\n");
    let outcome = apply(&env, std::slice::from_ref(&other), &["--allow-test-edits"]);
    assert_eq!(words(&outcome), ("fixed", &json!("changed")), "{outcome:#}");
    let outcome = apply(&env, &[other], &[]);
    assert_eq!(outcome["error_code"], "ERR_TEST_EDIT_NOT_ALLOWED");
}

#[test]
fn a_flagged_fix_counts_only_with_the_flag() {
    let env = red();
    let asking = "    return 6 if __import__('os').environ.get('JEST_WORKER_ID') is None else 0\n";
    let constant = rewrite(&env, "answer.py", 2, asking);
    let outcome = apply(&env, std::slice::from_ref(&constant), &[]);
    assert_eq!(words(&outcome), ("not_fixed", &Value::Null), "{outcome:#}");
    let flag = json!([{
        "path": "answer.py", "line": 2,
        "reason": "asks whether a test runner runs the code: `\"JEST_WORKER_ID\"`"
    }]);
    assert_eq!(outcome["review_flags"], flag);
    assert_eq!(outcome["exit_code"], 1);
    let outcome = apply(&env, &[constant], &["--accept-flags"]);
    assert_eq!(words(&outcome), ("fixed", &json!("as_they_were")), "{outcome:#}");
    assert_eq!(outcome["review_flags"], flag);
}
