//! The state of a path in the repository, as the gates need it.

use papayu_base::domain::{ActionKind, RepoPath};

/// Looks up paths in a repository: the working tree, or a commit.
pub trait PathFacts {
    /// Returns the state of a path that an action of this kind names. What is in a folder is needed
    /// only for `DELETE_DIR`.
    fn find(&self, path: &RepoPath, kind: ActionKind) -> PathFact;
}

/// The state of a path. `resolved` is the path with every link on the way followed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PathFact {
    /// Nothing exists there, and every existing part above it is a folder.
    Missing {
        /// The path it would have.
        resolved: RepoPath,
        /// Folders above it that do not exist yet, outermost first.
        missing_parents: Vec<RepoPath>,
    },
    /// A regular file.
    File {
        /// Its path.
        resolved: RepoPath,
        /// All of its bytes.
        bytes: Vec<u8>,
    },
    /// A folder. The lists are empty unless the kind is `DELETE_DIR`.
    Dir {
        /// Its path.
        resolved: RepoPath,
        /// Every file below it, at any depth, with its bytes.
        files: Vec<(RepoPath, Vec<u8>)>,
        /// Every folder below it, parents before children.
        dirs: Vec<RepoPath>,
    },
    /// Nothing exists there, and a part above it is a file.
    Blocked {
        /// That file.
        by: RepoPath,
    },
    /// Nothing exists under that spelling, but an entry with the same [`RepoPath::identity`] does,
    /// for the path itself or for a folder above it.
    OtherSpelling {
        /// The entry as it is spelled on disk.
        existing: RepoPath,
    },
    /// Something that must not or cannot be changed: a link that leaves the root, a device, a file
    /// that is too large, a folder for `DELETE_DIR` that contains such a thing.
    Unusable {
        /// The reason, as the end of a sentence that begins with the path: `leaves the repository`.
        reason: String,
    },
}

impl PathFact {
    /// Returns the bytes of a file. `None` for anything else.
    pub fn file(&self) -> Option<&[u8]> {
        match self {
            Self::File { bytes, .. } => Some(bytes),
            _ => None,
        }
    }
}
