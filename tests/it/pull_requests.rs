//! From a red build to one pull request, whatever came before it and whatever the forge answers.

use serde_json::{Value, json};

use crate::forge_rig::{Rig, TOKEN};

fn pulls(rig: &Rig) -> Vec<Value> {
    rig.state()["pulls"].as_array().unwrap().clone()
}

/// Returns how often a request was sent: method, and a part of the path.
fn sent(rig: &Rig, method: &str, path: &str) -> usize {
    let state = rig.state();
    let requests = state["requests"].as_array().unwrap().iter();
    requests
        .filter(|it| it["method"] == method && it["path"].as_str().unwrap().contains(path))
        .count()
}

#[test]
fn a_fix_becomes_one_branch_and_one_pull_request_and_nothing_else_moves() {
    let rig = Rig::new();
    let run = rig.fix(&["--emit", "pr"]);
    assert_eq!(run.end(), (0, "fixed", None), "{run:?}");
    let branch = format!("papayu/fix-{}", run.text("fingerprint"));
    assert_eq!(rig.branches().join(" "), branch);
    assert_eq!(run.text("branch"), branch);
    assert_eq!(run.text("pr_url"), "https://github.example/o/r/pull/1");
    assert_eq!(run.outcome["attempt_total"], 1);
    assert_eq!(rig.remote(&["show", &format!("{branch}:value.py")]), "def two():\n    return 2");
    assert_eq!(rig.remote(&["diff", "--name-only", "main", &branch]), "value.py");
    let message = rig.remote(&["log", "-1", "--format=%B", &branch]);
    let (id, fingerprint) = (run.text("run_id"), run.text("fingerprint"));
    assert_eq!(
        message,
        format!(
            "Fix test_value.ValueTest.test_two_is_two\n\n`python3 -m unittest -v` failed before the change and passes after it: 1\nfailing test passes\n\n\
             Papayu-Run: {id}\nPapayu-Fingerprint: {fingerprint}\nPapayu-Attempt: 1"
        )
    );
    let pulls = pulls(&rig);
    assert_eq!(pulls.len(), 1);
    assert_eq!((&pulls[0]["base"], &pulls[0]["draft"]), (&json!("main"), &json!(false)));
    let body = pulls[0]["body"].as_str().unwrap();
    for part in [
        "What failed", "Why", "What changed", "Proof", "exit code 1", "exit code 0", "Cost", "Undo",
    ] {
        assert!(body.contains(part), "{part}: {body}");
    }
    assert_eq!(rig.git(&["branch", "--list", "papayu/*"]), "", "nothing is left in the clone");
}

#[test]
fn fifty_runs_on_one_failure_make_one_branch_and_one_pull_request_of_two_attempts() {
    let rig = Rig::new();
    let mut ends = Vec::new();
    for number in 0..50 {
        rig.reply(&format!("return 2  # {number}"));
        let run = rig.fix(&["--emit", "pr", "--quiet"]);
        ends.push((run.code, run.outcome["attempt_total"].as_u64()));
        if number == 2 {
            assert_eq!(run.text("outcome"), "not_fixed");
            assert!(run.text("reason").starts_with("2 attempts were made at failure"), "{run:?}");
        }
    }
    assert_eq!(ends[..2], [(0, Some(1)), (0, Some(2))]);
    assert!(ends[2..].iter().all(|end| *end == (1, None)), "{ends:?}");
    assert_eq!(rig.branches().len(), 1);
    let pulls = pulls(&rig);
    assert_eq!(pulls.len(), 1);
    let body = pulls[0]["body"].as_str().unwrap();
    assert!(body.lines().next().unwrap().contains("\"attempts\":2"), "{body}");
    assert_eq!(sent(&rig, "POST", "/pulls"), 1);
}

#[test]
fn a_closed_pull_request_stays_closed_until_the_user_says_otherwise() {
    let rig = Rig::new();
    assert_eq!(rig.fix(&["--emit", "pr"]).code, 0);
    let mut closed = pulls(&rig);
    closed[0]["state"] = json!("closed");
    rig.set_state(&json!({ "pulls": closed }));
    let tip = rig.remote(&["rev-parse", &rig.branches()[0]]);
    let run = rig.fix(&["--emit", "pr"]);
    assert_eq!(run.end(), (1, "not_fixed", None), "{run:?}");
    assert!(run.text("reason").contains("is not reopened"), "{run:?}");
    assert_eq!(rig.remote(&["rev-parse", &rig.branches()[0]]), tip);
    let run = rig.fix(&["--emit", "pr", "--reopen"]);
    assert_eq!((run.code, run.outcome["pr_number"].as_u64()), (0, Some(1)), "{run:?}");
    assert_eq!(pulls(&rig)[0]["state"], "open");
    assert_eq!(pulls(&rig).len(), 1);
}

