//! The subjects of the gates: an action with its path, then with the state of that path.

use crate::PathFact;
use papayu_base::domain::{ActionKind, Edit, ErrorCode, Op, RepoPath, Sha256};
use papayu_patch::protocol::Refusal;

/// An action with a path that passed the rules that need no file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct NamedAction {
    /// Position in the reply, from 0.
    pub(super) index: usize,
    pub(super) path: RepoPath,
    pub(super) kind: ActionKind,
    pub(super) op: Op,
}

/// A named action with the state of its path on disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LocatedAction {
    pub(super) named: NamedAction,
    /// The path with links followed.
    pub(super) resolved: RepoPath,
    /// The state of the path on disk.
    pub(super) fact: PathFact,
}

impl NamedAction {
    /// Returns the refusal of this action.
    pub(super) fn refuse(&self, code: ErrorCode, reason: impl Into<String>) -> Refusal {
        Refusal::of_action(code, self.index, self.path.as_str(), reason)
    }

    /// Returns the one text the action brings, `content` or `patch`. `None` if it brings several or none.
    pub(super) fn text(&self) -> Option<&str> {
        match &self.op {
            Op::CreateFile { content }
            | Op::UpdateFile { content }
            | Op::ReplaceRange { content, .. } => content.as_deref(),
            Op::PatchFile { patch, .. } => patch.as_deref(),
            Op::EditFile { .. } | Op::CreateDir | Op::DeleteFile | Op::DeleteDir => None,
        }
    }

    /// Returns every text the action brings, those of edits included.
    pub(super) fn texts(&self) -> impl Iterator<Item = &str> {
        let edits = match &self.op {
            Op::EditFile { edits, .. } => edits.as_slice(),
            _ => &[],
        };
        self.text().into_iter().chain(edits.iter().flat_map(Edit::texts))
    }

    /// Returns true for kinds that state the digest of the file they change.
    pub(super) fn has_base(&self) -> bool {
        matches!(self.kind, ActionKind::PatchFile | ActionKind::ReplaceRange | ActionKind::EditFile)
    }

    /// Returns the stated base; `None` when it is missing or not a digest.
    pub(super) fn base(&self) -> Option<Sha256> {
        match &self.op {
            Op::PatchFile { base_sha256, .. }
            | Op::ReplaceRange { base_sha256, .. }
            | Op::EditFile { base_sha256, .. } => base_sha256.as_deref().and_then(Sha256::parse),
            _ => None,
        }
    }

    /// Returns `true` for a removal of a file or folder.
    pub(super) fn deletes(&self) -> bool {
        matches!(self.kind, ActionKind::DeleteFile | ActionKind::DeleteDir)
    }

    /// Returns `true` for an action on a folder.
    pub(super) fn is_of_dir(&self) -> bool {
        matches!(self.kind, ActionKind::CreateDir | ActionKind::DeleteDir)
    }
}
