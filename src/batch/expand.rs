//! Expands the tasks of a manifest: patterns become repositories, and each task gets a name.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};
use std::path::Path;
use std::sync::Arc;

use globset::Glob;

use super::manifest::{BatchManifest, ManifestTask, TaskOptions, TaskRepository};
use super::row::TaskRow;
use papayu_base::domain::{Outcome, Sha256};
use papayu_forge::{Forge, ForgeError};

/// Longest derived name.
/// In bytes, which are characters here: derived names are ASCII. File systems allow 255, and
/// suffixes are added.
const MAX_NAME: usize = 100;

/// Names of the batch's own files in the folder of results.
/// A task with one of these names would overwrite them.
pub(super) const OWN: [&str; 9] = [
    "batch.lock", LATER, "clones", "journal.jsonl", "junit.xml", PUBLISHED, "report.html",
    "summary.json", "summary.md",
];

/// The folder of the results of a worker's later batches.
pub(super) const LATER: &str = "batches";

/// The folder of the results of the batch's publication.
pub(super) const PUBLISHED: &str = "publish";

/// The location of a task's repository.
#[derive(Clone, Debug, PartialEq, Eq)]
/// The folders and addresses are shared by all clones of a task.
pub enum RepositoryOrigin {
    /// A folder, changed in place.
    Folder(Arc<str>),
    /// A clone of an address.
    Address(Arc<str>),
}

/// A task with one repository and a name.
#[derive(Clone, Debug, PartialEq)]
pub struct PlannedTask {
    /// The name; `None` for the one derived from the origin.
    pub(super) named: Option<Arc<str>>,
    /// Identifies the task in the journal and for shards. The key of a repository from a pattern is
    /// its address where `OWNER/NAME` is the key of another task; apart from that, it does not
    /// depend on other tasks.
    /// A journal from before a change of the manifest can be resumed because of it.
    pub key: Arc<str>,
    /// The repository as written in the manifest.
    pub repo: Arc<str>,
    /// The parsed repository.
    pub origin: RepositoryOrigin,
    /// The options of the task.
    pub options: Arc<TaskOptions>,
    /// `true` for a selected task that may open a pull request.
    pub opens: bool,
}

impl PlannedTask {
    /// Returns a task of a manifest; `None` for a pattern of repositories.
    /// The name of `task` is that of the manifest, if one is written there.
    pub(super) fn from_task(task: ManifestTask) -> Option<Self> {
        let ManifestTask { name: named, key, repo, source, options, .. } = task;
        let origin = match source {
            TaskRepository::Folder(path) => RepositoryOrigin::Folder(path),
            TaskRepository::Address(address) => RepositoryOrigin::Address(address),
            TaskRepository::Owner(_) => return None,
        };
        Some(Self { named, key, repo, origin, options, opens: false })
    }

    /// Returns the name, which is also that of its folder of results; it is unique in a batch.
    /// A derived name is computed at each call and not stored, because a batch may have very
    /// many tasks.
    pub fn name(&self) -> Cow<'_, str> {
        match &self.named {
            Some(name) => Cow::Borrowed(name),
            None => Cow::Owned(derived_name(&self.origin)),
        }
    }

    /// Returns the row of the task.
    /// `ended_at` is RFC 3339.
    pub fn row(&self, outcome: &Outcome, ended_at: String) -> TaskRow {
        TaskRow::new(&self.name(), &self.key, &self.repo, outcome, ended_at)
    }
}

/// Expands patterns into repositories, and names every task. The forge is asked only if there is a pattern.
///
/// # Errors
///
/// [`ForgeError`] if the forge cannot list the repositories of an owner. No task has begun then.
pub fn expand(manifest: BatchManifest, forge: &dyn Forge) -> Result<Vec<PlannedTask>, ForgeError> {
    let mut tasks = manifest.tasks;
    // The forge is asked only if there is a pattern, so that a batch of folders needs no token.
    if tasks.iter().any(|task| matches!(task.source, TaskRepository::Owner(_))) {
        tasks = expand_owners(tasks, forge)?;
    }
    Ok(make_names_unique(tasks.into_iter().filter_map(PlannedTask::from_task).collect()))
}

/// Replaces each pattern by the repositories that match it. A repository that the manifest also
/// names by address stays one task.
/// The order of the manifest remains, and repositories of a pattern come in the order of the
/// forge.
fn expand_owners(
    tasks: Vec<ManifestTask>,
    forge: &dyn Forge,
) -> Result<Vec<ManifestTask>, ForgeError> {
    let written = |task: &ManifestTask| match &task.source {
        TaskRepository::Address(address) => Some(normalized(address)),
        _ => None,
    };
    // Tasks with an address come first, wherever they are in the manifest: their options are
    // more exact.
    let mut known: BTreeSet<String> = tasks.iter().filter_map(written).collect();
    let keys: BTreeSet<Arc<str>> = tasks.iter().map(|task| task.key.clone()).collect();
    let mut all = Vec::with_capacity(tasks.len());
    for task in tasks {
        let TaskRepository::Owner(pattern) = &task.source else {
            all.push(task);
            continue;
        };
        // The reader of the manifest has checked the pattern.
        // An error is impossible here; without a matcher the pattern matches nothing.
        let Ok(glob) = Glob::new(&pattern.names).map(|glob| glob.compile_matcher()) else {
            continue;
        };
        for repository in forge.repositories(&pattern.owner)? {
            if !glob.is_match(&repository.name) || !known.insert(normalized(&repository.address)) {
                continue;
            }
            let repo: Arc<str> = repository.address.into();
            let key: Arc<str> = format!("{}/{}", pattern.owner, repository.name).into();
            // A folder may have the same text.
            let key = if keys.contains(&key) { repo.clone() } else { key };
            let source = TaskRepository::Address(repo.clone());
            // The options are behind an `Arc`, so that a clone is cheap.
            all.push(ManifestTask { key, repo, source, ..task.clone() });
        }
    }
    Ok(all)
}

