//! From the tasks of a manifest to those of a batch: owners become their repositories, and each has its name.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::Path;
use std::sync::Arc;

use globset::Glob;
use sha2::{Digest as _, Sha256};

use super::manifest::{Manifest, Source, Task, Wish};
use super::row::Row;
use crate::domain::Outcome;
use crate::forge::{Forge, ForgeError};

/// Longest name that is made up.
const MAX_NAME: usize = 100;

/// Files of the batch itself, which stand beside the tasks' folders.
pub(super) const OWN: [&str; 7] = [
    "batch.lock",
    "clones",
    "journal.jsonl",
    "junit.xml",
    "report.html",
    "summary.json",
    "summary.md",
];

/// Where a task works.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// In a folder.
    Folder(Arc<str>),
    /// In a clone from an address.
    Address(Arc<str>),
}

/// A task that can be done. A batch has many, so that a text is in memory once however many fields it is.
#[derive(Clone, Debug, PartialEq)]
pub struct Planned {
    /// Its name, where that is not the one made up from its origin.
    pub(super) named: Option<Arc<str>>,
    /// What it is known by in the journal and to shards: it does not depend on other tasks, but for that of an
    /// owner's repository, which is its address where the manifest has a task of its name's key.
    pub key: Arc<str>,
    /// The repository as written.
    pub repo: Arc<str>,
    /// The same, read.
    pub origin: Origin,
    /// What is to be done.
    pub wish: Arc<Wish>,
    /// Its place in the batch's manifest.
    pub number: u32,
    /// Whether it counts among those that may open a pull request; `false` until a batch has selected it.
    pub opens: bool,
}

impl Planned {
    /// Returns the task of that place in the manifest; nothing of a pattern.
    pub(super) fn of(task: Task, number: usize) -> Option<Self> {
        let Task { name: named, key, repo, source, wish, .. } = task;
        let origin = match source {
            Source::Folder(path) => Origin::Folder(path),
            Source::Address(address) => Origin::Address(address),
            Source::Owner(_) => return None,
        };
        let number = u32::try_from(number).unwrap_or(u32::MAX);
        Some(Self { named, key, repo, origin, wish, number, opens: false })
    }

    /// Returns what names it to people, and its folder of results; no two of a batch are the same.
    pub fn name(&self) -> Cow<'_, str> {
        match &self.named {
            Some(name) => Cow::Borrowed(name),
            None => Cow::Owned(made_up(&self.origin)),
        }
    }

    /// Returns the row of how it ended, at that time.
    pub fn row(&self, outcome: &Outcome, ended_at: String) -> Row {
        Row::of((&self.name(), &self.key, &self.repo), outcome, ended_at)
    }
}

/// Names every task, owners' repositories among them.
pub fn expand(manifest: Manifest, forge: &dyn Forge) -> Result<Vec<Planned>, ForgeError> {
    let mut tasks = manifest.tasks;
    if tasks.iter().any(|task| matches!(task.source, Source::Owner(_))) {
        tasks = found(tasks, forge)?;
    }
    // Both are of one size, so that the second list takes the first one's place.
    let planned =
        tasks.into_iter().enumerate().filter_map(|(number, task)| Planned::of(task, number));
    Ok(told_apart(planned.collect()))
}

/// Puts the repositories that fit an owner's pattern in its place. One that stands in the manifest by itself is that
/// one task.
fn found(tasks: Vec<Task>, forge: &dyn Forge) -> Result<Vec<Task>, ForgeError> {
    let written = |task: &Task| match &task.source {
        Source::Address(address) => Some(plain(address)),
        _ => None,
    };
    let mut known: BTreeSet<String> = tasks.iter().filter_map(written).collect();
    let keys: BTreeSet<Arc<str>> = tasks.iter().map(|task| task.key.clone()).collect();
    let mut all = Vec::with_capacity(tasks.len());
    for task in tasks {
        let Source::Owner(pattern) = &task.source else {
            all.push(task);
            continue;
        };
        // The manifest's reader has compiled it before.
        let Ok(glob) = Glob::new(&pattern.names).map(|glob| glob.compile_matcher()) else {
            continue;
        };
        for repository in forge.repositories(&pattern.owner)? {
            if !glob.is_match(&repository.name) || !known.insert(plain(&repository.address)) {
                continue;
            }
            let repo: Arc<str> = repository.address.into();
            let key: Arc<str> = format!("{}/{}", pattern.owner, repository.name).into();
            // A folder may be written like that, too.
            let key = if keys.contains(&key) { repo.clone() } else { key };
            let source = Source::Address(repo.clone());
            all.push(Task { key, repo, source, ..task.clone() });
        }
    }
    Ok(all)
}

