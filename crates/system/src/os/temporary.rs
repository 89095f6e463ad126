//! Folders for temporary files, which go with the process: those of a process that was killed go at the next start.
//!
//! Next to each folder is a file that its process keeps locked. The kernel ends the lock with the process, so a file
//! that can be locked is that of a dead process.
#![expect(clippy::disallowed_methods, reason = "the folders are outside repositories")]

use std::ffi::OsStr;
use std::fs::{self, DirBuilder, File, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::{Once, mpsc};
use std::time::Duration;

use rustix::fs::{CWD, FlockOperation, Mode, OFlags, flock, openat};

use super::environment::temporary_folder;

/// The start of the names of folders, and the end of the names of the files that are locked.
const PREFIX: &str = "papayu-";
const LOCK: &str = ".lock";
/// The characters of the identifier of a run in a name.
const ID_CHARS: usize = 8;
/// The end of the name of such a file until it is locked.
const UNLOCKED: &str = ".new";
/// A younger file of that name may be one that its process is about to lock.
const MIN_AGE: Duration = Duration::from_mins(1);
/// The time that a run waits for the removal of its files.
const REMOVAL: Duration = Duration::from_millis(1_500);
/// Most entries of the folder for temporary files that are looked at.
const MAX_ENTRIES: usize = 10_000;

/// A folder for temporary files that only this user sees; it goes with the value.
#[derive(Debug)]
pub(super) struct TemporaryFolder {
    path: PathBuf,
    lock_path: PathBuf,
    /// Locked as long as the value lives.
    _lock: File,
}

impl TemporaryFolder {
    /// Makes a folder with this name after the common start, and removes those of dead processes.
    ///
    /// Fails with the error of the disk.
    pub(super) fn create(name: &str) -> io::Result<Self> {
        remove_leftovers();
        Self::create_in(&temporary_folder(), name)
    }

    fn create_in(parent: &Path, name: &str) -> io::Result<Self> {
        let path = parent.join(format!("{PREFIX}{name}"));
        let lock_path = parent.join(format!("{PREFIX}{name}{LOCK}"));
        // It gets its name when it is locked, so that one of that name without a lock is that of a dead process.
        let unlocked = parent.join(format!("{PREFIX}{name}{UNLOCKED}"));
        let flags = OFlags::CREATE | OFlags::EXCL | OFlags::RDWR | OFlags::CLOEXEC;
        let lock = File::from(openat(CWD, &unlocked, flags, Mode::RUSR | Mode::WUSR)?);
        flock(&lock, FlockOperation::NonBlockingLockExclusive)?;
        fs::rename(&unlocked, &lock_path)?;
        let made = DirBuilder::new().mode(0o700).create(&path);
        let folder = Self { path, lock_path, _lock: lock };
        made.map(|()| folder)
    }

    /// Returns its path.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for TemporaryFolder {
    fn drop(&mut self) {
        let (path, lock_path) = (self.path.clone(), self.lock_path.clone());
        begin_removal(move || {
            let _ = remove_all(&path);
            let _ = fs::remove_file(lock_path);
        });
    }
}

/// Removes the temporary folders of processes that were killed, once for each process, and waits for it at most 1.5 s.
pub fn remove_leftovers() {
    static SWEPT: Once = Once::new();
    SWEPT.call_once(|| begin_removal(|| remove_abandoned(&temporary_folder(), MIN_AGE)));
}

/// Returns `true` for a name in the folder for temporary files that a run of this program gives.
pub(super) fn is_name_of_run(name: &OsStr) -> bool {
    name.to_str().and_then(|name| name.strip_prefix(PREFIX)).is_some_and(is_id)
}

/// Returns `true` for the start of an identifier of a run: people give other names to folders of their own.
fn is_id(name: &str) -> bool {
    name.len() == ID_CHARS && name.bytes().all(|it| matches!(it, b'0'..=b'9' | b'a'..=b'f'))
}

/// Removes files in another thread, and waits for it at most [`REMOVAL`]: a command can make folders that take minutes to remove. What is left
/// then goes when this process goes on, or at the start of another one.
fn begin_removal(remove: impl FnOnce() + Send + 'static) {
    let (done, finished) = mpsc::channel();
    std::thread::spawn(move || {
        remove();
        let _ = done.send(());
    });
    let _ = finished.recv_timeout(REMOVAL);
}

/// Removes the folders of processes that have ended without removing them.
fn remove_abandoned(parent: &Path, min_age: Duration) {
    let uid = rustix::process::geteuid().as_raw();
    for entry in fs::read_dir(parent).into_iter().flatten().flatten().take(MAX_ENTRIES) {
        let name = entry.file_name();
        let Some(name) = name.to_str().and_then(|name| name.strip_prefix(PREFIX)) else { continue };
        let (named, min_age) = match (name.strip_suffix(LOCK), name.strip_suffix(UNLOCKED)) {
            (Some(named), _) => (named, Duration::ZERO),
            (None, Some(named)) => (named, min_age),
            (None, None) => continue,
        };
        if !is_id(named) {
            continue;
        }
        let folder = parent.join(format!("{PREFIX}{named}"));
        // Others can make such names in a shared folder, too.
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let Ok(lock) = openat(CWD, entry.path(), flags, Mode::empty()).map(File::from) else {
            continue;
        };
        let is_old = lock.metadata().is_ok_and(|found| {
            let age = found.modified().ok().and_then(|time| time.elapsed().ok());
            found.is_file()
                && found.len() == 0
                && found.uid() == uid
                && age.is_some_and(|age| age >= min_age)
        });
        if !is_old || flock(&lock, FlockOperation::NonBlockingLockExclusive).is_err() {
            continue;
        }
        let is_own = fs::symlink_metadata(&folder).is_ok_and(|it| it.is_dir() && it.uid() == uid);
        if is_own {
            // The system cleans up what remains in the folder for temporary files.
            let _ = remove_all(&folder);
        }
        let _ = fs::remove_file(entry.path());
    }
}

/// Removes a folder with all that is in it.
pub(super) fn remove_all(folder: &Path) -> io::Result<()> {
    let Err(error) = fs::remove_dir_all(folder) else { return Ok(()) };
    // The mode of a file, or of what a link leads to, stays as it is.
    if !fs::symlink_metadata(folder).is_ok_and(|found| found.is_dir()) {
        return Err(error);
    }
    // Some tools make their caches read-only.
    make_writable(folder);
    fs::remove_dir_all(folder)
}

/// Makes folders writable, the given one and all below, so that they can be removed.
fn make_writable(folder: &Path) {
    let _ = fs::set_permissions(folder, Permissions::from_mode(0o700));
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            make_writable(&entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn folders_of_dead_processes_are_removed_and_those_of_living_ones_stay() {
        let parent = tempfile::tempdir().unwrap();
        let parent = parent.path();
        let living = TemporaryFolder::create_in(parent, "1111aaaa").unwrap();
        // A process that was killed leaves both.
        let put = |name: &str| {
            fs::create_dir_all(parent.join(name).join("home")).unwrap();
            fs::write(parent.join(format!("{name}.lock")), "").unwrap();
        };
        put("papayu-2222bbbb");
        fs::set_permissions(parent.join("papayu-2222bbbb/home"), Permissions::from_mode(0o500))
            .unwrap();
        put("other-dead");
        put("papayu-nightly");
        fs::create_dir(parent.join("papayu-3333cccc")).unwrap();
        fs::create_dir(parent.join("kept")).unwrap();
        symlink(parent.join("kept"), parent.join("papayu-4444dddd")).unwrap();
        fs::write(parent.join("papayu-4444dddd.lock"), "").unwrap();
        fs::write(parent.join("papayu-5555eeee.new"), "").unwrap();
        remove_abandoned(parent, Duration::from_mins(1));
        assert!(parent.join("papayu-5555eeee.new").exists(), "it may be a new one");
        remove_abandoned(parent, Duration::ZERO);
        assert!(!parent.join("papayu-5555eeee.new").exists());
        assert!(
            !parent.join("papayu-2222bbbb").exists()
                && !parent.join("papayu-2222bbbb.lock").exists()
        );
        for name in [
            "papayu-1111aaaa", "papayu-1111aaaa.lock", "other-dead", "papayu-nightly",
            "papayu-3333cccc", "kept",
        ] {
            assert!(parent.join(name).exists(), "{name}");
        }
        drop(living);
        assert!(
            !parent.join("papayu-1111aaaa").exists()
                && !parent.join("papayu-1111aaaa.lock").exists()
        );
    }
}
