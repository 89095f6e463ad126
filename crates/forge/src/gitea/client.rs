//! One repository on Gitea or Forgejo over its REST API, version 1, which follows GitHub's where it can.

use secrecy::SecretString;
use serde_json::{Value, json};

use super::values;
use crate::api::Api;
use crate::config::{ForgeConfig, Outside};
use crate::error::{ForgeError, ForgeFault};
use crate::field::{address_at, escape, expect_value, text_at};
use crate::forge_word::ForgeKind;
use crate::github::request;
use crate::transport::Repeat;
use crate::wire::{ForgeWire, Paging};
use crate::{
    CheckRun, CiJob, Forge, GreenRun, Issue, OwnedRepository, PullRequest, PullRequestSpec,
};

/// Gitea's REST API.
static WIRE: ForgeWire = ForgeWire {
    kind: ForgeKind::Gitea,
    name: "Gitea",
    headers: &[("accept", "application/json")],
    authorize,
    paging: Paging::Link,
    items: None,
};

/// Returns the header of a token.
fn authorize(token: &str) -> (&'static str, SecretString) {
    ("authorization", format!("token {token}").into())
}

/// One repository on Gitea.
pub struct Gitea<'a> {
    pub(super) api: Api<'a>,
    /// The address of the API.
    pub(super) root: String,
    pub(super) repository: String,
    run_url: Option<String>,
}

impl<'a> Gitea<'a> {
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
        Self { api, root, repository, run_url: config.run_url.clone() }
    }

    /// Sends a change to a pull request and returns its new state.
    ///
    /// Fails as [`Api::send`] does, and with `Unreadable` if the answer is no pull request; the change is made
    /// then.
    pub(super) fn change(
        &self,
        doing: &str,
        number: u64,
        body: Value,
    ) -> Result<PullRequest, ForgeError> {
        let value = self.api.patch(doing, &format!("/pulls/{number}"), body)?;
        expect_value(doing, values::parse_pull_request(&value))
    }

    /// Lists the jobs of a run.
    fn list_jobs(&self, run: u64) -> Result<Vec<Value>, ForgeError> {
        let doing = format!("list the jobs of run {run}");
        let found =
            self.api.list_within(&doing, &format!("/actions/runs/{run}/jobs?limit=50"), "jobs");
        match found {
            Err(error) if error.fault == ForgeFault::NotFound => {
                let message = format!(
                    "{}; Gitea before 1.24 and Forgejo have no logs in their API: give `--log`",
                    error.message
                );
                Err(ForgeError { message, ..error })
            }
            found => found,
        }
    }
}

