//! The tracked files before and after a run of the command, and their restoration.

use std::collections::{BTreeMap, BTreeSet};
use std::io;

use super::engine_inputs::EngineInputs;
use super::fatal::Fatal;
use super::task::GitState;
use papayu_base::domain::outcome::OutcomeKind;
use papayu_base::domain::{RepoPath, RunId, Sha256};
use papayu_system::survey::Stamp;
use papayu_system::{Entry, Tree, find_top, map_parallel};

/// The folder of the versions that the command made.
pub(super) const COPIES: &str = ".papa-yu/cache/restored";

/// Most bytes of a file that is compared, and of all of them.
const MAX_BYTES: u64 = 4 << 20;
const MAX_TOTAL: u64 = 256 << 20;

/// Most files of which the version of the command is kept.
const MAX_COPIES: usize = 1_000;

/// The hint about a file that cannot be restored.
const RESTORE: &str = "restore it with git; name a command that only checks";

/// Files that package managers write while they build or install. A command may always update them.
const LOCK_FILES: [&str; 14] = [
    "cargo.lock", "package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml",
    "bun.lock", "bun.lockb", "poetry.lock", "uv.lock", "pipfile.lock", "gemfile.lock",
    "composer.lock", "go.sum", "go.mod",
];

/// The content and the permission bits of a file; `None` for a missing one.
type TrackedContent = Option<(Box<[u8]>, u32)>;

/// The tracked files as they were before the first run of the command, and those that it changed.
#[derive(Default)]
pub(super) struct TrackedFiles {
    /// `None` until the first run.
    known: Option<BTreeMap<RepoPath, KnownFile>>,
    /// The commit and the branch before the first run.
    head: Option<String>,
    /// The files that this program wrote between runs: their content is read before each run.
    own: BTreeSet<RepoPath>,
    /// The files that were restored after a run.
    pub(super) rewritten: BTreeSet<RepoPath>,
    /// Those of them that were restored before a change was made.
    rewritten_before: BTreeSet<RepoPath>,
}

/// A file before the first run.
struct KnownFile {
    stamp: Option<Stamp>,
    content: TrackedContent,
}

/// The files of this program's own changes before one run of the command.
pub(super) struct OwnFiles(BTreeMap<RepoPath, TrackedContent>);

impl TrackedFiles {
    /// Adds files that this program wrote.
    pub(super) fn add_own(&mut self, paths: impl IntoIterator<Item = RepoPath>) {
        self.own.extend(paths);
    }

    /// Notes that the command has run on the tree as it was: what it changes from now on, it changes with a change.
    pub(super) fn end_first_run(&mut self) {
        self.rewritten_before = self.rewritten.clone();
    }

    /// Returns the tracked files that the command changed before there was a change.
    pub(super) fn rewritten_before(&self) -> Vec<RepoPath> {
        self.rewritten_before.iter().cloned().collect()
    }

    /// Returns the lock files that the command changed and left so. What this program wrote is not among them.
    pub(super) fn find_changed_locks(&self, tree: &dyn Tree) -> Vec<RepoPath> {
        let locks = self.known.iter().flatten().filter(|(path, _)| is_lock_file(path.as_str()));
        let left = locks.filter(|(path, known)| {
            !self.own.contains(*path)
                && read_content(tree, path).is_ok_and(|now| now != known.content)
        });
        left.map(|(path, _)| path.clone()).collect()
    }

    /// Returns the test files that the command changed only with a change: they may have been made to agree with it.
    pub(super) fn find_rewritten_tests(&self) -> Vec<RepoPath> {
        let new = self.rewritten.difference(&self.rewritten_before);
        new.filter(|path| papayu_vet::is_test(path)).cloned().collect()
    }

    /// Returns the files that the command changed before there was a change, as it left them.
    pub(super) fn read_rewritten(&self, inputs: &EngineInputs<'_>) -> Vec<(RepoPath, Vec<u8>)> {
        let top = find_top(inputs.world.tree);
        let copy = |path: &RepoPath| {
            let kept = RepoPath::parse(&format!("{COPIES}/{}/{path}", inputs.id)).ok()?;
            Some((path.clone(), top.read(&kept, MAX_BYTES).ok()?))
        };
        self.rewritten_before.iter().filter_map(copy).collect()
    }

