//! The bodies of requests to Gitea, and the values read from its answers.

use serde_json::{Value, json};

use crate::field::{address_at, flag_at, number_at, text_at};
use crate::{
    BranchState, CheckConclusion, CheckRun, CommitCheck, Issue, PullRequest, PullRequestSpec,
};

/// The prefix of a title that makes a pull request a draft; servers may set others, and know this one by default.
const DRAFT: &str = "WIP: ";

/// Returns the body of `POST /repos/{owner}/{repo}/pulls`.
pub(super) fn creation_body(spec: &PullRequestSpec) -> Value {
    let title = draft_title(&spec.title, spec.draft);
    json!({ "title": title, "body": spec.body, "head": spec.head, "base": spec.base })
}

/// Returns the body of `PATCH /repos/{owner}/{repo}/pulls/{index}`.
pub(super) fn update_body(spec: &PullRequestSpec, is_draft: bool) -> Value {
    // A draft is one by its title, so that the title alone would end that state.
    let title = draft_title(&spec.title, is_draft);
    json!({ "title": title, "body": spec.body, "base": spec.base })
}

fn draft_title(title: &str, is_draft: bool) -> String {
    if is_draft { format!("{DRAFT}{title}") } else { title.to_owned() }
}

/// Returns the body of `POST /repos/{owner}/{repo}/statuses/{sha}`.
pub(super) fn status_body(check: &CheckRun, run_url: Option<&str>) -> Value {
    // Gitea has no neutral status; `warning` does not block a merge and is no success.
    let state = if check.conclusion == "neutral" { "warning" } else { check.conclusion };
    json!({
        "context": "papayu-batch",
        "state": state,
        "description": check.title,
        "target_url": run_url.unwrap_or_default(),
    })
}

/// Parses a pull request; `None` without a number.
pub(super) fn parse_pull_request(value: &Value) -> Option<PullRequest> {
    // `ref` is `refs/pull/N/head` once the branch was deleted; `label` stays.
    let branch = |side: &str| text_at(value, &format!("/{side}/label"));
    let is_own = number_at(value, "/head/repo_id") == number_at(value, "/base/repo_id");
    let own = text_at(value, "/base/repo/full_name");
    let fork = text_at(value, "/head/repo/full_name");
    Some(PullRequest {
        number: number_at(value, "/number")?,
        url: address_at(value, "/html_url"),
        is_open: text_at(value, "/state") == "open",
        is_merged: flag_at(value, "/merged"),
        is_draft: flag_at(value, "/draft"),
        body: text_at(value, "/body"),
        base: branch("base"),
        base_commit: text_at(value, "/base/sha"),
        head: branch("head"),
        head_commit: text_at(value, "/head/sha"),
        head_repository: if is_own { own } else { fork },
        head_address: address_at(value, "/head/repo/clone_url"),
        can_modify: flag_at(value, "/allow_maintainer_edit"),
        is_mergeable: value.get("mergeable").and_then(Value::as_bool),
        ..PullRequest::default()
    })
}

/// Parses an issue; `None` without a number.
pub(super) fn parse_issue(value: &Value) -> Option<Issue> {
    number_at(value, "/number")?;
    Some(Issue { title: text_at(value, "/title"), body: text_at(value, "/body") })
}

/// Parses the status of a commit. `None` without a name.
pub(super) fn parse_check(value: &Value) -> Option<CommitCheck> {
    let name = text_at(value, "/context");
    let conclusion = match text_at(value, "/status").as_str() {
        "success" => CheckConclusion::Success,
        "failure" | "error" => CheckConclusion::Failure,
        "skipped" => CheckConclusion::Skipped,
        "pending" => CheckConclusion::Pending,
        _ => CheckConclusion::Neutral,
    };
    (!name.is_empty()).then_some(CommitCheck { name, conclusion })
}

/// Parses a branch; `rules` is its protection, if the token may read it.
pub(super) fn parse_branch(value: &Value, rules: &Value) -> BranchState {
    let contexts = value.get("status_check_contexts").and_then(Value::as_array);
    let contexts = contexts.filter(|_| flag_at(value, "/enable_status_check"));
    let names = contexts.into_iter().flatten().filter_map(Value::as_str);
    BranchState {
        commit: text_at(value, "/commit/id"),
        is_protected: flag_at(value, "/protected"),
        required_checks: names.map(str::to_owned).collect(),
        requires_signatures: flag_at(rules, "/require_signed_commits"),
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
