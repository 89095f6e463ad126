//! The cache of clones: one bare clone for each address, fetched once in a batch, and one working
//! tree for each task.
//!
//! File contents are fetched when a task needs them. Several processes may share the cache: each
//! clone has a lock for changes, and each working tree has one for its task. A clone that git
//! cannot use is cloned again.

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use papayu_base::domain::{HostToken, RepoPath, Sha256};
use papayu_base::text::Masker;
use papayu_forge::git::{Git, GitError, GitFault, Remote};
use papayu_system::{Disk, Lock, System};

/// Pause before a lock is tried again.
/// Short against a fetch, long against the file system's lock call.
const NAP: Duration = Duration::from_millis(20);
/// Longest wait for a lock: a first fetch may take long.
const PATIENCE: Duration = Duration::from_mins(20);

/// Longest wait for the processes of a killed run, which still write into its working tree.
const LAST_WRITES: Duration = Duration::from_secs(5);

/// The result of the fetch of an address; `None` before it.
/// The outer mutex belongs to the address: its owner fetches while the others wait for the
/// result.
type Fetched = Arc<Mutex<Option<Result<(), GitError>>>>;

/// The cache of clones.
pub struct Clones {
    folder: PathBuf,
    /// Most bytes of all clones.
    /// Clones in use may exceed it.
    max_bytes: u64,
    /// Branches that tasks of this batch start from, by address.
    branches: Mutex<HashMap<String, Vec<String>>>,
    /// The fetches of this batch, by address.
    fetched: Mutex<HashMap<String, Fetched>>,
}

/// The environment of git commands.
#[derive(Clone, Copy)]
pub struct CloneContext<'a> {
    /// The outside.
    pub system: System<'a>,
    /// The user's environment.
    pub environment: &'a [(String, String)],
    /// Hides secrets.
    pub masker: &'a Masker,
    /// The forge's token with the only host that it may be sent to.
    pub token: Option<&'a HostToken>,
}

/// A working tree for one task; dropping the value deletes it.
pub struct Checkout<'a> {
    /// The folder of the working tree.
    pub path: PathBuf,
    disk: &'a dyn Disk,
    // Kept for its drop: the lock ends with the task.
    _lock: Box<dyn Lock>,
}

impl Drop for Checkout<'_> {
    fn drop(&mut self) {
        // A folder that cannot be deleted now is deleted before the next task with that name.
        let _ = self.disk.delete_folder(&self.path);
    }
}