    /// Reads the files before a run of the command: all tracked ones before the first run, and its own ones each time.
    pub(super) fn read(&mut self, tree: &dyn Tree, git: Option<&dyn GitState>) -> OwnFiles {
        if self.known.is_none() {
            self.known = Some(read_all(tree, git.map(GitState::tracked).unwrap_or_default()));
            self.head = git.and_then(GitState::head);
        }
        let own = self.own.iter().filter_map(|path| {
            let content = read_content(tree, path).ok()?;
            Some((path.clone(), content))
        });
        OwnFiles(own.collect())
    }

    /// Returns the files that the command changed, each with its content before the run.
    fn find_changed(&self, tree: &dyn Tree, own: OwnFiles) -> Vec<(RepoPath, TrackedContent)> {
        let is_changed = |path: &RepoPath, before: &TrackedContent| {
            !is_lock_file(path.as_str()) && read_content(tree, path).ok().as_ref() != Some(before)
        };
        let known: Vec<(&RepoPath, &KnownFile)> =
            self.known.iter().flatten().filter(|(path, _)| !own.0.contains_key(*path)).collect();
        let touched = map_parallel(known.len(), |index| {
            let (path, known) = known.get(index)?;
            let is_touched = known.stamp.is_none() || tree.stamp(path).ok() != known.stamp;
            (is_touched && is_changed(path, &known.content)).then(|| (*path).clone())
        });
        let before = |path: RepoPath| {
            let content = self.known.as_ref()?.get(&path)?.content.clone();
            Some((path, content))
        };
        let mut found: Vec<_> = touched.into_iter().flatten().filter_map(before).collect();
        found.extend(own.0.into_iter().filter(|(path, before)| is_changed(path, before)));
        found
    }

    /// Restores the tracked files that the command changed, and records their paths.
    ///
    /// # Errors
    ///
    /// Returns [`Fatal`] if the command made a commit or removed the repository, or if a file
    /// cannot be restored.
    pub(super) fn restore(
        &mut self,
        inputs: &EngineInputs<'_>,
        own: OwnFiles,
    ) -> Result<(), Fatal> {
        self.restore_files(inputs, own).map_err(|fault| {
            Fatal::new(OutcomeKind::NotFixed, format!("the command {fault}"), RESTORE)
        })?;
        // Compared after the files are restored, so that the tree is clean whatever git shows.
        match self.find_harm(inputs) {
            Some(what) => Err(harmful(inputs, what)),
            None => Ok(()),
        }
    }

    /// Restores the tracked files that a command changed, and records their paths.
    ///
    /// Fails with what the command did, in words that follow its name, if a file cannot be restored.
    pub(super) fn restore_files(
        &mut self,
        inputs: &EngineInputs<'_>,
        own: OwnFiles,
    ) -> Result<(), String> {
        let tree = inputs.world.tree;
        let changed = self.find_changed(tree, own);
        for (number, (path, before)) in changed.iter().enumerate() {
            let restore = || {
                // The command may have produced something useful, so a limited number of its
                // versions is kept.
                if number < MAX_COPIES {
                    keep_copy(tree, &inputs.id, path)?;
                }
                write_content(tree, path, before.as_ref())
            };
            restore()
                .map_err(|error| format!("changed `{path}`, which cannot be restored: {error}"))?;
            // Its stamp is no longer the one from before.
            self.add_own([path.clone()]);
        }
        self.rewritten.extend(changed.into_iter().map(|(path, _)| path));
        Ok(())
    }

