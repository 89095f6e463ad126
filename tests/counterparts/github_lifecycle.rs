//! GitHub's calls after a pull request is known, compared with GitHub's description of its API and its GraphQL schema.

use std::fs;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use papayu_base::domain::{AccessToken, NoEvents};
use papayu_base::text::Masker;
use papayu_forge::{
    CheckConclusion, CommitCheck, ForgeCommit, ForgeConfig, ForgeFault, GitHub, Lifecycle as _,
    Outside, Posted, PullClosing, PullRequestSpec, ReviewSpec, StickyText, Suggestion,
};
use papayu_forge::{Forge as _, PullFile};
use papayu_system::System;
use papayu_system::os::{OsClock, OsDisk, OsHttp, OsProcess};
use serde_json::json;

use crate::forge_rig::{Rig, TOKEN};
use crate::github::rig;
use crate::judges;

/// Asks GitHub as the program does.
fn ask(rig: &Rig, question: impl FnOnce(&GitHub<'_>)) {
    let flag = Arc::<AtomicBool>::default();
    let (process, http) = (OsProcess::new(flag.clone(), Vec::new()), OsHttp::new(flag.clone()));
    let (disk, clock) = (OsDisk, OsClock::new(flag));
    let system = System { disk: &disk, process: &process, http: &http, clock: &clock };
    let config = ForgeConfig {
        api_url: rig.api_url.clone(),
        repository: "o/r".to_owned(),
        token: Some(AccessToken::new(&TOKEN.into())),
        ..ForgeConfig::default()
    };
    let masker = Masker::new(Vec::new());
    let outside = Outside { system, events: &NoEvents, masker: &masker };
    question(&GitHub::new(&config, outside).unwrap());
}

/// Opens a pull request from a branch of the repository.
fn open(rig: &Rig, forge: &GitHub<'_>, head: &str) -> u64 {
    rig.remote(&["branch", "-f", head, "main"]);
    let spec = PullRequestSpec {
        title: "Fix it".to_owned(),
        body: String::new(),
        head: head.to_owned(),
        base: "main".to_owned(),
        draft: false,
    };
    forge.open(&spec).unwrap().number
}

/// The documents that the stand-in got are valid in GitHub's schema, with their variables.
fn assert_valid_graphql(rig: &Rig, at_least: usize) {
    let state = rig.state();
    let requests = state["requests"].as_array().unwrap().iter();
    let sent: Vec<_> =
        requests.filter(|it| it["path"] == "/graphql").map(|it| it["body"].clone()).collect();
    assert!(sent.len() >= at_least, "{sent:?}");
    let file = rig.at("graphql.json");
    fs::write(&file, serde_json::to_string(&sent).unwrap()).unwrap();
    let checked = Command::new("node")
        .arg(judges::beside("graphql_check.mjs"))
        .arg(&file)
        .current_dir(judges::home())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&checked.stdout) + String::from_utf8_lossy(&checked.stderr);
    assert!(checked.status.success(), "{said}");
}

#[test]
fn checks_rules_files_and_pull_requests_are_read_by_the_book() {
    let (rig, prism) = rig();
    let commit = rig.git(&["rev-parse", "HEAD"]);
    let check = |id: u64, name: &str, conclusion: Option<&str>| json!({ "id": id, "name": name, "conclusion": conclusion });
    rig.set_state(&json!({
        "commit_checks": { &commit: [check(1, "test", Some("failure")), check(2, "lint", None)] },
        "commit_statuses": { &commit: [{ "context": "legacy", "state": "success" }] },
        "workflows": { &commit: [{ "id": 5, "name": "CI", "status": "completed", "conclusion": "action_required" }] },
        "rules": { "main": [{ "type": "required_signatures", "ruleset_source_type": "Repository",
                              "ruleset_source": "o/r", "ruleset_id": 1 }] },
        "files": { "1": [{ "filename": "value.py", "patch": "@@ -1 +1 @@\n-a\n+b" }] },
    }));
    let named = |name: &str, conclusion| CommitCheck { name: name.to_owned(), conclusion };
    ask(&rig, |forge| {
        let checks = forge.commit_checks(&commit).unwrap();
        let expected = [
            named("test", CheckConclusion::Failure),
            named("lint", CheckConclusion::Pending),
            named("legacy", CheckConclusion::Success),
            named("CI", CheckConclusion::ActionRequired),
        ];
        assert_eq!(checks, expected);
        let state = forge.branch_state("main").unwrap().unwrap();
        assert_eq!((state.commit.as_str(), state.requires_signatures), (commit.as_str(), true));
        assert_eq!(forge.branch_state("none").unwrap(), None);
        let classic = json!({ "main": { "requiresSignatures": true } });
        rig.set_state(&json!({ "rules": {}, "classic_rules": classic }));
        assert!(forge.branch_state("main").unwrap().unwrap().requires_signatures);
        let number = open(&rig, forge, "papayu/fix-0123456789ab");
        let pull = forge.pull_request(number).unwrap();
        assert_eq!((pull.head_repository.as_str(), pull.is_mergeable), ("o/r", Some(true)));
        assert_eq!(pull.head_commit, commit);
        rig.human_commit("main");
        forge.update_branch(&pull).unwrap();
        assert_ne!(rig.remote(&["rev-parse", &pull.head]), pull.head_commit);
        // The branch is at another commit now.
        assert_eq!(forge.update_branch(&pull).unwrap_err().fault, ForgeFault::Invalid);
        let patch = Some("@@ -1 +1 @@\n-a\n+b".to_owned());
        let files = vec![PullFile { path: "value.py".to_owned(), patch }];
        assert_eq!(forge.changed_files(number).unwrap(), files);
    });
    prism.assert_satisfied();
    assert_valid_graphql(&rig, 1);
}

