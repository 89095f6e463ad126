//! GraphQL documents, request bodies and parsed answers of GitHub's calls after a pull request is known.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::request::cut_body;
use crate::field::address_at;
use crate::lifecycle::{
    BranchState, CheckConclusion, CommitCheck, ForgeCommit, Posted, PullFile, ReviewSpec,
    Suggestion,
};

/// Lists comments, the newest page first.
pub(super) const OWN_COMMENTS: &str = "query($owner: String!, $name: String!, $number: Int!, $before: String) { \
    repository(owner: $owner, name: $name) { issueOrPullRequest(number: $number) { \
    ... on Issue { comments(last: 100, before: $before) { nodes { databaseId body viewerDidAuthor } pageInfo { hasPreviousPage startCursor } } } \
    ... on PullRequest { comments(last: 100, before: $before) { nodes { databaseId body viewerDidAuthor } pageInfo { hasPreviousPage startCursor } } } \
    } } }";

/// Lists open issues, the newest page first. `number` is answered as `databaseId`, as for comments.
pub(super) const OWN_ISSUES: &str = "query($owner: String!, $name: String!, $before: String) { \
    repository(owner: $owner, name: $name) { issues(last: 100, before: $before, states: OPEN) { \
    nodes { databaseId: number body viewerDidAuthor } pageInfo { hasPreviousPage startCursor } } } }";

/// Reads the classic protection of a branch, which only administrators may read over REST.
pub(super) const UPDATE_RULE: &str = "query($owner: String!, $name: String!, $branch: String!) { \
    repository(owner: $owner, name: $name) { ref(qualifiedName: $branch) { refUpdateRule { requiresSignatures } } } }";

/// Makes a commit that GitHub signs.
pub(super) const COMMIT_ON_BRANCH: &str = "mutation($input: CreateCommitOnBranchInput!) { createCommitOnBranch(input: $input) { commit { oid } } }";

/// Returns the variable `input` of [`COMMIT_ON_BRANCH`].
pub(super) fn commit_input(commit: &ForgeCommit) -> Value {
    let additions = commit.additions.iter();
    let additions: Vec<Value> = additions
        .map(|(path, bytes)| json!({ "path": path, "contents": STANDARD.encode(bytes) }))
        .collect();
    let deletions: Vec<Value> =
        commit.deletions.iter().map(|path| json!({ "path": path })).collect();
    json!({
        "branch": { "repositoryNameWithOwner": commit.repository, "branchName": commit.branch },
        "expectedHeadOid": commit.parent,
        "message": { "headline": commit.headline, "body": commit.message },
        "fileChanges": { "additions": additions, "deletions": deletions },
    })
}

/// Returns the body of `POST …/pulls/{number}/reviews`.
pub(super) fn review_body(review: &ReviewSpec) -> Value {
    let comments: Vec<Value> = review.suggestions.iter().map(suggestion_body).collect();
    json!({
        "commit_id": review.commit,
        "body": cut_body(&review.body),
        "event": "COMMENT",
        "comments": comments,
    })
}

/// Returns a comment of a review with one suggestion.
fn suggestion_body(suggestion: &Suggestion) -> Value {
    let Suggestion { path, start_line, end_line, replacement } = suggestion;
    // A fence longer than any run of backticks in the lines cannot be closed by them.
    let longest = replacement.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat((longest + 1).max(3));
    let end = if replacement.is_empty() || replacement.ends_with('\n') { "" } else { "\n" };
    let body = format!("{fence}suggestion\n{replacement}{end}{fence}");
    let mut comment = json!({ "path": path, "line": end_line, "side": "RIGHT", "body": body });
    // GitHub refuses a range of one line.
    if let Some(fields) = comment.as_object_mut().filter(|_| start_line < end_line) {
        fields.insert("start_line".to_owned(), json!(start_line));
        fields.insert("start_side".to_owned(), json!("RIGHT"));
    }
    comment
}

/// Returns the check of a check run.
pub(super) fn parse_check_run(value: &Value) -> Option<CommitCheck> {
    let conclusion = match field(value, "conclusion") {
        "success" => CheckConclusion::Success,
        "failure" | "timed_out" | "startup_failure" => CheckConclusion::Failure,
        "action_required" => CheckConclusion::ActionRequired,
        "skipped" => CheckConclusion::Skipped,
        "" => CheckConclusion::Pending,
        // `neutral`, `cancelled`, `stale`, and what a later server may add.
        _ => CheckConclusion::Neutral,
    };
    named(field(value, "name"), conclusion)
}

