//! Why a change was not written, or not taken back.

use std::io;

use crate::domain::{ErrorCode, OutcomeKind, PathFault, RepoPath};

/// What went wrong, and where.
#[derive(Debug, thiserror::Error)]
pub enum ApplyError {
    /// Another living process works on the same tree.
    #[error("`{path}` is held by another run that works on this repository")]
    Locked {
        /// The lock file.
        path: RepoPath,
    },
    /// The tree is not what the preview was made from; nothing was written.
    #[error("`{path}` {reason}")]
    BaseMismatch {
        /// Where it differs.
        path: RepoPath,
        /// How it differs.
        reason: &'static str,
    },
    /// Somebody else changed a file of an earlier change, which therefore cannot be taken back or
    /// brought again; nothing was written.
    #[error(
        "`{path}` {reason}; to leave it as it is, remove `{journal}`, which holds the old text"
    )]
    Diverged {
        /// The file.
        path: RepoPath,
        /// How it differs.
        reason: &'static str,
        /// The journal that holds the file as it was before and after the change.
        journal: RepoPath,
    },
    /// The path belongs to git or to this program.
    #[error("`{path}` is not ours to change")]
    Reserved {
        /// The path.
        path: RepoPath,
    },
    /// The tree could not be read; nothing was written.
    #[error("cannot read `{path}`: {source}")]
    Read {
        /// What was read.
        path: RepoPath,
        /// Why not.
        source: io::Error,
    },
    /// The tree or the journal could not be written (a full disk, missing rights); what had been
    /// written is taken back.
    #[error("cannot write `{path}`: {source}")]
    Write {
        /// What was written.
        path: RepoPath,
        /// Why not.
        source: io::Error,
    },
    /// A change could not be taken back whole: at these paths it is still in the tree. Every other
    /// path is back; the journal stays, and the next run, or `undo`, tries again.
    #[error("{cause}; the change is still in the tree, at {}", join_paths(.paths))]
    StillThere {
        /// What is not back.
        paths: Vec<RepoPath>,
        /// Why the first of them is not.
        cause: Box<Self>,
    },
    /// The user's command took the change away itself; the old tree is back.
    #[error("`{path}` no longer holds the change: the command has taken it back")]
    Vanished {
        /// The first such path.
        path: RepoPath,
    },
    /// The same as `StillThere`, and the journal is gone too, so that nothing takes the change back by itself.
    #[error("{restore}; its journal is lost: {journal}")]
    Unjournalled {
        /// What is not back, and why.
        restore: Box<Self>,
        /// Why there is no journal.
        journal: Box<Self>,
    },
    /// A change failed midway and could not be taken back either; the journal stays and the next
    /// run, or `undo`, tries again.
    #[error("{cause}; taking the change back failed too: {restore}")]
    Unrestored {
        /// Why the change failed.
        cause: Box<Self>,
        /// Why the old tree is not back.
        restore: Box<Self>,
    },
    /// The program's own folder, or one in it, is a link or a file; the repository brought it.
    #[error("`{path}` is not a folder, and only a folder of our own is written into")]
    NotAFolder {
        /// The folder.
        path: RepoPath,
    },
    /// Something in `.papa-yu` is not what this program writes there.
    #[error("`{path}` {reason}")]
    BrokenJournal {
        /// The file or folder.
        path: RepoPath,
        /// What is wrong with it.
        reason: String,
    },
    /// No change is left that could be taken back.
    #[error("there is no change to undo")]
    NothingToUndo,
    /// No change that was taken back is left.
    #[error("there is no change to redo")]
    NothingToRedo,
    /// A path of the journal breaks the rules of paths.
    #[error(transparent)]
    Path(#[from] PathFault),
}

impl ApplyError {
    /// Returns the protocol's code (section 4), where there is one.
    pub fn code(&self) -> Option<ErrorCode> {
        match self {
            Self::BaseMismatch { .. } => Some(ErrorCode::BaseMismatch),
            Self::Reserved { .. } => Some(ErrorCode::ForbiddenPath),
            Self::Path(fault) => Some(fault.code),
            _ => None,
        }
    }

    /// Tells whether somebody else changed, or is changing, the same tree (exit code 5).
    pub fn is_conflict(&self) -> bool {
        matches!(self, Self::Locked { .. } | Self::BaseMismatch { .. } | Self::Diverged { .. })
    }

    /// Returns how a run that it ends is called: a disk that is full or closed is no conflict.
    pub fn outcome(&self) -> OutcomeKind {
        match self.code() {
            Some(code) => code.row().outcome,
            None if self.is_conflict() => OutcomeKind::Conflict,
            None => OutcomeKind::NotFixed,
        }
    }

    /// Returns what the user can do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Locked { .. } => "nothing was changed; run again when the other run has ended",
            Self::Write { .. } => {
                "is there room, and may this user write there? the tree is as it was"
            }
            Self::StillThere { cause, .. } if matches!(**cause, Self::Diverged { .. }) => {
                "bring the named paths back by hand and remove the named journal; every other path is as it was"
            }
            Self::StillThere { .. } | Self::Unrestored { .. } => {
                "run `papayu-batch undo` when there is room and this user may write there again"
            }
            Self::Unjournalled { .. } => {
                "bring the named paths back by hand, from version control; every other is as it was"
            }
            Self::Vanished { .. } => "name a command that leaves the changed files alone",
            Self::NotAFolder { .. } | Self::BrokenJournal { .. } => {
                "move it away; this program makes what it needs anew"
            }
            Self::NothingToUndo | Self::NothingToRedo => {
                "only changes kept with `--emit worktree` can be undone"
            }
            Self::Diverged { .. } => {
                "nothing was written; the named journal holds the file as it was and as it became"
            }
            _ => {
                "this run changed nothing; `papayu-batch undo` takes back what an earlier one left"
            }
        }
    }

    pub(super) fn read_failed(path: &RepoPath) -> impl FnOnce(io::Error) -> Self {
        let path = path.clone();
        move |source| Self::Read { path, source }
    }

    pub(super) fn write_failed(path: &RepoPath) -> impl FnOnce(io::Error) -> Self {
        let path = path.clone();
        move |source| Self::Write { path, source }
    }

    pub(super) fn broken_journal(path: &RepoPath, reason: impl Into<String>) -> Self {
        Self::BrokenJournal { path: path.clone(), reason: reason.into() }
    }
}

fn join_paths(paths: &[RepoPath]) -> String {
    paths.iter().map(|path| format!("`{path}`")).collect::<Vec<_>>().join(", ")
}
