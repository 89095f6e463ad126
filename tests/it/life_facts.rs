//! What the forge knows before and after a pull request: checks of the base, signatures, owners, checks that never ran.
#![expect(clippy::disallowed_methods, reason = "tests look at the disk themselves")]

use std::fs;

use serde_json::{Value, json};

use crate::forge_rig::{Rig, Run, TOKEN};

/// A check as the stand-in lists it.
fn check(name: &str, conclusion: Option<&str>) -> Value {
    json!({ "id": 1, "name": name, "conclusion": conclusion })
}

/// A work branch whose workflow run 78 failed in the job `test`, and its pull request into `main`.
fn failed_run() -> Rig {
    let rig = Rig::new();
    rig.git(&["checkout", "-q", "-b", "work"]);
    rig.set_state(&json!({
        "jobs": { "78": [{ "id": 3, "name": "test", "conclusion": "failure" }] },
        "runs": { "78": { "id": 78, "workflow_id": 9, "head_branch": "work", "conclusion": "failure" } },
        "logs": { "3": "2026-01-01T00:00:00.0000000Z AssertionError: 3 != 2\n" },
        "pulls": [{ "number": 1, "state": "open", "title": "Work", "body": "", "draft": false, "head": "work",
                    "head_sha": rig.git(&["rev-parse", "HEAD"]), "base": "main",
                    "base_sha": rig.git(&["rev-parse", "HEAD"]) }],
    }));
    rig
}

fn fix_run(rig: &Rig, flags: &[&str]) -> Run {
    let words = ["fix", "--github-run", "78", "--provider", "suggestions", "--run", "false"];
    let variables = [("GITHUB_TOKEN", TOKEN), ("GITHUB_REPOSITORY", "o/r")];
    rig.call(&[&words[..], flags].concat(), &variables)
}

#[test]
fn a_check_that_fails_on_the_base_too_is_not_the_fault_of_the_work() {
    let rig = failed_run();
    let base = rig.remote(&["rev-parse", "main"]);
    rig.set_state(&json!({ "commit_checks": { &base: [check("test", Some("failure"))] } }));
    let run = fix_run(&rig, &[]);
    assert_eq!(run.end(), (1, "not_fixed", None), "{run:?}");
    assert_eq!(run.text("failure_class"), "red_on_base");
    assert_eq!(
        run.text("reason"),
        format!(
            "the failure is not one of this change: `test` fails on `main` ({}) too; nothing was changed",
            base.get(..12).unwrap()
        )
    );
    let spent =
        (&run.outcome["requests"], &run.outcome["cost_usd"], &run.outcome["verify"]["before"]);
    assert_eq!(spent, (&json!(0), &json!(0.0), &Value::Null));
    // Another job of the base failed, this one did not, or the user wants it fixed there.
    assert_ne!(fix_run(&rig, &["--fix-base"]).text("failure_class"), "red_on_base");
    for checks in [
        vec![check("lint", Some("failure"))],
        vec![check("test", Some("success"))],
        vec![check("test", Some("failure")), check("test", Some("success"))],
        vec![check("test", None)],
        Vec::new(),
    ] {
        rig.set_state(&json!({ "commit_checks": { &base: checks } }));
        let run = fix_run(&rig, &[]);
        assert_ne!(run.text("failure_class"), "red_on_base", "{checks:?} {run:?}");
    }
}

#[test]
fn a_failure_that_the_base_no_longer_has_is_fixed_there() {
    let rig = failed_run();
    let old = rig.remote(&["rev-parse", "main"]);
    let new = rig.human_commit("main");
    let state = |newest: &str| {
        json!({ "commit_checks": {
            &old: [check("test", Some("failure"))], &new: [check("test", Some(newest))] } })
    };
    rig.set_state(&state("success"));
    let run = fix_run(&rig, &[]);
    assert_eq!(run.end(), (0, "nothing_to_fix", None), "{run:?}");
    let expected = format!(
        "fixed on `main` by {}: `test` failed there and passes now",
        new.get(..12).unwrap()
    );
    assert_eq!(
        (run.text("reason"), run.text("hint")),
        (expected.as_str(), "merge `main` into this branch")
    );
    rig.set_state(&state("skipped"));
    assert_eq!(fix_run(&rig, &[]).text("failure_class"), "red_on_base", "skipped is no pass");
}

