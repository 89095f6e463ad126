//! What gates judge: an action with its path, then with what stands there.

use crate::domain::{Edit, ErrorCode, Kind, Op, RepoPath, Sha256};
use crate::protocol::facts::Fact;
use crate::protocol::refusal::Refusal;

/// An action whose path passed the lexical rules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::protocol) struct Named {
    /// Its place in the reply, from 0.
    pub(in crate::protocol) index: usize,
    pub(in crate::protocol) path: RepoPath,
    pub(in crate::protocol) kind: Kind,
    pub(in crate::protocol) op: Op,
}

/// A named action and what is known of its place on disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::protocol) struct Located {
    pub(in crate::protocol) named: Named,
    /// The path with links followed.
    pub(in crate::protocol) resolved: RepoPath,
    pub(in crate::protocol) fact: Fact,
}

impl Named {
    pub(in crate::protocol) fn refuse(
        &self,
        code: ErrorCode,
        reason: impl Into<String>,
    ) -> Refusal {
        Refusal::of_action(code, self.index, self.path.as_str(), reason)
    }

    /// Returns the one text the action brings, `content` or `patch`.
    pub(in crate::protocol) fn text(&self) -> Option<&str> {
        match &self.op {
            Op::CreateFile { content }
            | Op::UpdateFile { content }
            | Op::ReplaceRange { content, .. } => content.as_deref(),
            Op::PatchFile { patch, .. } => patch.as_deref(),
            Op::EditFile { .. } | Op::CreateDir | Op::DeleteFile | Op::DeleteDir => None,
        }
    }

    /// Returns every text the action brings, those of edits included.
    pub(in crate::protocol) fn texts(&self) -> impl Iterator<Item = &str> {
        let edits = match &self.op {
            Op::EditFile { edits, .. } => edits.as_slice(),
            _ => &[],
        };
        self.text().into_iter().chain(edits.iter().flat_map(Edit::texts))
    }

    /// Tells whether the action is made against a stated base.
    pub(in crate::protocol) fn has_base(&self) -> bool {
        matches!(self.kind, Kind::PatchFile | Kind::ReplaceRange | Kind::EditFile)
    }

    /// Returns the stated base; `None` when it is missing or no digest.
    pub(in crate::protocol) fn base(&self) -> Option<Sha256> {
        match &self.op {
            Op::PatchFile { base_sha256, .. }
            | Op::ReplaceRange { base_sha256, .. }
            | Op::EditFile { base_sha256, .. } => base_sha256.as_deref().and_then(Sha256::parse),
            _ => None,
        }
    }

    pub(in crate::protocol) fn deletes(&self) -> bool {
        matches!(self.kind, Kind::DeleteFile | Kind::DeleteDir)
    }

    pub(in crate::protocol) fn is_of_dir(&self) -> bool {
        matches!(self.kind, Kind::CreateDir | Kind::DeleteDir)
    }
}

impl Located {
    pub(in crate::protocol) fn refuse(
        &self,
        code: ErrorCode,
        reason: impl Into<String>,
    ) -> Refusal {
        self.named.refuse(code, reason)
    }
}
