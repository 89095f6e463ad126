//! The bodies of requests to GitHub, and the values read from its answers.

use serde_json::{Value, json};

use crate::field::address_at;
use crate::last_run::RunFields;
use crate::{Annotation, CheckRun, CiJob, Issue, OwnedRepository, PullRequest, PullRequestSpec};

/// Longest body that GitHub takes, in characters.
const MAX_BODY: usize = 65_536;
/// Lines a check run takes in one call.
pub(super) const MAX_ANNOTATIONS: usize = 50;

/// The prefix of a reviewer that is a team.
const TEAM: &str = "team/";

/// The GraphQL mutation that enables merging once every required check has passed.
pub(super) const MERGE_WHEN_GREEN: &str = "mutation($id: ID!) { enablePullRequestAutoMerge(input: {pullRequestId: $id}) { clientMutationId } }";

/// Returns the body of `POST /repos/{owner}/{repo}/pulls`.
pub(super) fn creation_body(spec: &PullRequestSpec) -> Value {
    json!({
        "title": spec.title,
        "body": cut_body(&spec.body),
        "head": spec.head,
        "base": spec.base,
        "draft": spec.draft,
        // Maintainers of a fork's base can then complete the change.
        "maintainer_can_modify": true,
    })
}

/// Returns the body of `PATCH /repos/{owner}/{repo}/pulls/{number}`.
pub(super) fn update_body(spec: &PullRequestSpec) -> Value {
    json!({ "title": spec.title, "body": cut_body(&spec.body), "base": spec.base })
}

/// Returns the body of `POST …/pulls/{number}/requested_reviewers`, which has separate lists for
/// people and teams.
pub(crate) fn reviewers_body(names: &[String]) -> Value {
    let teams: Vec<&str> = names.iter().filter_map(|name| name.strip_prefix(TEAM)).collect();
    let people: Vec<&String> = names.iter().filter(|name| !name.starts_with(TEAM)).collect();
    json!({ "reviewers": people, "team_reviewers": teams })
}

/// Returns the body of `POST …/check-runs`. The endpoint takes 50 annotations; further ones are
/// added by updates.
pub(super) fn check_run_body(check: &CheckRun, first: &[Annotation]) -> Value {
    json!({
        "name": "papayu-batch",
        "head_sha": check.head,
        "status": "completed",
        "conclusion": check.conclusion,
        "output": check_output_body(check, first),
    })
}

/// Returns the output of a check run.
pub(super) fn check_output_body(check: &CheckRun, annotations: &[Annotation]) -> Value {
    json!({ "title": check.title, "summary": cut_body(&check.summary), "annotations": annotations })
}

/// Parses the fields of a pull request that are used; `None` without a number.
pub(super) fn parse_pull_request(value: &Value) -> Option<PullRequest> {
    let text = |value: &Value, name: &str| {
        value.get(name).and_then(Value::as_str).unwrap_or_default().to_owned()
    };
    let part = |name: &str| value.get(name).unwrap_or(&Value::Null);
    let (base, head) = (part("base"), part("head"));
    // A fork that was deleted is `null`.
    let repository = head.get("repo").unwrap_or(&Value::Null);
    Some(PullRequest {
        number: value.get("number")?.as_u64()?,
        url: address_at(value, "/html_url"),
        node_id: text(value, "node_id"),
        is_open: text(value, "state") == "open",
        is_merged: value.get("merged_at").is_some_and(Value::is_string),
        is_draft: value.get("draft").and_then(Value::as_bool).unwrap_or_default(),
        body: text(value, "body"),
        base: text(base, "ref"),
        base_commit: text(base, "sha"),
        head: text(head, "ref"),
        head_commit: text(head, "sha"),
        head_repository: text(repository, "full_name"),
        head_address: address_at(repository, "/clone_url"),
        can_modify: value.get("maintainer_can_modify").and_then(Value::as_bool).unwrap_or_default(),
        is_mergeable: value.get("mergeable").and_then(Value::as_bool),
    })
}

/// Parses an issue; `None` without a number, as for an error document.
pub(super) fn parse_issue(value: &Value) -> Option<Issue> {
    let text = |name: &str| value.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    value.get("number")?;
    Some(Issue { title: text("title"), body: text("body") })
}

