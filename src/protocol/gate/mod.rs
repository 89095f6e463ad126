//! The gates of section 4, one refusal rule a file; every action passes one before any meets the next.

pub(super) mod base;
pub(super) mod conflict;
pub(super) mod content;
pub(super) mod count;
pub(super) mod delete;
pub(super) mod form;
pub(super) mod freshness;
pub(super) mod mode;
pub(super) mod path;
pub(super) mod protected;
pub(super) mod size;
pub(super) mod test_edits;
pub(super) mod text;
pub(super) mod update;

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

use super::facts::Fact;
use super::refusal::Refusal;
use crate::domain::{ErrorCode, Kind, Op, RepoPath, Sha256};

/// An action whose path passed the lexical rules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Named {
    /// Its place in the reply, from 0.
    pub(super) index: usize,
    pub(super) path: RepoPath,
    pub(super) kind: Kind,
    pub(super) op: Op,
}

/// A named action and what is known of its place on disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Located {
    pub(super) named: Named,
    /// The path with links followed.
    pub(super) resolved: RepoPath,
    pub(super) fact: Fact,
}

impl Named {
    pub(super) fn refuse(&self, code: ErrorCode, reason: impl Into<String>) -> Refusal {
        Refusal::of_action(code, self.index, self.path.as_str(), reason)
    }

    /// Returns the text the action brings, `content` or `patch`.
    pub(super) fn text(&self) -> Option<&str> {
        match &self.op {
            Op::CreateFile { content }
            | Op::UpdateFile { content }
            | Op::ReplaceRange { content, .. } => content.as_deref(),
            Op::PatchFile { patch, .. } => patch.as_deref(),
            Op::CreateDir | Op::DeleteFile | Op::DeleteDir => None,
        }
    }

    /// Tells whether the action is made against a stated base.
    pub(super) fn has_base(&self) -> bool {
        matches!(self.kind, Kind::PatchFile | Kind::ReplaceRange)
    }

    /// Returns the stated base; `None` when it is missing or no digest.
    pub(super) fn base(&self) -> Option<Sha256> {
        match &self.op {
            Op::PatchFile { base_sha256, .. } | Op::ReplaceRange { base_sha256, .. } => {
                base_sha256.as_deref().and_then(Sha256::parse)
            }
            _ => None,
        }
    }

    pub(super) fn deletes(&self) -> bool {
        matches!(self.kind, Kind::DeleteFile | Kind::DeleteDir)
    }

    pub(super) fn is_of_dir(&self) -> bool {
        matches!(self.kind, Kind::CreateDir | Kind::DeleteDir)
    }
}

impl Located {
    pub(super) fn refuse(&self, code: ErrorCode, reason: impl Into<String>) -> Refusal {
        self.named.refuse(code, reason)
    }
}

/// Compiles a built-in table of path patterns; `None`, which a gate takes for "matches all", cannot
/// happen while the tests pass.
fn table(globs: &[&str]) -> Option<GlobSet> {
    let mut set = GlobSetBuilder::new();
    for glob in globs {
        let mut glob = GlobBuilder::new(glob);
        set.add(glob.literal_separator(true).empty_alternates(true).build().ok()?);
    }
    set.build().ok()
}