#[test]
fn a_branch_whose_pull_request_was_never_opened_gets_it() {
    let rig = Rig::new();
    let broken = json!([{ "method": "POST", "path": "/pulls", "status": 422, "times": 9,
        "body": { "message": "Validation Failed", "errors": [{ "message": "not today" }] } }]);
    rig.faults(&broken);
    let run = rig.fix(&["--emit", "pr"]);
    assert_eq!(run.end(), (6, "publish_failed", Some("ERR_FORGE_INVALID")), "{run:?}");
    assert!(run.text("reason").contains("not today"), "{run:?}");
    assert!(!run.text("patch_path").is_empty(), "the change is not lost");
    assert_eq!((rig.branches().len(), pulls(&rig).len()), (1, 0));
    rig.faults(&json!([]));
    let run = rig.fix(&["--emit", "pr"]);
    assert_eq!((run.code, run.outcome["attempt_total"].as_u64()), (0, Some(1)), "{run:?}");
    assert_eq!((rig.branches().len(), pulls(&rig).len()), (1, 1));
}

#[test]
fn labels_reviewers_draft_and_auto_merge_come_on_request_and_their_failure_harms_nothing() {
    let rig = Rig::new();
    let wanted =
        ["--label=ci,fix", "--reviewer=ann", "--reviewer=team/core", "--draft", "--auto-merge"];
    rig.set_state(&json!({ "rules": { "main": [{ "type": "required_status_checks",
        "parameters": { "required_status_checks": [{ "context": "test" }] } }] } }));
    let run = rig.fix(&[&["--emit", "pr"], &wanted[..]].concat());
    assert_eq!((run.code, &run.outcome["notices"]), (0, &json!([])), "{run:?}");
    let state = rig.state();
    assert_eq!(state["labels"], json!({ "1": ["ci", "fix"] }));
    assert_eq!(
        state["reviews"]["1"][0],
        json!({ "reviewers": ["ann"], "team_reviewers": ["core"] })
    );
    assert_eq!(
        (&state["pulls"][0]["draft"], &state["auto_merge"]),
        (&json!(true), &json!(["PR_1"]))
    );
    rig.reply("return 1 + 1");
    let run = rig.fix(&["--emit", "pr", "--reviewer=nobody"]);
    assert_eq!(run.end(), (0, "fixed", None), "{run:?}");
    assert!(run.outcome["notices"][0].as_str().unwrap().contains("collaborators"), "{run:?}");
}

#[test]
fn the_forge_is_asked_again_when_it_asks_to_wait_or_stumbles() {
    let rig = Rig::new();
    let secondary = json!({ "message": "You have exceeded a secondary rate limit." });
    rig.faults(&json!([
        { "method": "POST", "path": "/pulls", "status": 403, "times": 1, "headers": { "Retry-After": "1" }, "body": secondary },
        { "method": "POST", "path": "/pulls", "status": 502, "times": 1 },
        { "method": "GET", "path": "/pulls", "status": 500, "times": 2 },
    ]));
    let run = rig.fix(&["--emit", "pr"]);
    assert_eq!(run.end(), (0, "fixed", None), "{run:?}");
    assert!(run.stderr.contains("no answer from the forge ("), "{run:?}");
    assert_eq!((sent(&rig, "POST", "/pulls"), pulls(&rig).len()), (3, 1));
}

#[test]
fn a_pull_request_that_was_opened_although_the_answer_got_lost_is_found() {
    let rig = Rig::new();
    let exists = json!({ "message": "Validation Failed", "errors": [{ "message": "A pull request already exists for o:x." }] });
    let run = rig.fix(&["--emit", "pr"]);
    let hidden = json!([
        { "method": "GET", "path": "/pulls", "status": 200, "times": 2, "body": [] },
        { "method": "POST", "path": "/pulls", "status": 422, "times": 1, "body": exists },
    ]);
    rig.faults(&hidden);
    let again = rig.fix(&["--emit", "pr"]);
    assert_eq!(
        (again.code, &again.outcome["pr_number"]),
        (0, &run.outcome["pr_number"]),
        "{again:?}"
    );
    assert_eq!(pulls(&rig).len(), 1);
}

#[test]
fn every_page_of_pull_requests_is_read() {
    let rig = Rig::with(&["--page", "1"]);
    let run = rig.fix(&["--emit", "pr"]);
    let mut all = pulls(&rig);
    // Two that were merged since, the newest first on pages of their own; the ledger is in the oldest.
    for number in 2..=3 {
        let mut later = all[0].clone();
        later["number"] = json!(number);
        later["body"] = json!("rewritten by a person");
        (later["state"], later["merged_at"]) = (json!("closed"), json!("2026-01-01T00:00:00Z"));
        all.push(later);
    }
    (all[0]["state"], all[0]["merged_at"]) = (json!("closed"), json!("2026-01-01T00:00:00Z"));
    rig.set_state(&json!({ "pulls": all }));
    rig.remote(&["branch", "-D", run.text("branch")]);
    let next = rig.fix(&["--emit", "pr"]);
    assert_eq!(next.outcome["attempt_total"].as_u64(), Some(2), "{next:?}");
    assert!(sent(&rig, "GET", "page=3") >= 1);
}

