//! GitLab, Gitea, Bitbucket and Azure DevOps: a fix becomes a pull request, a second run updates it, logs are read.

use papayu_forge::ForgeKind;
use serde_json::{Value, json};

use crate::forge_rig::{READER, Rig, TOKEN};

/// Returns the words of every forge but GitHub, which has tests of its own.
fn other_forges() -> impl Iterator<Item = &'static str> {
    ForgeKind::ALL.iter().filter(|kind| **kind != ForgeKind::GitHub).map(|kind| kind.word())
}

/// Returns the pull requests as the stand-in knows them: number, state, head, base.
fn list_pulls(rig: &Rig) -> Vec<(u64, String, String, String)> {
    let state = rig.state();
    let text = |pull: &Value, name: &str| pull[name].as_str().unwrap().to_owned();
    let pulls = state["pulls"].as_array().unwrap().iter();
    pulls
        .map(|pull| {
            let number = pull["number"].as_u64().unwrap();
            (number, text(pull, "state"), text(pull, "head"), text(pull, "base"))
        })
        .collect()
}

#[test]
fn a_fix_is_opened_once_and_updated_on_every_forge() {
    for forge in other_forges() {
        let rig = Rig::at_forge(forge);
        let token = [("PAPAYU_FORGE_TOKEN", TOKEN)];
        let first = rig.fix_with(&["--emit", "pr", "--draft"], &token);
        assert_eq!(first.end(), (0, "fixed", None), "{forge}: {first:?}");
        let branch = first.text("branch").to_owned();
        let expected = vec![(1, "open".to_owned(), branch.clone(), "main".to_owned())];
        assert_eq!(list_pulls(&rig), expected, "{forge}");
        let body = rig.state()["pulls"][0]["body"].as_str().unwrap().to_owned();
        assert!(body.starts_with("<!-- papayu-batch: "), "{forge}: {body}");
        rig.reply("return 1 + 1");
        let second = rig.fix_with(&["--emit", "pr"], &token);
        assert_eq!(second.end(), (0, "fixed", None), "{forge}: {second:?}");
        assert_eq!(second.outcome["pr_number"], 1, "{forge}");
        assert_eq!(second.outcome["attempt_total"], 2, "{forge}");
        assert_eq!(list_pulls(&rig), expected, "{forge}");
        let pull = rig.state()["pulls"][0].clone();
        assert_ne!(pull["body"].as_str().unwrap(), body, "{forge}");
        // An update leaves a draft a draft.
        let title = pull["title"].as_str().unwrap();
        let is_draft = match forge {
            "gitlab" => title.starts_with("Draft: "),
            "gitea" => title.starts_with("WIP: "),
            _ => pull["draft"] == true,
        };
        assert!(is_draft, "{forge}: {pull}");
        assert_eq!(rig.branches(), [branch], "{forge}");
    }
}

#[test]
fn a_pull_request_that_a_person_closed_stays_closed_on_every_forge() {
    for forge in other_forges() {
        let rig = Rig::at_forge(forge);
        let token = [("PAPAYU_FORGE_TOKEN", TOKEN)];
        rig.fix_with(&["--emit", "pr"], &token);
        let mut pulls = rig.state()["pulls"].clone();
        pulls[0]["state"] = json!("closed");
        rig.set_state(&json!({ "pulls": pulls }));
        let run = rig.fix_with(&["--emit", "pr"], &token);
        assert_ne!(run.code, 0, "{forge}: {run:?}");
        assert_eq!(list_pulls(&rig).len(), 1, "{forge}");
        let reopened = rig.fix_with(&["--emit", "pr", "--reopen"], &token);
        assert_eq!(reopened.end(), (0, "fixed", None), "{forge}: {reopened:?}");
        let open = list_pulls(&rig).into_iter().filter(|pull| pull.1 == "open").count();
        assert_eq!(open, 1, "{forge}");
    }
}

#[test]
fn the_pull_request_of_another_run_is_taken_over_where_the_forge_refuses_a_second_one() {
    for (forge, path) in
        [("gitlab", "/merge_requests"), ("gitea", "/pulls"), ("azure", "/pullrequests")]
    {
        let rig = Rig::at_forge(forge);
        let token = [("PAPAYU_FORGE_TOKEN", TOKEN)];
        rig.fix_with(&["--emit", "pr"], &token);
        // The list of the second run is older than the pull request of the first.
        let none = if forge == "azure" { json!({ "value": [] }) } else { json!([]) };
        rig.faults(
            &json!([{ "method": "GET", "path": path, "status": 200, "body": none, "times": 1 }]),
        );
        rig.reply("return 1 + 1");
        let run = rig.fix_with(&["--emit", "pr"], &token);
        assert_eq!(
            (run.end(), run.outcome["pr_number"].as_u64()),
            ((0, "fixed", None), Some(1)),
            "{forge}: {run:?}"
        );
        assert_eq!(list_pulls(&rig).len(), 1, "{forge}");
    }
}