impl Clones {
    /// Returns the cache in this folder, without touching the disk. It may have `max_bytes`; `tasks` are
    /// addresses with the branch that each task starts from.
    pub fn new<'t>(
        folder: &Path,
        max_bytes: u64,
        tasks: impl IntoIterator<Item = (&'t str, Option<&'t str>)>,
    ) -> Self {
        let mut branches: HashMap<String, Vec<String>> = HashMap::new();
        // Each branch once: a hundred tasks of one repository fetch it once.
        for (address, branch) in tasks {
            let wanted = branches.entry(address.to_owned()).or_default();
            if let Some(branch) = branch.filter(|name| !wanted.iter().any(|known| known == name)) {
                wanted.push(branch.to_owned());
            }
        }
        let (folder, fetched) = (folder.to_owned(), Mutex::new(HashMap::new()));
        // A poisoned mutex is used on: the values behind it are complete after every statement.
        let branches = Mutex::new(branches);
        Self { folder, max_bytes, branches, fetched }
    }

    /// Returns the folder of the cache.
    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Adds the branch of a task that was not known when the cache was opened; it is fetched at the
    /// task's checkout.
    #[cfg(feature = "nats")]
    pub(super) fn add_branch(&self, address: &str, branch: Option<&str>) {
        let Some(branch) = branch else { return };
        let mut branches = self.branches.lock().unwrap_or_else(PoisonError::into_inner);
        let wanted = branches.entry(address.to_owned()).or_default();
        if !wanted.iter().any(|known| known == branch) {
            wanted.push(branch.to_owned());
            // The next checkout fetches again, now with this branch.
            self.fetched.lock().unwrap_or_else(PoisonError::into_inner).remove(address);
        }
    }

    /// Returns a working tree of the current remote state.
    ///
    /// # Errors
    ///
    /// The error of git, or [`GitFault::Interrupted`] after a signal. A clone that is corrupt
    /// is made again once before the error is returned.
    pub fn checkout<'a>(
        &self,
        context: CloneContext<'a>,
        address: &str,
        branch: Option<&str>,
        task: &str,
    ) -> Result<Checkout<'a>, GitError> {
        // The token goes only to its own host, whatever address a manifest names.
        let remote = Remote::at_address(address).give_token(context.token);
        let place = self.folder.join(clone_name(address));
        // Kept until the worktree exists: a fetch of another process may remove objects that it
        // needs.
        let _clone = self.wait_for_lock(context, &format!("{}.lock", clone_name(address)))?;
        self.fetch_once(context, &remote, address, &place)?;
        let (path, lock) = self.free_folder(context, address, task)?;
        let disk = context.system.disk;
        let bare = place.join("repo.git");
        let git = Git::in_folder(context.system, &bare, context.environment, context.masker);
        match add_worktree(context.system, &git, &remote, &path, branch) {
            // Without the commit the branch does not exist, and a new clone would not have it
            // either.
            Err(error) if is_corrupt(&error) && git.knows_start(branch) => {
                // Other tasks' trees share the objects of this clone, so that it must not be
                // replaced under them.
                let Some(_lock) = self.lock_worktrees(context.system, &place, Some(&path)) else {
                    return Err(error);
                };
                recreate_clone(disk, &git, &remote, &self.branches_of(address), &place)?;
                add_worktree(context.system, &git, &remote, &path, branch)?;
            }
            done => done?,
        }
        Ok(Checkout { path, disk, _lock: lock })
    }

    /// Fetches an address once in a batch.
    /// Later calls return the first one's result, an error as well.
    fn fetch_once(
        &self,
        context: CloneContext<'_>,
        remote: &Remote,
        address: &str,
        place: &Path,
    ) -> Result<(), GitError> {
        // One lock for each address, so that fetches of different addresses run at the same time.
        let slot = {
            let mut fetched = self.fetched.lock().unwrap_or_else(PoisonError::into_inner);
            fetched.entry(address.to_owned()).or_default().clone()
        };
        let mut slot = slot.lock().unwrap_or_else(PoisonError::into_inner);
        // Git takes a folder without `HEAD` for no repository.
        let is_there = context.system.disk.is_file(&place.join("repo.git/HEAD"));
        match slot.as_ref() {
            // A repository that cannot be fetched fails all its tasks at once, not each after its
            // own timeout.
            Some(Err(error)) => return Err(error.clone()),
            // Another process may have evicted the clone since the fetch.
            Some(Ok(())) if is_there => return Ok(()),
            _ => {}
        }
        let done = self.refresh(context, remote, address, place);
        *slot = Some(done.clone());
        done?;
        self.record_use_and_evict(context.system, address, place);
        Ok(())
    }

    /// Fetches into a clone that exists, or makes it. A corrupt clone is made again, as soon as no task
    /// has a worktree of it.
    ///
    /// # Errors
    ///
    /// Git's error if the clone is corrupt and in use, or if the remote cannot be reached.
    fn refresh(
        &self,
        context: CloneContext<'_>,
        remote: &Remote,
        address: &str,
        place: &Path,
    ) -> Result<(), GitError> {
        let disk = context.system.disk;
        let bare = place.join("repo.git");
        let branches = self.branches_of(address);
        let git = Git::in_folder(context.system, &bare, context.environment, context.masker);
        let _lock = if disk.is_file(&bare.join("HEAD")) {
            match git.refresh_mirror(remote, &branches) {
                Err(error) if is_corrupt(&error) => {
                    Some(self.lock_worktrees(context.system, place, None).ok_or(error)?)
                }
                done => return done,
            }
        } else {
            // No lock of worktrees: without a clone there are none.
            None
        };
        recreate_clone(disk, &git, remote, &branches, place)
    }

    /// Returns the branches that tasks of this batch need from an address, so that one fetch serves
    /// all of them.
    fn branches_of(&self, address: &str) -> Vec<String> {
        let branches = self.branches.lock().unwrap_or_else(PoisonError::into_inner);
        branches.get(address).cloned().unwrap_or_default()
    }

    /// Returns a folder for the task's working tree, and its lock. It is the same folder in each
    /// batch if it is free, so that the index of its files stays valid.
    ///
    /// # Errors
    ///
    /// After 64 folders of that name are in use, or when the disk refuses the lock.
    fn free_folder(
        &self,
        context: CloneContext<'_>,
        address: &str,
        task: &str,
    ) -> Result<(PathBuf, Box<dyn Lock>), GitError> {
        let work = self.folder.join(clone_name(address)).join("work");
        // Two tasks may have the same name in two batches that share the cache.
        for number in 1..=64 {
            let name = if number == 1 { task.to_owned() } else { format!("{task}-{number}") };
            let lock =
                self.try_lock(context.system, &format!("{}/work/{name}.lock", clone_name(address)));
            match lock {
                Ok(lock) => return Ok((work.join(name), lock)),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(error) => return Err(clone_error(address, &error)),
            }
        }
        Err(clone_error(address, &io::Error::other("64 working trees of that name are in use")))
    }

    /// Waits for a lock. Another process may fetch a large repository for minutes.
    ///
    /// # Errors
    ///
    /// After 20 minutes, after a signal, or when the lock file cannot be made.
    fn wait_for_lock(
        &self,
        context: CloneContext<'_>,
        name: &str,
    ) -> Result<Box<dyn Lock>, GitError> {
        let clock = context.system.clock;
        let begun = clock.elapsed();
        loop {
            let error = match self.try_lock(context.system, name) {
                Ok(lock) => return Ok(lock),
                Err(error) => error,
            };
            let is_held = error.kind() == io::ErrorKind::WouldBlock;
            if !is_held || clock.elapsed().saturating_sub(begun) > PATIENCE {
                return Err(clone_error("the cache of clones", &error));
            }
            // `sleep` returns false after a signal.
            if !clock.sleep(NAP) {
                let reason = "a signal ended it";
                return Err(GitError::new("wait for the clone", GitFault::Interrupted, reason));
            }
        }
    }

    /// Takes a lock file in the folder of clones, or fails with `WouldBlock`.
    /// The name is relative to the folder of clones, `DIGEST.lock` or `DIGEST/work/TASK.lock`.
    fn try_lock(&self, system: System<'_>, name: &str) -> io::Result<Box<dyn Lock>> {
        let file = self.folder.join(name);
        let folder = file.parent().unwrap_or(&self.folder);
        // The folder may have been evicted by another process.
        system.disk.make_folder(folder)?;
        // Only the last part is a name in the opened folder.
        let name = file.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let path = RepoPath::parse(name).map_err(|error| io::Error::other(error.to_string()))?;
        system.disk.open_tree(folder)?.lock(&path)
    }

    /// Records the time of use and the size of a clone, and deletes the least recently used ones
    /// while the cache is too large. Clones in use are kept.
    /// Errors of the disk are ignored: a cache that is too large is better than a batch that
    /// fails.
    fn record_use_and_evict(&self, system: System<'_>, address: &str, place: &Path) {
        let disk = system.disk;
        // Measured after each fetch, so that an eviction need not walk all clones.
        let size = disk.size(place).unwrap_or_default();
        // Without the note, this clone counts as the least recently used.
        let _ = disk
            .write(&place.join("used"), format!("{} {size}", system.clock.timestamp()).as_bytes());
        // The clone that was just fetched is about to be used.
        let mine = clone_name(address);
        let mut all: Vec<(String, u64, PathBuf)> = Vec::new();
        for folder in disk.list(&self.folder).unwrap_or_default() {
            let is_clone = disk.is_file(&folder.join("address"));
            if is_clone {
                let (when, bytes) = read_usage(disk, &folder).unwrap_or_default();
                all.push((when, bytes, folder));
            }
        }
        // Sorted by time, because it is the first field of the tuple.
        all.sort();
        let mut total: u64 = all.iter().map(|(_, bytes, _)| bytes).sum();
        for (_, bytes, folder) in all {
            let name = folder.file_name().and_then(|it| it.to_str()).unwrap_or_default().to_owned();
            if total <= self.max_bytes {
                return;
            }
            if name != mine && self.delete_unused(system, &folder, &name) {
                total = total.saturating_sub(bytes);
            }
        }
    }

    /// Deletes a clone unless a process uses it; returns whether it was deleted.
    /// Locks the clone before its trees, in the order of `checkout`, so that two processes
    /// cannot wait for each other.
    fn delete_unused(&self, system: System<'_>, folder: &Path, name: &str) -> bool {
        let Ok(_clone) = self.try_lock(system, &format!("{name}.lock")) else { return false };
        let Some(_lock) = self.lock_worktrees(system, folder, None) else { return false };
        system.disk.delete_folder(folder).is_ok()
    }

    /// Locks the working trees of a clone, except `own`; `None` if one is in use, because a tree is
    /// useless without its clone.
    fn lock_worktrees(
        &self,
        system: System<'_>,
        place: &Path,
        own: Option<&Path>,
    ) -> Option<Vec<Box<dyn Lock>>> {
        let name = place.file_name().and_then(|it| it.to_str()).unwrap_or_default();
        let files = system.disk.list(&place.join("work")).unwrap_or_default();
        let is_lock = |file: &&PathBuf| file.extension().is_some_and(|it| it == "lock");
        // `TASK.lock` next to `TASK`: the tree's path without the suffix of the lock.
        let is_own = |file: &PathBuf| own.is_some_and(|own| file.with_extension("") == own);
        let locks = files.iter().filter(is_lock).filter(|file| !is_own(file)).map(|file| {
            let file = file.file_name().and_then(|it| it.to_str()).unwrap_or_default();
            self.try_lock(system, &format!("{name}/work/{file}")).ok()
        });
        locks.collect()
    }
}