/// Tasks whose made-up names are the same, or that are called as a file of the batch's own is, get a part of their
/// key's digest behind it.
fn told_apart(mut all: Vec<Planned>) -> Vec<Planned> {
    // Two names of one digest get a longer name, and no harm is done.
    let digest = |name: &str| {
        let mut hasher = DefaultHasher::new();
        name.hash(&mut hasher);
        hasher.finish()
    };
    let lower = |planned: &Planned| planned.name().to_ascii_lowercase();
    let mut digests: Vec<u64> = all.iter().map(|planned| digest(&lower(planned))).collect();
    digests.sort_unstable();
    let is_shared = |digest: u64| {
        let first = digests.partition_point(|known| *known < digest);
        digests.get(first + 1) == Some(&digest)
    };
    for planned in &mut all {
        let name = lower(planned);
        let is_made_up = planned.named.is_none();
        if OWN.contains(&name.as_str()) || is_made_up && is_shared(digest(&name)) {
            let digest = Sha256::digest(planned.key.as_bytes());
            let digits = digest.iter().take(4).map(|byte| format!("{byte:02x}"));
            let name = format!("{}-{}", planned.name(), digits.collect::<String>());
            planned.named = Some(name.into());
        }
    }
    all
}

/// Returns the last part of a folder's path; of an address, owner and name.
fn made_up(origin: &Origin) -> String {
    let text = match origin {
        Origin::Folder(path) => {
            Path::new(&**path).file_name().unwrap_or_default().to_string_lossy().into_owned()
        }
        Origin::Address(address) => {
            let path = address.split_once("://").map_or(&**address, |(_, rest)| rest);
            let path = path.trim_end_matches('/');
            let path = path.strip_suffix(".git").unwrap_or(path);
            let mut parts = path.rsplit(['/', ':']).take(2).collect::<Vec<_>>();
            parts.reverse();
            parts.join("-")
        }
    };
    let fits = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    let text: String = text.chars().map(|c| if fits(c) { c } else { '-' }).take(MAX_NAME).collect();
    let text = text.trim_start_matches('.');
    if text.is_empty() { "repository".to_owned() } else { text.to_owned() }
}

/// Returns an address in the form in which two of one repository are the same.
fn plain(address: &str) -> String {
    let address = address.trim_end_matches('/');
    address.strip_suffix(".git").unwrap_or(address).to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use super::*;
    use crate::batch::manifest::{Form, read};
    use crate::domain::NoEvents;
    use crate::forge::{GitHub, GitHubConfig};
    use crate::system::os::{OsClock, OsDisk, OsProcess};
    use crate::system::{Http, HttpError, HttpRequest, HttpResponse, System};
    use crate::text::Masker;

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
    fn a_task_that_is_planned_takes_the_room_of_the_one_that_was_read() {
        assert!(size_of::<Planned>() <= size_of::<Task>());
    }

    #[test]
    fn a_folder_written_as_a_repository_of_an_owner_and_that_repository_are_two_tasks() {
        let manifest = read(Path::new("m"), b"o/api-*\no/api-a\nhttps://h/o/api-b\n", Form::Lines);
        let (flag, masker) = (Arc::new(AtomicBool::new(false)), Masker::new([]));
        let (process, clock) = (OsProcess::new(flag.clone(), Vec::new()), OsClock::new(flag));
        let system = System { disk: &OsDisk, process: &process, http: &Two, clock: &clock };
        let (api_url, repository) = ("https://h/api".to_owned(), String::new());
        let config = GitHubConfig { api_url, repository, token: None };
        let forge = GitHub::whole(&config, system, &NoEvents, &masker);
        let tasks = expand(manifest.unwrap(), &forge).unwrap();
        let keys: Vec<&str> = tasks.iter().map(|task| &*task.key).collect();
        assert_eq!(keys, ["https://h/o/api-a.git", "o/api-a", "https://h/o/api-b"]);
        let names: BTreeSet<_> = tasks.iter().map(Planned::name).collect();
        assert_eq!(names.len(), 3, "{names:?}");
    }
}
