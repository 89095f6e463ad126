//! Replaces a file of a folder at once, and keeps two writers apart.

use std::io;
use std::time::Duration;

use super::{Clock, Lock, Tree};
use papayu_base::domain::RepoPath;

/// Writes a file under another name, syncs it and renames it, so that a reader and a kill see the old or the
/// new one. `mode` has the permission bits of the new file. A link at the path is replaced, because its target
/// may be anywhere. Two writers must not do so at once.
///
/// # Errors
///
/// The error of the disk. The old file is unchanged, unless only the last sync failed; the unfinished one, with
/// `.new` at its end, is replaced by the next call.
pub fn replace_file(tree: &dyn Tree, path: &RepoPath, bytes: &[u8], mode: u32) -> io::Result<()> {
    let unfinished = RepoPath::parse(&format!("{path}.new")).map_err(io::Error::other)?;
    // A kill may have left one.
    match tree.remove_file(&unfinished) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    tree.create(&unfinished, bytes, mode)?;
    tree.rename(&unfinished, path)?;
    tree.sync_dir(path.parent().as_ref())
}

/// Times that a lock is tried, and the pause between two tries.
const TRIES: u32 = 100;
const PAUSE: Duration = Duration::from_millis(50);

/// Takes the exclusive lock on a file (created when missing), and waits some seconds for another process that has it.
///
/// # Errors
///
/// `WouldBlock` if the other one still has it, or the run is interrupted.
pub fn wait_for_lock(
    tree: &dyn Tree,
    path: &RepoPath,
    clock: &dyn Clock,
) -> io::Result<Box<dyn Lock>> {
    wait_until_free(&|| tree.lock(path), clock)
}

/// Takes a lock, and waits some seconds for another process that has it.
///
/// # Errors
///
/// Those of [`wait_for_lock`].
pub fn wait_until_free(
    take: &dyn Fn() -> io::Result<Box<dyn Lock>>,
    clock: &dyn Clock,
) -> io::Result<Box<dyn Lock>> {
    let mut tries = 0;
    loop {
        match take() {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock && tries < TRIES => {
                tries += 1;
                if !clock.sleep(PAUSE) {
                    return Err(error);
                }
            }
            locked => return locked,
        }
    }
}
