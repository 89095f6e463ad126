//! Tests of GitLab's bodies and answers; the answers have the form of its documentation.

use super::*;

fn merge_request() -> Value {
    json!({
        "id": 1, "iid": 7, "project_id": 3, "title": "Draft: test1", "description": "fixed login",
        "state": "opened", "source_branch": "papayu/fix-1", "target_branch": "main", "draft": true,
        "source_project_id": 3, "target_project_id": 3, "merge_status": "can_be_merged",
        "sha": "8888", "allow_collaboration": true, "web_url": "https://g/my/p/-/merge_requests/7",
        "diff_refs": { "base_sha": "c380", "head_sha": "8888", "start_sha": "c381" }
    })
}

#[test]
fn a_merge_request_of_a_fork_is_not_the_projects_own() {
    let pull = parse_pull_request(&merge_request(), "my/p").unwrap();
    let expected = PullRequest {
        number: 7,
        url: "https://g/my/p/-/merge_requests/7".to_owned(),
        is_open: true,
        is_draft: true,
        body: "fixed login".to_owned(),
        base: "main".to_owned(),
        base_commit: "c381".to_owned(),
        head: "papayu/fix-1".to_owned(),
        head_commit: "8888".to_owned(),
        head_repository: "my/p".to_owned(),
        can_modify: true,
        is_mergeable: Some(true),
        ..PullRequest::default()
    };
    assert_eq!(pull, expected);
    let mut fork = merge_request();
    fork["source_project_id"] = json!(9);
    assert_eq!(parse_pull_request(&fork, "my/p").unwrap().head_repository, "");
    assert_eq!(parse_pull_request(&json!({ "message": "404 Not Found" }), "my/p"), None);
}

#[test]
fn the_states_of_a_merge_request_are_read() {
    for (state, is_open, is_merged) in [
        ("opened", true, false),
        ("locked", true, false),
        ("closed", false, false),
        ("merged", false, true),
    ] {
        let mut value = merge_request();
        value["state"] = json!(state);
        let pull = parse_pull_request(&value, "my/p").unwrap();
        assert_eq!((pull.is_open, pull.is_merged), (is_open, is_merged), "{state}");
    }
}

#[test]
fn a_draft_stays_one_when_its_title_is_replaced() {
    let [title, body, head, base] = ["t", "b", "h", "m"].map(str::to_owned);
    let spec = PullRequestSpec { title, body, head, base, draft: false };
    assert_eq!(update_body(&spec, true)["title"], "Draft: t");
    assert_eq!(update_body(&spec, false)["title"], "t");
    let expected = json!({
        "title": "Draft: t", "description": "b", "source_branch": "h", "target_branch": "m",
        "allow_collaboration": true,
    });
    assert_eq!(creation_body(&PullRequestSpec { draft: true, ..spec }), expected);
}

#[test]
fn jobs_that_may_fail_are_no_failures() {
    let job = |status: &str, allow: bool| {
        let value = json!({ "id": 8, "name": "rspec", "status": status, "allow_failure": allow });
        parse_job(&value).map(|job| (job.id, job.name))
    };
    let known = Some(("8".to_owned(), "rspec".to_owned()));
    assert_eq!([job("failed", false), job("success", true)], [known.clone(), known]);
    assert_eq!(job("failed", true), None);
}

#[test]
fn only_a_success_is_a_success() {
    let check = |status: &str, allow: bool| {
        let value = json!({ "name": "test", "status": status, "allow_failure": allow });
        parse_check(&value).unwrap().conclusion.name()
    };
    let states = ["success", "failed", "manual", "skipped", "canceled", "running", "created"];
    let expected =
        ["success", "failure", "action_required", "skipped", "neutral", "pending", "pending"];
    assert_eq!(states.map(|state| check(state, false)), expected);
    assert_eq!(check("failed", true), "neutral");
}

#[test]
fn a_suggestion_names_an_unchanged_line_by_both_numbers() {
    let suggestion = Suggestion {
        path: "a.py".to_owned(),
        start_line: 3,
        end_line: 4,
        replacement: "x\n".to_owned(),
    };
    let refs = merge_request()["diff_refs"].clone();
    let body = discussion_body(&suggestion, &refs, LinePlace::Kept(2));
    let expected = json!({
        "body": "```suggestion:-1+0\nx\n```",
        "position": {
            "position_type": "text", "base_sha": "c380", "start_sha": "c381", "head_sha": "8888",
            "old_path": "a.py", "new_path": "a.py", "new_line": 4, "old_line": 2,
        },
    });
    assert_eq!(body, expected);
    let added = discussion_body(&suggestion, &refs, LinePlace::Added);
    assert_eq!(added["position"].get("old_line"), None);
}

#[test]
fn projects_branches_issues_and_files_are_read() {
    let project =
        json!({ "path": "p", "http_url_to_repo": "https://g/o/p.git", "archived": false });
    assert_eq!(parse_project(&project).unwrap().address, "https://g/o/p.git");
    let archived =
        json!({ "path": "p", "http_url_to_repo": "https://g/o/p.git", "archived": true });
    assert_eq!(parse_project(&archived), None);
    let branch = parse_branch(&json!({ "protected": true, "commit": { "id": "7b5c" } }));
    assert_eq!((branch.commit.as_str(), branch.is_protected), ("7b5c", true));
    let issue = parse_issue(&json!({ "iid": 1, "title": "T", "description": null })).unwrap();
    assert_eq!((issue.title.as_str(), issue.body.as_str()), ("T", ""));
    let file =
        |diff: &str| parse_changed_file(&json!({ "new_path": "a", "diff": diff })).unwrap().patch;
    assert_eq!(file("@@ -1 +1 @@\n-a\n+b\n").as_deref(), Some("@@ -1 +1 @@\n-a\n+b\n"));
    assert_eq!(file(""), None);
}