impl Forge for Gitea<'_> {
    fn default_branch(&self) -> Result<String, ForgeError> {
        let doing = "find the default branch";
        let name = text_at(&self.api.get(doing, "")?, "/default_branch");
        expect_value(doing, Some(name).filter(|name| !name.is_empty()))
    }

    fn pull_requests(&self, branch: &str) -> Result<Vec<PullRequest>, ForgeError> {
        // The list has no filter for the branch; the last changed ones come first.
        let path = "/pulls?state=all&sort=recentupdate&limit=50";
        let found = self.api.list("look for the pull request", path)?;
        let parsed = found.iter().filter_map(values::parse_pull_request);
        let is_own = |pull: &PullRequest| {
            pull.head == branch && pull.head_repository.eq_ignore_ascii_case(&self.repository)
        };
        let mut own: Vec<_> = parsed.filter(is_own).collect();
        own.sort_by_key(|pull| std::cmp::Reverse(pull.number));
        Ok(own)
    }

    fn open(&self, spec: &PullRequestSpec) -> Result<PullRequest, ForgeError> {
        let doing = "open the pull request";
        let body = values::creation_body(spec);
        // A second one from the same branch is refused, so that asking twice does no harm.
        let value = self.api.post(doing, "/pulls", body, Repeat::Safe)?;
        expect_value(doing, values::parse_pull_request(&value))
    }

    fn update(&self, number: u64, spec: &PullRequestSpec) -> Result<PullRequest, ForgeError> {
        let doing = "update the pull request";
        let known = self.api.get(doing, &format!("/pulls/{number}"))?;
        let is_draft = known.get("draft").and_then(Value::as_bool).unwrap_or_default();
        self.change(doing, number, values::update_body(spec, is_draft))
    }

    fn reopen(&self, number: u64) -> Result<PullRequest, ForgeError> {
        self.change("reopen the pull request", number, json!({ "state": "open" }))
    }

    fn label(&self, number: u64, labels: &[String]) -> Result<(), ForgeError> {
        let doing = "label the pull request";
        let known = self.api.list(doing, "/labels?limit=50")?;
        let mut ids = Vec::new();
        for name in labels {
            let label = known.iter().find(|label| text_at(label, "/name") == *name);
            let missing = || {
                let message = format!("the repository has no label `{name}`");
                ForgeError::new(doing, ForgeFault::NotFound, message)
            };
            ids.push(label.and_then(|label| label.get("id").cloned()).ok_or_else(missing)?);
        }
        let path = format!("/issues/{number}/labels");
        self.api.post(doing, &path, json!({ "labels": ids }), Repeat::Safe).map(drop)
    }

    fn request_reviews(&self, number: u64, reviewers: &[String]) -> Result<(), ForgeError> {
        let path = format!("/pulls/{number}/requested_reviewers");
        let body = request::reviewers_body(reviewers);
        self.api.post("ask for a review", &path, body, Repeat::Safe).map(drop)
    }

    fn merge_when_green(&self, pull: &PullRequest) -> Result<(), ForgeError> {
        let doing = "turn on auto-merge";
        let value =
            self.api.get(doing, &format!("/commits/{}/status", escape(&pull.head_commit)))?;
        // Without a status, Gitea would merge at once.
        if value.get("statuses").and_then(Value::as_array).is_none_or(Vec::is_empty) {
            let message = "no check runs for the pull request yet";
            return Err(ForgeError::new(doing, ForgeFault::Invalid, message));
        }
        let path = format!("/pulls/{}/merge", pull.number);
        let body = json!({
            "Do": "merge",
            "merge_when_checks_succeed": true,
            "head_commit_id": pull.head_commit,
        });
        self.api.post(doing, &path, body, Repeat::Safe).map(drop)
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
        Ok(self.list_jobs(run)?.iter().filter_map(request::parse_failed_job).collect())
    }

    fn passed_jobs(&self, run: u64) -> Result<Vec<CiJob>, ForgeError> {
        Ok(self.list_jobs(run)?.iter().filter_map(request::parse_green_job).collect())
    }

    fn last_green_run(&self, run: u64) -> Result<Option<GreenRun>, ForgeError> {
        let doing = format!("find the last successful run of the workflow of run {run}");
        let failed = self.api.get(&doing, &format!("/actions/runs/{run}"))?;
        let runs = self.api.get(&doing, "/actions/runs?status=success&limit=50")?;
        // A run has the file of its workflow in `path`, as `ci.yml@refs/heads/main`.
        let workflow = |run: &Value| text_at(run, "/path").split('@').next().map(str::to_owned);
        let runs = runs.get("workflow_runs").and_then(Value::as_array).into_iter().flatten();
        let same = runs.filter(|run| workflow(run) == workflow(&failed));
        let branch = text_at(&failed, "/head_branch");
        Ok(request::RUN.find_before((run, &branch), same))
    }

    fn repositories(&self, owner: &str) -> Result<Vec<OwnedRepository>, ForgeError> {
        let doing = format!("list the repositories of {owner}");
        let owner = escape(owner);
        let of = |kind: &str| format!("{}/{kind}/{owner}/repos?limit=50", self.root);
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
