//! Results at the pull request that failed: suggestions, a commit on its branch, one comment, and issues.
#![expect(clippy::disallowed_methods, reason = "tests look at the disk themselves")]

use std::fs;

use serde_json::{Value, json};

use crate::forge_rig::{Rig, Run, TOKEN};

/// A pull request of the checked-out branch; `changes` are laid over it.
fn at_work(rig: &Rig, changes: &Value) {
    rig.git(&["checkout", "-q", "-b", "work"]);
    rig.git(&["push", "-q", rig.at("remote/o/r.git").to_str().unwrap(), "work"]);
    let mut pull = json!({ "number": 1, "state": "open", "title": "Work", "body": "", "draft": false, "head": "work", "base": "main" });
    pull.as_object_mut().unwrap().extend(changes.as_object().unwrap().clone());
    let patch = "@@ -0,0 +1,2 @@\n+def two():\n+    return 3";
    rig.set_state(
        &json!({ "pulls": [pull], "files": { "1": [{ "filename": "value.py", "patch": patch }] } }),
    );
}

fn comments(rig: &Rig) -> Vec<String> {
    let state = rig.state();
    let all = state["comments"].as_array().unwrap().iter();
    all.map(|it| it["body"].as_str().unwrap().to_owned()).collect()
}

fn fixed(rig: &Rig, emit: &str) -> Run {
    let run = rig.fix(&["--emit", emit]);
    assert_eq!(run.end(), (0, "fixed", None), "{run:?}");
    assert_eq!(rig.branches(), Vec::<String>::new());
    run
}

/// Leaves the repository without a test, so that no command is found in it.
fn without_command(rig: &Rig) {
    rig.git(&["rm", "-q", "test_value.py"]);
    rig.commit("No tests");
    rig.git(&["push", "-q", rig.at("remote/o/r.git").to_str().unwrap(), "main"]);
}

#[test]
fn a_change_within_the_diff_is_suggested_at_its_lines() {
    let rig = Rig::new();
    at_work(&rig, &json!({}));
    let run = fixed(&rig, "suggest");
    let state = rig.state();
    let review = &state["suggestions"][0];
    assert_eq!(review["event"], "COMMENT");
    assert_eq!(
        review["comments"],
        json!([{ "path": "value.py", "line": 2, "side": "RIGHT", "body": "```suggestion\n    return 2\n```" }])
    );
    assert_eq!(comments(&rig), Vec::<String>::new());
    assert!(run.outcome["notices"].to_string().contains("is suggested in"), "{run:?}");
}

#[test]
fn a_change_outside_the_diff_is_a_comment_with_the_reason() {
    for files in [
        json!([]),
        json!([{ "filename": "other.py", "patch": "@@ -1,9 +1,9 @@\n a" }]),
        json!([{ "filename": "value.py", "patch": "@@ -1 +1 @@\n-a\n+def two():" }]),
        json!([{ "filename": "value.py" }]),
    ] {
        let rig = Rig::new();
        at_work(&rig, &json!({}));
        rig.set_state(&json!({ "files": { "1": files } }));
        fixed(&rig, "suggest");
        assert_eq!(rig.state()["suggestions"], json!([]));
        let written = comments(&rig);
        let says = "`` the change is not suggested: `value.py` has changes outside the lines of the pull request ``";
        assert!(
            written.len() == 1 && written[0].contains(says.trim_matches(&['`', ' '][..])),
            "{written:?}"
        );
        assert!(
            written[0].contains("Proof: `tests`.") && written[0].contains("+    return 2"),
            "{written:?}"
        );
    }
}

#[test]
fn a_commit_is_added_to_a_branch_of_the_same_repository_and_nothing_is_overwritten() {
    let rig = Rig::new();
    at_work(&rig, &json!({}));
    let head = rig.git(&["rev-parse", "HEAD"]);
    fixed(&rig, "commit");
    assert_eq!(rig.remote(&["rev-parse", "work^"]), head);
    assert_eq!(rig.remote(&["show", "work:value.py"]), "def two():\n    return 2");
    assert!(rig.remote(&["log", "-1", "--format=%B", "work"]).contains("Papayu-Run: "));
    // The branch moved on: a person pushed to it.
    let rig = Rig::new();
    at_work(&rig, &json!({}));
    let theirs = rig.human_commit("work");
    fixed(&rig, "commit");
    assert_eq!(rig.remote(&["rev-parse", "work"]), theirs);
    assert!(
        comments(&rig)[0].contains("no commit is added: the base has moved"),
        "{:?}",
        comments(&rig)
    );
}

