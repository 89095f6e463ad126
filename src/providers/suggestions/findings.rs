//! What a source found: files as they are and as their tool wants them, and what it has no fix for.

use crate::domain::{RepoPath, Sha256};

/// The outcome of asking a tool.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Findings {
    /// Every file with at least one fix, in order of path.
    pub(super) files: Vec<FileFix>,
    /// Errors that no suggestion mends, and suggestions that were left out, a line each.
    pub(super) unfixed: Vec<String>,
    /// What was asked and how it went, in one sentence without a final period.
    pub(super) account: String,
}

/// One file and its fixed text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FileFix {
    /// The file.
    pub(super) path: RepoPath,
    /// Its text on disk when the tool ran.
    pub(super) before: String,
    /// Its text with every fix.
    pub(super) after: String,
    /// Each fix in one line: place, tool, code, message, what the tool suggests.
    pub(super) notes: Vec<String>,
}

impl FileFix {
    /// Returns the digest of the bytes that the fix was computed on.
    pub(super) fn base(&self) -> Sha256 {
        Sha256::of(self.before.as_bytes())
    }
}