#[test]
fn a_fork_that_names_its_branch_as_ours_is_not_ours() {
    let (rig, prism) = rig();
    ask(&rig, |forge| {
        open(&rig, forge, "papayu/fix-0123456789ab");
        open(&rig, forge, "papayu/fix-aaaaaaaaaaaa");
        open(&rig, forge, "feature");
        let mut pulls = rig.state()["pulls"].clone();
        pulls[1]["owner"] = json!("mallory");
        rig.set_state(&json!({ "pulls": pulls }));
        let ours = forge.open_pull_requests("papayu/").unwrap();
        let heads: Vec<&str> = ours.iter().map(|pull| pull.head.as_str()).collect();
        assert_eq!(heads, ["papayu/fix-0123456789ab"]);
        assert_eq!(forge.open_labelled("papayu-pause", None).unwrap(), None);
        rig.set_state(&json!({ "labels": { "3": ["papayu-pause"] } }));
        let paused = forge.open_labelled("papayu-pause", Some("o/r")).unwrap();
        assert_eq!(paused.as_deref(), Some("https://github.example/o/r/issues/3"));
    });
    prism.assert_satisfied();
}

#[test]
fn a_text_is_written_once_and_one_of_a_stranger_is_never_changed() {
    let (rig, prism) = rig();
    let forged = json!([{ "id": 1, "number": 1, "body": "<!-- mark -->\nforged", "own": false }]);
    rig.set_state(&json!({ "comments": forged }));
    ask(&rig, |forge| {
        open(&rig, forge, "papayu/fix-0123456789ab");
        let write = |body: &str| {
            forge.comment(1, StickyText { marker: "<!-- mark", body }).unwrap().is_update
        };
        assert!(!write("<!-- mark -->\none"));
        assert!(write("<!-- mark -->\ntwo"));
        let report = |body: &str| {
            forge.report_issue("Red", StickyText { marker: "<!-- mark", body }).unwrap()
        };
        let place = "https://github.example/o/r/issues/100".to_owned();
        assert_eq!(report("<!-- mark -->\na"), Posted { url: place.clone(), is_update: false });
        assert_eq!(report("<!-- mark -->\nb"), Posted { url: place, is_update: true });
        let (comment, body) = ("no longer needed".to_owned(), "closed".to_owned());
        forge.close(1, &PullClosing { comment, body }).unwrap();
        let review = ReviewSpec {
            commit: rig.git(&["rev-parse", "HEAD"]),
            body: "a fix".to_owned(),
            suggestions: vec![Suggestion {
                path: "value.py".to_owned(),
                start_line: 1,
                end_line: 2,
                replacement: "x\n".to_owned(),
            }],
        };
        forge.suggest(1, &review).unwrap();
    });
    let state = rig.state();
    let bodies: Vec<&str> = state["comments"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["body"].as_str().unwrap())
        .collect();
    assert_eq!(bodies, ["<!-- mark -->\nforged", "<!-- mark -->\ntwo", "no longer needed"]);
    let pull = &state["pulls"][0];
    assert_eq!((&pull["state"], &pull["body"]), (&json!("closed"), &json!("closed")));
    assert_eq!(state["suggestions"].as_array().unwrap().len(), 1);
    prism.assert_satisfied();
    assert_valid_graphql(&rig, 4);
}

#[test]
fn a_commit_by_the_api_is_made_on_the_expected_commit_only() {
    let (rig, prism) = rig();
    let head = rig.git(&["rev-parse", "HEAD"]);
    rig.remote(&["branch", "papayu/fix-0123456789ab", "main"]);
    let commit = ForgeCommit {
        repository: "o/r".to_owned(),
        branch: "papayu/fix-0123456789ab".to_owned(),
        parent: head,
        headline: "Fix it".to_owned(),
        message: "Papayu-Run: r".to_owned(),
        additions: vec![("value.py".to_owned(), b"def two():\n    return 2\n".to_vec())],
        deletions: vec!["test_value.py".to_owned()],
    };
    ask(&rig, |forge| {
        let oid = forge.commit_on_branch(&commit).unwrap();
        assert_eq!(rig.remote(&["rev-parse", &commit.branch]), oid);
        assert_eq!(rig.remote(&["ls-tree", "--name-only", &oid]), ".gitignore\nvalue.py");
        let again = forge.commit_on_branch(&commit).unwrap_err();
        assert_eq!(again.fault, ForgeFault::Exists);
    });
    prism.assert_satisfied();
    assert_valid_graphql(&rig, 2);
}