/// Checks a working tree out at `path`.
fn add_worktree(
    system: System<'_>,
    git: &Git<'_>,
    remote: &Remote,
    path: &Path,
    branch: Option<&str>,
) -> Result<(), GitError> {
    let begun = system.clock.elapsed();
    loop {
        // A killed run may have left a tree there, and `git worktree add` refuses a folder that has files.
        let _ = system.disk.delete_folder(path);
        // Git still has a record of a deleted tree and would refuse to make it again.
        git.prune_worktrees()?;
        let added = git.add_worktree(remote, path, branch);
        // Processes of the killed run may write there again for a moment. Git removes what it made itself.
        let is_free = system.disk.list(path).is_ok_and(|entries| entries.is_empty());
        let is_late = system.clock.elapsed().saturating_sub(begun) > LAST_WRITES;
        if added.is_ok() || is_free || is_late || !system.clock.sleep(NAP) {
            return added;
        }
    }
}

/// Clones into a folder that has no clone, or an unusable one.
/// Writes `address` at first, which marks the folder as a clone for the eviction.
fn recreate_clone(
    disk: &dyn Disk,
    git: &Git<'_>,
    remote: &Remote,
    branches: &[String],
    place: &Path,
) -> Result<(), GitError> {
    let bare = place.join("repo.git");
    let _ = disk.delete_folder(&bare);
    let made = disk.write(&place.join("address"), remote.address().as_bytes());
    let made = made.and_then(|()| disk.make_folder(&bare));
    made.map_err(|error| clone_error(remote.address(), &error))?;
    git.begin_mirror(remote)?;
    git.refresh_mirror(remote, branches)
}

