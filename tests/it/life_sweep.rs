//! Sweeps over many pull requests: their requests are counted, and nothing is done twice.

use serde_json::{Value, json};

use crate::forge_rig::{Rig, TOKEN};
use crate::life::Act::{MainGreen, MainMoves, Open};
use crate::life::{act, set_checks, sweep};

#[test]
fn a_sweep_of_two_hundred_sends_at_most_three_requests_for_each() {
    let rig = Rig::new();
    let old = rig.remote(&["rev-parse", "main"]);
    let moved = rig.human_commit("main");
    rig.remote(&["branch", "release", &moved]);
    let pulls: Vec<Value> = (0..200)
        .map(|number| {
            let fingerprint = format!("{number:012x}");
            let marker = json!({ "fingerprint": fingerprint, "attempts": 1, "runs": ["r"], "commit": "c".repeat(40),
                "base": if number % 4 == 0 { &old } else { &moved } });
            json!({ "number": number + 1, "state": "open", "title": "Fix", "draft": false,
                "body": format!("<!-- papayu-batch: {marker} -->\n\nwords"), "head": format!("papayu/fix-{fingerprint}"),
                "head_sha": "c".repeat(40), "base": if number % 8 == 0 { "release" } else { "main" },
                "mergeable": number % 16 != 0 })
        })
        .collect();
    // `main` is green again; `release` is not, and half of the pull requests into it conflict.
    rig.set_state(&json!({ "pulls": pulls }));
    set_checks(&rig, &moved, &[Some("success")]);
    rig.human_file("release", "value.py", "released\n");
    let release = rig.remote(&["rev-parse", "release"]);
    let green = rig.state()["commit_checks"][&moved].clone();
    rig.set_state(&json!({ "commit_checks": {
        &moved: green, &release: [{ "id": 1, "name": "c", "conclusion": "failure" }] } }));
    let before = rig.state()["requests"].as_array().unwrap().len();
    let (code, printed) = sweep(&rig, TOKEN);
    assert_eq!(code, 0, "{printed}");
    let state = rig.state();
    let requests: Vec<Value> = state["requests"].as_array().unwrap()[before..].to_vec();
    let closed =
        state["pulls"].as_array().unwrap().iter().filter(|it| it["state"] == "closed").count();
    let updated = printed.lines().filter(|line| line.starts_with("updated ")).count();
    assert_eq!((closed, updated, printed.lines().count()), (38, 12, 200));
    let of_pull = |number: u64| {
        let ends = [
            format!("/pulls/{number}"),
            format!("/pulls/{number}/update-branch"),
            format!("/issues/{number}/comments"),
        ];
        requests
            .iter()
            .filter(|it| ends.iter().any(|end| it["path"].as_str().unwrap().ends_with(end)))
            .count()
    };
    let most = (1..=200).map(of_pull).max();
    assert_eq!(most, Some(3));
    // Two pages of the list; branch, rules, check runs, statuses and workflows of two bases; the pull requests.
    // A green base is two requests, a conflict three, an update two.
    assert_eq!(requests.len(), 2 + 2 * 5 + 25 * 2 + 13 * 3 + 12 * 2);
}

#[test]
fn a_page_that_moved_and_a_limit_in_the_middle_do_nothing_twice() {
    let rig = Rig::new();
    act(&rig, Open);
    act(&rig, MainMoves);
    act(&rig, MainGreen);
    let mut pulls = rig.state()["pulls"].as_array().unwrap().clone();
    pulls.push(pulls[0].clone());
    rig.set_state(&json!({ "pulls": pulls }));
    let (code, printed) = sweep(&rig, TOKEN);
    assert_eq!((code, printed.lines().count()), (0, 1), "{printed}");
    assert_eq!(rig.state()["comments"].as_array().unwrap().len(), 1);
    // The limit ends the sweep: the others are named and not asked for.
    let rig = Rig::new();
    act(&rig, Open);
    act(&rig, MainMoves);
    let mut pulls = rig.state()["pulls"].as_array().unwrap().clone();
    for number in 2..=4 {
        let mut pull = pulls[0].clone();
        pull["number"] = json!(number);
        pulls.push(pull);
    }
    rig.set_state(&json!({ "pulls": pulls }));
    // The newest one is first in the list of the stand-in.
    rig.faults(&json!([{ "method": "GET", "path": "/pulls/4", "status": 429, "times": 9,
        "headers": { "Retry-After": "7200" }, "body": { "message": "API rate limit exceeded" } }]));
    let before = rig.state()["requests"].as_array().unwrap().len();
    let (code, printed) = sweep(&rig, TOKEN);
    assert_eq!((code, printed.matches("failed ").count()), (6, 4), "{printed}");
    assert_eq!(printed.matches("not looked at").count(), 3, "{printed}");
    let asked = rig.state()["requests"].as_array().unwrap()[before..].to_vec();
    let of_pulls = asked.iter().filter(|it| it["path"].as_str().unwrap().contains("/pulls/"));
    assert_eq!(of_pulls.count(), 1);
}

#[test]
fn a_label_that_a_person_removed_stays_removed() {
    let rig = Rig::new();
    let run = rig.fix(&["--emit", "pr", "--label", "ci"]);
    assert_eq!(run.end(), (0, "fixed", None), "{run:?}");
    assert_eq!(rig.state()["labels"]["1"], json!(["ci"]));
    rig.set_state(&json!({ "labels": { "1": [] } }));
    rig.reply("return 1 + 1");
    let run = rig.fix(&["--emit", "pr", "--label", "ci"]);
    assert_eq!((run.code, run.outcome["attempt_total"].as_u64()), (0, Some(2)), "{run:?}");
    assert_eq!(rig.state()["labels"]["1"], json!([]));
}
