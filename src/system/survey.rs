//! What the index asks of the disk: every entry of a repository at once, the bytes of one, and news of changes.

use std::io;
use std::time::Duration;

/// What tells one state of a file from another without reading it. Times are nanoseconds since 1970.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize,
)]
pub struct Stamp {
    /// Bytes.
    pub len: u64,
    /// When its bytes were last written; anybody may set it.
    pub modified: i64,
    /// When the file system last changed anything of it; 0 where there is no such time.
    pub changed: i64,
    /// The file's number in its file system; 0 where there is none.
    pub inode: u64,
}

/// What a found path is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FoundKind {
    /// A regular file.
    File,
    /// A symbolic link, not followed.
    Link,
}

/// A file or link of the repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// Relative to the root, `/`-separated.
    pub path: String,
    /// What it is.
    pub kind: FoundKind,
    /// Its state when it was found.
    pub stamp: Stamp,
}

/// All that one look at a repository's folder found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Surveyed {
    /// Sorted by path.
    pub found: Vec<Found>,
    /// Folders that were looked into, the root as an empty path; sorted.
    pub folders: Vec<String>,
    /// Entries whose names are not UTF-8 or hold control characters, which no path can name.
    pub unnamed: usize,
    /// Folders that could not be read.
    pub unread: usize,
    /// The wall time when the look began, nanoseconds since 1970.
    pub taken: i64,
}

/// A repository's folder as the index reads it. Nothing outside it is reached by a link.
pub trait Survey: Send + Sync {
    /// Finds every file and link: `.gitignore` obeyed, hidden files included, `.git`, `.papa-yu` and
    /// caches left out. Fails when the root cannot be read, and with `Interrupted` once `stop` says so.
    fn survey(&self, stop: &(dyn Fn() -> bool + Sync)) -> io::Result<Surveyed>;

    /// Reads a regular file into `bytes` (emptied first) and returns its stamp from before that. Once
    /// the first few kilobytes are there `wanted` is asked, and nothing more is read when it says no.
    /// `InvalidData` when the file is longer than `limit` bytes.
    fn fetch(
        &self,
        path: &str,
        limit: u64,
        wanted: &dyn Fn(&[u8]) -> bool,
        bytes: &mut Vec<u8>,
    ) -> io::Result<Stamp>;
}

/// What a watcher has to tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum News {
    /// Nothing in the time given.
    Quiet,
    /// Something changed, or so much that it was not kept what.
    Changed,
}

/// News of changes below a repository's root.
pub trait Watcher: Send {
    /// Watches these folders and no others (those that [`Surveyed::folders`] names); returns whether
    /// there are new ones among them.
    fn follow(&mut self, folders: &[String]) -> io::Result<bool>;

    /// Tells whether some folder cannot be watched: the caller has to look at the disk now and then.
    fn is_blind(&self) -> bool;

    /// Waits this long at the most for the next news.
    fn news(&mut self, wait: Duration) -> io::Result<News>;
}
