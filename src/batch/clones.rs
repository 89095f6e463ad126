//! The cache of clones: one bare clone an address, fetched once a batch, a working tree a task.
//!
//! Contents stay at the remote until a task needs them. Several processes may share the cache: whoever
//! changes a clone holds its lock, and whoever works in a working tree holds that one's. A clone that git
//! can make nothing of is made anew.

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use secrecy::SecretString;

use crate::domain::{RepoPath, Sha256};
use crate::git::{Git, GitError, GitFault, Remote};
use crate::system::{Disk, Lock, System};
use crate::text::Masker;

/// How often a lock that another process holds is tried again.
const NAP: Duration = Duration::from_millis(20);
/// How long it is waited for: a first fetch may take long.
const PATIENCE: Duration = Duration::from_mins(20);

/// Whether an address was fetched in this batch, and how that ended.
type Fetched = Arc<Mutex<Option<Result<(), GitError>>>>;

/// The cache.
pub struct Clones {
    folder: PathBuf,
    /// Most bytes of all clones together.
    max_bytes: u64,
    /// Branches that tasks of this batch begin at, by address.
    branches: Mutex<HashMap<String, Vec<String>>>,
    /// Each address that was fetched, or why it could not be.
    fetched: Mutex<HashMap<String, Fetched>>,
}

/// What git is run with.
#[derive(Clone, Copy)]
pub struct Hands<'a> {
    /// The outside.
    pub system: System<'a>,
    /// The user's environment.
    pub environment: &'a [(String, String)],
    /// Hides secrets.
    pub masker: &'a Masker,
    /// The forge's token, and the host it may go to.
    pub token: (Option<&'a SecretString>, &'a str),
}

/// A working tree for one task; it goes with the value.
pub struct Checkout<'a> {
    /// Where it is.
    pub path: PathBuf,
    disk: &'a dyn Disk,
    _lock: Box<dyn Lock>,
}

impl Drop for Checkout<'_> {
    fn drop(&mut self) {
        // What cannot be removed now is when the next task of that name comes.
        let _ = self.disk.delete_folder(&self.path);
    }
}

