//! The bodies of requests to GitLab, and the values read from its answers.

use serde_json::{Value, json};

use crate::diff::LinePlace;
use crate::field::{address_at, cut_text, flag_at, number_at, text_at};
use crate::{
    BranchState, CheckConclusion, CheckRun, CiJob, CommitCheck, Issue, OwnedRepository, PullFile,
    PullRequest, PullRequestSpec, Suggestion,
};

/// Longest description that GitLab takes, in characters.
const MAX_BODY: usize = 1_048_576;
/// The prefix of a title that makes a merge request a draft.
const DRAFT: &str = "Draft: ";

/// Returns the body of `POST /projects/:id/merge_requests`.
pub(super) fn creation_body(spec: &PullRequestSpec) -> Value {
    json!({
        "title": draft_title(&spec.title, spec.draft),
        "description": cut_text(&spec.body, MAX_BODY),
        "source_branch": spec.head,
        "target_branch": spec.base,
        "allow_collaboration": true,
    })
}

/// Returns the body of `PUT /projects/:id/merge_requests/:iid`.
pub(super) fn update_body(spec: &PullRequestSpec, is_draft: bool) -> Value {
    json!({
        // A draft is one by its title, so that the title alone would end that state.
        "title": draft_title(&spec.title, is_draft),
        "description": cut_text(&spec.body, MAX_BODY),
        "target_branch": spec.base,
    })
}

fn draft_title(title: &str, is_draft: bool) -> String {
    if is_draft { format!("{DRAFT}{title}") } else { title.to_owned() }
}

/// Returns the body of `POST /projects/:id/statuses/:sha`.
pub(super) fn status_body(check: &CheckRun, run_url: Option<&str>) -> Value {
    // GitLab has no neutral status; a commit with a fix elsewhere still fails.
    let state = if check.conclusion == "success" { "success" } else { "failed" };
    let mut body = json!({
        "state": state,
        "name": "papayu-batch",
        "description": cut_text(&check.title, 255),
    });
    if let (Some(url), Some(fields)) = (run_url, body.as_object_mut()) {
        fields.insert("target_url".to_owned(), json!(url));
    }
    body
}

/// Returns the body of `POST /projects/:id/merge_requests/:iid/discussions`; `refs` are the `diff_refs` of the merge
/// request, and `place` is that of the last replaced line.
pub(super) fn discussion_body(suggestion: &Suggestion, refs: &Value, place: LinePlace) -> Value {
    let Suggestion { path, start_line, end_line, replacement } = suggestion;
    let above = end_line.saturating_sub(*start_line);
    let mut position = json!({
        "position_type": "text",
        "base_sha": refs.get("base_sha"),
        "start_sha": refs.get("start_sha"),
        "head_sha": refs.get("head_sha"),
        "old_path": path,
        "new_path": path,
        "new_line": end_line,
    });
    // An unchanged line is found only by both of its numbers.
    if let (LinePlace::Kept(old), Some(fields)) = (place, position.as_object_mut()) {
        fields.insert("old_line".to_owned(), json!(old));
    }
    let block = crate::diff::suggestion_block(replacement, &format!(":-{above}+0"));
    json!({ "body": block, "position": position })
}

/// Parses a merge request of the project `repository`; `None` without a number.
pub(super) fn parse_pull_request(value: &Value, repository: &str) -> Option<PullRequest> {
    let state = text_at(value, "/state");
    let is_own = number_at(value, "/source_project_id") == number_at(value, "/target_project_id");
    let refs = value.get("diff_refs").unwrap_or(&Value::Null);
    Some(PullRequest {
        number: number_at(value, "/iid")?,
        url: address_at(value, "/web_url"),
        // A merge request that is being merged is `locked`.
        is_open: matches!(state.as_str(), "opened" | "locked"),
        is_merged: state == "merged",
        is_draft: flag_at(value, "/draft"),
        body: text_at(value, "/description"),
        base: text_at(value, "/target_branch"),
        base_commit: text_at(refs, "/start_sha"),
        head: text_at(value, "/source_branch"),
        head_commit: text_at(value, "/sha"),
        head_repository: if is_own { repository.to_owned() } else { String::new() },
        can_modify: flag_at(value, "/allow_collaboration"),
        is_mergeable: match text_at(value, "/merge_status").as_str() {
            "can_be_merged" => Some(true),
            "cannot_be_merged" | "cannot_be_merged_recheck" => Some(false),
            _ => None,
        },
        ..PullRequest::default()
    })
}

/// Parses an issue; `None` without a number.
pub(super) fn parse_issue(value: &Value) -> Option<Issue> {
    number_at(value, "/iid")?;
    Some(Issue { title: text_at(value, "/title"), body: text_at(value, "/description") })
}

/// Parses a job. `None` for a failed job that may fail, because it does not fail its pipeline.
pub(super) fn parse_job(value: &Value) -> Option<CiJob> {
    // A job that may fail does not fail its pipeline.
    let counts = !flag_at(value, "/allow_failure") || text_at(value, "/status") != "failed";
    let id = number_at(value, "/id")?.to_string();
    counts.then(|| CiJob { id, name: text_at(value, "/name") })
}

/// Parses a project that can be worked on. `None` for an archived one.
pub(super) fn parse_project(value: &Value) -> Option<OwnedRepository> {
    let (name, address) = (text_at(value, "/path"), text_at(value, "/http_url_to_repo"));
    let is_usable = !flag_at(value, "/archived") && !name.is_empty() && !address.is_empty();
    is_usable.then_some(OwnedRepository { name, address })
}

/// Parses the status of a commit. A failed check that may fail is neutral. `None` without a name.
pub(super) fn parse_check(value: &Value) -> Option<CommitCheck> {
    let name = text_at(value, "/name");
    let conclusion = match text_at(value, "/status").as_str() {
        "success" => CheckConclusion::Success,
        "failed" if !flag_at(value, "/allow_failure") => CheckConclusion::Failure,
        "manual" => CheckConclusion::ActionRequired,
        "skipped" => CheckConclusion::Skipped,
        "failed" | "canceled" => CheckConclusion::Neutral,
        _ => CheckConclusion::Pending,
    };
    (!name.is_empty()).then_some(CommitCheck { name, conclusion })
}

/// Parses a branch.
pub(super) fn parse_branch(value: &Value) -> BranchState {
    BranchState {
        commit: text_at(value, "/commit/id"),
        is_protected: flag_at(value, "/protected"),
        ..BranchState::default()
    }
}

/// Parses a file of a merge request, without its patch if that is no text. `None` without a path.
pub(super) fn parse_changed_file(value: &Value) -> Option<PullFile> {
    let path = text_at(value, "/new_path");
    let patch = Some(text_at(value, "/diff")).filter(|diff| diff.starts_with("@@"));
    (!path.is_empty()).then_some(PullFile { path, patch })
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
