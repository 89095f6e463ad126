//! One project on GitLab over its REST API, version 4.

use secrecy::SecretString;
use serde_json::{Value, json};

use super::values;
use crate::api::Api;
use crate::config::{ForgeConfig, Outside};
use crate::error::{ForgeError, ForgeFault};
use crate::field::{address_at, escape, expect_value, number_at, text_at};
use crate::forge_word::ForgeKind;
use crate::last_run::RunFields;
use crate::transport::Repeat;
use crate::wire::is_gitlab_job_token;
use crate::wire::{ForgeWire, Paging, bearer};
use crate::{
    CheckRun, CiJob, Forge, GreenRun, Issue, OwnedRepository, PullRequest, PullRequestSpec,
};

/// GitLab's REST API.
static WIRE: ForgeWire = ForgeWire {
    kind: ForgeKind::GitLab,
    name: "GitLab",
    headers: &[("accept", "application/json")],
    authorize,
    paging: Paging::Link,
    items: None,
};

/// Returns the header of a token: that of a CI job has one of its own, every other kind is a bearer token.
fn authorize(token: &str) -> (&'static str, SecretString) {
    if is_gitlab_job_token(token) { ("job-token", token.into()) } else { bearer(token) }
}

/// The fields of a pipeline.
const PIPELINE: RunFields = RunFields { number: "/id", branch: "/ref", commit: "/sha" };

/// One project on GitLab.
pub struct GitLab<'a> {
    pub(super) api: Api<'a>,
    /// The address of the API.
    pub(super) root: String,
    pub(super) repository: String,
    run_url: Option<String>,
}

impl<'a> GitLab<'a> {
    /// Returns the project; nothing is sent yet. An error when it is not named with its groups.
    pub fn new(config: &ForgeConfig, outside: Outside<'a>) -> Result<Self, ForgeError> {
        config.name_parts(2..=22)?;
        Ok(Self::whole(config, outside))
    }

    /// Returns the forge itself, for questions about no one project.
    pub fn whole(config: &ForgeConfig, outside: Outside<'a>) -> Self {
        let root = config.api().to_owned();
        let repository = config.repository.clone();
        let base = format!("{root}/projects/{}", escape(&repository));
        let api = Api::new(config, outside, &WIRE, base);
        Self { api, root, repository, run_url: config.run_url.clone() }
    }

    /// Returns the address of a page of the project.
    pub(super) fn page(&self, path: &str) -> String {
        let server = self.root.strip_suffix("/api/v4").unwrap_or(&self.root);
        format!("{server}/{}/-/{path}", self.repository)
    }

    /// Returns the number of the account that the token belongs to.
    ///
    /// Fails as [`Api::get`] does, and with `Unreadable` if the answer has no number.
    pub(super) fn own_account(&self, doing: &str) -> Result<u64, ForgeError> {
        let user = self.api.get(doing, &format!("{}/user", self.root))?;
        expect_value(doing, number_at(&user, "/id"))
    }

    /// Sends a change to a merge request and returns its new state.
    ///
    /// Fails as [`Api::send`] does, and with `Unreadable` if the answer is no merge request; the change is made
    /// then.
    pub(super) fn change(
        &self,
        doing: &str,
        number: u64,
        body: Value,
    ) -> Result<PullRequest, ForgeError> {
        let value = self.api.put(doing, &format!("/merge_requests/{number}"), body)?;
        expect_value(doing, values::parse_pull_request(&value, &self.repository))
    }

    /// Lists the jobs of a pipeline that ended in a state.
    fn list_jobs(&self, pipeline: u64, scope: &str) -> Result<Vec<CiJob>, ForgeError> {
        let doing = format!("list the jobs of pipeline {pipeline}");
        let path = format!("/pipelines/{pipeline}/jobs?scope%5B%5D={scope}&per_page=100");
        let jobs = self.api.list(&doing, &path)?;
        Ok(jobs.iter().filter_map(values::parse_job).collect())
    }
}

