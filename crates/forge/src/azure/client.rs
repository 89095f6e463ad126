//! One repository on Azure DevOps over its REST API, version 7.1.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use secrecy::SecretString;
use serde_json::{Value, json};

use super::values;
use crate::api::{Api, ChangeRequest};
use crate::config::{ForgeConfig, Outside};
use crate::error::ForgeError;
use crate::field::{escape, expect_value, number_at, text_at};
use crate::forge_word::ForgeKind;
use crate::last_run::RunFields;
use crate::transport::Repeat;
use crate::wire::{ForgeWire, Paging, bearer};
use crate::{
    CheckRun, CiJob, Forge, GreenRun, Issue, OwnedRepository, PullRequest, PullRequestSpec,
};
use papayu_system::Method;

/// The version that fixes the form of answers; newer servers know it, too.
pub(super) const VERSION: &str = "api-version=7.1";
/// Items of a page.
const PAGE: usize = 100;
/// The length at which lists cut descriptions, in characters.
const CUT: usize = 400;

/// The REST API of Azure DevOps.
static WIRE: ForgeWire = ForgeWire {
    kind: ForgeKind::Azure,
    name: "Azure DevOps",
    // A log would otherwise be JSON; every other answer is JSON.
    headers: &[("accept", "application/json, text/plain;q=0.9")],
    authorize,
    paging: Paging::Skip { name: "$skip", size: PAGE },
    items: Some("value"),
};

/// Returns the header of a token: that of a job is a bearer token, a personal one is a password without a user.
fn authorize(token: &str) -> (&'static str, SecretString) {
    // A JSON Web Token begins with the base64 form of `{"`.
    if token.starts_with("eyJ") {
        return bearer(token);
    }
    ("authorization", format!("Basic {}", STANDARD.encode(format!(":{token}"))).into())
}

/// The fields of a build.
const BUILD: RunFields =
    RunFields { number: "/id", branch: "/sourceBranch", commit: "/sourceVersion" };

/// One repository on Azure DevOps.
pub struct Azure<'a> {
    pub(super) api: Api<'a>,
    /// The address of the organisation.
    pub(super) root: String,
    /// The address of the project.
    project: String,
    /// `PROJECT/NAME`
    pub(super) repository: String,
    /// The address of the repository's pages.
    pub(super) page: String,
    run_url: Option<String>,
}

impl<'a> Azure<'a> {
    /// Returns the repository; nothing is sent yet. An error when it is not named as `PROJECT/NAME`.
    pub fn new(config: &ForgeConfig, outside: Outside<'a>) -> Result<Self, ForgeError> {
        config.name_parts(2..=2)?;
        Ok(Self::whole(config, outside))
    }

    /// Returns the forge itself, for questions about no one repository.
    pub fn whole(config: &ForgeConfig, outside: Outside<'a>) -> Self {
        let root = config.api().to_owned();
        let (project, name) = config.repository.split_once('/').unwrap_or_default();
        let (project, name) = (format!("{root}/{}", escape(project)), escape(name));
        let page = format!("{project}/_git/{name}");
        let base = format!("{project}/_apis/git/repositories/{name}");
        let api = Api::new(config, outside, &WIRE, base);
        let repository = config.repository.clone();
        Self { api, root, project, repository, page, run_url: config.run_url.clone() }
    }

    /// Sends a change.
    ///
    /// Fails as [`Api::send`] does.
    pub(super) fn send(
        &self,
        doing: &str,
        method: Method,
        path: &str,
        body: Value,
    ) -> Result<Value, ForgeError> {
        // A second comment would be visible; all other changes may be repeated.
        let repeat = if path.contains("/threads") { Repeat::Unsafe } else { Repeat::Safe };
        let path = &format!("{path}?{VERSION}");
        self.api.send(ChangeRequest { doing, method, path, body, repeat })
    }

    /// Parses a pull request. `None` if a field is missing.
    pub(super) fn parse(&self, value: &Value) -> Option<PullRequest> {
        values::parse_pull_request(value, &self.page, &self.repository)
    }

