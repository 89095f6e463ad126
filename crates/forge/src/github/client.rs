//! GitHub and GitHub Enterprise over their REST API; GraphQL for the one thing that REST lacks.

use serde_json::{Value, json};

use super::request::{self, MAX_ANNOTATIONS};
use crate::api::{Api, ChangeRequest};
use crate::config::{ForgeConfig, Outside};
use crate::error::{ForgeError, ForgeFault};
use crate::field::{address_at, escape, text_at};
use crate::forge_word::ForgeKind;
use crate::transport::Repeat;
use crate::wire::{ForgeWire, Paging, bearer};
use crate::{
    CheckRun, CiJob, Forge, GreenRun, Issue, OwnedRepository, PullRequest, PullRequestSpec,
};
use papayu_system::Method;

/// GitHub's REST API.
static WIRE: ForgeWire = ForgeWire {
    kind: ForgeKind::GitHub,
    name: "GitHub",
    headers: &[
        ("accept", "application/vnd.github+json"),
        // The version fixes the form of answers; without it GitHub may change them.
        ("x-github-api-version", "2022-11-28"),
    ],
    authorize: bearer,
    // The `Link` header is the only documented way to the next page.
    paging: Paging::Link,
    items: None,
};

/// One repository on GitHub.
pub struct GitHub<'a> {
    pub(super) api: Api<'a>,
    /// The address of the API.
    pub(super) root: String,
    repository: String,
}

impl<'a> GitHub<'a> {
    /// Returns the repository; nothing is sent yet. An error when it is not named as `OWNER/NAME`.
    pub fn new(config: &ForgeConfig, outside: Outside<'a>) -> Result<Self, ForgeError> {
        config.name_parts(2..=2)?;
        Ok(Self::whole(config, outside))
    }

    /// Returns the forge itself, for questions about no one repository.
    pub fn whole(config: &ForgeConfig, outside: Outside<'a>) -> Self {
        let root = config.api().to_owned();
        let repository = config.repository.clone();
        let api = Api::new(config, outside, &WIRE, format!("{root}/repos/{repository}"));
        Self { api, root, repository }
    }

    /// Returns the repository as `OWNER/NAME`.
    pub(super) fn repository_name(&self) -> &str {
        &self.repository
    }

    /// Returns the owner in `owner/name`.
    fn owner_name(&self) -> &str {
        self.repository.split_once('/').map_or("", |(owner, _)| owner)
    }

    /// Sends a GET, which may be repeated safely.
    ///
    /// Fails as [`Api::get`] does.
    pub(super) fn get_json(&self, doing: &str, path: &str) -> Result<Value, ForgeError> {
        self.api.get(doing, path)
    }

    /// Reads every page of a list; `within` names the list inside an answer that is an object.
    ///
    /// Fails as [`Api::list`] does.
    pub(super) fn list_items(
        &self,
        doing: &str,
        path: &str,
        within: Option<&'static str>,
    ) -> Result<Vec<Value>, ForgeError> {
        match within {
            Some(field) => self.api.list_within(doing, path, field),
            None => self.api.list(doing, path),
        }
    }

    /// Reads the jobs of a workflow run's latest attempt.
    fn list_jobs(&self, run: u64) -> Result<Vec<Value>, ForgeError> {
        let doing = format!("list the jobs of run {run}");
        let path = format!("/actions/runs/{run}/jobs?filter=latest&per_page=100");
        self.list_items(&doing, &path, Some("jobs"))
    }

    /// Changes a pull request and returns its new state.
    fn patch_pull_request(
        &self,
        doing: &str,
        number: u64,
        body: Value,
    ) -> Result<PullRequest, ForgeError> {
        let path = format!("/pulls/{number}");
        let value = self.api.patch(doing, &path, body)?;
        as_pull_request(doing, &value)
    }