#[test]
fn a_forge_that_does_not_answer_leaves_the_run_as_it_is() {
    let rig = failed_run();
    rig.faults(
        &json!([{ "method": "GET", "path": "/check-runs", "status": 403, "times": 9, "body": {} }]),
    );
    let run = fix_run(&rig, &[]);
    assert_ne!(run.text("failure_class"), "red_on_base");
    assert!(run.stderr.contains("is not compared with the checks of its base"), "{run:?}");
}

#[test]
fn the_same_failure_of_another_job_is_linked_and_costs_nothing() {
    let rig = Rig::new();
    assert_eq!(rig.fix(&["--emit", "pr"]).code, 0);
    let tip = rig.remote(&["rev-parse", &rig.branches()[0]]);
    let again = |rig: &Rig| {
        let words = [
            "fix",
            "--provider",
            "suggestions",
            "--run",
            crate::forge_rig::COMMAND,
            "--emit",
            "pr",
        ];
        rig.call(&words, &[("GITHUB_TOKEN", TOKEN)])
    };
    let run = again(&rig);
    assert_eq!(run.end(), (0, "nothing_to_fix", None), "{run:?}");
    let url = "https://github.example/o/r/pull/1";
    assert_eq!(
        (run.text("reason"), run.text("pr_url")),
        (format!("the same failure has a fix already: {url}").as_str(), url)
    );
    assert_eq!(rig.remote(&["rev-parse", &rig.branches()[0]]), tip);
    // Its checks failed, so that it is no fix.
    rig.set_state(&json!({ "commit_checks": { &tip: [check("test", Some("failure"))] } }));
    assert_eq!(again(&rig).text("pr_url"), "");
}

#[test]
fn checks_that_never_ran_are_named_and_are_no_pass() {
    let held =
        json!([{ "id": 5, "name": "CI", "status": "completed", "conclusion": "action_required" }]);
    for (checks, workflows, state, says) in [
        (vec![check("test", Some("success"))], json!([]), "success", ""),
        (vec![check("test", Some("skipped"))], json!([]), "skipped", "these are skipped: `test`"),
        (vec![check("test", Some("cancelled"))], json!([]), "neutral", "these are neutral: `test`"),
        (vec![check("test", Some("failure"))], json!([]), "failure", "failed: `test`"),
        (vec![check("test", None)], json!([]), "pending", "have not ended: `test`"),
        (
            vec![check("lint", Some("success"))],
            held,
            "action_required",
            "after a person approves them: `CI`",
        ),
        (Vec::new(), json!([]), "none", "no check ran for the pull request"),
    ] {
        let rig = Rig::new();
        rig.set_state(&json!({ "every_commit_checks": checks, "every_workflow": workflows }));
        let run = rig.fix(&["--emit", "pr", "--wait-checks=1"]);
        assert_eq!(run.end(), (0, "fixed", None), "{run:?}");
        assert_eq!(run.outcome["pr_checks"]["state"], state, "{run:?}");
        let notices = run.outcome["notices"].to_string();
        assert!(
            notices.contains(says) && (notices == "[]") == says.is_empty(),
            "{state}: {notices}"
        );
    }
}

/// Has the remote refuse commits without a signature on our branches, as a rule of GitHub does.
fn require_signatures(rig: &Rig, rules: &Value) {
    let hook = rig.at("remote/o/r.git/hooks/pre-receive");
    let script = "#!/bin/sh\nwhile read old new ref; do\n  case $new in 0000*) continue;; esac\n  for it in $(git rev-list $new --not --branches); do\n    \
        git cat-file commit $it | grep -q '^gpgsig ' || { echo 'Commits must have verified signatures.' >&2; exit 1; }\n  done\ndone\n";
    fs::write(&hook, script).unwrap();
    let executable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    fs::set_permissions(&hook, executable).unwrap();
    rig.set_state(rules);
}

#[test]
fn where_signatures_are_required_the_forge_makes_the_commit() {
    let ruleset = json!({ "rules": { "main": [{ "type": "required_signatures" }] } });
    let classic = json!({ "classic_rules": { "main": { "requiresSignatures": true } } });
    for rules in [ruleset, classic] {
        let rig = Rig::new();
        require_signatures(&rig, &rules);
        check_signed_commits(&rig);
    }
}

