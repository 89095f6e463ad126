//! A batch over an owner's repositories: clones of a remote, and the one pull request of each failure.
#![expect(clippy::disallowed_methods, reason = "tests look at the disk themselves")]

use std::fs;
use std::process::Output;

use serde_json::{Value, json};

use crate::forge_rig::{Rig, TOKEN};

const BROKEN: &str = "def two(value):\n    return valeu\n";

/// A remote whose test fails over a misspelt name.
fn red() -> Rig {
    let rig = Rig::with(&["--page", "2"]);
    rig.write("value.py", BROKEN);
    let test = "import unittest\n\nfrom value import two\n\n\nclass ValueTest(unittest.TestCase):\n    def test_two(self):\n        self.assertEqual(two(2), 2)\n";
    rig.write("test_value.py", test);
    rig.commit("Break it");
    let bare = rig.at("remote/o/r.git");
    rig.git(&["push", "-q", bare.to_str().unwrap(), "main"]);
    rig
}

fn batch(rig: &Rig, manifest: &str, arguments: &[&str]) -> (Output, Value) {
    let path = rig.at("batch.yaml");
    fs::write(&path, manifest).unwrap();
    let output = assert_cmd::Command::new(assert_cmd::cargo::cargo_bin!("papayu-batch"))
        .env_clear()
        .env("PATH", std::env::var("PATH").unwrap())
        .env("HOME", rig.at("home"))
        .env("GITHUB_API_URL", &rig.api_url)
        .env("GITHUB_TOKEN", TOKEN)
        // Of the job that the batch runs in, not of what it works on.
        .env("GITHUB_REPOSITORY", "somebody/else")
        .env("GITHUB_HEAD_REF", "papayu/fix-somebody")
        .current_dir(rig.at("home"))
        .args(["batch", path.to_str().unwrap(), "--out", rig.at("out").to_str().unwrap()])
        .args(arguments)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let summary = fs::read_to_string(rig.at("out/summary.json"));
    let summary = summary.unwrap_or_else(|error| panic!("{error}: {said}"));
    for text in [&said, &summary] {
        assert!(!text.contains(TOKEN), "the token leaked: {text}");
    }
    (output, serde_json::from_str(&summary).unwrap())
}

#[test]
fn an_owners_repositories_get_one_pull_request_each_however_often_the_batch_is_run() {
    let rig = red();
    let at = |name: &str| format!("{}/o/{name}.git", rig.git.url);
    // Three pages of them; all but one are not to be worked on.
    let mut all: Vec<Value> = (0..4)
        .map(|number| json!({ "name": format!("old{number}"), "clone_url": at("old"), "archived": true }))
        .collect();
    all.push(json!({ "name": "r", "clone_url": at("r"), "archived": false, "disabled": false }));
    all.push(json!({ "name": "other", "clone_url": at("other") }));
    rig.set_state(&json!({ "repositories": all }));
    let manifest = "defaults:\n  run: python3 -m unittest -q\n  provider: suggestions\n  emit: pr\n  labels: [ci]\n\
        repositories:\n  - o/r*\n";
    for round in 1..=2 {
        let (output, summary) = batch(&rig, manifest, &["--progress", "none"]);
        assert_eq!(output.status.code(), Some(0), "{round}: {summary:#}");
        let row = &summary["tasks"][0];
        // The second round finds the open pull request of the same failure, and asks no model again.
        let outcome = if round == 1 { "fixed" } else { "nothing_to_fix" };
        assert_eq!((&row["name"], &row["outcome"]), (&json!("o-r"), &json!(outcome)), "{round}");
        assert_eq!(row["pr_url"], "https://github.example/o/r/pull/1");
        assert_eq!(rig.branches().len(), 1);
        assert_eq!(rig.state()["pulls"].as_array().unwrap().len(), 1);
    }
    let branch = rig.branches().remove(0);
    assert_eq!(rig.remote(&["diff", "--name-only", "main", &branch]), "value.py");
    assert_eq!(rig.state()["pulls"][0]["base"], "main");
    assert_eq!(rig.state()["labels"]["1"], json!(["ci"]));
    let leaked = fs::read_to_string(rig.at("remote/argv.log")).unwrap_or_default();
    assert!(!leaked.contains(TOKEN));
}

#[test]
fn pull_requests_over_the_hourly_number_wait_and_a_time_limit_ends_the_waiting() {
    let rig = red();
    let address = format!("{}/o/r.git", rig.git.url);
    let one = |name: &str| format!("  - {{repo: '{address}', name: {name}}}\n");
    let manifest = format!(
        "defaults: {{run: python3 -m unittest -q, provider: suggestions, emit: pr}}\nrepositories:\n{}{}",
        one("first"),
        one("second")
    );
    let (output, summary) = batch(&rig, &manifest, &["--limit-prs", "1/h", "--max-time", "6"]);
    assert_eq!(
        (output.status.code(), &summary["not_started"]),
        (Some(3), &json!(1)),
        "{summary:#}"
    );
    assert_eq!(summary["tasks"][0]["outcome"], "fixed");
    assert_eq!(rig.state()["pulls"].as_array().unwrap().len(), 1);
    // The hour is not over for a call that goes on.
    let (output, summary) =
        batch(&rig, &manifest, &["--resume", "--limit-prs", "1/h", "--max-time", "2"]);
    assert_eq!((output.status.code(), &summary["not_started"]), (Some(3), &json!(1)));
    // Without the limit, the second finds the same failure's pull request and brings it up to date.
    let (output, summary) = batch(&rig, &manifest, &["--resume"]);
    assert_eq!(output.status.code(), Some(0), "{summary:#}");
    assert_eq!(rig.state()["pulls"].as_array().unwrap().len(), 1);
}