impl Clones {
    /// Returns the cache in this folder; nothing is made yet. `tasks` are the addresses of the batch with
    /// the branch that each begins at.
    pub fn new<'t>(
        folder: &Path,
        max_bytes: u64,
        tasks: impl IntoIterator<Item = (&'t str, Option<&'t str>)>,
    ) -> Self {
        let mut branches: HashMap<String, Vec<String>> = HashMap::new();
        for (address, branch) in tasks {
            let wanted = branches.entry(address.to_owned()).or_default();
            if let Some(branch) = branch.filter(|name| !wanted.iter().any(|known| known == name)) {
                wanted.push(branch.to_owned());
            }
        }
        let (folder, fetched) = (folder.to_owned(), Mutex::new(HashMap::new()));
        let branches = Mutex::new(branches);
        Self { folder, max_bytes, branches, fetched }
    }

    /// Takes in a task that was not known when the cache was opened; a branch that is new is fetched when the
    /// task comes to it.
    #[cfg(feature = "redis")]
    pub(super) fn want(&self, address: &str, branch: Option<&str>) {
        let Some(branch) = branch else { return };
        let mut branches = self.branches.lock().unwrap_or_else(PoisonError::into_inner);
        let wanted = branches.entry(address.to_owned()).or_default();
        if !wanted.iter().any(|known| known == branch) {
            wanted.push(branch.to_owned());
            self.fetched.lock().unwrap_or_else(PoisonError::into_inner).remove(address);
        }
    }

    /// Returns a working tree of the address as it is at the remote now.
    pub fn checkout<'a>(
        &self,
        hands: Hands<'a>,
        address: &str,
        branch: Option<&str>,
        task: &str,
    ) -> Result<Checkout<'a>, GitError> {
        let remote = Remote::at(address, hands.token.0, hands.token.1);
        let place = self.folder.join(name_of(address));
        let _clone = self.lock(hands, &format!("{}.lock", name_of(address)))?;
        self.fetch(hands, &remote, address, &place)?;
        let (path, lock) = self.free_folder(hands, address, task)?;
        let disk = hands.system.disk;
        let bare = place.join("repo.git");
        let git = Git::in_folder(hands.system, &bare, hands.environment, hands.masker);
        let put = || {
            // What a killed run left there.
            let _ = disk.delete_folder(&path);
            git.prune_worktrees()?;
            git.add_worktree(&remote, &path, branch)
        };
        match put() {
            Err(error) if is_damage(&error) && git.knows_start(branch) => {
                let Some(_held) = self.unused(hands.system, &place, Some(&path)) else {
                    return Err(error);
                };
                made_anew(disk, (&git, &remote), &self.branches_of(address), &place)?;
                put()?;
            }
            done => done?,
        }
        Ok(Checkout { path, disk, _lock: lock })
    }

    /// Fetches an address once, however many tasks of the batch want it.
    fn fetch(
        &self,
        hands: Hands<'_>,
        remote: &Remote,
        address: &str,
        place: &Path,
    ) -> Result<(), GitError> {
        let slot = {
            let mut fetched = self.fetched.lock().unwrap_or_else(PoisonError::into_inner);
            fetched.entry(address.to_owned()).or_default().clone()
        };
        let mut slot = slot.lock().unwrap_or_else(PoisonError::into_inner);
        let is_there = hands.system.disk.is_file(&place.join("repo.git/HEAD"));
        match slot.as_ref() {
            Some(Err(error)) => return Err(error.clone()),
            // Another process may have made room meanwhile.
            Some(Ok(())) if is_there => return Ok(()),
            _ => {}
        }
        let done = self.refreshed(hands, remote, address, place);
        *slot = Some(done.clone());
        done?;
        self.note_and_make_room(hands.system, address, place);
        Ok(())
    }

    fn refreshed(
        &self,
        hands: Hands<'_>,
        remote: &Remote,
        address: &str,
        place: &Path,
    ) -> Result<(), GitError> {
        let disk = hands.system.disk;
        let bare = place.join("repo.git");
        let branches = self.branches_of(address);
        let git = Git::in_folder(hands.system, &bare, hands.environment, hands.masker);
        let _held = if disk.is_file(&bare.join("HEAD")) {
            match git.refresh_mirror(remote, &branches) {
                Err(error) if is_damage(&error) => {
                    Some(self.unused(hands.system, place, None).ok_or(error)?)
                }
                done => return done,
            }
        } else {
            None
        };
        made_anew(disk, (&git, remote), &branches, place)
    }

    fn branches_of(&self, address: &str) -> Vec<String> {
        let branches = self.branches.lock().unwrap_or_else(PoisonError::into_inner);
        branches.get(address).cloned().unwrap_or_default()
    }

    /// Returns a folder for the task's working tree with its lock: always the same one where it is free, so
    /// that what is known of its files holds in the next batch.
    fn free_folder(
        &self,
        hands: Hands<'_>,
        address: &str,
        task: &str,
    ) -> Result<(PathBuf, Box<dyn Lock>), GitError> {
        let work = self.folder.join(name_of(address)).join("work");
        for number in 1..=64 {
            let name = if number == 1 { task.to_owned() } else { format!("{task}-{number}") };
            let lock =
                self.try_lock(hands.system, &format!("{}/work/{name}.lock", name_of(address)));
            match lock {
                Ok(lock) => return Ok((work.join(name), lock)),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(error) => return Err(fault(address, &error)),
            }
        }
        Err(fault(address, &io::Error::other("64 working trees of that name are in use")))
    }

    fn lock(&self, hands: Hands<'_>, name: &str) -> Result<Box<dyn Lock>, GitError> {
        let clock = hands.system.clock;
        let begun = clock.elapsed();
        loop {
            let error = match self.try_lock(hands.system, name) {
                Ok(lock) => return Ok(lock),
                Err(error) => error,
            };
            let is_held = error.kind() == io::ErrorKind::WouldBlock;
            if !is_held || clock.elapsed().saturating_sub(begun) > PATIENCE {
                return Err(fault("the cache of clones", &error));
            }
            if !clock.sleep(NAP) {
                let said = "a signal ended it";
                return Err(GitError::new("wait for the clone", GitFault::Interrupted, said));
            }
        }
    }

    fn try_lock(&self, system: System<'_>, name: &str) -> io::Result<Box<dyn Lock>> {
        let file = self.folder.join(name);
        let folder = file.parent().unwrap_or(&self.folder);
        system.disk.make_folder(folder)?;
        let name = file.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let path = RepoPath::parse(name).map_err(|error| io::Error::other(error.to_string()))?;
        system.disk.open_tree(folder)?.lock(&path)
    }

    /// Writes down when the clone was used and how large it is, and deletes those that were used the longest
    /// ago while all together are too large. What is in use stays.
    fn note_and_make_room(&self, system: System<'_>, address: &str, place: &Path) {
        let disk = system.disk;
        let size = disk.size(place).unwrap_or_default();
        // A note that cannot be written makes this clone the first to go.
        let _ = disk
            .write(&place.join("used"), format!("{} {size}", system.clock.timestamp()).as_bytes());
        let mine = name_of(address);
        let mut all: Vec<(String, u64, PathBuf)> = Vec::new();
        for folder in disk.list(&self.folder).unwrap_or_default() {
            let is_clone = disk.is_file(&folder.join("address"));
            if is_clone {
                let (when, bytes) = used(disk, &folder).unwrap_or_default();
                all.push((when, bytes, folder));
            }
        }
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

    fn delete_unused(&self, system: System<'_>, folder: &Path, name: &str) -> bool {
        let Ok(_clone) = self.try_lock(system, &format!("{name}.lock")) else { return false };
        let Some(_held) = self.unused(system, folder, None) else { return false };
        system.disk.delete_folder(folder).is_ok()
    }

    /// Returns the locks of a clone's working trees, `own` left out; `None` where somebody works in one:
    /// without the clone that would be nobody's repository.
    fn unused(
        &self,
        system: System<'_>,
        place: &Path,
        own: Option<&Path>,
    ) -> Option<Vec<Box<dyn Lock>>> {
        let name = place.file_name().and_then(|it| it.to_str()).unwrap_or_default();
        let files = system.disk.list(&place.join("work")).unwrap_or_default();
        let is_lock = |file: &&PathBuf| file.extension().is_some_and(|it| it == "lock");
        let is_own = |file: &PathBuf| own.is_some_and(|own| file.with_extension("") == own);
        let locks = files.iter().filter(is_lock).filter(|file| !is_own(file)).map(|file| {
            let file = file.file_name().and_then(|it| it.to_str()).unwrap_or_default();
            self.try_lock(system, &format!("{name}/work/{file}")).ok()
        });
        locks.collect()
    }
}