/// Publishes two attempts and looks at their commits.
fn check_signed_commits(rig: &Rig) {
    let run = rig.fix(&["--emit", "pr"]);
    assert_eq!((run.end(), &run.outcome["notices"]), ((0, "fixed", None), &json!([])), "{run:?}");
    let branch = run.text("branch").to_owned();
    let commit = rig.remote(&["cat-file", "commit", &branch]);
    assert!(commit.contains("gpgsig ") && commit.contains("committer GitHub"), "{commit}");
    assert!(commit.ends_with("Papayu-Attempt: 1"), "{commit}");
    assert_eq!(rig.remote(&["diff", "--name-only", "main", &branch]), "value.py");
    assert_eq!(rig.branches(), [branch.as_str()], "the branch in between is gone");
    // The next attempt replaces it, and the pull request stays the same one.
    rig.reply("return 1 + 1");
    let run = rig.fix(&["--emit", "pr"]);
    assert_eq!((run.code, run.outcome["pr_number"].as_u64()), (0, Some(1)), "{run:?}");
    let commit = rig.remote(&["cat-file", "commit", &branch]);
    assert!(commit.contains("gpgsig ") && commit.ends_with("Papayu-Attempt: 2"), "{commit}");
    assert_eq!(rig.state()["pulls"].as_array().unwrap().len(), 1);
}

#[test]
fn a_mode_that_the_forge_cannot_store_and_another_content_leave_the_commit_to_git() {
    let rig = Rig::new();
    rig.set_state(
        &json!({ "rules": { "main": [{ "type": "required_signatures" }] }, "wrong_commit": true }),
    );
    let run = rig.fix(&["--emit", "pr"]);
    assert_eq!(run.end(), (0, "fixed", None), "{run:?}");
    let notices = run.outcome["notices"].to_string();
    assert!(notices.contains("the commit of the forge is not the checked change"), "{notices}");
    let branch = run.text("branch").to_owned();
    assert_eq!(rig.remote(&["diff", "--name-only", "main", &branch]), "value.py");
    assert_eq!(rig.branches(), [branch.as_str()]);
    let rig = Rig::new();
    let executable: fs::Permissions = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    fs::set_permissions(rig.at("repo/value.py"), executable).unwrap();
    rig.commit("Executable");
    let bare = rig.at("remote/o/r.git");
    rig.git(&["push", "-q", bare.to_str().unwrap(), "main"]);
    let run = rig
        .fix_with(&["--emit", "pr"], &[("GITHUB_TOKEN", TOKEN), ("PAPAYU_PR_API_COMMITS", "true")]);
    assert_eq!(run.end(), (0, "fixed", None), "{run:?}");
    assert!(run.outcome["notices"].to_string().contains("the mode of `value.py`"), "{run:?}");
    let listed = rig.remote(&["ls-tree", run.text("branch"), "value.py"]);
    assert!(listed.starts_with("100755 "), "{listed}");
}

#[test]
fn owners_are_asked_and_nothing_of_theirs_is_merged_without_them() {
    let rig = Rig::new();
    rig.write(
        ".github/CODEOWNERS",
        "* @everyone-else\n*.py @ann @o/core @other/core-2 py@example.com\n",
    );
    rig.commit("Owners");
    let bare = rig.at("remote/o/r.git");
    rig.git(&["push", "-q", bare.to_str().unwrap(), "main"]);
    let required = json!([{ "type": "required_status_checks",
        "parameters": { "required_status_checks": [{ "context": "test" }] } }]);
    rig.set_state(&json!({ "rules": { "main": required } }));
    let run = rig.fix(&["--emit", "pr", "--auto-merge"]);
    assert_eq!(run.end(), (0, "fixed", None), "{run:?}");
    let state = rig.state();
    assert_eq!(
        state["reviews"]["1"],
        json!([{ "reviewers": ["ann"], "team_reviewers": ["core"] }])
    );
    assert_eq!(state["auto_merge"], json!([]));
    assert!(run.outcome["notices"].to_string().contains("owners in `CODEOWNERS`"), "{run:?}");
    assert!(!state["pulls"][0]["body"].as_str().unwrap().contains("@ann"));
}