#[test]
fn what_we_made_ourselves_never_starts_another_fix() {
    let rig = Rig::new();
    let run = rig.fix(&["--emit", "branch"]);
    assert_eq!(run.end(), (0, "fixed", None), "{run:?}");
    assert!(run.stderr.contains(run.text("branch")), "{run:?}");
    assert_eq!(
        rig.git(&["show", &format!("{}:value.py", run.text("branch"))]),
        "def two():\n    return 2"
    );
    // A red commit on top of ours, on our branch; then ours, on a branch of another name.
    rig.git(&["checkout", "-q", run.text("branch")]);
    rig.write("value.py", "def two():\n    return 3\n");
    rig.commit("Break it");
    let run = rig.fix(&["--emit", "pr"]);
    assert_eq!(run.end(), (1, "not_fixed", None), "{run:?}");
    assert!(run.text("reason").contains("never chases its own tail"), "{run:?}");
    rig.git(&["checkout", "-q", "-b", "other", "HEAD~1"]);
    let run = rig.fix(&["--emit", "bundle"]);
    assert!(run.text("reason").contains("was made by papayu-batch itself"), "{run:?}");
    assert_eq!((rig.branches().len(), pulls(&rig).len()), (0, 0));
}

#[test]
fn a_push_with_the_jobs_own_token_says_that_no_ci_follows() {
    let rig = Rig::new();
    let job = [("GITHUB_TOKEN", TOKEN), ("GITHUB_ACTIONS", "true")];
    let run = rig.fix_with(&["--emit", "pr"], &job);
    assert!(
        run.outcome["notices"][0]
            .as_str()
            .unwrap()
            .contains("after a person with write access approves"),
        "{run:?}"
    );
    rig.reply("return 1 + 1");
    let own = [("PAPAYU_GITHUB_TOKEN", TOKEN), ("GITHUB_ACTIONS", "true")];
    let run = rig.fix_with(&["--emit", "pr"], &own);
    assert_eq!((run.code, &run.outcome["notices"]), (0, &json!([])), "{run:?}");
}

#[test]
fn an_enterprise_server_is_asked_below_its_own_path() {
    let mut rig = Rig::with(&["--enterprise", "--page", "1"]);
    let root = rig.api_url.clone();
    let run = rig.fix(&["--emit", "pr"]);
    assert_eq!(run.end(), (6, "publish_failed", Some("ERR_FORGE_NOT_FOUND")), "{run:?}");
    rig.api_url = format!("{root}/api/v3/");
    rig.set_state(&json!({ "rules": { "main": [{ "type": "required_status_checks",
        "parameters": { "required_status_checks": [{ "context": "test" }] } }] } }));
    let run = rig.fix(&["--emit", "pr", "--draft", "--auto-merge", "--label", "ci", "--check-run"]);
    assert_eq!((run.end(), &run.outcome["notices"]), ((0, "fixed", None), &json!([])), "{run:?}");
    let state = rig.state();
    assert_eq!(
        (&state["labels"], &state["auto_merge"]),
        (&json!({ "1": ["ci"] }), &json!(["PR_1"]))
    );
    assert_eq!(
        (sent(&rig, "POST", "/api/v3/repos/o/r/pulls"), sent(&rig, "POST", "/api/graphql")),
        // The protection of the target branch, and auto-merge.
        (1, 2)
    );
}

#[test]
fn a_quota_that_is_used_up_is_told_with_the_moment_when_it_is_filled_again() {
    let rig = Rig::new();
    let spent = json!({ "message": "API rate limit exceeded for installation ID 1." });
    let headers = json!({ "X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "4102444800" });
    rig.faults(&json!([{ "method": "POST", "path": "/pulls", "status": 403, "times": 9, "headers": headers, "body": spent }]));
    let run = rig.fix(&["--emit", "pr"]);
    assert_eq!(run.end(), (6, "publish_failed", Some("ERR_FORGE_RATE_LIMIT")), "{run:?}");
    assert!(run.text("reason").contains("the limit ends at 2100-01-01T00:00:00Z"), "{run:?}");
    assert_eq!(sent(&rig, "POST", "/pulls"), 1, "it is not asked in vain");
    // Meanwhile the moment has come.
    let headers = json!({ "X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1" });
    rig.faults(&json!([{ "method": "POST", "path": "/pulls", "status": 403, "times": 1, "headers": headers, "body": spent }]));
    let run = rig.fix(&["--emit", "pr"]);
    assert_eq!(run.end(), (0, "fixed", None), "{run:?}");
}
