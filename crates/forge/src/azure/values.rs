//! The bodies of requests to Azure DevOps, and the values read from its answers.

use serde_json::{Value, json};

use crate::diff::suggestion_block;
use crate::field::{cut_text, flag_at, number_at, text_at};
use crate::{
    CheckConclusion, CheckRun, CiJob, CommitCheck, Issue, OwnedRepository, PullRequest,
    PullRequestSpec, Suggestion,
};

/// Longest description that Azure DevOps takes, in characters.
const MAX_BODY: usize = 4_000;
/// Longest title, in characters.
const MAX_TITLE: usize = 400;
/// The prefix of branches, which the API names in full.
pub(super) const HEADS: &str = "refs/heads/";

/// Returns the body of `POST …/pullrequests`.
pub(super) fn creation_body(spec: &PullRequestSpec) -> Value {
    json!({
        "sourceRefName": format!("{HEADS}{}", spec.head),
        "targetRefName": format!("{HEADS}{}", spec.base),
        "title": cut_text(&spec.title, MAX_TITLE),
        "description": cut_text(&spec.body, MAX_BODY),
        "isDraft": spec.draft,
    })
}

/// Returns the body of `PATCH …/pullrequests/{pullRequestId}`.
pub(super) fn update_body(spec: &PullRequestSpec, known_base: &str) -> Value {
    let mut body = json!({
        "title": cut_text(&spec.title, MAX_TITLE),
        "description": cut_text(&spec.body, MAX_BODY),
    });
    // An update with a target is refused where projects forbid to change it.
    if let (true, Some(fields)) = (spec.base != known_base, body.as_object_mut()) {
        fields.insert("targetRefName".to_owned(), json!(format!("{HEADS}{}", spec.base)));
    }
    body
}

/// Returns the body that abandons a pull request.
pub(super) fn closing_body(text: &str) -> Value {
    json!({ "status": "abandoned", "description": cut_text(text, MAX_BODY) })
}

/// Returns the body of `POST …/commits/{commitId}/statuses`.
pub(super) fn status_body(check: &CheckRun, run_url: Option<&str>) -> Value {
    let state = match check.conclusion {
        "success" => "succeeded",
        "neutral" => "notApplicable",
        _ => "failed",
    };
    json!({
        "state": state,
        "description": cut_text(&check.title, 255),
        "targetUrl": run_url,
        "context": { "name": "papayu-batch", "genre": "continuous-integration" },
    })
}

/// Returns the body of `POST …/threads` with one comment.
pub(super) fn thread_body(text: &str) -> Value {
    json!({ "comments": [comment_body(text)], "status": "closed" })
}

/// Returns the body of a thread that suggests other lines.
pub(super) fn suggestion_body(suggestion: &Suggestion) -> Value {
    let Suggestion { path, start_line, end_line, replacement } = suggestion;
    let place = |line: u32, offset: u32| json!({ "line": line, "offset": offset });
    json!({
        "comments": [comment_body(&suggestion_block(replacement, ""))],
        "status": "active",
        // Lines and offsets are 1-based; the end is that of the last line, whatever its length.
        "threadContext": {
            "filePath": format!("/{path}"),
            "rightFileStart": place(*start_line, 1),
            "rightFileEnd": place(end_line.saturating_add(1), 1),
        },
    })
}

fn comment_body(text: &str) -> Value {
    json!({ "parentCommentId": 0, "content": text, "commentType": "text" })
}

/// Parses a pull request of a repository with pages below `page`; `None` without a number.
pub(super) fn parse_pull_request(
    value: &Value,
    page: &str,
    repository: &str,
) -> Option<PullRequest> {
    let branch = |pointer: &str| {
        let name = text_at(value, pointer);
        name.strip_prefix(HEADS).map(str::to_owned).unwrap_or(name)
    };
    let status = text_at(value, "/status");
    let number = number_at(value, "/pullRequestId")?;
    let fork = text_at(value, "/forkSource/repository/name");
    let mergeable = match text_at(value, "/mergeStatus").as_str() {
        "succeeded" => Some(true),
        "conflicts" => Some(false),
        _ => None,
    };
    Some(PullRequest {
        number,
        url: format!("{page}/pullrequest/{number}"),
        node_id: text_at(value, "/createdBy/id"),
        is_open: status == "active",
        is_merged: status == "completed",
        is_draft: flag_at(value, "/isDraft"),
        body: text_at(value, "/description"),
        base: branch("/targetRefName"),
        base_commit: text_at(value, "/lastMergeTargetCommit/commitId"),
        head: branch("/sourceRefName"),
        head_commit: text_at(value, "/lastMergeSourceCommit/commitId"),
        head_repository: if fork.is_empty() { repository.to_owned() } else { fork },
        head_address: text_at(value, "/forkSource/repository/remoteUrl"),
        is_mergeable: mergeable,
        ..PullRequest::default()
    })
}

/// Parses a work item; `None` without a number.
pub(super) fn parse_issue(value: &Value) -> Option<Issue> {
    number_at(value, "/id")?;
    let field = |name: &str| text_at(value, &format!("/fields/{name}"));
    // Bugs have their text in the steps.
    let texts = [field("System.Description"), field("Microsoft.VSTS.TCM.ReproSteps")];
    let body = texts.into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n\n");
    Some(Issue { title: field("System.Title"), body })
}

/// Parses a job of a build's timeline with one of these results. `None` for any other job or entry, and for a
/// job without a log.
pub(super) fn parse_job(value: &Value, build: u64, wanted: &[&str]) -> Option<CiJob> {
    let is_job = text_at(value, "/type") == "Job";
    let is_wanted = wanted.contains(&text_at(value, "/result").as_str());
    // A job that never started has no log.
    let log = number_at(value, "/log/id")?;
    let job = CiJob { id: format!("{build}/{log}"), name: text_at(value, "/name") };
    (is_job && is_wanted).then_some(job)
}

/// Parses the status of a commit. `None` without a name.
pub(super) fn parse_check(value: &Value) -> Option<CommitCheck> {
    let name = text_at(value, "/context/name");
    let conclusion = match text_at(value, "/state").as_str() {
        "succeeded" => CheckConclusion::Success,
        "failed" | "error" => CheckConclusion::Failure,
        "pending" | "notSet" => CheckConclusion::Pending,
        _ => CheckConclusion::Neutral,
    };
    (!name.is_empty()).then_some(CommitCheck { name, conclusion })
}

/// Parses a repository that can be worked on. `None` for a disabled one.
pub(super) fn parse_repository(value: &Value) -> Option<OwnedRepository> {
    let name = text_at(value, "/name");
    // The address names the organisation as its user.
    let mut url = url::Url::parse(&text_at(value, "/remoteUrl")).ok()?;
    url.set_username("").ok()?;
    let is_usable = !flag_at(value, "/isDisabled") && !name.is_empty();
    is_usable.then(|| OwnedRepository { name, address: url.to_string() })
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
