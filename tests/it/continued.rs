//! Runs that are continued: the request again, and what failed before.
#![expect(clippy::unwrap_used, reason = "a test may stop at the first thing that is wrong")]
#![expect(clippy::disallowed_methods, reason = "a test changes the records itself")]

use std::fs;

use serde_json::Value;

use crate::fix::{CHECK, RIGHT, red};
use crate::model::{Model, patch};
use crate::support::{Ran, TestEnv};
use crate::tools::git;

/// A change that does not help.
const WRONG: &str = "@@ -1,3 +1,3 @@\n # the answer\n-41\n+43\n # the end\n";

/// Returns a repository under git with a run that did not fix the failure, and the id of that run.
fn failed(more: &[&str]) -> (TestEnv, String) {
    let env = red();
    git(&env, &["init", "--quiet"]);
    git(&env, &["add", "."]);
    git(&env, &["commit", "--quiet", "-m", "one"]);
    let model = Model::serve([patch("answer.py", WRONG)]);
    let arguments = ["fix", "--run", CHECK, "--max-attempts", "1", "--format", "json"];
    let ran = env.run_with(&[&arguments[..], more].concat(), &model.variables());
    let end = ran.json();
    assert_eq!(end["outcome"], "not_fixed", "{ran:?}");
    let id = end["run_id"].as_str().unwrap().to_owned();
    (env, id)
}

fn go_on(env: &TestEnv, id: &str, variables: &[(&str, &str)]) -> Ran {
    env.run_with(&["runs", "continue", id, "--format", "json"], variables)
}

#[test]
fn a_continued_run_has_the_request_and_the_failed_attempts_of_the_first() {
    let (env, id) = failed(&["--goal", "the answer is 42"]);
    let model = Model::serve([patch("answer.py", RIGHT)]);
    let ran = go_on(&env, &id, &model.variables());
    let end = ran.json();
    assert_eq!(
        (&end["outcome"], &end["continues"]),
        (&"fixed".into(), &id.as_str().into()),
        "{ran:?}"
    );
    assert_eq!((&end["attempts"], &end["attempts_before"]), (&1.into(), &1.into()), "{end}");
    let prompt = &model.prompts()[0];
    assert!(prompt.contains("the answer is 42") && prompt.contains(CHECK), "{prompt}");
    assert!(prompt.contains("ATTEMPT 1") && prompt.contains("+43"), "{prompt}");
    let again = go_on(&env, &id, &model.variables());
    assert!(again.code == 2 && again.stderr.contains("was continued by"), "{again:?}");
    let fixed = go_on(&env, end["run_id"].as_str().unwrap(), &[]);
    assert!(fixed.code == 2 && fixed.stderr.contains("ended as `fixed`"), "{fixed:?}");
}

#[test]
fn a_record_that_was_changed_moved_or_made_elsewhere_is_refused() {
    let (env, id) = failed(&[]);
    let folder = env.repo().join(".papa-yu/runs").join(&id);
    let record = folder.join("request.json");
    let text = fs::read_to_string(&record).unwrap();
    let refused = |words: &str| {
        let ran = go_on(&env, &id, &[]);
        assert_eq!(ran.code, 2, "{ran:?}");
        assert!(ran.stderr.contains(words) && ran.stderr.contains("hint: "), "{words}: {ran:?}");
    };
    // A command of the repository, or a pull request, writes its own command and address of the model.
    for hostile in [
        text.replace(CHECK, "sh -c 'touch owned'"),
        text.replace("\"flags\": {", "\"flags\": {\"llm.api_url\": \"http://127.0.0.1:9/v1\","),
        "{}".to_owned(),
        "[".repeat(100_000),
        String::new(),
    ] {
        fs::write(&record, hostile).unwrap();
        refused("is not as this program wrote it");
    }
    assert!(!env.repo().join("owned").exists());
    fs::remove_file(&record).unwrap();
    refused("has no recorded request");
    fs::write(&record, &text).unwrap();
    // A copy under another name.
    let copy = env.repo().join(".papa-yu/runs/copied");
    fs::create_dir(&copy).unwrap();
    for name in ["request.json", "outcome.json"] {
        fs::copy(folder.join(name), copy.join(name)).unwrap();
    }
    let ran = go_on(&env, "copied", &[]);
    assert!(ran.code == 2 && ran.stderr.contains("is not as this program"), "{ran:?}");
    // The folder of a run in another repository.
    let (other, _) = failed(&[]);
    let there = other.repo().join(".papa-yu/runs").join(&id);
    fs::create_dir(&there).unwrap();
    for name in ["request.json", "outcome.json"] {
        fs::copy(folder.join(name), there.join(name)).unwrap();
    }
    let ran = go_on(&other, &id, &[]);
    assert!(ran.code == 2 && ran.stderr.contains("is not as this program"), "{ran:?}");
    git(&env, &["commit", "--quiet", "--allow-empty", "-m", "two"]);
    refused("is checked out");
    let unknown = go_on(&env, "none", &[]);
    assert!(unknown.code == 2 && unknown.stderr.contains("0 runs in"), "{unknown:?}");
}

#[test]
fn a_run_whose_input_is_gone_or_had_a_secret_is_not_continued() {
    let (env, _) = failed(&[]);
    env.write("red.log", "answer.py:2: error: 41 is wrong\n");
    let run = |arguments: &[&str]| -> Value {
        let model = Model::serve([patch("answer.py", WRONG)]);
        let basis = ["fix", "--max-attempts", "1", "--format", "json"];
        env.run_with(&[&basis[..], arguments].concat(), &model.variables()).json()
    };
    let end = run(&["--log", "red.log", "--run", CHECK]);
    fs::remove_file(env.repo().join("red.log")).unwrap();
    let ran = go_on(&env, end["run_id"].as_str().unwrap(), &[]);
    assert!(ran.code == 2 && ran.stderr.contains("red.log"), "{ran:?}");
    let token = format!("ghp_{}", "aB3".repeat(12));
    let end = run(&["--run", CHECK, "--goal", &format!("use {token} for it")]);
    let id = end["run_id"].as_str().unwrap();
    let record = env.read(&format!(".papa-yu/runs/{id}/request.json"));
    assert!(!record.contains(&token), "{record}");
    let ran = go_on(&env, id, &[]);
    assert!(ran.code == 2 && ran.stderr.contains("had a secret"), "{ran:?}");
}
