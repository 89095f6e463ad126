//! A task as it lies in a queue: JSON whose inner part is a manifest of that one task, read by its reader.

use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use super::fault::QueueError;
use crate::batch::expand::{OWN, Origin, Planned};
use crate::batch::manifest::{self, Form, Task};
use crate::domain::RunId;

/// The version of the form.
pub(super) const FORM: u32 = 1;
/// Longest job, in bytes.
pub(super) const MAX_BYTES: usize = 1024 * 1024;
/// Longest name of a task: the longest of a manifest with what tells two apart behind it.
const MAX_NAME: usize = 120;

/// Why a job is none.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum JobFault {
    /// Written by another version.
    #[error("it is of form {0}")]
    OtherForm(u32),
    /// Not what we write.
    #[error("{0}")]
    Unreadable(String),
}

#[derive(Serialize)]
struct Wire<'a> {
    form: u32,
    run: &'a str,
    name: &'a str,
    key: &'a str,
    repo: &'a str,
    manifest: &'a RawValue,
}

#[derive(Deserialize)]
struct Head {
    form: u32,
}

#[derive(Deserialize)]
struct Owned<'a> {
    run: String,
    name: String,
    key: String,
    repo: String,
    #[serde(borrow)]
    manifest: &'a RawValue,
}

/// A job, read.
#[derive(Clone, Debug, PartialEq)]
pub struct Job {
    /// The task.
    pub planned: Planned,
    /// Names its run, however often and wherever that is begun: what one of them handed over is theirs all.
    pub run: RunId,
}

/// Returns a task as a job; `folder` is where paths of its manifest begin, and they are made absolute. `run` is the
/// fresh id of the one run that it is to have.
pub fn encode(planned: &Planned, folder: &Path, run: &str) -> Result<String, QueueError> {
    let unfit = |said: String| QueueError::Unfit { name: planned.name().into_owned(), said };
    let manifest = manifest_of(planned, folder).ok_or_else(|| {
        unfit(format!("`{}` is not UTF-8", folder.join(&*planned.repo).display()))
    })?;
    let manifest =
        serde_json::value::to_raw_value(&manifest).map_err(|it| unfit(it.to_string()))?;
    let (name, key, repo) = (&*planned.name(), &*planned.key, &*planned.repo);
    let job = Wire { form: FORM, run, name, key, repo, manifest: &manifest };
    let text = serde_json::to_string(&job).map_err(|it| unfit(it.to_string()))?;
    // What cannot be read again is told here, not on another machine.
    decode(&planned.key, text.as_bytes()).map_err(|fault| unfit(fault.to_string()))?;
    Ok(text)
}

/// Reads the job that was put there under that key.
pub fn decode(key: &str, bytes: &[u8]) -> Result<Job, JobFault> {
    let odd = |said: &str| JobFault::Unreadable(said.to_owned());
    let json = |error: serde_json::Error| JobFault::Unreadable(error.to_string());
    if bytes.is_empty() || bytes.len() > MAX_BYTES {
        return Err(JobFault::Unreadable(format!("it is empty or longer than {MAX_BYTES} bytes")));
    }
    let head: Head = serde_json::from_slice(bytes).map_err(json)?;
    if head.form != FORM {
        return Err(JobFault::OtherForm(head.form));
    }
    let wire: Owned<'_> = serde_json::from_slice(bytes).map_err(json)?;
    if wire.key != key {
        return Err(odd("it lies under the key of another"));
    }
    if [&wire.key, &wire.repo].into_iter().any(|text| text.chars().any(char::is_control)) {
        return Err(odd("its repository has signs that cannot be shown"));
    }
    if !is_name(&wire.name) {
        return Err(odd("its name cannot be a folder's"));
    }
    if uuid::Uuid::try_parse(&wire.run).is_err() {
        return Err(odd("its run has no id"));
    }
    let path = Path::new("job");
    let read = manifest::read(path, wire.manifest.get().as_bytes(), Form::Json)
        .map_err(|error| JobFault::Unreadable(error.to_string()))?;
    let Ok([task]) = <[Task; 1]>::try_from(read.tasks) else {
        return Err(odd("it is not one task"));
    };
    let planned = Planned::of(task, 0).ok_or_else(|| odd("it is a pattern of repositories"))?;
    let (named, key, repo) = (Some(wire.name.into()), wire.key.into(), wire.repo.into());
    let planned = Planned { named, key, repo, ..planned };
    Ok(Job { planned, run: RunId::new(wire.run) })
}

/// Tells whether a text can name a task's folder of results.
fn is_name(name: &str) -> bool {
    let fits = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    let is_own = OWN.contains(&name.to_ascii_lowercase().as_str());
    (1..=MAX_NAME).contains(&name.len())
        && !name.starts_with('.')
        && name.chars().all(fits)
        && !is_own
}

fn manifest_of(planned: &Planned, folder: &Path) -> Option<Value> {
    let wish = &planned.wish;
    let repo = match &planned.origin {
        Origin::Folder(path) => folder.join(&**path).to_str()?.to_owned(),
        Origin::Address(address) => address.to_string(),
    };
    let log = match &wish.log {
        Some(log) => Some(folder.join(log).to_str()?.to_owned()),
        None => None,
    };
    // As defaults, since a folder may have a branch from there only.
    let mut shared = Map::new();
    let texts = [
        ("branch", &wish.branch),
        ("goal", &wish.goal),
        ("log", &log),
        ("run", &wish.run),
        ("provider", &wish.provider),
        ("model", &wish.model),
    ];
    for (key, text) in texts {
        shared.extend(text.as_ref().map(|text| (key.to_owned(), json!(text))));
    }
    for (key, list) in [("emit", &wish.emit), ("labels", &wish.labels)] {
        shared.extend(list.as_ref().map(|list| (key.to_owned(), json!(list))));
    }
    let limits = wish.limits;
    let mut budget = Map::new();
    budget.extend(limits.max_cost.map(|cost| ("max_cost".to_owned(), json!(cost))));
    for (key, number) in [
        ("max_tokens", limits.max_tokens),
        ("max_requests", limits.max_requests),
        ("timeout_sec", limits.timeout_sec),
        ("verify_timeout_sec", limits.verify_timeout_sec),
    ] {
        budget.extend(number.map(|number| (key.to_owned(), json!(number))));
    }
    shared.insert("budget".to_owned(), Value::Object(budget));
    Some(json!({ "defaults": shared, "repositories": [{ "repo": repo }] }))
}
