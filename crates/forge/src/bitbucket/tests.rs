//! Tests of Bitbucket's bodies and answers; the answers have the form of its documentation.

use super::*;

fn pull_request() -> Value {
    json!({
        "type": "pullrequest", "id": 7, "title": "t", "description": "b", "state": "OPEN",
        "draft": true, "reviewers": [{ "type": "user", "uuid": "{u}", "display_name": "Ann" }],
        "links": { "html": { "href": "https://bitbucket.org/o/r/pull-requests/7" } },
        "source": { "branch": { "name": "papayu/fix-1" }, "commit": { "hash": "b2" },
                    "repository": { "full_name": "o/r" } },
        "destination": { "branch": { "name": "main" }, "commit": { "hash": "a1" },
                         "repository": { "full_name": "o/r" } },
    })
}

fn spec() -> PullRequestSpec {
    let [title, body, head, base] = ["t", "b", "h", "m"].map(str::to_owned);
    PullRequestSpec { title, body, head, base, draft: true }
}

#[test]
fn a_pull_request_is_read() {
    let expected = PullRequest {
        number: 7,
        url: "https://bitbucket.org/o/r/pull-requests/7".to_owned(),
        is_open: true,
        is_draft: true,
        body: "b".to_owned(),
        base: "main".to_owned(),
        base_commit: "a1".to_owned(),
        head: "papayu/fix-1".to_owned(),
        head_commit: "b2".to_owned(),
        head_repository: "o/r".to_owned(),
        head_address: "https://bitbucket.org/o/r.git".to_owned(),
        ..PullRequest::default()
    };
    assert_eq!(parse_pull_request(&pull_request()), Some(expected));
    let mut deleted = pull_request();
    deleted["source"]["repository"] = Value::Null;
    assert_eq!(parse_pull_request(&deleted).unwrap().head_repository, "");
    for (state, is_merged) in [("MERGED", true), ("DECLINED", false), ("SUPERSEDED", false)] {
        let mut value = pull_request();
        value["state"] = json!(state);
        let pull = parse_pull_request(&value).unwrap();
        assert_eq!((pull.is_open, pull.is_merged), (false, is_merged), "{state}");
    }
}

#[test]
fn an_update_keeps_the_reviewers() {
    let body = update_body(&spec(), &pull_request());
    let expected = json!({
        "type": "pullrequest", "title": "t", "description": "b",
        "destination": { "branch": { "name": "m" } },
        "reviewers": [{ "type": "user", "uuid": "{u}" }],
    });
    assert_eq!(body, expected);
}

#[test]
fn a_step_is_named_with_its_pipeline() {
    let step = json!({
        "type": "pipeline_step", "uuid": "{s}", "name": "test",
        "state": { "name": "COMPLETED", "result": { "name": "FAILED" } },
    });
    let job = CiJob { id: "{p}/{s}".to_owned(), name: "test".to_owned() };
    assert_eq!(parse_step(&step, "{p}", &["FAILED", "ERROR"]), Some(job));
    assert_eq!(parse_step(&step, "{p}", &["SUCCESSFUL"]), None);
    assert_eq!(
        parse_step(&json!({ "uuid": "{s}", "state": { "name": "PENDING" } }), "{p}", &["FAILED"]),
        None
    );
}

#[test]
fn only_a_success_is_a_success() {
    let check = |state: &str| {
        let value = json!({ "key": "k", "name": "", "state": state });
        parse_check(&value).map(|check| (check.name, check.conclusion.name()))
    };
    let expected = ["success", "failure", "pending", "neutral"];
    let found = ["SUCCESSFUL", "FAILED", "INPROGRESS", "STOPPED"].map(check);
    assert_eq!(found, expected.map(|name| Some(("k".to_owned(), name))));
}

#[test]
fn the_address_of_a_repository_names_no_account() {
    let value = json!({ "full_name": "o/r", "links": { "clone": [
        { "name": "ssh", "href": "git@bitbucket.org:o/r.git" },
        { "name": "https", "href": "https://ann@bitbucket.org/o/r.git" },
    ] } });
    let expected = OwnedRepository {
        name: "r".to_owned(),
        address: "https://bitbucket.org/o/r.git".to_owned(),
    };
    assert_eq!(parse_repository(&value), Some(expected));
}

#[test]
fn an_issue_without_a_text_is_read() {
    let issue = parse_issue(&json!({ "id": 1, "title": "T", "content": { "raw": "x" } })).unwrap();
    assert_eq!((issue.title.as_str(), issue.body.as_str()), ("T", "x"));
    assert_eq!(parse_issue(&json!({ "type": "error" })), None);
}