    /// Reads a pull request.
    ///
    /// Fails as [`Api::get`] does, and with `Unreadable` if the answer lacks a field that every pull request
    /// has.
    pub(super) fn read(&self, doing: &str, number: u64) -> Result<PullRequest, ForgeError> {
        let value = self.api.get(doing, &format!("/pullrequests/{number}?{VERSION}"))?;
        expect_value(doing, self.parse(&value))
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
        let path = format!("/pullrequests/{number}");
        let value = self.send(doing, Method::Patch, &path, body)?;
        expect_value(doing, self.parse(&value))
    }

    /// Lists the pull requests that a condition selects; a list has descriptions of at most [`CUT`] characters,
    /// so longer ones are read one by one.
    ///
    /// Fails as [`Api::list`] does. Entries without a field that every pull request has are left out.
    pub(super) fn find(&self, doing: &str, which: &str) -> Result<Vec<PullRequest>, ForgeError> {
        let path = format!("/pullrequests?{which}&%24top={PAGE}&{VERSION}");
        let found = self.api.list(doing, &path)?;
        let mut pulls: Vec<PullRequest> = found.iter().filter_map(|it| self.parse(it)).collect();
        for pull in &mut pulls {
            if pull.body.chars().count() >= CUT {
                *pull = self.read(doing, pull.number)?;
            }
        }
        Ok(pulls)
    }

    /// Lists the jobs of a build that ended with one of these results.
    fn list_jobs(&self, build: u64, wanted: &[&str]) -> Result<Vec<CiJob>, ForgeError> {
        let doing = format!("list the jobs of build {build}");
        let path = format!("{}/_apis/build/builds/{build}/timeline?{VERSION}", self.project);
        let timeline = self.api.get(&doing, &path)?;
        let records = timeline.get("records").and_then(Value::as_array).into_iter().flatten();
        Ok(records.filter_map(|record| values::parse_job(record, build, wanted)).collect())
    }
}

