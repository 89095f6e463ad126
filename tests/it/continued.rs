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

/// Writes a record of its own for every run of the repository, and its digest into every data folder that there may be.
const FORGE: &str = r#"
import hashlib, json, os, pathlib, sys
shares = [pathlib.Path(it) for it in sys.argv[1:]]
for record in pathlib.Path(".papa-yu/runs").glob("*/request.json"):
    text = json.loads(record.read_text())
    text["flags"]["run.command"] = "touch owned"
    forged = json.dumps(text).encode()
    record.write_bytes(forged)
    digest = hashlib.sha256(forged).hexdigest()
    for share in shares:
        place = share / "papayu-batch/runs" / (record.parent.name + ".sha256")
        other = share / "forged"
        for write in (
            lambda: (place.parent.mkdir(parents=True, exist_ok=True), place.write_text(digest)),
            lambda: (other.write_text(digest), os.replace(other, place)),
            lambda: (other.write_text(digest), place.unlink(missing_ok=True), os.link(other, place)),
            lambda: (place.unlink(), place.symlink_to(record.resolve())),
            lambda: os.rename(place.parent, place.parent.with_name("old")),
            lambda: os.rename(share / "papayu-batch", share / "old"),
            lambda: os.rename(share, share.with_name("old")),
            lambda: os.chmod(place, 0o666),
        ):
            try:
                write()
            except OSError:
                continue
            break
"#;

/// Runs a command that forges the records of all runs; returns the sandbox's level.
fn forge(env: &TestEnv, sandbox: &str) -> String {
    env.write("forge.py", FORGE);
    let share = env.home().join(".local/share");
    fs::create_dir_all(&share).unwrap();
    let share = share.to_str().unwrap();
    // The user opens the folder above: only what is hidden in it protects the digests.
    let variables = [("PAPAYU_WRITABLE", share), ("PAPAYU_SANDBOX", sandbox)];
    let command = format!("python3 -B forge.py {share} ~/.local/share; sh check.sh");
    let arguments = ["fix", "--provider", "suggestions", "--run", &command, "--format", "json"];
    let end = env.run_with(&arguments, &variables).json();
    assert_eq!(end["outcome"], "not_fixed", "{end}");
    end["sandbox"]["level"].as_str().unwrap().to_owned()
}

#[test]
#[cfg(target_os = "linux")]
fn a_command_cannot_forge_the_digest_by_which_a_record_is_trusted() {
    let (env, id) = failed(&[]);
    let level = forge(&env, "auto");
    let ran = go_on(&env, &id, &[]);
    // Without a sandbox a command has the user's rights, as `docs/safety.md` describes.
    let (open, open_id) = failed(&[]);
    assert_eq!(forge(&open, "off"), "none");
    let _ = go_on(&open, &open_id, &[]);
    assert!(open.repo().join("owned").exists(), "the attack works without a sandbox");
    if level != "full" {
        return;
    }
    assert!(ran.code == 2 && ran.stderr.contains("is not as this program wrote it"), "{ran:?}");
    assert!(!env.repo().join("owned").exists());
}

#[test]
#[cfg(target_os = "linux")]
fn a_command_cannot_make_the_data_folder_before_the_program_does() {
    let env = red();
    let share = env.home().join(".local/share");
    fs::create_dir_all(share.join("other")).unwrap();
    let make = "import os, sys\nopen(sys.argv[1] + '/other/x', 'w')\nos.makedirs(sys.argv[1] + '/papayu-batch/runs')\n";
    env.write("make.py", make);
    let share = share.to_str().unwrap();
    let command = format!("python3 -B make.py {share}; sh check.sh");
    // A run with `--out` writes nothing to the data folder.
    let arguments = ["fix", "--provider", "suggestions", "--run", &command];
    let outcome = env.outcome(&arguments, &[("PAPAYU_WRITABLE", share)]);
    assert!(env.home().join(".local/share/other/x").exists(), "the folder above is open");
    let is_made = env.home().join(".local/share/papayu-batch").exists();
    assert!(!is_made || outcome["sandbox"]["level"] != "full", "{outcome}");
}

#[test]
fn a_data_folder_in_the_repository_is_not_trusted() {
    let env = red();
    git(&env, &["init", "--quiet"]);
    let data = env.repo().join("data");
    let variables = [("XDG_DATA_HOME", data.to_str().unwrap())];
    let text = "{\"output_format\": \"from the pull request\", \"ask_budget\": 7}";
    env.write("data/papayu-batch/preferences.json", text);
    git(&env, &["add", "."]);
    git(&env, &["commit", "--quiet", "-m", "one"]);
    let model = Model::serve([patch("answer.py", WRONG)]);
    let arguments = ["fix", "--run", CHECK, "--max-attempts", "1", "--format", "json"];
    let ran = env.run_with(&arguments, &[&model.variables()[..], &variables].concat());
    let system = model.requests()[0]["messages"][0]["content"].to_string();
    assert!(!system.contains("ask_budget"), "{system}");
    let end = ran.json();
    let ran = go_on(&env, end["run_id"].as_str().unwrap(), &variables);
    assert_eq!(ran.code, 2, "{ran:?}");
    let ran = env.run_with(&["memory", "set", "user.ask_budget", "1"], &variables);
    assert!(ran.code == 2 && ran.stderr.contains("outside the repository"), "{ran:?}");
    assert_eq!(fs::read_dir(data.join("papayu-batch")).unwrap().count(), 1);
}
