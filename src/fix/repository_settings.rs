//! Reads the repository's settings file: from the base of a pull request in CI, otherwise from the folder.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value;

use super::error::FixError;
use super::text_file::{MAX_SETTINGS, text_up_to};
use crate::domain::RepoPath;
use crate::git::{Git, Oid};
use crate::settings::RepositoryFile;
use crate::system::os::{OsClock, OsDisk, OsHttp, OsProcess};
use crate::system::{Entry, System, Tree};
use crate::text::Masker;

/// The file's name.
const NAME: &str = "papayu.toml";

/// The longest description of an event read, in bytes.
const MAX_EVENT: u64 = 32 * 1024 * 1024;

/// The repository's settings file.
pub(super) struct RepositorySettings {
    path: PathBuf,
    text: String,
    can_be_trusted: bool,
}

impl RepositorySettings {
    /// Returns the file as a source of settings.
    pub(super) fn as_source<'a>(&'a self, root: &'a Path) -> RepositoryFile<'a> {
        let Self { path, text, can_be_trusted } = self;
        RepositoryFile { path, text, root, can_be_trusted: *can_be_trusted }
    }
}

/// Returns the settings file of the repository; `None` where it has none.
///
/// In a CI job for a pull request the file of the base revision is read, because the change itself may be
/// hostile. Where that revision is not in the clone, the file in the folder is read and never trusted.
pub(super) fn repository_settings(
    repo: &Path,
    tree: &dyn Tree,
    environment: &[(String, String)],
) -> Result<Option<RepositorySettings>, FixError> {
    let base = Base::of_job(environment);
    match base.as_ref().map(|base| read_base(base, tree, environment)) {
        Some(AtBase::File { commit, text }) => {
            let short: String = commit.as_str().chars().take(12).collect();
            let path = repo.join(format!("{NAME} (base {short})"));
            return Ok(Some(RepositorySettings { path, text, can_be_trusted: true }));
        }
        Some(AtBase::NoFile) => return Ok(None),
        Some(AtBase::NotHere) | None => {}
    }
    let text = read_folder(&repo.join(NAME), tree)?;
    let path = repo.join(NAME);
    Ok(text.map(|text| RepositorySettings { path, text, can_be_trusted: base.is_none() }))
}

/// Returns the text of the settings file in the working tree; `None` if there is none.
fn read_folder(shown: &Path, tree: &dyn Tree) -> Result<Option<String>, FixError> {
    let fault = |source| FixError::Read { path: shown.to_owned(), source };
    let invalid = |message: &str| fault(io::Error::new(io::ErrorKind::InvalidData, message));
    let path = RepoPath::parse(NAME).map_err(|error| fault(io::Error::other(error)))?;
    // A link could lead to any file of the user, and reading a pipe never ends.
    match tree.entry(&path).map_err(fault)? {
        Entry::Missing => return Ok(None),
        Entry::File { .. } => {}
        Entry::Link { .. } => return Err(invalid("it is a link")),
        Entry::Dir => return Err(invalid("it is a folder")),
        Entry::Other => return Err(invalid("it is not a regular file")),
    }
    let bytes = tree.read(&path, MAX_SETTINGS).map_err(fault)?;
    String::from_utf8(bytes)
        .map(Some)
        .map_err(|error| invalid(&format!("it is not UTF-8: {error}")))
}

/// The revision that a pull request is merged into.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Base {
    Commit(Oid),
    /// A branch of the remote.
    Branch(String),
    /// The job names none.
    Unknown,
}

impl Base {
    /// Returns the base of the pull request that a GitHub Actions job is for; `None` for any other job.
    fn of_job(environment: &[(String, String)]) -> Option<Self> {
        let value = |name: &str| {
            let found = environment.iter().find(|(known, _)| known == name);
            found.map(|(_, value)| value.as_str()).filter(|value| !value.is_empty())
        };
        if value("GITHUB_ACTIONS") != Some("true") {
            return None;
        }
        let path = value("GITHUB_EVENT_PATH").map(Path::new);
        let event = path.and_then(|path| text_up_to(&OsDisk, path, MAX_EVENT).ok());
        let event = event.and_then(|text| serde_json::from_str(&text).ok());
        let of_event = event.as_ref().and_then(Self::of_event);
        let of_branch = || value("GITHUB_BASE_REF").map(|name| Self::Branch(name.to_owned()));
        let is_pull_request =
            || value("GITHUB_EVENT_NAME")?.starts_with("pull_request").then_some(Self::Unknown);
        of_event.or_else(of_branch).or_else(is_pull_request)
    }

