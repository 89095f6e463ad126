//! Lists every file of a repository with its stamp, on all cores, and reads single files.

use std::fs::Metadata;
use std::io::{self, Read as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError, mpsc};
use std::thread;

use cap_std::fs::{OpenOptions, OpenOptionsExt as _};
use ignore::{DirEntry, WalkBuilder, WalkState};
use rustix::process::{Resource, getrlimit};

use super::{OsTree, walk};
use crate::system::core_count;
use crate::system::survey::{Found, FoundKind, Stamp, Survey, Surveyed};

/// Bytes of a file that are read before the caller decides about the rest.
const HEAD: u64 = 8 * 1024;
/// Number of entries that one thread lists before several threads would have started.
const FEW: usize = 500;

impl Survey for OsTree {
    fn survey(&self, stop: &(dyn Fn() -> bool + Sync)) -> io::Result<Surveyed> {
        let taken = wall_time();
        let threads = core_count();
        let few = if threads > 1 { FEW } else { usize::MAX };
        let mut all = match survey_sequential(self, stop, few)? {
            Some(all) => all,
            // The entries listed so far are in the cache of the system now.
            None if can_start_threads(threads) => survey_parallel(self, stop, threads)?,
            None => survey_sequential(self, stop, usize::MAX)?.unwrap_or_default(),
        };
        all.taken = taken;
        all.found.sort_unstable_by(|one, other| one.path.cmp(&other.path));
        all.folders.sort_unstable();
        Ok(all)
    }

    fn fetch(
        &self,
        path: &str,
        limit: u64,
        wanted: &dyn Fn(&[u8]) -> bool,
        bytes: &mut Vec<u8>,
    ) -> io::Result<Stamp> {
        bytes.clear();
        // If a pipe or link has just replaced the file, the open must neither wait nor follow it.
        let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
        let options =
            OpenOptions::new().read(true).custom_flags(flags.bits().cast_signed()).to_owned();
        let mut file = self.dir.open_with(path, &options)?.into_std();
        let found = file.metadata()?;
        if !found.is_file() {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        let stamp = file_stamp(&found);
        if stamp.len > limit {
            return Err(io::ErrorKind::InvalidData.into());
        }
        // One byte more, so that the read that finds the end does not grow the buffer.
        bytes.reserve(usize::try_from(stamp.len).unwrap_or_default().saturating_add(1));
        (&mut file).take(HEAD).read_to_end(bytes)?;
        if !wanted(bytes) {
            return Ok(stamp);
        }
        if bytes.len() as u64 >= HEAD {
            (&mut file).take(limit.saturating_sub(HEAD).saturating_add(1)).read_to_end(bytes)?;
        }
        // The file may have grown after its stamp was read.
        if bytes.len() as u64 > limit {
            return Err(io::ErrorKind::InvalidData.into());
        }
        Ok(stamp)
    }
}

/// Lists the entries on this thread; `None` if there are more than `most`.
fn survey_sequential(
    tree: &OsTree,
    stop: &(dyn Fn() -> bool + Sync),
    most: usize,
) -> io::Result<Option<Surveyed>> {
    let look = SurveyProgress::new(&tree.root, stop);
    let mut seen = Surveyed::default();
    for (number, entry) in tree.walker().build().enumerate() {
        if number == most {
            return Ok(None);
        }
        if matches!(look.add_entry(entry, &mut seen), WalkState::Quit) {
            break;
        }
    }
    look.finish().map(|()| Some(seen))
}

impl OsTree {
    fn walker(&self) -> WalkBuilder {
        let mut rules = walk::walker(&self.root);
        rules.overrides(self.left_out.clone());
        rules
    }
}

/// Lists the entries on several threads.
fn survey_parallel(
    tree: &OsTree,
    stop: &(dyn Fn() -> bool + Sync),
    threads: usize,
) -> io::Result<Surveyed> {
    let look = SurveyProgress::new(&tree.root, stop);
    let (parts, finished) = mpsc::channel();
    tree.walker().threads(threads).build_parallel().run(|| {
        let mut part = Part { seen: Surveyed::default(), to: parts.clone() };
        let look = &look;
        Box::new(move |entry| look.add_entry(entry, &mut part.seen))
    });
    drop(parts);
    look.finish()?;
    let mut all = Surveyed::default();
    for part in finished {
        all.found.extend(part.found);
        all.folders.extend(part.folders);
        all.unnamed += part.unnamed;
        all.unread += part.unread;
    }
    Ok(all)
}

/// Returns true if `count` threads can run at the same time.
///
/// The parallel walk of the `ignore` crate hangs if one of its threads cannot be started, for
/// example under a limit of the address space.
fn can_start_threads(count: usize) -> bool {
    if getrlimit(Resource::As).current.is_some() {
        return false;
    }
    let gate = Mutex::new(());
    thread::scope(|scope| {
        let _closed = gate.lock();
        let waits = || drop(gate.lock());
        (0..count).all(|_| thread::Builder::new().spawn_scoped(scope, waits).is_ok())
    })
}

/// The state of a survey, shared by all threads.
struct SurveyProgress<'a> {
    root: &'a Path,
    stop: &'a (dyn Fn() -> bool + Sync),
    failed: Mutex<Option<io::Error>>,
    stopped: AtomicBool,
}

