//! From the tasks of a manifest to those of a batch: owners become their repositories, and each has its name.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use globset::Glob;
use sha2::{Digest as _, Sha256};

use super::manifest::{Manifest, Source, Task};
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

/// A task with what names it.
#[derive(Clone, Debug, PartialEq)]
pub struct Planned {
    /// Names it to people, and its folder of results; no two of a batch are the same.
    pub name: String,
    /// What it is known by in the journal and to shards: it does not depend on other tasks, but for that of an
    /// owner's repository, which is its address where the manifest has a task of its name's key.
    pub key: Arc<str>,
    /// What is to be done; its source is a folder or an address.
    pub task: Task,
    /// Whether it counts among those that may open a pull request; `false` until a batch has selected it.
    pub opens: bool,
}

impl Planned {
    /// Returns the row of how it ended, at that time.
    pub fn row(&self, outcome: &Outcome, ended_at: String) -> Row {
        Row::of((&self.name, &self.key, &self.task.repo), outcome, ended_at)
    }
}

/// Names every task. A repository that an owner's pattern fits and that stands in the manifest by itself is
/// that one task.
pub fn expand(manifest: Manifest, forge: &dyn Forge) -> Result<Vec<Planned>, ForgeError> {
    let written = |task: &Task| match &task.source {
        Source::Address(address) => Some(plain(address)),
        _ => None,
    };
    let mut known: BTreeSet<String> = manifest.tasks.iter().filter_map(written).collect();
    let keys: BTreeSet<Arc<str>> = manifest.tasks.iter().map(|task| task.key().clone()).collect();
    let mut all = Vec::with_capacity(manifest.tasks.len());
    for task in manifest.tasks {
        let Source::Owner { owner, pattern } = &task.source else {
            let key = task.key().clone();
            let name = task.name.as_deref().map_or_else(|| made_up(&task.source), str::to_owned);
            all.push(Planned { name, key, task, opens: false });
            continue;
        };
        // The manifest's reader has compiled it before.
        let Ok(glob) = Glob::new(pattern).map(|glob| glob.compile_matcher()) else { continue };
        for repository in forge.repositories(owner)? {
            if !glob.is_match(&repository.name) || !known.insert(plain(&repository.address)) {
                continue;
            }
            let repo: Arc<str> = repository.address.into();
            let key: Arc<str> = format!("{owner}/{}", repository.name).into();
            // A folder may be written like that, too.
            let key = if keys.contains(&key) { repo.clone() } else { key };
            let source = Source::Address(repo.clone());
            let name = made_up(&source);
            let task = Task { repo, source, ..task.clone() };
            all.push(Planned { name, key, task, opens: false });
        }
    }
    Ok(told_apart(all))
}

/// Tasks whose made-up names are the same, or that are called as a file of the batch's own is, get a part of their key's digest behind it.
fn told_apart(mut all: Vec<Planned>) -> Vec<Planned> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for planned in &all {
        *counts.entry(planned.name.to_ascii_lowercase()).or_default() += 1;
    }
    for planned in &mut all {
        let lower = planned.name.to_ascii_lowercase();
        let is_own = OWN.contains(&lower.as_str());
        let is_shared = counts.get(&lower).is_some_and(|it| *it > 1);
        if is_own || is_shared && planned.task.name.is_none() {
            let digest = Sha256::digest(planned.key.as_bytes());
            let digits = digest.iter().take(4).map(|byte| format!("{byte:02x}"));
            planned.name = format!("{}-{}", planned.name, digits.collect::<String>());
        }
    }
    all
}

/// Returns the last part of a folder's path; of an address, owner and name.
fn made_up(source: &Source) -> String {
    let text = match source {
        Source::Folder(path) => {
            Path::new(&**path).file_name().unwrap_or_default().to_string_lossy().into_owned()
        }
        Source::Address(address) => {
            let path = address.split_once("://").map_or(&**address, |(_, rest)| rest);
            let path = path.trim_end_matches('/');
            let path = path.strip_suffix(".git").unwrap_or(path);
            let mut parts = path.rsplit(['/', ':']).take(2).collect::<Vec<_>>();
            parts.reverse();
            parts.join("-")
        }
        Source::Owner { owner, .. } => owner.clone(),
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
        let names: BTreeSet<&str> = tasks.iter().map(|task| task.name.as_str()).collect();
        assert_eq!(names.len(), 3, "{names:?}");
    }
}