    /// Sends a GraphQL document that may be sent twice, and returns its answer.
    ///
    /// Fails as [`Api::send`] does, and with the fault of the first entry of `errors`, which GraphQL sends with
    /// status 200; [`ForgeFault::Exists`] means that the data changed in the meantime.
    pub(super) fn ask_graphql(
        &self,
        doing: &str,
        query: &str,
        variables: &Value,
    ) -> Result<Value, ForgeError> {
        // GitHub Enterprise has REST at `/api/v3` and GraphQL at `/api/graphql`.
        let base = self.root.strip_suffix("/v3").unwrap_or(&self.root);
        let body = json!({ "query": query, "variables": variables });
        let answer = self.api.post(doing, &format!("{base}/graphql"), body, Repeat::Safe)?;
        // GraphQL reports its faults in a good answer.
        let Some(first) = answer.pointer("/errors/0") else { return Ok(answer) };
        let text = |name: &str| first.get(name).and_then(Value::as_str).unwrap_or_default();
        let fault = match text("type") {
            "NOT_FOUND" => ForgeFault::NotFound,
            "FORBIDDEN" | "INSUFFICIENT_SCOPES" => ForgeFault::Forbidden,
            "RATE_LIMITED" => ForgeFault::RateLimited,
            "STALE_DATA" => ForgeFault::Exists,
            _ => ForgeFault::Invalid,
        };
        let message: String =
            text("message").chars().filter(|c| !c.is_control()).take(400).collect();
        Err(ForgeError::new(doing, fault, message))
    }
}