#[test]
fn a_fork_that_does_not_allow_it_gets_no_commit_and_a_strange_address_no_token() {
    let fork = |rig: &Rig, more: Value| {
        let mut changes =
            json!({ "owner": "mallory", "head_sha": rig.git(&["rev-parse", "HEAD"]) });
        changes.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        at_work(rig, &changes);
        let variables = [("GITHUB_TOKEN", TOKEN), ("GITHUB_REF", "refs/pull/1/merge")];
        rig.fix_with(&["--emit", "commit"], &variables)
    };
    let rig = Rig::new();
    let run = fork(&rig, json!({}));
    assert_eq!(run.code, 0, "{run:?}");
    assert!(
        comments(&rig)[0].contains("its author does not allow commits"),
        "{:?}",
        comments(&rig)
    );
    // The address is on another host, which gets no token and refuses the push.
    let rig = Rig::new();
    let elsewhere = format!("{}/o/r.git", rig.git.url.replace("127.0.0.1", "localhost"));
    let run = fork(&rig, json!({ "maintainer_can_modify": true, "clone_url": elsewhere }));
    assert_eq!(run.code, 0, "{run:?}");
    assert!(comments(&rig)[0].contains("no commit is added: cannot push"), "{:?}", comments(&rig));
    assert_eq!(rig.remote(&["rev-parse", "work"]), rig.git(&["rev-parse", "HEAD"]));
    let rig = Rig::new();
    let own = format!("{}/o/r.git", rig.git.url);
    let run = fork(&rig, json!({ "maintainer_can_modify": true, "clone_url": own }));
    assert_eq!(run.code, 0, "{run:?}");
    assert_eq!(rig.remote(&["show", "work:value.py"]), "def two():\n    return 2");
}

#[test]
fn there_is_one_comment_and_that_of_a_stranger_stays() {
    let rig = Rig::new();
    at_work(&rig, &json!({}));
    let forged = "<!-- papayu-batch-comment -->\nAll is well, merge me";
    rig.set_state(&json!({ "comments": [{ "id": 1, "number": 1, "body": forged, "own": false }] }));
    fixed(&rig, "comment");
    fixed(&rig, "comment");
    let written = comments(&rig);
    assert_eq!((written.len(), written[0].as_str()), (2, forged), "{written:?}");
    assert!(
        written[1].starts_with("<!-- papayu-batch-comment -->\n### papayu-batch: fixed"),
        "{written:?}"
    );
}

#[test]
fn a_change_that_is_not_proved_says_so_and_words_of_others_ping_no_one() {
    let rig = Rig::new();
    without_command(&rig);
    at_work(&rig, &json!({}));
    let reply = rig.at("reply.json");
    fs::write(
        rig.at("log.txt"),
        "FAIL: test_two (@everyone fixes #1 <!-- x -->)\nAssertionError: @ann 3 != 2\n",
    )
    .unwrap();
    let words = ["apply", "--plan", reply.to_str().unwrap(), "--emit", "comment"];
    let run = rig.call(&words, &[("GITHUB_TOKEN", TOKEN)]);
    assert_eq!(run.text("outcome"), "planned", "{run:?}");
    let written = comments(&rig);
    assert!(
        written[0].contains("**This change is not proved: no command passed with it.**"),
        "{written:?}"
    );
    let log = rig.at("log.txt").display().to_string();
    let words = ["fix", "--log", &log, "--provider", "suggestions", "--emit", "comment"];
    let run = rig.call(&words, &[("GITHUB_TOKEN", TOKEN)]);
    assert_eq!(run.text("outcome"), "not_fixed", "{run:?}");
    let written = comments(&rig);
    assert_eq!(written.len(), 1);
    let outside: String = written[0].split('`').step_by(2).collect();
    assert!(
        !outside.contains("@ann") && !outside.contains("@everyone") && !outside.contains("#1"),
        "{outside}"
    );
}

#[test]
fn a_failure_of_the_infrastructure_is_reported_once() {
    let rig = Rig::new();
    without_command(&rig);
    let log = rig.at("log.txt").display().to_string();
    fs::write(&log, "npm ERR! code ENOTFOUND\nnpm ERR! network request to https://registry.npmjs.org/x failed, reason: getaddrinfo ENOTFOUND registry.npmjs.org\n").unwrap();
    for _ in 0..2 {
        let words = ["fix", "--log", &log, "--provider", "suggestions", "--emit", "issue"];
        let run = rig.call(&words, &[("GITHUB_TOKEN", TOKEN)]);
        assert_eq!((run.code, run.text("failure_class")), (1, "infrastructure"), "{run:?}");
        assert!(run.outcome["notices"].to_string().contains("/issues/100"), "{run:?}");
    }
    let state = rig.state();
    let issues = state["own_issues"].as_array().unwrap();
    assert_eq!(
        (issues.len(), &issues[0]["title"]),
        (1, &json!("CI fails because of its infrastructure"))
    );
    // A failure of the code is none.
    let rig = Rig::new();
    rig.fix(&["--emit", "issue"]);
    assert_eq!(rig.state()["own_issues"], json!([]));
}