/// Returns the check of a commit status, the older form.
pub(super) fn parse_status(value: &Value) -> Option<CommitCheck> {
    let conclusion = match field(value, "state") {
        "success" => CheckConclusion::Success,
        "failure" | "error" => CheckConclusion::Failure,
        "pending" => CheckConclusion::Pending,
        _ => CheckConclusion::Neutral,
    };
    named(field(value, "context"), conclusion)
}

/// Returns the check of a workflow run that waits for a person or a runner; the check runs show the others.
pub(super) fn parse_waiting_workflow(value: &Value) -> Option<CommitCheck> {
    let conclusion = match (field(value, "status"), field(value, "conclusion")) {
        (_, "action_required") | ("waiting" | "action_required", _) => {
            CheckConclusion::ActionRequired
        }
        ("queued" | "requested" | "pending", _) => CheckConclusion::Pending,
        _ => return None,
    };
    named(field(value, "name"), conclusion)
}

fn named(name: &str, conclusion: CheckConclusion) -> Option<CommitCheck> {
    (!name.is_empty()).then(|| CommitCheck { name: name.to_owned(), conclusion })
}

/// Returns a branch with the rules of its protection and of the rulesets.
pub(super) fn parse_branch_state(value: &Value, rules: &[Value]) -> BranchState {
    let strings = |list: Option<&Value>, name: Option<&str>| -> Vec<String> {
        let items = list.and_then(Value::as_array).into_iter().flatten();
        let items = items.filter_map(|item| name.map_or(Some(item), |name| item.get(name)));
        items.filter_map(Value::as_str).map(str::to_owned).collect()
    };
    let contexts = value.pointer("/protection/required_status_checks/contexts");
    let mut required_checks = strings(contexts, None);
    let of_checks = rules.iter().filter(|rule| field(rule, "type") == "required_status_checks");
    for rule in of_checks {
        let list = rule.pointer("/parameters/required_status_checks");
        required_checks.extend(strings(list, Some("context")));
    }
    required_checks.sort();
    required_checks.dedup();
    let is_protected = value.get("protected").and_then(Value::as_bool).unwrap_or_default();
    BranchState {
        commit: value.pointer("/commit/sha").and_then(Value::as_str).unwrap_or_default().to_owned(),
        is_protected: is_protected || !rules.is_empty(),
        required_checks,
        requires_signatures: rules.iter().any(|rule| field(rule, "type") == "required_signatures"),
    }
}

/// Returns a file of a pull request, without its patch if the file is binary or large; `None` without a name.
pub(super) fn parse_changed_file(value: &Value) -> Option<PullFile> {
    let path = value.get("filename").and_then(Value::as_str)?.to_owned();
    let patch = value.get("patch").and_then(Value::as_str).map(str::to_owned);
    Some(PullFile { path, patch })
}

/// Returns the number of a text of our account that begins with a marker. `None` for any other text.
pub(super) fn parse_own_text(node: &Value, marker: &str) -> Option<u64> {
    let is_own = node.get("viewerDidAuthor").and_then(Value::as_bool) == Some(true);
    let begins = !marker.is_empty() && field(node, "body").trim_start().starts_with(marker);
    node.get("databaseId")?.as_u64().filter(|_| is_own && begins)
}

/// Returns the address of what was written.
pub(super) fn parse_posted(value: &Value, is_update: bool) -> Posted {
    Posted { url: address_at(value, "/html_url"), is_update }
}

/// Returns text as one part of a path: a `/` of a branch's name stays, as GitHub expects it.
pub(super) fn path_part(text: &str) -> String {
    let parts = text.split('/');
    let encode = |part: &str| -> String {
        let part: String = url::form_urlencoded::byte_serialize(part.as_bytes()).collect();
        // Within a path a `+` is a plus.
        part.replace('+', "%20")
    };
    // `.` and `..` would change the path that the text becomes a part of.
    parts.filter(|part| !matches!(*part, "." | "..")).map(encode).collect::<Vec<_>>().join("/")
}