#[test]
fn labels_reviewers_and_statuses_follow_what_the_forge_can() {
    for forge in other_forges() {
        let (reviewer, labels, reviewers, notices) = match forge {
            "gitlab" => ("ann", json!(["ci"]), json!([7]), 0),
            "gitea" => ("ann", json!(["ci"]), json!(["ann"]), 0),
            "bitbucket" => ("{u}", json!([]), json!(["{u}"]), 1),
            "azure" => ("ann", json!(["ci"]), json!([]), 1),
            _ => panic!("add labels and reviewers as {forge} has them"),
        };
        let rig = Rig::at_forge(forge);
        let words = ["--emit", "pr", "--label", "ci", "--reviewer", reviewer, "--check-run"];
        let run = rig.fix_with(&words, &[("PAPAYU_FORGE_TOKEN", TOKEN)]);
        assert_eq!(run.end(), (0, "fixed", None), "{forge}: {run:?}");
        let state = rig.state();
        let pull = &state["pulls"][0];
        assert_eq!((&pull["labels"], &pull["reviewers"]), (&labels, &reviewers), "{forge}");
        let statuses = state["statuses"].as_array().unwrap();
        assert_eq!(statuses[0]["commit"], rig.git(&["rev-parse", "HEAD"]), "{forge}");
        let said = run.outcome["notices"].as_array().unwrap();
        assert_eq!(said.len(), notices, "{forge}: {said:?}");
        // A call that a forge lacks is named with the forge and with what to do.
        let named =
            said.iter().all(|it| it.as_str().unwrap().contains("cannot do this through its API: "));
        assert!(named, "{forge}: {said:?}");
    }
}

#[test]
fn a_label_pauses_pull_requests_where_the_forge_finds_issues_by_their_labels() {
    for forge in other_forges() {
        let rig = Rig::at_forge(forge);
        let token = [("PAPAYU_FORGE_TOKEN", TOKEN)];
        let with_label = |label: &str| {
            let issue = |labels: Value| json!({ "title": "Stop", "body": "", "labels": labels });
            let issues = json!({ "6": issue(json!([])), "7": issue(json!([label])) });
            rig.set_state(&json!({ "issues": issues }));
        };
        with_label("papayu-pause");
        let words = ["--emit", "pr", "--pause-label", "papayu-pause"];
        let run = rig.fix_with(&words, &token);
        let finds = matches!(forge, "gitlab" | "gitea");
        let code = if finds { "ERR_PAUSED" } else { "ERR_FORGE_UNSUPPORTED" };
        assert_eq!(run.end(), (6, "publish_failed", Some(code)), "{forge}: {run:?}");
        assert!(list_pulls(&rig).is_empty() && rig.branches().is_empty(), "{forge}");
        if !finds {
            continue;
        }
        assert!(run.text("reason").contains("issues/7 has the label `papayu-pause`"), "{run:?}");
        // Gitea returns all issues where the repository has no such label.
        with_label("other");
        let run = rig.fix_with(&words, &token);
        assert_eq!(run.end(), (0, "fixed", None), "{forge}: {run:?}");
    }
}

#[test]
fn auto_merge_waits_for_a_check_that_runs() {
    for forge in ["gitlab", "gitea"] {
        let rig = Rig::at_forge(forge);
        let token = [("PAPAYU_FORGE_TOKEN", TOKEN)];
        let asked = |rig: &Rig| rig.state()["requests"].to_string().contains("/1/merge");
        let run = rig.fix_with(&["--emit", "pr", "--auto-merge"], &token);
        assert_eq!(run.end(), (0, "fixed", None), "{forge}: {run:?}");
        // These forges merge at once where nothing has to pass.
        assert!(!asked(&rig), "{forge}: {run:?}");
        assert!(run.outcome["notices"].to_string().contains("yet"), "{forge}: {run:?}");
        rig.set_state(&json!({ "checks": [{ "context": "ci", "status": "pending" }] }));
        rig.reply("return 2  # the number");
        let run = rig.fix_with(&["--emit", "pr", "--auto-merge"], &token);
        assert_eq!((run.end(), asked(&rig)), ((0, "fixed", None), true), "{forge}: {run:?}");
    }
}

