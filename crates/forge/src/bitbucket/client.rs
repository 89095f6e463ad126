//! One repository on Bitbucket Cloud over its REST API, version 2.0.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use secrecy::SecretString;
use serde_json::{Value, json};

use super::values;
use crate::api::Api;
use crate::config::{ForgeConfig, Outside};
use crate::error::{ForgeError, ForgeFault};
use crate::field::{escape, expect_value, number_at, text_at};
use crate::forge_word::ForgeKind;
use crate::last_run::RunFields;
use crate::transport::Repeat;
use crate::wire::{ForgeWire, Paging, bearer};
use crate::{
    CheckRun, CiJob, Forge, GreenRun, Issue, OwnedRepository, PullRequest, PullRequestSpec,
};

/// Bitbucket's REST API.
static WIRE: ForgeWire = ForgeWire {
    kind: ForgeKind::Bitbucket,
    name: "Bitbucket",
    headers: &[("accept", "application/json, text/plain, application/octet-stream")],
    authorize,
    paging: Paging::Field("next"),
    items: Some("values"),
};

/// Pages of pipelines in which the one with a number is searched, 100 on each.
const MAX_PIPELINE_PAGES: u64 = 20;

/// Returns the header of a token: a person's API token comes with the address of the person, `EMAIL:TOKEN`.
fn authorize(token: &str) -> (&'static str, SecretString) {
    if token.contains(':') {
        ("authorization", format!("Basic {}", STANDARD.encode(token)).into())
    } else {
        bearer(token)
    }
}

/// The fields of a pipeline.
const PIPELINE: RunFields = RunFields {
    number: "/build_number",
    branch: "/target/ref_name",
    commit: "/target/commit/hash",
};

/// One repository on Bitbucket Cloud.
pub struct Bitbucket<'a> {
    pub(super) api: Api<'a>,
    /// The address of the API.
    pub(super) root: String,
    pub(super) repository: String,
    run_url: Option<String>,
}

impl<'a> Bitbucket<'a> {
    /// Returns the repository; nothing is sent yet. An error when it is not named as `WORKSPACE/NAME`.
    pub fn new(config: &ForgeConfig, outside: Outside<'a>) -> Result<Self, ForgeError> {
        config.name_parts(2..=2)?;
        Ok(Self::whole(config, outside))
    }

    /// Returns the forge itself, for questions about no one repository.
    pub fn whole(config: &ForgeConfig, outside: Outside<'a>) -> Self {
        let root = config.api().to_owned();
        let repository = config.repository.clone();
        let api = Api::new(config, outside, &WIRE, format!("{root}/repositories/{repository}"));
        Self { api, root, repository, run_url: config.run_url.clone() }
    }

    /// Returns the pipeline with a number; the API knows pipelines by another name.
    fn find_pipeline(&self, doing: &str, number: u64) -> Result<Value, ForgeError> {
        for page in 1..=MAX_PIPELINE_PAGES {
            let path = format!("/pipelines?sort=-created_on&pagelen=100&page={page}");
            let value = self.api.get(doing, &path)?;
            let list = value.get("values").and_then(Value::as_array).into_iter().flatten();
            let of_number = |it: &&Value| number_at(it, "/build_number");
            let oldest = list.clone().filter_map(|it| of_number(&it)).min();
            if let Some(found) = list.clone().find(|it| of_number(it) == Some(number)) {
                return Ok(found.clone());
            }
            // The numbers grow, so that no older page has it.
            if oldest.is_none_or(|oldest| oldest < number) {
                break;
            }
        }
        Err(ForgeError::new(doing, ForgeFault::NotFound, format!("no pipeline {number}")))
    }

    /// Lists the steps of a pipeline that ended with one of these results.
    fn list_steps(&self, run: u64, wanted: &[&str]) -> Result<Vec<CiJob>, ForgeError> {
        let doing = format!("list the steps of pipeline {run}");
        let uuid = text_at(&self.find_pipeline(&doing, run)?, "/uuid");
        let path = format!("/pipelines/{}/steps?pagelen=100", escape(&uuid));
        let steps = self.api.list(&doing, &path)?;
        Ok(steps.iter().filter_map(|step| values::parse_step(step, &uuid, wanted)).collect())
    }
}