fn field<'v>(value: &'v Value, name: &str) -> &'v str {
    value.get(name).and_then(Value::as_str).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_text_of_our_own_account_that_begins_with_the_marker_is_ours() {
        let node = |body: &str, own: bool| json!({ "databaseId": 7, "body": body, "viewerDidAuthor": own });
        let found = |node: Value| parse_own_text(&node, "<!-- papayu: x");
        assert_eq!(found(node("<!-- papayu: x -->\nwords", true)), Some(7));
        assert_eq!(found(node("<!-- papayu: x -->\nwords", false)), None);
        assert_eq!(found(node("quote:\n<!-- papayu: x -->", true)), None);
        assert_eq!(found(json!({ "databaseId": 7, "body": "<!-- papayu: x" })), None);
        assert_eq!(parse_own_text(&node("words", true), ""), None);
    }

    #[test]
    fn only_a_success_is_a_success() {
        let run = |conclusion: Value| {
            let value = json!({ "name": "test", "status": "completed", "conclusion": conclusion });
            parse_check_run(&value).unwrap().conclusion.name()
        };
        let of = ["success", "failure", "timed_out", "action_required", "skipped", "neutral"];
        let all: Vec<&str> = of.iter().map(|it| run(json!(it))).collect();
        let expected = ["success", "failure", "failure", "action_required", "skipped", "neutral"];
        assert_eq!(all, expected);
        assert_eq!(["cancelled", "stale", "new"].map(|it| run(json!(it))), ["neutral"; 3]);
        assert_eq!(run(Value::Null), "pending");
        assert_eq!(parse_check_run(&json!({ "message": "Not Found" })), None);
    }

    #[test]
    fn a_workflow_that_waits_for_a_person_is_a_check_that_did_not_run() {
        let run = |status: &str, conclusion: Value| {
            let value = json!({ "name": "CI", "status": status, "conclusion": conclusion });
            parse_waiting_workflow(&value).map(|check| check.conclusion.name())
        };
        assert_eq!(run("completed", json!("action_required")), Some("action_required"));
        assert_eq!(run("waiting", Value::Null), Some("action_required"));
        assert_eq!(run("queued", Value::Null), Some("pending"));
        assert_eq!(run("completed", json!("success")), None);
        assert_eq!(run("in_progress", Value::Null), None);
    }

    #[test]
    fn lines_cannot_end_the_fence_of_their_suggestion() {
        let suggestion = Suggestion {
            path: "a.md".to_owned(),
            start_line: 3,
            end_line: 4,
            replacement: "```\n@everyone".to_owned(),
        };
        let body = suggestion_body(&suggestion);
        assert_eq!(
            body,
            json!({ "path": "a.md", "start_line": 3, "start_side": "RIGHT", "line": 4, "side": "RIGHT",
                    "body": "````suggestion\n```\n@everyone\n````" })
        );
        let one = Suggestion { start_line: 4, replacement: String::new(), ..suggestion };
        let expected =
            json!({ "path": "a.md", "line": 4, "side": "RIGHT", "body": "```suggestion\n```" });
        assert_eq!(suggestion_body(&one), expected);
    }

    #[test]
    fn the_rules_of_protection_and_rulesets_are_read_together() {
        let branch = json!({ "commit": { "sha": "abc" }, "protected": true, "protection": {
            "required_status_checks": { "contexts": ["test", "lint"] } } });
        let rules = [
            json!({ "type": "required_signatures" }),
            json!({ "type": "required_status_checks", "parameters": {
                "required_status_checks": [{ "context": "build" }, { "context": "test" }] } }),
        ];
        let names = ["build", "lint", "test"].map(str::to_owned).to_vec();
        let expected = BranchState {
            commit: "abc".to_owned(),
            is_protected: true,
            required_checks: names,
            requires_signatures: true,
        };
        assert_eq!(parse_branch_state(&branch, &rules), expected);
        assert_eq!(parse_branch_state(&json!({}), &[]), BranchState::default());
    }

    #[test]
    fn a_name_stays_within_its_place_in_a_path() {
        assert_eq!(path_part("feature/a b?x#y"), "feature/a%20b%3Fx%23y");
        assert_eq!(path_part("../../user"), "user");
    }
}
