//! Tests of Gitea's bodies and answers; the answers have the form of its description.

use super::*;

fn pull_request() -> Value {
    json!({
        "id": 1, "number": 7, "state": "closed", "title": "WIP: t", "body": "b", "draft": true,
        "merged": false, "mergeable": true, "allow_maintainer_edit": true,
        "html_url": "https://g/o/r/pulls/7",
        "base": { "label": "main", "ref": "main", "sha": "a1", "repo_id": 3, "repo": { "full_name": "o/r" } },
        "head": { "label": "papayu/fix-1", "ref": "refs/pull/7/head", "sha": "b2", "repo_id": 3,
                  "repo": { "full_name": "o/r", "clone_url": "https://g/o/r.git" } },
    })
}

#[test]
fn the_branch_is_known_after_it_was_deleted() {
    let expected = PullRequest {
        number: 7,
        url: "https://g/o/r/pulls/7".to_owned(),
        is_draft: true,
        body: "b".to_owned(),
        base: "main".to_owned(),
        base_commit: "a1".to_owned(),
        head: "papayu/fix-1".to_owned(),
        head_commit: "b2".to_owned(),
        head_repository: "o/r".to_owned(),
        head_address: "https://g/o/r.git".to_owned(),
        can_modify: true,
        is_mergeable: Some(true),
        ..PullRequest::default()
    };
    assert_eq!(parse_pull_request(&pull_request()), Some(expected));
    let mut fork = pull_request();
    fork["head"]["repo_id"] = json!(4);
    fork["head"]["repo"] = Value::Null;
    assert_eq!(parse_pull_request(&fork).unwrap().head_repository, "");
    assert_eq!(parse_pull_request(&json!({ "message": "not found" })), None);
}

#[test]
fn a_draft_stays_one_when_its_title_is_replaced() {
    let [title, body, head, base] = ["t", "b", "h", "m"].map(str::to_owned);
    let spec = PullRequestSpec { title, body, head, base, draft: true };
    let expected = json!({ "title": "WIP: t", "body": "b", "head": "h", "base": "m" });
    assert_eq!(creation_body(&spec), expected);
    assert_eq!(update_body(&spec, false), json!({ "title": "t", "body": "b", "base": "m" }));
}

#[test]
fn only_a_success_is_a_success() {
    let check = |status: &str| {
        let value = json!({ "context": "ci / test (push)", "status": status });
        parse_check(&value).unwrap().conclusion.name()
    };
    let states = ["success", "failure", "error", "skipped", "pending", "warning"];
    let expected = ["success", "failure", "failure", "skipped", "pending", "neutral"];
    assert_eq!(states.map(check), expected);
}

#[test]
fn checks_are_required_only_where_the_branch_says_so() {
    let mut value = json!({
        "name": "main", "protected": true, "commit": { "id": "a1" },
        "enable_status_check": true, "status_check_contexts": ["ci / test"],
    });
    let state = parse_branch(&value, &json!({ "require_signed_commits": true }));
    let expected = BranchState {
        commit: "a1".to_owned(),
        is_protected: true,
        required_checks: vec!["ci / test".to_owned()],
        requires_signatures: true,
    };
    assert_eq!(state, expected);
    value["enable_status_check"] = json!(false);
    assert_eq!(parse_branch(&value, &Value::Null).required_checks, Vec::<String>::new());
}

#[test]
fn a_neutral_result_is_no_success() {
    let state = |conclusion| {
        let (head, title, summary) = ("a1".to_owned(), "t".to_owned(), String::new());
        let check = CheckRun { head, conclusion, title, summary, annotations: Vec::new() };
        status_body(&check, None)["state"].clone()
    };
    assert_eq!(["success", "failure", "neutral"].map(state), ["success", "failure", "warning"]);
}
