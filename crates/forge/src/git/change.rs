//! A change as git stores it: blobs, modes, and what stood there before.

use std::path::Path;

use super::configuration::Configuration;
use super::error::{GitError, GitFault};
use super::oid::Oid;
use super::program::Git;
use super::repository::{CommitEntry, parse_oid};
use papayu_base::domain::RepoPath;
use papayu_patch::{Change, Preview};

/// The mode of a new file.
/// In git's octal notation; `100755` is an executable file.
const PLAIN: &str = "100644";

/// One file of a change; paths are those of the repository, from its top.
/// Built by [`from_preview`]; a commit is made of nothing else.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileChange {
    /// The file.
    pub path: RepoPath,
    /// Its mode afterwards: `100644` or `100755`.
    pub mode: String,
    /// The blob that stood there; `None` where nothing did.
    pub before: Option<Oid>,
    /// The bytes git is to store, line endings converted; `None` removes the file.
    pub after: Option<Vec<u8>>,
}

/// The state that a change is made on, read before the repository's code ran.
#[derive(Clone, Copy)]
pub struct PreviewBase<'a> {
    /// The files of the commit.
    pub entries: &'a [(String, CommitEntry)],
    /// The configuration.
    pub configuration: &'a Configuration,
}

/// Returns a vetted change as git stores it, on top of `base`. Filter programs do not run.
///
/// Fails with an error of kind `Dirty` when a file had uncommitted changes: the commit would
/// contain somebody's unfinished work. `Filtered` when a file is stored through a filter program,
/// `Mismatch` when git would store other text than was vetted.
pub fn from_preview(
    git: &Git<'_>,
    base: PreviewBase<'_>,
    preview: &Preview,
) -> Result<Vec<FileChange>, GitError> {
    let doing = "keep a temporary file";
    let fault = |error: std::io::Error| GitError::new(doing, GitFault::Other, error.to_string());
    // Outside of the repository: its code could replace a file inside between the write and the
    // hash.
    let scratch = git.system.disk.scratch().map_err(fault)?;
    let file = scratch.path().join("blob");
    let mut changes = Vec::new();
    // One file after another: each is written to the same temporary file.
    for change in preview.changes() {
        let (before, after): (Option<&[u8]>, Option<&[u8]>) = match change {
            Change::CreateFile { after, .. } => (None, Some(after)),
            Change::WriteFile { before, after, .. } => (Some(before), Some(after)),
            Change::RemoveFile { before, .. } => (Some(before), None),
            // Git does not store folders.
            Change::CreateDir { .. } | Change::RemoveDir { .. } => continue,
        };
        let path = git.whole_path(change.path())?;
        // A filter program is code of the repository, and this process may have a token.
        let filter = git.filter_of(&path)?;
        // An attribute may name a filter that is not configured; git then stores the file as it
        // is.
        if let Some(name) = filter.as_ref().filter(|name| base.configuration.has_filter(name)) {
            let message = format!("`{path}` is stored through the filter `{name}`");
            return Err(GitError::new("commit the fix", GitFault::Filtered, message));
        }
        let place = FileToHash { path: &path, file: &file, filter: filter.as_deref() };
        let known = base.entries.iter().find(|(known, _)| known == path.as_str());
        let known = known.map(|(_, entry)| entry);
        if let Some(before) = before {
            git.system.disk.write(&file, before).map_err(fault)?;
        }
        // Line endings are converted in what git stores, so the bytes on disk are hashed the way git
        // does.
        let stood = before.map(|_| git.hash_file(place, false)).transpose()?;
        if known.map(|entry| &entry.oid) != stood.as_ref() {
            return Err(dirty_error(&path, known));
        }
        let after = match after {
            Some(after) => {
                git.system.disk.write(&file, after).map_err(fault)?;
                let stored = git.hash_file(place, true)?;
                // The change records what git stores, in which line endings may be others.
                let stored = git.read_blob(&stored)?;
                // The first comparison covers text without conversion, the second one with line
                // endings converted.
                let is_converted = before.zip(stood.as_ref()).is_some_and(|(before, stood)| {
                    *stood != Oid::of_blob(before, stood)
                        && *stood != Oid::of_blob(&unix_lines(before), stood)
                });
                // Attributes that the repository's code wrote could make another text of it. A file
                // that is stored as another text already, such as UTF-16, is honest.
                if stored != after && stored != unix_lines(after) && !is_converted {
                    let message =
                        format!("git would store another text of `{path}` than was checked");
                    return Err(GitError::new("commit the fix", GitFault::Mismatch, message));
                }
                Some(stored)
            }
            None => None,
        };
        // A change of contents keeps the executable bit that the commit has.
        let mode = known.map_or_else(|| PLAIN.to_owned(), |entry| entry.mode.clone());
        changes.push(FileChange { path, mode, before: stood, after });
    }
    Ok(changes)
}