impl<'a> SurveyProgress<'a> {
    fn new(root: &'a Path, stop: &'a (dyn Fn() -> bool + Sync)) -> Self {
        Self { root, stop, failed: Mutex::new(None), stopped: AtomicBool::new(false) }
    }

    fn add_entry(&self, entry: Result<DirEntry, ignore::Error>, seen: &mut Surveyed) -> WalkState {
        if (self.stop)() {
            self.stopped.store(true, Ordering::Relaxed);
            return WalkState::Quit;
        }
        match entry {
            Ok(entry) => seen.add_found(self.root, &entry),
            Err(error) if error.depth() == Some(0) => {
                let mut failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
                let error = error.into_io_error();
                *failed = Some(error.unwrap_or_else(|| io::ErrorKind::Other.into()));
                return WalkState::Quit;
            }
            // One unreadable folder must not hide the rest of the repository.
            Err(_) => seen.unread += 1,
        }
        WalkState::Continue
    }

    /// Returns the error that ended the survey early, if any.
    fn finish(self) -> io::Result<()> {
        if let Some(error) = self.failed.into_inner().unwrap_or_else(PoisonError::into_inner) {
            return Err(error);
        }
        if self.stopped.into_inner() { Err(io::ErrorKind::Interrupted.into()) } else { Ok(()) }
    }
}

/// The entries that one thread listed, sent when the thread ends.
struct Part {
    seen: Surveyed,
    to: mpsc::Sender<Surveyed>,
}

impl Drop for Part {
    fn drop(&mut self) {
        let _ = self.to.send(std::mem::take(&mut self.seen));
    }
}

impl Surveyed {
    fn add_found(&mut self, root: &Path, entry: &DirEntry) {
        let Some(kind) = entry.file_type() else { return };
        let relative = entry.path().strip_prefix(root).ok().and_then(Path::to_str);
        // No action can name such a file, and its name could be mistaken for a line of a request.
        let Some(path) = relative.filter(|path| !path.contains(char::is_control)) else {
            self.unnamed += 1;
            return;
        };
        let path = if cfg!(windows) { path.replace('\\', "/") } else { path.to_owned() };
        let kind = if kind.is_dir() {
            self.folders.push(path);
            return;
        } else if kind.is_symlink() {
            FoundKind::Link
        } else if kind.is_file() {
            FoundKind::File
        } else {
            return;
        };
        // A file deleted since it was listed is skipped.
        if let Ok(found) = entry.metadata() {
            self.found.push(Found { path, kind, stamp: file_stamp(&found) });
        }
    }
}

fn file_stamp(found: &Metadata) -> Stamp {
    let nanoseconds = |seconds: i64, rest: i64| seconds.saturating_mul(1_000_000_000) + rest;
    Stamp {
        len: found.len(),
        modified: nanoseconds(found.mtime(), found.mtime_nsec()),
        changed: nanoseconds(found.ctime(), found.ctime_nsec()),
        inode: found.ino(),
    }
}

fn wall_time() -> i64 {
    i64::try_from(jiff::Timestamp::now().as_nanosecond()).unwrap_or(i64::MAX)
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "the door is tested on real files")]
mod tests {
    use super::*;

    #[test]
    fn few_files_and_many_are_found_alike_however_many_threads_look() {
        for count in [1, FEW - 2, FEW, FEW + 200] {
            let root = tempfile::tempdir().unwrap();
            std::fs::create_dir(root.path().join("folder")).unwrap();
            for number in 0..count {
                let name = format!("{}{number:04}", if number % 2 == 0 { "" } else { "folder/" });
                std::fs::write(root.path().join(name), "").unwrap();
            }
            let tree = OsTree::open(root.path()).unwrap();
            let found = tree.survey(&|| false).unwrap();
            assert_eq!((found.found.len(), found.folders.len()), (count, 2));
            assert!(found.found.is_sorted_by(|one, other| one.path < other.path));
            let mut many = survey_parallel(&tree, &|| false, 3).unwrap();
            many.found.sort_unstable_by(|one, other| one.path.cmp(&other.path));
            assert_eq!(many.found, found.found);
            let stopped = tree.survey(&|| true).unwrap_err();
            assert_eq!(stopped.kind(), io::ErrorKind::Interrupted);
        }
    }
}
