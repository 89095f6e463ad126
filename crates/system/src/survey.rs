//! File access of the index: all entries of a repository, and the content of one file.

use std::io;

/// The state of a file without its content. Times are nanoseconds since 1970.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize,
)]
pub struct Stamp {
    /// Bytes.
    pub len: u64,
    /// Time of the last write; programs can set it.
    pub modified: i64,
    /// Time of the last change of content or metadata; 0 if the file system has none.
    pub changed: i64,
    /// The inode number; 0 if there is none.
    pub inode: u64,
}

/// The kind of a found path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FoundKind {
    /// A regular file.
    File,
    /// A symbolic link, not followed.
    Link,
}

/// A file or link of the repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SurveyedFile {
    /// Relative to the root, `/`-separated.
    pub path: String,
    /// Its kind.
    pub kind: FoundKind,
    /// Its stamp when it was found.
    pub stamp: Stamp,
}

/// All entries of a repository at one time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Surveyed {
    /// Sorted by path.
    pub found: Vec<SurveyedFile>,
    /// Entries with names that are not UTF-8 or contain control characters.
    pub unnamed: usize,
    /// Folders that could not be read.
    pub unread: usize,
    /// Wall time at the start, in nanoseconds since 1970.
    pub taken: i64,
}

/// The folder of a repository as the index reads it. Links never lead outside.
pub trait FolderSurvey: Send + Sync {
    /// Lists every file and link. Hidden files are included; `.git`, `.papa-yu`, caches, installed
    /// and built files, and files ignored by `.gitignore` are not.
    ///
    /// # Errors
    ///
    /// Fails if the root cannot be read, and with `Interrupted` once `stop` returns true.
    fn survey(&self, stop: &(dyn Fn() -> bool + Sync)) -> io::Result<Surveyed>;

    /// Reads a regular file into `bytes`, which is cleared first, and returns its stamp from before
    /// the read.
    ///
    /// `wanted` is called with the first few kilobytes; if it returns false, the rest is not read.
    ///
    /// # Errors
    ///
    /// `InvalidData` if the file is longer than `limit` bytes, `InvalidInput` if it is not a
    /// regular file.
    fn fetch(
        &self,
        path: &str,
        limit: u64,
        wanted: &dyn Fn(&[u8]) -> bool,
        bytes: &mut Vec<u8>,
    ) -> io::Result<Stamp>;
}