/// Returns the error of a file with changes that are not committed: a commit of the fix would
/// contain them.
/// The message separates an untracked file from a changed one.
fn dirty_error(path: &RepoPath, known: Option<&CommitEntry>) -> GitError {
    let how =
        if known.is_some() { "has changes that are not committed" } else { "is not committed" };
    let message = format!("`{path}` {how}, and a commit of the fix would carry them");
    GitError::new("commit the fix", GitFault::Dirty, message)
}

/// A file to hash: its path in the repository, a copy of its bytes, and its `filter` attribute.
#[derive(Clone, Copy)]
struct FileToHash<'a> {
    path: &'a RepoPath,
    file: &'a Path,
    filter: Option<&'a str>,
}

/// Returns the text with every CRLF as LF.
fn unix_lines(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    // A lone carriage return is text.
    for (index, byte) in text.iter().enumerate() {
        if *byte != b'\r' || text.get(index + 1) != Some(&b'\n') {
            out.push(*byte);
        }
    }
    out
}

impl Git<'_> {
    /// Returns the filter that the attributes of a path name.
    ///
    /// # Errors
    ///
    /// The error of `git check-attr`.
    pub(super) fn filter_of(&self, path: &RepoPath) -> Result<Option<String>, GitError> {
        let doing = "read the attributes of a changed file";
        let output =
            self.run_local(doing, &["check-attr", "-z", "filter", "--", path.as_str()], &[])?;
        // The output is `path NUL attribute NUL value NUL`.
        let value = output.split('\0').nth(2).unwrap_or_default();
        // Git prints these words for attributes without a value.
        let is_name = !matches!(value, "" | "unspecified" | "unset" | "set");
        Ok(is_name.then(|| value.to_owned()))
    }

    /// Returns the name of the blob that git makes of a file's bytes, with line endings and encodings
    /// converted as the attributes of its path say; `write` stores it. No filter program runs.
    fn hash_file(&self, place: FileToHash<'_>, write: bool) -> Result<Oid, GitError> {
        let doing = "store a changed file";
        let path = format!("--path={}", place.path);
        let file = place.file.to_string_lossy();
        // An empty command and `required=false` switch a filter off, also one that the
        // attributes were changed to.
        let off = ["clean=", "smudge=", "process=", "required=false"];
        let off = place.filter.map(|name| off.map(|setting| format!("filter.{name}.{setting}")));
        let mut arguments: Vec<&str> = Vec::new();
        for setting in off.iter().flatten() {
            arguments.extend(["-c", setting]);
        }
        arguments.push("hash-object");
        arguments.extend(write.then_some("-w"));
        // `--path` selects the attributes; the bytes come from the temporary file.
        arguments.extend([path.as_str(), "--", &file]);
        let output = self.run_local(doing, &arguments, &[])?;
        parse_oid(doing, &output)
    }

    /// Stores a file that no filter program is named for, and returns its blob.
    /// The caller has checked the attributes with [`filter_of`](Self::filter_of).
    ///
    /// Fails with the error of `git hash-object`.
    pub(super) fn hash_unfiltered(&self, path: &RepoPath, file: &Path) -> Result<Oid, GitError> {
        self.hash_file(FileToHash { path, file, filter: None }, true)
    }

    /// Stores bytes as they are.
    /// Neither line endings nor encodings are converted: the bytes are what git stores.
    ///
    /// `file` is a temporary file for them. Fails with [`GitFault::Other`] if it cannot be written, and with
    /// the error of `git hash-object`.
    pub(super) fn store_blob(&self, file: &Path, bytes: &[u8]) -> Result<Oid, GitError> {
        let doing = "store a changed file";
        let written = self.system.disk.write(file, bytes);
        written.map_err(|error| GitError::new(doing, GitFault::Other, error.to_string()))?;
        let file = file.to_string_lossy();
        let output =
            self.run_local(doing, &["hash-object", "-w", "--no-filters", "--", &file], &[])?;
        parse_oid(doing, &output)
    }
}
