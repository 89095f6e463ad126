//! Tests of the bodies and answers of Azure DevOps; the answers have the form of its documentation.

use super::*;

fn pull_request() -> Value {
    json!({
        "pullRequestId": 22, "status": "active", "title": "t", "description": "b", "isDraft": true,
        "createdBy": { "id": "d6245f20-2af8-44f4-9451-8107cb2767db" },
        "sourceRefName": "refs/heads/papayu/fix-1", "targetRefName": "refs/heads/main",
        "mergeStatus": "succeeded",
        "lastMergeSourceCommit": { "commitId": "b2" }, "lastMergeTargetCommit": { "commitId": "a1" },
    })
}

fn parse(value: &Value) -> Option<PullRequest> {
    parse_pull_request(value, "https://dev.azure.com/org/p/_git/r", "p/r")
}

#[test]
fn a_pull_request_is_read() {
    let expected = PullRequest {
        number: 22,
        url: "https://dev.azure.com/org/p/_git/r/pullrequest/22".to_owned(),
        node_id: "d6245f20-2af8-44f4-9451-8107cb2767db".to_owned(),
        is_open: true,
        is_draft: true,
        body: "b".to_owned(),
        base: "main".to_owned(),
        base_commit: "a1".to_owned(),
        head: "papayu/fix-1".to_owned(),
        head_commit: "b2".to_owned(),
        head_repository: "p/r".to_owned(),
        is_mergeable: Some(true),
        ..PullRequest::default()
    };
    assert_eq!(parse(&pull_request()), Some(expected));
    let mut fork = pull_request();
    fork["forkSource"] = json!({ "name": "refs/heads/x", "repository": { "name": "fork" } });
    assert_eq!(parse(&fork).unwrap().head_repository, "fork");
    for (status, is_merged) in [("abandoned", false), ("completed", true)] {
        let mut value = pull_request();
        value["status"] = json!(status);
        let pull = parse(&value).unwrap();
        assert_eq!((pull.is_open, pull.is_merged), (false, is_merged), "{status}");
    }
}

#[test]
fn an_update_names_the_target_only_where_it_changes() {
    let [title, head, base] = ["t", "h", "m"].map(str::to_owned);
    let spec = PullRequestSpec { title, body: "ж".repeat(5_000), head, base, draft: false };
    let body = update_body(&spec, "m");
    assert_eq!(body["description"].as_str().unwrap().chars().count(), MAX_BODY);
    assert_eq!(body.get("targetRefName"), None);
    assert_eq!(update_body(&spec, "other")["targetRefName"], "refs/heads/m");
}

#[test]
fn only_jobs_with_a_log_are_read() {
    let record = json!({
        "id": "8a9a", "type": "Job", "name": "Job 1", "state": "completed", "result": "failed",
        "log": { "id": 9, "type": "Container" },
    });
    let job = CiJob { id: "78/9".to_owned(), name: "Job 1".to_owned() };
    assert_eq!(parse_job(&record, 78, &["failed"]), Some(job));
    assert_eq!(parse_job(&record, 78, &["succeeded"]), None);
    let task = json!({ "type": "Task", "result": "failed", "log": { "id": 9 } });
    assert_eq!(parse_job(&task, 78, &["failed"]), None);
    assert_eq!(
        parse_job(&json!({ "type": "Job", "result": "failed", "log": null }), 78, &["failed"]),
        None
    );
}

#[test]
fn only_a_success_is_a_success() {
    let check = |state: &str| {
        let value = json!({ "state": state, "context": { "name": "ci", "genre": "build" } });
        parse_check(&value).unwrap().conclusion.name()
    };
    let states = ["succeeded", "failed", "error", "pending", "notSet", "notApplicable"];
    let expected = ["success", "failure", "failure", "pending", "pending", "neutral"];
    assert_eq!(states.map(check), expected);
}

#[test]
fn the_text_of_a_bug_is_in_its_steps() {
    let value = json!({ "id": 5, "fields": {
        "System.Title": "Off by one", "Microsoft.VSTS.TCM.ReproSteps": "<p>two()</p>" } });
    let issue = parse_issue(&value).unwrap();
    assert_eq!((issue.title.as_str(), issue.body.as_str()), ("Off by one", "<p>two()</p>"));
}

#[test]
fn a_suggestion_replaces_whole_lines() {
    let suggestion = Suggestion {
        path: "a/b.py".to_owned(),
        start_line: 3,
        end_line: 4,
        replacement: "x\n".to_owned(),
    };
    let body = suggestion_body(&suggestion);
    let expected = json!({
        "filePath": "/a/b.py",
        "rightFileStart": { "line": 3, "offset": 1 },
        "rightFileEnd": { "line": 5, "offset": 1 },
    });
    assert_eq!(body["threadContext"], expected);
    assert_eq!(body["comments"][0]["content"], "```suggestion\nx\n```");
}

#[test]
fn the_address_of_a_repository_names_no_account() {
    let value = json!({ "name": "r", "remoteUrl": "https://org@dev.azure.com/org/p/_git/r", "isDisabled": false });
    let address = "https://dev.azure.com/org/p/_git/r".to_owned();
    assert_eq!(parse_repository(&value), Some(OwnedRepository { name: "r".to_owned(), address }));
    let disabled = json!({ "name": "r", "remoteUrl": "https://h/r", "isDisabled": true });
    assert_eq!(parse_repository(&disabled), None);
}
