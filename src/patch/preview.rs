//! A whole change in memory: every file as it will be, before anything is written.

use crate::domain::RepoPath;

/// One primitive step on disk, in order of application.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// Makes a folder whose parent exists by then.
    CreateDir {
        /// The folder.
        path: RepoPath,
    },
    /// Writes a new file.
    CreateFile {
        /// The file; its folder exists by then.
        path: RepoPath,
        /// Its bytes.
        after: Vec<u8>,
    },
    /// Replaces a file's bytes; its mode stays.
    WriteFile {
        /// The file, links already followed.
        path: RepoPath,
        /// What it held when it was read; checked again before writing.
        before: Vec<u8>,
        /// What it will hold.
        after: Vec<u8>,
    },
    /// Removes a file.
    RemoveFile {
        /// The file.
        path: RepoPath,
        /// What it held.
        before: Vec<u8>,
    },
    /// Removes a folder that is empty by then.
    RemoveDir {
        /// The folder.
        path: RepoPath,
    },
}

impl Change {
    /// Returns the path that changes.
    pub fn path(&self) -> &RepoPath {
        match self {
            Self::CreateDir { path }
            | Self::CreateFile { path, .. }
            | Self::WriteFile { path, .. }
            | Self::RemoveFile { path, .. }
            | Self::RemoveDir { path } => path,
        }
    }
}

/// Every change of an APPLY, landed in memory; the only thing that can be committed to disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Preview {
    changes: Vec<Change>,
}

impl Preview {
    /// Wraps changes that the previewer has landed, in order of application.
    pub(in crate::patch) fn new(changes: Vec<Change>) -> Self {
        Self { changes }
    }

    /// Wraps changes for a test of what comes after the preview.
    #[cfg(test)]
    pub(crate) fn for_test(changes: Vec<Change>) -> Self {
        Self::new(changes)
    }

    /// Returns the changes in order of application.
    pub fn changes(&self) -> &[Change] {
        &self.changes
    }
}