/// The fields of a run of Actions.
pub(crate) const RUN: RunFields =
    RunFields { number: "/id", branch: "/head_branch", commit: "/head_sha" };

/// Returns a job that failed; `None` for one that passed, was skipped or was cancelled.
pub(crate) fn parse_failed_job(value: &Value) -> Option<CiJob> {
    let conclusion = value.get("conclusion").and_then(Value::as_str)?;
    // Cancelled and skipped jobs have no failure in their log.
    if !matches!(conclusion, "failure" | "timed_out" | "startup_failure") {
        return None;
    }
    parse_job(value)
}

/// Returns a job that passed; `None` for any other.
pub(crate) fn parse_green_job(value: &Value) -> Option<CiJob> {
    let is_green = value.get("conclusion").and_then(Value::as_str) == Some("success");
    parse_job(value).filter(|_| is_green)
}

fn parse_job(value: &Value) -> Option<CiJob> {
    let name = value.get("name").and_then(Value::as_str).unwrap_or_default();
    Some(CiJob { id: value.get("id")?.as_u64()?.to_string(), name: name.to_owned() })
}

/// Returns a repository that can be worked on; `None` for one that is archived or disabled.
pub(crate) fn parse_repository(value: &Value) -> Option<OwnedRepository> {
    let is = |name: &str| value.get(name).and_then(Value::as_bool).unwrap_or_default();
    let text = |name: &str| value.get(name).and_then(Value::as_str).map(str::to_owned);
    let (name, address) = (text("name")?, text("clone_url")?);
    (!is("archived") && !is("disabled")).then_some(OwnedRepository { name, address })
}

/// Cuts a text to the length that GitHub accepts, counted in characters.
pub(super) fn cut_body(text: &str) -> String {
    if text.chars().count() <= MAX_BODY {
        return text.to_owned();
    }
    let end = "\n\n…cut here: the forge takes no longer text.\n";
    text.chars().take(MAX_BODY - end.chars().count()).chain(end.chars()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_is_cut_to_what_github_takes_and_says_so() {
        let short = "я".repeat(MAX_BODY);
        assert_eq!(cut_body(&short), short);
        let long = cut_body(&"я".repeat(MAX_BODY + 1));
        assert_eq!(long.chars().count(), MAX_BODY);
        assert!(long.ends_with("the forge takes no longer text.\n"), "{long}");
    }

    #[test]
    fn reviewers_are_people_and_teams() {
        let names = ["ann", "team/core", "bob"].map(str::to_owned);
        let expected = json!({ "reviewers": ["ann", "bob"], "team_reviewers": ["core"] });
        assert_eq!(reviewers_body(&names), expected);
    }

    #[test]
    fn a_pull_request_of_an_older_server_lacks_fields() {
        let pull = parse_pull_request(&json!({ "number": 3, "state": "open" })).unwrap();
        assert!(pull.is_open && !pull.is_merged && !pull.is_draft);
        assert_eq!((pull.number, pull.base.as_str()), (3, ""));
        let merged = json!({ "number": 4, "merged_at": "2026-01-01", "base": { "ref": "main" } });
        let pull = parse_pull_request(&merged).unwrap();
        assert_eq!((pull.is_merged, pull.base.as_str()), (true, "main"));
        assert_eq!(parse_pull_request(&json!({ "state": "open" })), None);
    }

    #[test]
    fn only_jobs_that_failed_are_read() {
        let job = |conclusion: &str| {
            parse_failed_job(&json!({ "id": 1, "name": "test", "conclusion": conclusion }))
        };
        assert!(["failure", "timed_out", "startup_failure"].iter().all(|it| job(it).is_some()));
        assert!(["success", "cancelled", "skipped"].iter().all(|it| job(it).is_none()));
    }

    #[test]
    fn repositories_that_cannot_be_worked_on_are_left_out() {
        let known = json!({ "name": "a", "clone_url": "https://h/o/a.git" });
        assert_eq!(parse_repository(&known).unwrap().address, "https://h/o/a.git");
        for flag in ["archived", "disabled"] {
            let mut value = known.clone();
            value[flag] = json!(true);
            assert_eq!(parse_repository(&value), None, "{flag}");
        }
    }
}