impl Forge for GitHub<'_> {
    fn default_branch(&self) -> Result<String, ForgeError> {
        let doing = "find the default branch";
        let value = self.get_json(doing, "")?;
        let name = value.get("default_branch").and_then(Value::as_str).map(str::to_owned);
        name.ok_or_else(|| ForgeError::new(doing, ForgeFault::Unreadable, "it has none"))
    }

    fn pull_requests(&self, branch: &str) -> Result<Vec<PullRequest>, ForgeError> {
        let doing = "look for the pull request";
        let head = escape(&format!("{}:{branch}", self.owner_name()));
        let path = format!("/pulls?state=all&head={head}&sort=created&direction=desc&per_page=100");
        let mut found: Vec<PullRequest> =
            self.api.list(doing, &path)?.iter().filter_map(request::parse_pull_request).collect();
        // GitHub sorts by second, and a branch may have two pull requests of one second.
        found.sort_by_key(|pull| std::cmp::Reverse(pull.number));
        Ok(found)
    }

    fn open(&self, spec: &PullRequestSpec) -> Result<PullRequest, ForgeError> {
        let doing = "open the pull request";
        let body = request::creation_body(spec);
        // A second one from the same branch is refused, so that asking twice does no harm.
        let value = self.api.post(doing, "/pulls", body, Repeat::Safe)?;
        as_pull_request(doing, &value)
    }

    fn update(&self, number: u64, spec: &PullRequestSpec) -> Result<PullRequest, ForgeError> {
        self.patch_pull_request("update the pull request", number, request::update_body(spec))
    }

    fn reopen(&self, number: u64) -> Result<PullRequest, ForgeError> {
        self.patch_pull_request("reopen the pull request", number, json!({ "state": "open" }))
    }

    fn label(&self, number: u64, labels: &[String]) -> Result<(), ForgeError> {
        let path = format!("/issues/{number}/labels");
        let body = json!({ "labels": labels });
        self.api.post("label the pull request", &path, body, Repeat::Safe).map(drop)
    }

    fn request_reviews(&self, number: u64, reviewers: &[String]) -> Result<(), ForgeError> {
        let path = format!("/pulls/{number}/requested_reviewers");
        let body = request::reviewers_body(reviewers);
        self.api.post("ask for a review", &path, body, Repeat::Safe).map(drop)
    }

    fn merge_when_green(&self, pull: &PullRequest) -> Result<(), ForgeError> {
        let variables = json!({ "id": pull.node_id });
        self.ask_graphql("turn on auto-merge", request::MERGE_WHEN_GREEN, &variables).map(drop)
    }

    fn check_run(&self, check: &CheckRun) -> Result<String, ForgeError> {
        let doing = "leave a check run";
        // GitHub takes fifty annotations in a call; the rest are added to the same run.
        let mut batches = check.annotations.chunks(MAX_ANNOTATIONS);
        let body = request::check_run_body(check, batches.next().unwrap_or_default());
        let made = self.api.post(doing, "/check-runs", body, Repeat::Unsafe)?;
        let id = made.get("id").and_then(Value::as_u64);
        let id =
            id.ok_or_else(|| ForgeError::new(doing, ForgeFault::Unreadable, "it has no id"))?;
        let path = format!("/check-runs/{id}");
        for batch in batches {
            let body = json!({ "output": request::check_output_body(check, batch) });
            // Annotations accumulate, so a repeated request would add them twice.
            let (method, path, repeat) = (Method::Patch, path.as_str(), Repeat::Unsafe);
            self.api.send(ChangeRequest { doing, method, path, body, repeat })?;
        }
        Ok(address_at(&made, "/html_url"))
    }

    fn renew_token(&self) -> Result<(), ForgeError> {
        self.api.renew_token()
    }

    fn issue(&self, number: u64) -> Result<Issue, ForgeError> {
        let doing = format!("read issue {number}");
        let value = self.get_json(&doing, &format!("/issues/{number}"))?;
        let wrong = || ForgeError::new(&doing, ForgeFault::Unreadable, "it is no issue");
        request::parse_issue(&value).ok_or_else(wrong)
    }

    fn failed_jobs(&self, run: u64) -> Result<Vec<CiJob>, ForgeError> {
        let jobs = self.list_jobs(run)?;
        Ok(jobs.iter().filter_map(request::parse_failed_job).collect())
    }

    fn passed_jobs(&self, run: u64) -> Result<Vec<CiJob>, ForgeError> {
        Ok(self.list_jobs(run)?.iter().filter_map(request::parse_green_job).collect())
    }

    fn last_green_run(&self, run: u64) -> Result<Option<GreenRun>, ForgeError> {
        let doing = format!("find the last successful run of the workflow of run {run}");
        let failed = self.get_json(&doing, &format!("/actions/runs/{run}"))?;
        // The first page has the newest runs of all workflows.
        let runs = self.get_json(&doing, "/actions/runs?status=success&per_page=100")?;
        let runs = runs.get("workflow_runs").and_then(Value::as_array).into_iter().flatten();
        let same = runs.filter(|run| run.get("workflow_id") == failed.get("workflow_id"));
        let branch = text_at(&failed, "/head_branch");
        Ok(request::RUN.find_before((run, &branch), same))
    }

    fn repositories(&self, owner: &str) -> Result<Vec<OwnedRepository>, ForgeError> {
        let doing = format!("list the repositories of {owner}");
        let owner = escape(owner);
        let of = |kind: &str| format!("{}/{kind}/{owner}/repos?type=all&per_page=100", self.root);
        let found = self.api.list_either(&doing, [&of("orgs"), &of("users")])?;
        let mut all: Vec<_> = found.iter().filter_map(request::parse_repository).collect();
        all.sort_by(|one, two| one.name.cmp(&two.name));
        Ok(all)
    }

    fn job_log(&self, job: &CiJob, sink: &mut dyn FnMut(&[u8])) -> Result<(), ForgeError> {
        let doing = format!("read the log of job {}", job.id);
        self.api.download_log(&doing, &format!("/actions/jobs/{}/logs", job.id), sink)
    }
}

/// Parses a pull request, or returns the error of an answer that is none.
pub(super) fn as_pull_request(doing: &str, value: &Value) -> Result<PullRequest, ForgeError> {
    let unreadable = || ForgeError::new(doing, ForgeFault::Unreadable, "it is no pull request");
    request::parse_pull_request(value).ok_or_else(unreadable)
}