impl Forge for Bitbucket<'_> {
    fn default_branch(&self) -> Result<String, ForgeError> {
        let doing = "find the default branch";
        let name = text_at(&self.api.get(doing, "")?, "/mainbranch/name");
        expect_value(doing, Some(name).filter(|name| !name.is_empty()))
    }

    fn pull_requests(&self, branch: &str) -> Result<Vec<PullRequest>, ForgeError> {
        let query = escape(&format!("source.branch.name=\"{}\"", branch.replace('"', "")));
        let states = "state=OPEN&state=MERGED&state=DECLINED&state=SUPERSEDED";
        let path = format!("/pullrequests?q={query}&{states}&sort=-created_on&pagelen=50");
        let found = self.api.list("look for the pull request", &path)?;
        let parsed = found.iter().filter_map(values::parse_pull_request);
        // A fork may have a branch of the same name.
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
        // A second one between the same branches updates the first, so that asking twice does no harm.
        let value = self.api.post(doing, "/pullrequests", body, Repeat::Safe)?;
        expect_value(doing, values::parse_pull_request(&value))
    }

    fn update(&self, number: u64, spec: &PullRequestSpec) -> Result<PullRequest, ForgeError> {
        let (doing, path) = ("update the pull request", format!("/pullrequests/{number}"));
        let known = self.api.get(doing, &path)?;
        let value = self.api.put(doing, &path, values::update_body(spec, &known))?;
        expect_value(doing, values::parse_pull_request(&value))
    }

    fn reopen(&self, number: u64) -> Result<PullRequest, ForgeError> {
        // Of the kind `Invalid`, after which another pull request is opened.
        let message = format!("Bitbucket cannot open the declined pull request {number} again");
        Err(ForgeError::new("reopen the pull request", ForgeFault::Invalid, message))
    }

    fn label(&self, _number: u64, _labels: &[String]) -> Result<(), ForgeError> {
        Err(self.api.unsupported("label the pull request", "its pull requests have no labels"))
    }

    fn request_reviews(&self, number: u64, reviewers: &[String]) -> Result<(), ForgeError> {
        let (doing, path) = ("ask for a review", format!("/pullrequests/{number}"));
        if let Some(name) = reviewers.iter().find(|name| !name.starts_with('{')) {
            let instead = format!("write `{name}` as the `{{UUID}}` of a person");
            return Err(self.api.unsupported(doing, &instead));
        }
        let known = self.api.get(doing, &path)?;
        let mut all = values::reviewers_of(&known);
        all.extend(reviewers.iter().map(|uuid| json!({ "type": "user", "uuid": uuid })));
        let body = json!({
            "type": "pullrequest",
            "title": known.get("title"),
            "description": text_at(&known, "/description"),
            "reviewers": all,
        });
        self.api.put(doing, &path, body).map(drop)
    }

    fn merge_when_green(&self, _pull: &PullRequest) -> Result<(), ForgeError> {
        Err(self.api.unsupported("turn on auto-merge", "merge it when its builds have passed"))
    }

    fn check_run(&self, check: &CheckRun) -> Result<String, ForgeError> {
        let path = format!("/commit/{}/statuses/build", escape(&check.head));
        // The address is required.
        let page = format!("https://bitbucket.org/{}", self.repository);
        let url = self.run_url.clone().unwrap_or(page);
        let body = values::status_body(check, &url);
        self.api.post("leave a build status", &path, body, Repeat::Safe)?;
        Ok(url)
    }

    fn issue(&self, number: u64) -> Result<Issue, ForgeError> {
        let doing = format!("read issue {number}");
        let value = self.api.get(&doing, &format!("/issues/{number}"))?;
        expect_value(&doing, values::parse_issue(&value))
    }

    fn failed_jobs(&self, run: u64) -> Result<Vec<CiJob>, ForgeError> {
        self.list_steps(run, &["FAILED", "ERROR"])
    }

    fn passed_jobs(&self, run: u64) -> Result<Vec<CiJob>, ForgeError> {
        self.list_steps(run, &["SUCCESSFUL"])
    }

    fn last_green_run(&self, run: u64) -> Result<Option<GreenRun>, ForgeError> {
        let doing = format!("find the last successful pipeline before {run}");
        let failed = self.find_pipeline(&doing, run)?;
        let path = "/pipelines?status=PASSED&sort=-created_on&pagelen=100";
        let value = self.api.get(&doing, path)?;
        let list = value.get("values").and_then(Value::as_array).into_iter().flatten();
        let green = list.filter(|it| text_at(it, "/state/result/name") == "SUCCESSFUL");
        let branch = text_at(&failed, "/target/ref_name");
        Ok(PIPELINE.find_before((run, &branch), green))
    }

    fn repositories(&self, owner: &str) -> Result<Vec<OwnedRepository>, ForgeError> {
        let doing = format!("list the repositories of {owner}");
        let url = format!("{}/repositories/{}?pagelen=100", self.root, escape(owner));
        let found = self.api.list_whole(&doing, &url)?;
        let mut all: Vec<_> = found.iter().filter_map(values::parse_repository).collect();
        all.sort_by(|one, two| one.name.cmp(&two.name));
        Ok(all)
    }

    fn job_log(&self, job: &CiJob, sink: &mut dyn FnMut(&[u8])) -> Result<(), ForgeError> {
        let doing = format!("read the log of step {}", job.name);
        let (pipeline, step) = expect_value(&doing, job.id.split_once('/'))?;
        let path = format!("/pipelines/{}/steps/{}/log", escape(pipeline), escape(step));
        self.api.download_log(&doing, &path, sink)
    }
}