/// Returns whether an error is about the clone itself and not about the remote. The caller has the
/// lock of the clone, so that a lock file of git in it was left by a killed process.
fn is_corrupt(error: &GitError) -> bool {
    matches!(error.fault, GitFault::Other | GitFault::NoRepository | GitFault::LeaseLost)
}

/// Reads the `used` file of a clone: time of the last use (RFC 3339), a blank, its size in bytes.
/// Times of this form sort as text.
/// `None` for a file that is not there or of another form; such a clone is deleted first.
fn read_usage(disk: &dyn Disk, folder: &Path) -> Option<(String, u64)> {
    let mut text = String::new();
    io::Read::read_to_string(&mut disk.open(&folder.join("used")).ok()?, &mut text).ok()?;
    // RFC 3339 in UTC with a fixed width, so that text and time have the same order.
    let (when, bytes) = text.trim().split_once(' ')?;
    Some((when.to_owned(), bytes.parse().ok()?))
}

/// Returns the folder name of an address: 24 hex digits of its SHA-256.
fn clone_name(address: &str) -> String {
    // An address is no valid file name; 24 hex digits are enough to distinguish addresses.
    Sha256::of(address.as_bytes()).to_string().chars().take(24).collect()
}

/// Returns an error of the disk as one of git.
/// `what` completes the sentence "cannot keep a clone of …".
fn clone_error(what: &str, error: &io::Error) -> GitError {
    GitError::new(format!("keep a clone of {what}"), GitFault::Other, error.to_string())
}
