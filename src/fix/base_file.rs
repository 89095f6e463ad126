//! Reads files from the revision that a pull request is merged into, which the change under test cannot alter.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use super::ci_environment::{CiEnvironment, find_variable, read_event};
use super::text_file::MAX_SETTINGS;
use papayu_base::text::Masker;
use papayu_forge::git::{Git, HeadPlace, Oid};
use papayu_system::System;
use papayu_system::os::timed::TimedProcess;
use papayu_system::os::{OsClock, OsDisk, OsHttp, OsProcess};

/// The time for git to show the base: the time limit of the run is not known yet.
const MAX_TIME: Duration = Duration::from_secs(10);

/// Events besides `pull_request*` that may be about a pull request.
const FOREIGN_EVENTS: [&str; 5] =
    ["merge_group", "issue_comment", "workflow_run", "check_suite", "check_run"];

/// The revision that a pull request is merged into.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum BaseRevision {
    /// Its id, from the event that started the job.
    Commit(Oid),
    /// A branch of the remote.
    Branch(String),
    /// The job is for a pull request, but names no base.
    Unknown,
    /// The commit that is checked out.
    Head,
}

impl BaseRevision {
    /// Returns the base of the pull request that a CI job is for; `None` for any other job.
    pub(super) fn of_job(environment: &[(String, String)]) -> Option<Self> {
        let value = |name: &str| find_variable(environment, name);
        if value("GITHUB_ACTIONS") != Some("true") {
            return Self::of_other_job(CiEnvironment::of(environment));
        }
        // An unreadable event is not an error: the variables of the job name the base too.
        let event = read_event(environment);
        let of_event = event.as_ref().and_then(Self::of_event);
        let of_branch = || value("GITHUB_BASE_REF").map(|name| Self::Branch(name.to_owned()));
        let is_pull_request = || {
            let name = value("GITHUB_EVENT_NAME")?;
            // Of these only the event shows whether they are about a pull request.
            let may_be = FOREIGN_EVENTS.contains(&name) && event.is_none();
            (name.starts_with("pull_request") || may_be).then_some(Self::Unknown)
        };
        of_event.or_else(of_branch).or_else(is_pull_request)
    }

    /// Returns the base of the pull request that the variables of a job of another system describe.
    fn of_other_job(job: CiEnvironment<'_>) -> Option<Self> {
        if !job.is_job() || job.pull_request().is_none() {
            return job.may_be_pull_request().then_some(Self::Unknown);
        }
        let of_commit = job.base_commit().map(Self::Commit);
        let of_branch = || job.base().map(Self::Branch);
        of_commit.or_else(of_branch).or(Some(Self::Unknown))
    }

    /// Reads the description of the event that started the job.
    fn of_event(event: &Value) -> Option<Self> {
        let commit = |pull: &Value| pull.pointer("/base/sha")?.as_str().and_then(Oid::parse);
        if let Some(pull) = event.get("pull_request") {
            return Some(commit(pull).map_or(Self::Unknown, Self::Commit));
        }
        if let Some(group) = event.get("merge_group") {
            let base = group.get("base_sha").and_then(Value::as_str).and_then(Oid::parse);
            return Some(base.map_or(Self::Unknown, Self::Commit));
        }
        // The comment on a pull request names no base, so the default branch is taken.
        let default = || Self::default_branch(event);
        if event.pointer("/issue/pull_request").is_some() {
            return Some(default());
        }
        let checked = ["workflow_run", "check_suite", "check_run"];
        let run = checked.iter().find_map(|name| event.get(*name))?;
        if let Some(pull) = run.pointer("/pull_requests/0") {
            return Some(commit(pull).map_or(Self::Unknown, Self::Commit));
        }
        let is_for_pull = run
            .get("event")
            .and_then(Value::as_str)
            .is_some_and(|name| name.starts_with("pull_request") || name == "merge_group");
        if is_for_pull {
            return Some(default());
        }
        // GitHub leaves the list empty for a fork, so the default branch is taken.
        // The run of a fork's pull request names no pull request.
        let head = run.pointer("/head_repository/full_name")?.as_str()?;
        let own = event.pointer("/repository/full_name")?.as_str()?;
        (head != own).then(default)
    }

    fn default_branch(event: &Value) -> Self {
        let name = event.pointer("/repository/default_branch").and_then(Value::as_str);
        name.map_or(Self::Unknown, |name| Self::Branch(name.to_owned()))
    }
}

/// A file at the base.
#[derive(Clone)]
pub(super) enum AtBase {
    /// Its text.
    File { commit: Oid, text: String },
    /// The base has none.
    NoFile,
    /// The base is not in the clone, or its file cannot be used.
    NotHere,
}

/// Returns files as [`read_at_base`] does, before the time limit of the run is known: git gets [`MAX_TIME`].
pub(super) fn read_before_run(
    base: &BaseRevision,
    paths: &[String],
    folder: &Path,
    environment: &[(String, String)],
) -> Vec<AtBase> {
    let interrupted = Arc::default();
    let clock = OsClock::new(Arc::clone(&interrupted)).ending_at(MAX_TIME);
    let process = OsProcess::new(Arc::clone(&interrupted), environment.to_vec());
    let process = TimedProcess::new(process, clock.clone());
    let http = OsHttp::new(interrupted);
    let system = System { disk: &OsDisk, process: &process, http: &http, clock: &clock };
    // No token: the objects must be in the clone already.
    let masker = Masker::new([]);
    let git = Git::open(system, folder, environment, &masker).ok();
    read_at_base(base, paths, git.as_ref())
}

/// Returns files as they are in the base of the pull request, which the change under test cannot alter. Paths begin at
/// the top of the repository.
pub(super) fn read_at_base(
    base: &BaseRevision,
    paths: &[String],
    git: Option<&Git<'_>>,
) -> Vec<AtBase> {
    let not_here = || vec![AtBase::NotHere; paths.len()];
    let Some(git) = git else { return not_here() };
    let commit = match base {
        BaseRevision::Commit(commit) => {
            Some(commit.clone()).filter(|commit| git.has_commit(commit))
        }
        // Only the remote-tracking branch is read; nothing is fetched.
        BaseRevision::Branch(name) => git.tracked_tip("origin", name),
        BaseRevision::Head => git.place().head().and_then(HeadPlace::commit).cloned(),
        BaseRevision::Unknown => None,
    };
    let Some(commit) = commit else { return not_here() };
    let Ok(entries) = git.list_entries(&commit) else { return not_here() };
    let read = |path: &String| {
        let Some((_, entry)) = entries.iter().find(|(known, _)| known == path) else {
            return AtBase::NoFile;
        };
        // A link at the base leads to the file in the folder, where links are refused.
        let is_file = matches!(entry.mode.as_str(), "100644" | "100755");
        let bytes = is_file.then(|| git.read_blob(&entry.oid).ok()).flatten();
        let text = bytes.filter(|bytes| bytes.len() as u64 <= MAX_SETTINGS).map(String::from_utf8);
        match text {
            Some(Ok(text)) => AtBase::File { commit: commit.clone(), text },
            _ => AtBase::NotHere,
        }
    };
    paths.iter().map(read).collect()
}

#[cfg(test)]
#[path = "base_file/tests.rs"]
mod tests;
