//! A task in a queue: JSON with a manifest of that one task.

use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::FORM;
use super::fault::QueueError;
use crate::batch::expand::{OWN, PlannedTask, RepositoryOrigin};
use crate::batch::manifest::{self, ManifestFormat, ManifestTask, TaskOptions};
use papayu_base::domain::{RunId, Sha256};

/// Longest job, in bytes.
pub(super) const MAX_BYTES: usize = 1024 * 1024;
/// Longest name of a task: the longest of a manifest and the suffix of a repeated name.
const MAX_NAME: usize = 120;

/// The reason why a job is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum JobError {
    /// Written by another version.
    #[error("it is of form {0}")]
    OtherForm(u32),
    /// The text is no job.
    #[error("{0}")]
    Unreadable(String),
}

/// The part of a job that every version of the form has.
#[derive(Deserialize)]
struct Head {
    form: u32,
}

/// The text of a job: `{"form": 1, "run": "…", "name": "api", "key": "…", "repo": "…", "manifest": {…}}`.
#[derive(Serialize, Deserialize)]
struct JobText<'a> {
    form: u32,
    run: String,
    name: String,
    key: String,
    repo: String,
    #[serde(borrow)]
    manifest: &'a RawValue,
}

/// A parsed job.
#[derive(Clone, Debug, PartialEq)]
pub struct QueueJob {
    /// The task.
    pub planned: PlannedTask,
    /// The id of its run. Each attempt has the same id, so that a later one finds the results of an
    /// earlier one.
    pub run: RunId,
}

/// Returns a task as a job: JSON with a manifest of one task, at most 1 MiB. Paths are made absolute from
/// `folder`. `run` is the id of its run.
///
/// # Errors
///
/// [`QueueError::Unfit`] if a path is not UTF-8, or [`decode`] would refuse the job.
pub fn encode(planned: &PlannedTask, folder: &Path, run: &str) -> Result<String, QueueError> {
    let unfit = |reason: String| QueueError::Unfit { name: planned.name().into_owned(), reason };
    // A manifest again, so that a worker checks a job as strictly as a file.
    let manifest = manifest_of(planned, folder).ok_or_else(|| {
        unfit(format!("`{}` is not UTF-8", folder.join(&*planned.repo).display()))
    })?;
    let manifest =
        serde_json::value::to_raw_value(&manifest).map_err(|it| unfit(it.to_string()))?;
    let (key, repo) = (planned.key.to_string(), planned.repo.to_string());
    let (run, name) = (run.to_owned(), planned.name().into_owned());
    let job = JobText { form: FORM, run, name, key, repo, manifest: &manifest };
    let text = serde_json::to_string(&job).map_err(|it| unfit(it.to_string()))?;
    // A job that cannot be read is reported here, not on another machine.
    decode(&task_name(&planned.key), text.as_bytes()).map_err(|fault| unfit(fault.to_string()))?;
    Ok(text)
}

/// Returns the name of a task in the queue: 32 hexadecimal digits of the digest of its key.
pub(super) fn task_name(key: &str) -> String {
    Sha256::of(key.as_bytes()).to_string().chars().take(32).collect()
}

/// Reads the job of the task with this name.
///
/// # Errors
///
/// [`JobError::OtherForm`] if another version wrote the job, and [`JobError::Unreadable`] if it is empty, over
/// 1 MiB or no JSON, if its name is that of another key, if its name cannot be the name of a folder or its run is no
/// UUID, or if its manifest has not exactly one valid task.
pub fn decode(name: &str, bytes: &[u8]) -> Result<QueueJob, JobError> {
    let odd = |reason: &str| JobError::Unreadable(reason.to_owned());
    let json = |error: serde_json::Error| JobError::Unreadable(error.to_string());
    if bytes.is_empty() || bytes.len() > MAX_BYTES {
        return Err(JobError::Unreadable(format!("it is empty or longer than {MAX_BYTES} bytes")));
    }
    // The version is read first: a newer form may have other fields.
    let head: Head = serde_json::from_slice(bytes).map_err(json)?;
    if head.form != FORM {
        return Err(JobError::OtherForm(head.form));
    }
    let wire: JobText<'_> = serde_json::from_slice(bytes).map_err(json)?;
    // The key decides which row the job gets.
    if task_name(&wire.key) != name {
        return Err(odd("it lies under the key of another"));
    }
    if [&wire.key, &wire.repo].into_iter().any(|text| text.chars().any(char::is_control)) {
        return Err(odd("its repository has control characters"));
    }
    // Anyone who can write to the queue chooses the name, which becomes a folder.
    if !is_name(&wire.name) {
        return Err(odd("its name cannot be a folder's"));
    }
    // The run id becomes part of a branch name and of a path.
    if uuid::Uuid::try_parse(&wire.run).is_err() {
        return Err(odd("its run has no id"));
    }
    let path = Path::new("job");
    let read = manifest::read_manifest(path, wire.manifest.get().as_bytes(), ManifestFormat::Json)
        .map_err(|error| JobError::Unreadable(error.to_string()))?;
    let Ok([task]) = <[ManifestTask; 1]>::try_from(read.tasks) else {
        return Err(odd("it is not one task"));
    };
    let planned =
        PlannedTask::from_task(task).ok_or_else(|| odd("it is a pattern of repositories"))?;
    let (named, key, repo) = (Some(wire.name.into()), wire.key.into(), wire.repo.into());
    let planned = PlannedTask { named, key, repo, ..planned };
    Ok(QueueJob { planned, run: RunId::new(wire.run) })
}

/// Returns whether a text is a valid name of a folder of results.
fn is_name(name: &str) -> bool {
    let fits = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    let is_own = OWN.contains(&name.to_ascii_lowercase().as_str());
    (1..=MAX_NAME).contains(&name.len())
        && !name.starts_with('.')
        && name.chars().all(fits)
        && !is_own
}

/// Returns a manifest with one task and absolute paths; `None` if a path is not UTF-8, which JSON
/// cannot express.
fn manifest_of(planned: &PlannedTask, folder: &Path) -> Option<Value> {
    let options = &planned.options;
    let repo = match &planned.origin {
        RepositoryOrigin::Folder(path) => folder.join(&**path).to_str()?.to_owned(),
        RepositoryOrigin::Address(address) => address.to_string(),
    };
    let absolute = |path: &String| folder.join(path).to_str().map(str::to_owned);
    let log = options.log.as_ref().map(absolute).map_or(Some(None), |path| path.map(Some))?;
    let findings = options.findings.as_ref().map(absolute);
    let findings = findings.map_or(Some(None), |path| path.map(Some))?;
    // The options are written as defaults, since a folder may have a branch only there.
    let options = TaskOptions { log, findings, ..TaskOptions::clone(options) };
    Some(json!({ "defaults": options, "repositories": [{ "repo": repo }] }))
}