/// Appends a part of the key's digest to derived names that are not unique, and to names of the batch's own files.
/// The suffix is eight hex digits.
fn make_names_unique(mut all: Vec<PlannedTask>) -> Vec<PlannedTask> {
    // Some file systems do not distinguish upper and lower case.
    // Names that differ in their case only would share a folder on macOS and Windows.
    let names: Vec<String> = all.iter().map(|task| task.name().to_ascii_lowercase()).collect();
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for name in &names {
        *counts.entry(name).or_default() += 1;
    }
    for (planned, name) in all.iter_mut().zip(&names) {
        let is_shared = planned.named.is_none() && counts.get(&**name).is_some_and(|it| *it > 1);
        if is_shared || OWN.contains(&name.as_str()) {
            // The suffix follows from the key, so that the name is the same in each call.
            let digest = Sha256::of(planned.key.as_bytes()).to_string();
            let suffix: String = digest.chars().take(8).collect();
            planned.named = Some(format!("{}-{suffix}", planned.name()).into());
        }
    }
    all
}

/// Returns a name from the last part of a folder's path, or from owner and name of an address.
/// An example: `https://github.com/acme/site.git` becomes `acme-site`, `/srv/site/` becomes
/// `site`.
fn derived_name(origin: &RepositoryOrigin) -> String {
    let text = match origin {
        RepositoryOrigin::Folder(path) => {
            Path::new(&**path).file_name().unwrap_or_default().to_string_lossy().into_owned()
        }
        RepositoryOrigin::Address(address) => {
            // The scheme is removed, so that a host alone does not look like an owner.
            let path = address.split_once("://").map_or(&**address, |(_, rest)| rest);
            let path = path.trim_end_matches('/');
            let path = path.strip_suffix(".git").unwrap_or(path);
            // `git@host:acme/site` separates the owner by a colon.
            let mut parts = path.rsplit(['/', ':']).take(2).collect::<Vec<_>>();
            parts.reverse();
            parts.join("-")
        }
    };
    let fits = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    // Every other character becomes one hyphen, so that the length stays bounded.
    let text: String = text.chars().map(|c| if fits(c) { c } else { '-' }).take(MAX_NAME).collect();
    // A leading dot would hide the folder.
    let text = text.trim_start_matches('.');
    if text.is_empty() { "repository".to_owned() } else { text.to_owned() }
}

/// Returns the form of an address that is equal for all addresses of one repository.
/// Only for comparison; git always gets the address as written.
fn normalized(address: &str) -> String {
    let address = address.trim_end_matches('/');
    // Forges ignore case and the suffix `.git`.
    address.strip_suffix(".git").unwrap_or(address).to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use super::*;
    use crate::batch::manifest::{ManifestFormat, read_manifest};
    use papayu_base::domain::NoEvents;
    use papayu_base::text::Masker;
    use papayu_forge::{ForgeConfig, GitHub, Outside};
    use papayu_system::os::{OsClock, OsDisk, OsProcess};
    use papayu_system::{Http, HttpError, HttpRequest, HttpResponse, System};

    /// An owner of two repositories.
    struct Two;

    impl Http for Two {
        fn send(&self, _: &HttpRequest) -> Result<HttpResponse, HttpError> {
            let one =
                |name: &str| format!(r#"{{"name":"{name}","clone_url":"https://h/o/{name}.git"}}"#);
            let body = format!("[{},{}]", one("api-a"), one("api-b")).into_bytes();
            Ok(HttpResponse { status: 200, headers: Vec::new(), body })
        }
    }

    #[test]
    fn a_folder_written_as_a_repository_of_an_owner_and_that_repository_are_two_tasks() {
        let manifest = read_manifest(
            Path::new("m"),
            b"o/api-*\no/api-a\nhttps://h/o/api-b\n",
            ManifestFormat::Lines,
        );
        let (flag, masker) = (Arc::new(AtomicBool::new(false)), Masker::new([]));
        let (process, clock) = (OsProcess::new(flag.clone(), Vec::new()), OsClock::new(flag));
        let system = System { disk: &OsDisk, process: &process, http: &Two, clock: &clock };
        let api_url = "https://h/api".to_owned();
        let config = ForgeConfig { api_url, ..ForgeConfig::default() };
        let forge = GitHub::whole(&config, Outside { system, events: &NoEvents, masker: &masker });
        let tasks = expand(manifest.unwrap(), &forge).unwrap();
        let keys: Vec<&str> = tasks.iter().map(|task| &*task.key).collect();
        assert_eq!(keys, ["https://h/o/api-a.git", "o/api-a", "https://h/o/api-b"]);
        let names: BTreeSet<_> = tasks.iter().map(PlannedTask::name).collect();
        assert_eq!(names.len(), 3, "{names:?}");
    }
}