#[test]
fn the_logs_of_failed_jobs_and_an_issue_are_read_from_every_forge() {
    for forge in other_forges() {
        let rig = Rig::at_forge(forge);
        let job =
            |id: u64, name: &str, status: &str| json!({ "id": id, "name": name, "status": status });
        let green = rig.git(&["rev-parse", "HEAD"]).trim().to_owned();
        rig.write("note.txt", "later\n");
        rig.commit("a later commit");
        let run = |number: u64, status: &str, jobs: Value| json!({ "number": number, "branch": "main", "status": status, "commit": green, "jobs": jobs });
        rig.set_state(&json!({
            "runs": [
                run(76, "success", json!([job(4, "lint", "success")])),
                run(78, "failed", json!([job(2, "docs", "success"), job(3, "lint", "failed")])),
            ],
            "logs": {
                "2": "src/b.ts(9,9): error TS2304: Cannot find name 'other'.\n",
                "3": "src/a.ts(1,2): error TS2304: Cannot find name 'x'.\n",
                "4": "found 0 errors\n",
            },
            "issues": { "5": { "title": "Off by one", "body": "two() is wrong" } },
        }));
        let token = [("PAPAYU_FORGE_TOKEN", TOKEN)];
        let words = ["fix", "--ci-run", "78", "--issue", "5", "--provider", "suggestions"];
        let run = rig.call(&words, &token);
        assert_eq!((run.code, run.text("failure_class")), (1, "code"), "{forge}: {run:?}");
        assert!(!run.stderr.contains("is not used"), "{forge}: {run:?}");
        assert!(!run.outcome.to_string().contains("b.ts"), "{forge}");
        let changes = &run.outcome["changes"];
        let since = (&changes["source"], &changes["green"], &changes["files"][0]["path"]);
        assert_eq!(since, (&json!("last_run"), &json!(green), &json!("note.txt")), "{forge}");
        let asked = rig.state()["requests"].to_string();
        assert!(asked.contains("/issues/5") || asked.contains("/workitems/5"), "{forge}: {asked}");
        // The lines of the job that passed are asked for, those of the wrong job are not.
        let passed = rig.call(&["fix", "--ci-run", "76", "--provider", "suggestions"], &token);
        assert_eq!(passed.end(), (2, "usage_error", None), "{forge}: {passed:?}");
    }
}

#[test]
fn a_refused_token_is_named_as_one_on_every_forge() {
    for forge in other_forges() {
        let rig = Rig::at_forge(forge);
        let run = rig.fix_with(&["--emit", "pr"], &[("PAPAYU_FORGE_TOKEN", READER)]);
        assert_eq!(run.text("error_code"), "ERR_FORGE_AUTHENTICATION", "{forge}: {run:?}");
        let run = rig.fix_with(&["--emit", "pr"], &[("GITHUB_TOKEN", TOKEN)]);
        assert_eq!(run.text("error_code"), "ERR_FORGE_AUTHENTICATION", "{forge}: {run:?}");
        assert_eq!(rig.state()["pulls"], json!([]), "{forge}");
    }
}

#[test]
fn a_job_of_gitlab_and_gitea_needs_no_settings() {
    for (forge, variables) in [
        (
            "gitlab",
            [
                ("GITLAB_CI", "true"),
                ("CI_PROJECT_PATH", "o/r"),
                ("GITLAB_TOKEN", TOKEN),
                ("CI_COMMIT_BRANCH", "main"),
                ("CI_PIPELINE_URL", "https://gitlab.example/p/1"),
            ],
        ),
        (
            "gitea",
            [
                ("GITEA_ACTIONS", "true"),
                ("GITHUB_REPOSITORY", "o/r"),
                ("GITHUB_TOKEN", TOKEN),
                ("GITHUB_ACTIONS", "true"),
                ("GITHUB_RUN_ID", "1"),
            ],
        ),
    ] {
        let mut rig = Rig::at_forge(forge);
        rig.forge = "";
        let api = rig.api_url.clone();
        let address = if forge == "gitlab" { "CI_API_V4_URL" } else { "GITHUB_API_URL" };
        let variables = [&variables[..], &[(address, api.as_str())]].concat();
        let run = rig.fix_with(&["--emit", "pr"], &variables);
        assert_eq!(run.end(), (0, "fixed", None), "{forge}: {run:?}");
        assert_eq!(list_pulls(&rig).len(), 1, "{forge}");
    }
}