impl Forge for GitLab<'_> {
    fn default_branch(&self) -> Result<String, ForgeError> {
        let doing = "find the default branch";
        let name = text_at(&self.api.get(doing, "")?, "/default_branch");
        expect_value(doing, Some(name).filter(|name| !name.is_empty()))
    }

    fn pull_requests(&self, branch: &str) -> Result<Vec<PullRequest>, ForgeError> {
        let branch = escape(branch);
        let path = format!(
            "/merge_requests?source_branch={branch}&state=all&order_by=created_at&sort=desc&per_page=100"
        );
        let found = self.api.list("look for the merge request", &path)?;
        let parsed = found.iter().filter_map(|it| values::parse_pull_request(it, &self.repository));
        // A fork may have a branch of the same name.
        let mut own: Vec<_> = parsed.filter(|pull| !pull.head_repository.is_empty()).collect();
        own.sort_by_key(|pull| std::cmp::Reverse(pull.number));
        Ok(own)
    }

    fn open(&self, spec: &PullRequestSpec) -> Result<PullRequest, ForgeError> {
        let doing = "open the merge request";
        let body = values::creation_body(spec);
        // A second one from the same branch is refused, so that asking twice does no harm.
        let value = self.api.post(doing, "/merge_requests", body, Repeat::Safe)?;
        expect_value(doing, values::parse_pull_request(&value, &self.repository))
    }

    fn update(&self, number: u64, spec: &PullRequestSpec) -> Result<PullRequest, ForgeError> {
        let doing = "update the merge request";
        let known = self.api.get(doing, &format!("/merge_requests/{number}"))?;
        let is_draft = known.get("draft").and_then(Value::as_bool).unwrap_or_default();
        self.change(doing, number, values::update_body(spec, is_draft))
    }

    fn reopen(&self, number: u64) -> Result<PullRequest, ForgeError> {
        self.change("reopen the merge request", number, json!({ "state_event": "reopen" }))
    }

    fn label(&self, number: u64, labels: &[String]) -> Result<(), ForgeError> {
        let body = json!({ "add_labels": labels.join(",") });
        self.change("label the merge request", number, body).map(drop)
    }

    fn request_reviews(&self, number: u64, reviewers: &[String]) -> Result<(), ForgeError> {
        let doing = "ask for a review";
        let mut ids = Vec::new();
        for name in reviewers {
            if name.starts_with("team/") {
                return Err(self.api.unsupported(doing, "name people, a group cannot review"));
            }
            let path = format!("{}/users?username={}", self.root, escape(name));
            let users = self.api.get(doing, &path)?;
            let missing =
                || ForgeError::new(doing, ForgeFault::NotFound, format!("no user `{name}`"));
            ids.push(number_at(&users, "/0/id").ok_or_else(missing)?);
        }
        self.change(doing, number, json!({ "reviewer_ids": ids })).map(drop)
    }

    fn merge_when_green(&self, pull: &PullRequest) -> Result<(), ForgeError> {
        let doing = "turn on auto-merge";
        let place = format!("/merge_requests/{}", pull.number);
        let known = self.api.get(doing, &place)?;
        // Without a pipeline, GitLab would merge at once.
        if known.pointer("/head_pipeline/id").is_none() {
            let message = "no pipeline runs for the merge request yet";
            return Err(ForgeError::new(doing, ForgeFault::Invalid, message));
        }
        // GitLab before 17.11 knows the second name only.
        let body = json!({
            "auto_merge": true,
            "merge_when_pipeline_succeeds": true,
            "sha": known.get("sha"),
        });
        self.api.put(doing, &format!("{place}/merge"), body).map(drop)
    }

    fn check_run(&self, check: &CheckRun) -> Result<String, ForgeError> {
        let path = format!("/statuses/{}", escape(&check.head));
        let body = values::status_body(check, self.run_url.as_deref());
        let value = self.api.post("leave a commit status", &path, body, Repeat::Safe)?;
        Ok(address_at(&value, "/target_url"))
    }

    fn issue(&self, number: u64) -> Result<Issue, ForgeError> {
        let doing = format!("read issue {number}");
        let value = self.api.get(&doing, &format!("/issues/{number}"))?;
        expect_value(&doing, values::parse_issue(&value))
    }

    fn failed_jobs(&self, run: u64) -> Result<Vec<CiJob>, ForgeError> {
        self.list_jobs(run, "failed")
    }

    fn passed_jobs(&self, run: u64) -> Result<Vec<CiJob>, ForgeError> {
        self.list_jobs(run, "success")
    }

    fn last_green_run(&self, run: u64) -> Result<Option<GreenRun>, ForgeError> {
        let doing = format!("find the last successful pipeline before {run}");
        let failed = self.api.get(&doing, &format!("/pipelines/{run}"))?;
        let path = "/pipelines?status=success&order_by=id&sort=desc&per_page=100";
        let branch = text_at(&failed, "/ref");
        let of_branch = format!("{path}&ref={}", escape(&branch));
        for path in [of_branch.as_str(), path] {
            let value = self.api.get(&doing, path)?;
            let list = value.as_array().into_iter().flatten();
            if let Some(green) = PIPELINE.find_before((run, &branch), list) {
                return Ok(Some(green));
            }
        }
        Ok(None)
    }

    fn repositories(&self, owner: &str) -> Result<Vec<OwnedRepository>, ForgeError> {
        let doing = format!("list the projects of {owner}");
        let owner = escape(owner);
        let of = |kind: &str| {
            format!("{}/{kind}/{owner}/projects?archived=false&per_page=100", self.root)
        };
        let found = self.api.list_either(&doing, [&of("groups"), &of("users")])?;
        let mut all: Vec<_> = found.iter().filter_map(values::parse_project).collect();
        all.sort_by(|one, two| one.name.cmp(&two.name));
        Ok(all)
    }

    fn job_log(&self, job: &CiJob, sink: &mut dyn FnMut(&[u8])) -> Result<(), ForgeError> {
        let doing = format!("read the log of job {}", job.id);
        self.api.download_log(&doing, &format!("/jobs/{}/trace", job.id), sink)
    }
}