/// Makes a clone where there is nothing, or nothing that git can make anything of.
fn made_anew(
    disk: &dyn Disk,
    (git, remote): (&Git<'_>, &Remote),
    branches: &[String],
    place: &Path,
) -> Result<(), GitError> {
    let bare = place.join("repo.git");
    let _ = disk.delete_folder(&bare);
    let made = disk.write(&place.join("address"), remote.address().as_bytes());
    let made = made.and_then(|()| disk.make_folder(&bare));
    made.map_err(|error| fault(remote.address(), &error))?;
    git.begin_mirror(remote)?;
    git.refresh_mirror(remote, branches)
}

/// Tells trouble with the clone itself from trouble with the remote. Nobody else changes a clone whose lock
/// we hold, so that a lock of git's own in it is one that a killed process left.
fn is_damage(error: &GitError) -> bool {
    matches!(error.fault, GitFault::Other | GitFault::NoRepository | GitFault::LeaseLost)
}

fn used(disk: &dyn Disk, folder: &Path) -> Option<(String, u64)> {
    let mut text = String::new();
    io::Read::read_to_string(&mut disk.open(&folder.join("used")).ok()?, &mut text).ok()?;
    let (when, bytes) = text.trim().split_once(' ')?;
    Some((when.to_owned(), bytes.parse().ok()?))
}

fn name_of(address: &str) -> String {
    Sha256::of(address.as_bytes()).to_string().chars().take(24).collect()
}

fn fault(what: &str, error: &io::Error) -> GitError {
    GitError::new(format!("keep a clone of {what}"), GitFault::Other, error.to_string())
}