#[test]
fn a_repository_cannot_choose_the_forge_nor_where_the_token_goes() {
    let rig = Rig::at_forge("gitlab");
    let thief = Rig::at_forge("gitea");
    let file = format!(
        "[forge]\nkind = \"gitea\"\napi_url = \"{}\"\nrepository = \"o/r\"\ntoken = \"x\"\n",
        thief.api_url
    );
    rig.write("papayu.toml", &file);
    let run = rig.fix_with(&["--emit", "pr"], &[("PAPAYU_FORGE_TOKEN", TOKEN)]);
    assert_eq!(thief.state()["requests"], json!([]), "{run:?}");
}

#[test]
fn a_sweep_updates_a_branch_where_the_forge_can_and_a_later_run_knows_it_as_ours() {
    for forge in other_forges() {
        let can_update = match forge {
            "gitlab" | "gitea" => true,
            "bitbucket" | "azure" => false,
            _ => panic!("add whether {forge} can update a branch"),
        };
        let rig = Rig::at_forge(forge);
        let token = [("PAPAYU_FORGE_TOKEN", TOKEN)];
        let first = rig.fix_with(&["--emit", "pr"], &token);
        assert_eq!(first.end(), (0, "fixed", None), "{forge}: {first:?}");
        let branch = first.text("branch").to_owned();
        let before = rig.remote(&["rev-parse", &branch]);
        let moved = rig.human_commit("main");
        let sweep = || rig.call_plain(&["publish", "--sweep", "--quiet"], &token);
        let (code, printed) = sweep();
        assert_eq!(code, 0, "{forge}: {printed}");
        if !can_update {
            assert!(
                printed.starts_with("kept ") && printed.contains("through its API"),
                "{printed}"
            );
            assert_eq!(rig.remote(&["rev-parse", &branch]), before, "{forge}");
            continue;
        }
        assert!(printed.starts_with("updated "), "{forge}: {printed}");
        rig.remote(&["merge-base", "--is-ancestor", &moved, &branch]);
        assert_eq!(rig.remote(&["diff", "--name-only", "main", &branch]), "value.py", "{forge}");
        let (code, printed) = sweep();
        assert!(code == 0 && printed.contains("has not moved"), "{forge}: {printed}");
        // The next run replaces the branch, and the attempts are counted on.
        rig.reply("return 1 + 1");
        let second = rig.fix_with(&["--emit", "pr"], &token);
        assert_eq!(second.end(), (0, "fixed", None), "{forge}: {second:?}");
        assert_eq!(second.outcome["attempt_total"], 2, "{forge}");
        assert_eq!(list_pulls(&rig).len(), 1, "{forge}");
    }
}

#[test]
fn a_suggestion_is_left_where_a_person_can_accept_it_and_else_a_commit_or_a_comment_with_the_reason()
 {
    for forge in other_forges() {
        let lacks = match forge {
            "gitlab" | "azure" => "",
            "gitea" => "Gitea",
            "bitbucket" => "Bitbucket",
            _ => panic!("add whether {forge} lacks suggestions"),
        };
        let at_work = || {
            let rig = Rig::at_forge(forge);
            rig.git(&["checkout", "-q", "-b", "work"]);
            rig.git(&["push", "-q", rig.at("remote/o/r.git").to_str().unwrap(), "work"]);
            let patch = "@@ -0,0 +1,2 @@\n+def two():\n+    return 3";
            rig.set_state(&json!({
                "pulls": [{ "number": 1, "state": "open", "title": "Work", "body": "", "draft": false,
                            "head": "work", "base": "main", "labels": [], "reviewers": [] }],
                "files": [{ "filename": "value.py", "patch": patch }],
            }));
            rig
        };
        let token = [("PAPAYU_FORGE_TOKEN", TOKEN)];
        let rig = at_work();
        let run = rig.fix_with(&["--emit", "suggest"], &token);
        assert_eq!(run.end(), (0, "fixed", None), "{forge}: {run:?}");
        let state = rig.state();
        let written = state["comments"].to_string();
        if lacks.is_empty() {
            let suggested = state["suggestions"].to_string();
            assert!(suggested.contains("suggestion") && suggested.contains("return 2"), "{state}");
            continue;
        }
        let reason = format!("{lacks} has no suggestions that a person can accept");
        assert!(written.contains(&reason) && written.contains("return 2"), "{forge}: {written}");
        assert_eq!(state["suggestions"], json!([]), "{forge}");
        // With both forms, the commit takes its place.
        let rig = at_work();
        let run = rig.fix_with(&["--emit", "suggest", "--emit", "commit"], &token);
        assert_eq!(run.end(), (0, "fixed", None), "{forge}: {run:?}");
        assert_eq!(rig.remote(&["show", "work:value.py"]), "def two():\n    return 2", "{forge}");
        assert!(run.outcome["notices"].to_string().contains(&reason), "{forge}: {run:?}");
    }
}
