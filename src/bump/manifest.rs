//! A file of the repository that may have the finding's package.

use papayu_base::domain::RepoPath;

/// A lock file, or a manifest of a project without one.
pub(super) struct Manifest {
    /// Its path.
    pub(super) path: RepoPath,
    /// Its text; empty if it cannot be used.
    pub(super) text: String,
    /// Why it cannot be updated although it names the package.
    pub(super) unusable: Option<String>,
}
