//! What the caller found on disk at the paths a reply names, handed over as plain values.

use std::collections::BTreeMap;

use crate::domain::RepoPath;

/// One fact for every path of [`super::Screened::paths`]; a path without one is refused.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    /// Keyed by the path as the action names it.
    pub entries: BTreeMap<RepoPath, Fact>,
}

/// What stands at a path. `resolved` is the path with every link on the way followed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fact {
    /// Nothing, and every part above it that exists is a folder.
    Missing {
        /// Where it would be.
        resolved: RepoPath,
        /// Folders above it that do not exist yet, outermost first.
        missing_parents: Vec<RepoPath>,
    },
    /// A regular file.
    File {
        /// Where it is.
        resolved: RepoPath,
        /// All of it.
        bytes: Vec<u8>,
    },
    /// A folder. What is in it is needed only for `DELETE_DIR`, else the lists are empty.
    Dir {
        /// Where it is.
        resolved: RepoPath,
        /// Every file below it, however deep, with its bytes.
        files: Vec<(RepoPath, Vec<u8>)>,
        /// Every folder below it, each before what it holds.
        dirs: Vec<RepoPath>,
    },
    /// Nothing, and something above it is a file.
    Blocked {
        /// The file that stands where a folder would have to be.
        by: RepoPath,
    },
    /// Nothing of that spelling, but an entry whose [`RepoPath::identity`] is the same, for the
    /// path itself or for a folder above it.
    OtherSpelling {
        /// The entry as it is spelled on disk.
        existing: RepoPath,
    },
    /// Something that must not or cannot be touched: a link that leaves the root, a device, a file
    /// that is too large, a folder for `DELETE_DIR` that holds such a thing.
    Unusable {
        /// Why, as the end of a sentence that begins with the path: `leaves the repository`.
        reason: String,
    },
}

impl Fact {
    /// Returns the path with links followed, where there is one.
    pub fn resolved(&self) -> Option<&RepoPath> {
        match self {
            Self::Missing { resolved, .. }
            | Self::File { resolved, .. }
            | Self::Dir { resolved, .. } => Some(resolved),
            Self::Blocked { .. } | Self::OtherSpelling { .. } | Self::Unusable { .. } => None,
        }
    }

    /// Returns the bytes of a file.
    pub fn file(&self) -> Option<&[u8]> {
        match self {
            Self::File { bytes, .. } => Some(bytes),
            _ => None,
        }
    }
}