    /// Returns what a command did to the repository besides its files, in words that follow its name.
    pub(super) fn find_harm(&self, inputs: &EngineInputs<'_>) -> Option<&'static str> {
        let now = inputs.world.git.and_then(GitState::head);
        match (&self.head, now) {
            (Some(_), None) => Some("removes the folder of git"),
            (Some(before), Some(now)) if *before != now => Some("moves `HEAD` of git"),
            _ => None,
        }
    }
}

/// Reads the tracked files, as many as fit the limit.
fn read_all(tree: &dyn Tree, paths: &[RepoPath]) -> BTreeMap<RepoPath, KnownFile> {
    let stamps = map_parallel(paths.len(), |index| tree.stamp(paths.get(index)?).ok());
    let mut total = 0;
    let mut chosen = Vec::new();
    for (path, stamp) in paths.iter().zip(stamps) {
        total += stamp.map_or(0, |stamp| stamp.len);
        if total > MAX_TOTAL {
            break;
        }
        chosen.push((path, stamp));
    }
    let read = map_parallel(chosen.len(), |index| {
        let (path, stamp) = chosen.get(index)?;
        let content = read_content(tree, path).ok()?;
        Some(((*path).clone(), KnownFile { stamp: *stamp, content }))
    });
    read.into_iter().flatten().collect()
}

/// Returns content and permission bits; an error for a link, a folder and a large file.
fn read_content(tree: &dyn Tree, path: &RepoPath) -> io::Result<TrackedContent> {
    match tree.entry(path)? {
        Entry::File { mode, .. } => Ok(Some((tree.read(path, MAX_BYTES)?.into(), mode))),
        Entry::Missing => Ok(None),
        Entry::Dir | Entry::Link { .. } | Entry::Other => Err(io::ErrorKind::InvalidInput.into()),
    }
}

/// Keeps the version on disk: it may be the edit of a person.
fn keep_copy(tree: &dyn Tree, id: &RunId, path: &RepoPath) -> io::Result<()> {
    let Ok(Some(now)) = read_content(tree, path) else { return Ok(()) };
    let top = find_top(tree);
    let digest = Sha256::of(&now.0).to_string();
    let names = [format!("{COPIES}/{id}/{path}"), format!("{COPIES}/{id}/{path}.{digest}")];
    for name in names {
        let Ok(copy) = RepoPath::parse(&name) else { return Ok(()) };
        match read_content(top, &copy) {
            Ok(None) => return write_content(top, &copy, Some(&now)),
            Ok(Some(kept)) if kept.0 == now.0 => return Ok(()),
            _ => {}
        }
    }
    Ok(())
}

/// Writes a file as it was.
fn write_content(
    tree: &dyn Tree,
    path: &RepoPath,
    content: Option<&(Box<[u8]>, u32)>,
) -> io::Result<()> {
    let parts: Vec<&str> = path.segments().collect();
    for end in 1..parts.len() {
        let Ok(folder) = RepoPath::parse(&parts.get(..end).unwrap_or_default().join("/")) else {
            continue;
        };
        match tree.entry(&folder)? {
            Entry::Dir => continue,
            // A file that was not there needs no folder.
            _ if content.is_none() => return Ok(()),
            Entry::Missing => {}
            // Something else was put into the place of the folder.
            Entry::File { .. } | Entry::Link { .. } | Entry::Other => tree.remove_file(&folder)?,
        }
        tree.create_dir(&folder)?;
    }
    if matches!(tree.entry(path)?, Entry::File { .. } | Entry::Link { .. } | Entry::Other) {
        tree.remove_file(path)?;
    }
    let Some((bytes, mode)) = content else { return Ok(()) };
    tree.create(path, bytes, *mode)
}

pub(super) fn is_lock_file(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default().to_lowercase();
    LOCK_FILES.contains(&name.as_str())
}

/// Returns the error of a command that changes more than files: it moved `HEAD` or removed
/// `.git`. Neither can be undone safely by this program.
fn harmful(inputs: &EngineInputs<'_>, what: &str) -> Fatal {
    let reason = format!("`{}` {what}, so it cannot prove a fix", inputs.command_name());
    let hint = "name a command that only checks; the tracked files are as before the run";
    Fatal::new(OutcomeKind::NotFixed, reason, hint)
}
