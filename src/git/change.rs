//! A change as git stores it: blobs, modes, and what stood there before.

use std::path::Path;

use super::error::{GitError, GitFault};
use super::program::Git;
use super::repository::{Entry, Oid, parse_oid};
use crate::domain::RepoPath;
use crate::patch::{Change, Preview};

/// The mode of a new file.
const PLAIN: &str = "100644";

/// One file of a change; paths are those of the repository, from its top.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileChange {
    /// The file.
    pub path: RepoPath,
    /// Its mode afterwards: `100644` or `100755`.
    pub mode: String,
    /// The blob that stood there; `None` where nothing did.
    pub before: Option<Oid>,
    /// The bytes git is to store, clean filters applied; `None` removes the file.
    pub after: Option<Vec<u8>>,
}

/// Returns a vetted change as git stores it, on top of `base`.
///
/// Fails with an error of kind `Dirty` when a file had uncommitted changes: the commit would
/// contain somebody's unfinished work.
pub fn from_preview(
    git: &Git<'_>,
    base: &Oid,
    preview: &Preview,
) -> Result<Vec<FileChange>, GitError> {
    let doing = "keep a temporary file";
    let fault = |error: std::io::Error| GitError::new(doing, GitFault::Other, error.to_string());
    let scratch = git.system.disk.scratch().map_err(fault)?;
    let file = scratch.path().join("blob");
    let entries = git.list_entries(base)?;
    let mut changes = Vec::new();
    for change in preview.changes() {
        let (before, after): (Option<&[u8]>, Option<&[u8]>) = match change {
            Change::CreateFile { after, .. } => (None, Some(after)),
            Change::WriteFile { before, after, .. } => (Some(before), Some(after)),
            Change::RemoveFile { before, .. } => (Some(before), None),
            Change::CreateDir { .. } | Change::RemoveDir { .. } => continue,
        };
        let path = git.whole_path(change.path())?;
        let known = entries.iter().find(|(known, _)| known == path.as_str());
        let known = known.map(|(_, entry)| entry);
        if let Some(before) = before {
            git.system.disk.write(&file, before).map_err(fault)?;
        }
        // Clean filters apply to what git stores, so the bytes on disk are hashed the way git does.
        let stood = before.map(|_| git.hash_file(&path, &file, false)).transpose()?;
        if known.map(|entry| &entry.oid) != stood.as_ref() {
            return Err(dirty_error(&path, known));
        }
        let after = match after {
            Some(after) => {
                git.system.disk.write(&file, after).map_err(fault)?;
                let stored = git.hash_file(&path, &file, true)?;
                // The change records what git stores, which line-ending and LFS filters may alter.
                Some(git.read_blob(&stored)?)
            }
            None => None,
        };
        // A change of contents keeps the executable bit that the commit has.
        let mode = known.map_or_else(|| PLAIN.to_owned(), |entry| entry.mode.clone());
        changes.push(FileChange { path, mode, before: stood, after });
    }
    Ok(changes)
}

fn dirty_error(path: &RepoPath, known: Option<&Entry>) -> GitError {
    let how =
        if known.is_some() { "has changes that are not committed" } else { "is not committed" };
    let said = format!("`{path}` {how}, and a commit of the fix would carry them");
    GitError::new("commit the fix", GitFault::Dirty, said)
}

impl Git<'_> {
    /// Returns the name of the blob that git makes of a file's bytes, with the filters that the
    /// repository's attributes name; `write` stores it.
    fn hash_file(&self, path: &RepoPath, file: &Path, write: bool) -> Result<Oid, GitError> {
        let doing = "store a changed file";
        let path = format!("--path={path}");
        let file = file.to_string_lossy();
        let arguments: &[&str] = if write {
            &["hash-object", "-w", &path, "--", &file]
        } else {
            &["hash-object", &path, "--", &file]
        };
        let said = self.run_local(doing, arguments, &[])?;
        parse_oid(doing, &said)
    }

    /// Stores bytes as they are.
    pub(super) fn store_blob(&self, file: &Path, bytes: &[u8]) -> Result<Oid, GitError> {
        let doing = "store a changed file";
        let written = self.system.disk.write(file, bytes);
        written.map_err(|error| GitError::new(doing, GitFault::Other, error.to_string()))?;
        let file = file.to_string_lossy();
        let said =
            self.run_local(doing, &["hash-object", "-w", "--no-filters", "--", &file], &[])?;
        parse_oid(doing, &said)
    }
}