    /// Reads the description of the event that started the job.
    fn of_event(event: &Value) -> Option<Self> {
        let commit = |pull: &Value| pull.pointer("/base/sha")?.as_str().and_then(Oid::parse);
        if let Some(pull) = event.get("pull_request") {
            return Some(commit(pull).map_or(Self::Unknown, Self::Commit));
        }
        let run = event.get("workflow_run")?;
        if let Some(pull) = run.pointer("/pull_requests/0") {
            return Some(commit(pull).map_or(Self::Unknown, Self::Commit));
        }
        // The run of a fork's pull request names no pull request.
        let head = run.pointer("/head_repository/full_name")?.as_str()?;
        let repository = event.get("repository")?;
        let own = repository.get("full_name")?.as_str()?;
        let branch = repository.get("default_branch").and_then(Value::as_str);
        let base = branch.map_or(Self::Unknown, |name| Self::Branch(name.to_owned()));
        (head != own).then_some(base)
    }
}

/// The settings file at the base.
enum AtBase {
    /// Its text.
    File { commit: Oid, text: String },
    /// The base has none.
    NoFile,
    /// The base is not in the clone, or its file cannot be used.
    NotHere,
}

/// Returns the settings file as it is in the base of the pull request, which the change under test
/// cannot alter.
fn read_base(base: &Base, tree: &dyn Tree, environment: &[(String, String)]) -> AtBase {
    let interrupted = Arc::default();
    let process = OsProcess::new(Arc::clone(&interrupted), environment.to_vec());
    let (http, clock) = (OsHttp::new(Arc::clone(&interrupted)), OsClock::new(interrupted));
    let system = System { disk: &OsDisk, process: &process, http: &http, clock: &clock };
    let masker = Masker::new([]);
    let Ok(git) = Git::open(system, tree.root(), environment, &masker) else {
        return AtBase::NotHere;
    };
    let commit = match base {
        Base::Commit(commit) => Some(commit.clone()).filter(|commit| git.has_commit(commit)),
        Base::Branch(name) => git.tracked_tip("origin", name),
        Base::Unknown => None,
    };
    let Some(commit) = commit else { return AtBase::NotHere };
    let Ok(entries) = git.list_entries(&commit) else { return AtBase::NotHere };
    let path = format!("{}{NAME}", git.prefix());
    let Some((_, entry)) = entries.into_iter().find(|(known, _)| *known == path) else {
        return AtBase::NoFile;
    };
    // A link at the base leads to the file in the folder, where links are refused.
    let is_file = matches!(entry.mode.as_str(), "100644" | "100755");
    let bytes = is_file.then(|| git.read_blob(&entry.oid).ok()).flatten();
    let text = bytes.filter(|bytes| bytes.len() as u64 <= MAX_SETTINGS).map(String::from_utf8);
    match text {
        Some(Ok(text)) => AtBase::File { commit, text },
        _ => AtBase::NotHere,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_base_is_that_of_the_pull_request_also_in_a_workflow_that_follows_it() {
        let sha = "a1".repeat(20);
        let commit = Some(Base::Commit(Oid::parse(&sha).unwrap()));
        let pull = json!({ "base": { "sha": sha, "ref": "main" } });
        let run = |head: &str, pulls: Value| {
            json!({
                "repository": { "full_name": "o/r", "default_branch": "main" },
                "workflow_run": { "pull_requests": pulls, "head_repository": { "full_name": head } },
            })
        };
        for (event, expected) in [
            (json!({ "pull_request": pull }), commit.clone()),
            (json!({ "pull_request": {} }), Some(Base::Unknown)),
            (run("o/r", json!([pull])), commit),
            (run("fork/r", json!([])), Some(Base::Branch("main".to_owned()))),
            (run("o/r", json!([])), None),
            (json!({ "ref": "refs/heads/main" }), None),
        ] {
            assert_eq!(Base::of_event(&event), expected, "{event}");
        }
        let job = |pairs: &[(&str, &str)]| {
            let pairs = pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
            Base::of_job(&pairs.collect::<Vec<_>>())
        };
        let of = |name: &'static str, value: &'static str| {
            job(&[("GITHUB_ACTIONS", "true"), (name, value)])
        };
        assert_eq!(of("GITHUB_BASE_REF", "dev"), Some(Base::Branch("dev".to_owned())));
        assert_eq!(of("GITHUB_EVENT_NAME", "pull_request_target"), Some(Base::Unknown));
        assert_eq!(of("GITHUB_EVENT_NAME", "push"), None);
        assert_eq!(job(&[("GITHUB_BASE_REF", "dev")]), None);
    }
}
