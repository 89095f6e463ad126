//! The trait of a forge (a service such as GitHub), and the values that its calls exchange.

use serde::{Deserialize, Serialize};

use super::error::ForgeError;
use super::lifecycle::{Lifecycle, PullRequest};

/// The fields that a pull request is created or updated with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PullRequestSpec {
    /// One line.
    pub title: String,
    /// Markdown.
    pub body: String,
    /// Our branch.
    pub head: String,
    /// The branch it is to go into.
    pub base: String,
    /// True to create it as a draft; an update leaves that state alone.
    pub draft: bool,
}

/// An issue: untrusted text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Issue {
    /// One line.
    pub title: String,
    /// Markdown.
    pub body: String,
}

/// A job of a workflow run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CiJob {
    /// The name that its forge's API knows it by.
    pub id: String,
    /// Its name.
    pub name: String,
}

/// A CI run that passed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GreenRun {
    /// The number by which the API knows it.
    pub number: u64,
    /// The commit that it ran on; empty if the forge does not name it.
    pub commit: String,
}

/// The severity of an annotation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Nothing to worry about.
    Notice,
    /// A warning.
    Warning,
    /// A failure.
    Failure,
}

/// A message of a check run, shown at lines of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Annotation {
    /// The file, from the repository's top.
    pub path: String,
    /// 1-based.
    pub start_line: u32,
    /// 1-based.
    pub end_line: u32,
    /// Its severity.
    pub annotation_level: Level,
    /// Its text.
    pub message: String,
    /// One line.
    pub title: String,
}

/// A check run: a verdict on a commit, with annotations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckRun {
    /// The commit.
    pub head: String,
    /// `success`, `failure` or `neutral`.
    pub conclusion: &'static str,
    /// One line.
    pub title: String,
    /// Markdown.
    pub summary: String,
    /// Any number; they are sent fifty at a time.
    pub annotations: Vec<Annotation>,
}

/// A repository of an owner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnedRepository {
    /// Its name, without the owner.
    pub name: String,
    /// The address that git clones.
    pub address: String,
}

/// The calls of a forge that hosts the pull requests of one repository.
///
/// Every call may fail with a [`ForgeError`]; it has been retried by then where that is safe.
pub trait Forge: Lifecycle {
    /// Returns the repository's default branch.
    fn default_branch(&self) -> Result<String, ForgeError>;

    /// Returns every pull request from a branch of this repository, the newest first.
    fn pull_requests(&self, branch: &str) -> Result<Vec<PullRequest>, ForgeError>;

    /// Opens one. An error of kind `Exists` when there is an open one from that branch already.
    fn open(&self, spec: &PullRequestSpec) -> Result<PullRequest, ForgeError>;

    /// Sets title, body and base.
    fn update(&self, number: u64, spec: &PullRequestSpec) -> Result<PullRequest, ForgeError>;

    /// Opens a closed one again; an error of kind `Invalid` when the forge cannot.
    fn reopen(&self, number: u64) -> Result<PullRequest, ForgeError>;

    /// Adds labels; those that it has stay.
    fn label(&self, number: u64, labels: &[String]) -> Result<(), ForgeError>;

    /// Asks people, and teams written as `team/NAME`, to review it.
    fn request_reviews(&self, number: u64, reviewers: &[String]) -> Result<(), ForgeError>;

    /// Has it merged as soon as everything that is required has passed.
    fn merge_when_green(&self, pull: &PullRequest) -> Result<(), ForgeError>;

    /// Leaves a check run on a commit and returns its address.
    fn check_run(&self, check: &CheckRun) -> Result<String, ForgeError>;

    /// Reads an issue.
    fn issue(&self, number: u64) -> Result<Issue, ForgeError>;

    /// Renews a token that ends soon; requests and pushes use the new one.
    fn renew_token(&self) -> Result<(), ForgeError> {
        Ok(())
    }

    /// Returns the jobs of a CI run that failed, in its latest attempt.
    fn failed_jobs(&self, run: u64) -> Result<Vec<CiJob>, ForgeError>;

    /// Returns the jobs of a CI run that passed, in its latest attempt.
    fn passed_jobs(&self, run: u64) -> Result<Vec<CiJob>, ForgeError>;

    /// Returns the last successful run of the same workflow before this one, that of the same branch if there is one;
    /// `None` if none of the newest runs is.
    fn last_green_run(&self, run: u64) -> Result<Option<GreenRun>, ForgeError>;

    /// Returns the repositories of an organisation or user that can be worked on: neither archived
    /// nor disabled, sorted by name. An error where there are more than it can list.
    fn repositories(&self, owner: &str) -> Result<Vec<OwnedRepository>, ForgeError>;

    /// Hands a job's log over as it comes.
    fn job_log(&self, job: &CiJob, sink: &mut dyn FnMut(&[u8])) -> Result<(), ForgeError>;
}
