//! The bodies of requests to Bitbucket, and the values read from its answers.

use serde_json::{Value, json};

use crate::field::{address_at, cut_text, flag_at, number_at, text_at};
use crate::{
    CheckConclusion, CheckRun, CiJob, CommitCheck, Issue, OwnedRepository, PullRequest,
    PullRequestSpec,
};

/// Longest description that Bitbucket takes, in characters.
const MAX_BODY: usize = 32_768;

/// Returns the body of `POST /repositories/{workspace}/{repo_slug}/pullrequests`.
pub(super) fn creation_body(spec: &PullRequestSpec) -> Value {
    json!({
        "type": "pullrequest",
        "title": spec.title,
        "description": cut_text(&spec.body, MAX_BODY),
        "source": { "branch": { "name": spec.head } },
        "destination": { "branch": { "name": spec.base } },
        "draft": spec.draft,
        "close_source_branch": true,
    })
}

/// Returns the body of `PUT …/pullrequests/{pull_request_id}`; a field that is left out loses its value, such as the
/// reviewers that the pull request has.
pub(super) fn update_body(spec: &PullRequestSpec, known: &Value) -> Value {
    json!({
        "type": "pullrequest",
        "title": spec.title,
        "description": cut_text(&spec.body, MAX_BODY),
        "destination": { "branch": { "name": spec.base } },
        "reviewers": reviewers_of(known),
    })
}

/// Returns the body that replaces the text of a pull request.
pub(super) fn closing_body(text: &str, known: &Value) -> Value {
    json!({
        "type": "pullrequest",
        "title": known.get("title"),
        "description": cut_text(text, MAX_BODY),
        "reviewers": reviewers_of(known),
    })
}

/// Returns the reviewers of a pull request as a request names them.
pub(super) fn reviewers_of(known: &Value) -> Vec<Value> {
    let reviewers = known.get("reviewers").and_then(Value::as_array).into_iter().flatten();
    let uuids = reviewers.filter_map(|reviewer| reviewer.get("uuid"));
    uuids.map(|uuid| json!({ "type": "user", "uuid": uuid })).collect()
}

/// Returns the body of `POST …/commit/{commit}/statuses/build`.
pub(super) fn status_body(check: &CheckRun, url: &str) -> Value {
    let state = match check.conclusion {
        "success" => "SUCCESSFUL",
        "neutral" => "STOPPED",
        _ => "FAILED",
    };
    json!({
        "type": "build",
        "key": "papayu-batch",
        "name": "papayu-batch",
        "state": state,
        "description": cut_text(&check.title, 255),
        "url": url,
    })
}

/// Parses a pull request; `None` without a number.
pub(super) fn parse_pull_request(value: &Value) -> Option<PullRequest> {
    let state = text_at(value, "/state");
    let head_repository = text_at(value, "/source/repository/full_name");
    Some(PullRequest {
        number: number_at(value, "/id")?,
        url: address_at(value, "/links/html/href"),
        is_open: state == "OPEN",
        is_merged: state == "MERGED",
        is_draft: flag_at(value, "/draft"),
        body: text_at(value, "/description"),
        base: text_at(value, "/destination/branch/name"),
        base_commit: text_at(value, "/destination/commit/hash"),
        head: text_at(value, "/source/branch/name"),
        head_commit: text_at(value, "/source/commit/hash"),
        head_address: match head_repository.as_str() {
            "" => String::new(),
            name => format!("https://bitbucket.org/{name}.git"),
        },
        head_repository,
        ..PullRequest::default()
    })
}

/// Parses an issue; `None` without a number.
pub(super) fn parse_issue(value: &Value) -> Option<Issue> {
    number_at(value, "/id")?;
    Some(Issue { title: text_at(value, "/title"), body: text_at(value, "/content/raw") })
}

/// Parses a step of a pipeline with the result `wanted`; the job's name begins with that of the pipeline.
/// `None` for another result.
pub(super) fn parse_step(value: &Value, pipeline: &str, wanted: &[&str]) -> Option<CiJob> {
    let is_wanted = wanted.contains(&text_at(value, "/state/result/name").as_str());
    let uuid = value.get("uuid").and_then(Value::as_str)?;
    let job = CiJob { id: format!("{pipeline}/{uuid}"), name: text_at(value, "/name") };
    is_wanted.then_some(job)
}

/// Parses the status of a commit. `None` without a name.
pub(super) fn parse_check(value: &Value) -> Option<CommitCheck> {
    let name = [text_at(value, "/name"), text_at(value, "/key")];
    let name = name.into_iter().find(|name| !name.is_empty())?;
    let conclusion = match text_at(value, "/state").as_str() {
        "SUCCESSFUL" => CheckConclusion::Success,
        "FAILED" => CheckConclusion::Failure,
        "INPROGRESS" => CheckConclusion::Pending,
        _ => CheckConclusion::Neutral,
    };
    Some(CommitCheck { name, conclusion })
}

/// Parses a repository. `None` without an address of https.
pub(super) fn parse_repository(value: &Value) -> Option<OwnedRepository> {
    let name = text_at(value, "/full_name").rsplit('/').next()?.to_owned();
    let links = value.pointer("/links/clone")?.as_array()?;
    let https = links.iter().find(|link| text_at(link, "/name") == "https")?;
    // The address names the account that asked, which is no part of the repository.
    let mut url = url::Url::parse(&text_at(https, "/href")).ok()?;
    url.set_username("").ok()?;
    (!name.is_empty()).then(|| OwnedRepository { name, address: url.to_string() })
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
