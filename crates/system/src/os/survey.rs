//! Lists every file of a repository with its stamp, and reads single files.

use std::fs::Metadata;
use std::io::{self, Read as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use cap_std::fs::{OpenOptions, OpenOptionsExt as _};
use ignore::DirEntry;

use super::{OsTree, walk};
use crate::survey::{FolderSurvey, FoundKind, Stamp, Surveyed, SurveyedFile};

/// Bytes of a file that are read before the caller decides about the rest.
const HEAD: u64 = 8 * 1024;

impl FolderSurvey for OsTree {
    // On one thread: 10,000 entries take some 50 ms, while the cache is loaded on another.
    fn survey(&self, stop: &(dyn Fn() -> bool + Sync)) -> io::Result<Surveyed> {
        let mut all = Surveyed { taken: wall_time(), ..Surveyed::default() };
        let mut rules = walk::walker(&self.root)?;
        for entry in rules.overrides(self.left_out.clone()).build() {
            if stop() {
                return Err(io::ErrorKind::Interrupted.into());
            }
            match entry {
                Ok(entry) => all.add_found(&self.root, &entry),
                Err(error) if error.depth() == Some(0) => return Err(walk::io_error(error)),
                // One unreadable folder must not hide the rest of the repository.
                Err(_) => all.unread += 1,
            }
        }
        all.found.sort_unstable_by(|one, other| one.path.cmp(&other.path));
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

impl Surveyed {
    /// Adds an entry of the walk, if it is a file or a link. A name that is not UTF-8 is only counted.
    fn add_found(&mut self, root: &Path, entry: &DirEntry) {
        let Some(kind) = entry.file_type() else { return };
        let Some(path) = walk::relative_path(root, entry) else {
            self.unnamed += 1;
            return;
        };
        let kind = if kind.is_symlink() {
            FoundKind::Link
        } else if kind.is_file() {
            FoundKind::File
        } else {
            return;
        };
        // A file deleted since it was listed is skipped.
        if let Ok(found) = entry.metadata() {
            self.found.push(SurveyedFile { path, kind, stamp: file_stamp(&found) });
        }
    }
}

/// Returns the stamp of a file; its times are nanoseconds since 1970.
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
#[expect(clippy::disallowed_methods, reason = "the test uses real files")]
mod tests {
    use super::*;

    #[test]
    fn files_are_found_in_the_order_of_their_paths() {
        let root = tempfile::tempdir().unwrap();
        std::fs::create_dir(root.path().join("folder")).unwrap();
        for number in 0..700 {
            let name = format!("{}{number:04}", if number % 2 == 0 { "" } else { "folder/" });
            std::fs::write(root.path().join(name), "").unwrap();
        }
        let tree = OsTree::open(root.path()).unwrap();
        let found = tree.survey(&|| false).unwrap();
        assert_eq!(found.found.len(), 700);
        assert!(found.found.is_sorted_by(|one, other| one.path < other.path));
        let stopped = tree.survey(&|| true).unwrap_err();
        assert_eq!(stopped.kind(), io::ErrorKind::Interrupted);
    }
}