impl Forge for Azure<'_> {
    fn default_branch(&self) -> Result<String, ForgeError> {
        let doing = "find the default branch";
        let name = text_at(&self.api.get(doing, &format!("?{VERSION}"))?, "/defaultBranch");
        expect_value(doing, name.strip_prefix(values::HEADS).map(str::to_owned))
    }

    fn pull_requests(&self, branch: &str) -> Result<Vec<PullRequest>, ForgeError> {
        let name = escape(&format!("{}{branch}", values::HEADS));
        let which = format!("searchCriteria.sourceRefName={name}&searchCriteria.status=all");
        let mut own = self.find("look for the pull request", &which)?;
        // A fork may have a branch of the same name.
        own.retain(|pull| pull.head == branch && pull.head_repository == self.repository);
        own.sort_by_key(|pull| std::cmp::Reverse(pull.number));
        Ok(own)
    }

    fn open(&self, spec: &PullRequestSpec) -> Result<PullRequest, ForgeError> {
        let doing = "open the pull request";
        let (path, body) = ("/pullrequests", values::creation_body(spec));
        // A second one between the same branches is refused, so that asking twice does no harm.
        let value = self.send(doing, Method::Post, path, body)?;
        expect_value(doing, self.parse(&value))
    }

    fn update(&self, number: u64, spec: &PullRequestSpec) -> Result<PullRequest, ForgeError> {
        let doing = "update the pull request";
        let known = self.read(doing, number)?;
        self.change(doing, number, values::update_body(spec, &known.base))
    }

    fn reopen(&self, number: u64) -> Result<PullRequest, ForgeError> {
        self.change("reopen the pull request", number, json!({ "status": "active" }))
    }

    fn label(&self, number: u64, labels: &[String]) -> Result<(), ForgeError> {
        for name in labels {
            let path = format!("/pullRequests/{number}/labels");
            self.send("label the pull request", Method::Post, &path, json!({ "name": name }))?;
        }
        Ok(())
    }

    fn request_reviews(&self, number: u64, reviewers: &[String]) -> Result<(), ForgeError> {
        let doing = "ask for a review";
        for id in reviewers {
            let is_id = id.len() == 36 && id.chars().all(|c| c.is_ascii_hexdigit() || c == '-');
            if !is_id {
                let instead = format!("write `{id}` as the identifier of a person or group");
                return Err(self.api.unsupported(doing, &instead));
            }
            let path = format!("/pullRequests/{number}/reviewers/{id}");
            self.send(doing, Method::Put, &path, json!({ "id": id, "vote": 0 }))?;
        }
        Ok(())
    }

    fn merge_when_green(&self, pull: &PullRequest) -> Result<(), ForgeError> {
        // Only the account that opened it is known without another permission.
        let body = json!({ "autoCompleteSetBy": { "id": pull.node_id } });
        self.change("turn on auto-complete", pull.number, body).map(drop)
    }

    fn check_run(&self, check: &CheckRun) -> Result<String, ForgeError> {
        let path = format!("/commits/{}/statuses", escape(&check.head));
        let body = values::status_body(check, self.run_url.as_deref());
        self.send("leave a commit status", Method::Post, &path, body)?;
        Ok(self.run_url.clone().unwrap_or_default())
    }

    fn issue(&self, number: u64) -> Result<Issue, ForgeError> {
        let doing = format!("read work item {number}");
        let path = format!("{}/_apis/wit/workitems/{number}?{VERSION}", self.project);
        expect_value(&doing, values::parse_issue(&self.api.get(&doing, &path)?))
    }

    fn failed_jobs(&self, run: u64) -> Result<Vec<CiJob>, ForgeError> {
        self.list_jobs(run, &["failed"])
    }

    fn passed_jobs(&self, run: u64) -> Result<Vec<CiJob>, ForgeError> {
        self.list_jobs(run, &["succeeded"])
    }

    fn last_green_run(&self, run: u64) -> Result<Option<GreenRun>, ForgeError> {
        let doing = format!("find the last successful build before {run}");
        let builds = format!("{}/_apis/build/builds", self.project);
        let failed = self.api.get(&doing, &format!("{builds}/{run}?{VERSION}"))?;
        let Some(definition) = number_at(&failed, "/definition/id") else { return Ok(None) };
        let path = format!(
            "{builds}?definitions={definition}&resultFilter=succeeded&statusFilter=completed&queryOrder=finishTimeDescending&%24top=100&{VERSION}"
        );
        let branch = text_at(&failed, "/sourceBranch");
        let of_branch = format!("{path}&branchName={}", escape(&branch));
        for path in [of_branch, path] {
            let value = self.api.get(&doing, &path)?;
            let list = value.get("value").and_then(Value::as_array).into_iter().flatten();
            if let Some(green) = BUILD.find_before((run, &branch), list) {
                return Ok(Some(green));
            }
        }
        Ok(None)
    }

    fn repositories(&self, owner: &str) -> Result<Vec<OwnedRepository>, ForgeError> {
        let doing = format!("list the repositories of {owner}");
        let path = format!("{}/{}/_apis/git/repositories?{VERSION}", self.root, escape(owner));
        // The list has one page.
        let value = self.api.get(&doing, &path)?;
        let list = value.get("value").and_then(Value::as_array).into_iter().flatten();
        let mut all: Vec<_> = list.filter_map(values::parse_repository).collect();
        all.sort_by(|one, two| one.name.cmp(&two.name));
        Ok(all)
    }

    fn job_log(&self, job: &CiJob, sink: &mut dyn FnMut(&[u8])) -> Result<(), ForgeError> {
        let doing = format!("read the log of job {}", job.name);
        let (build, log) = expect_value(&doing, job.id.split_once('/'))?;
        let build = format!("{}/_apis/build/builds/{build}", self.project);
        // The format is a parameter, because the header that asks for text is not always respected.
        let path = format!("{build}/logs/{log}?{VERSION}&%24format=text");
        self.api.download_log(&doing, &path, sink)
    }
}
