//! The errors of writing a change and of restoring the tree.

use std::io;

use papayu_base::domain::{ErrorCode, OutcomeKind, PathFault, RepoPath};

/// An error of writing a change, with its path.
#[derive(Debug, thiserror::Error)]
pub enum ApplyError {
    /// Another living process works on the same tree.
    #[error("`{path}` is locked by another run that works on this repository")]
    Locked {
        /// The lock file.
        path: RepoPath,
    },
    /// The tree differs from the one the change was made for; nothing was written.
    #[error("`{path}` {reason}")]
    BaseMismatch {
        /// The path that differs.
        path: RepoPath,
        /// The difference, as the end of a sentence that begins with the path.
        reason: &'static str,
    },
    /// A file of an earlier change was changed since, so that the change cannot be undone or
    /// redone; nothing was written.
    #[error("`{path}` {reason}; to leave it as it is, remove `{journal}`, which has the old text")]
    Diverged {
        /// The file.
        path: RepoPath,
        /// The difference, as the end of a sentence that begins with the path.
        reason: &'static str,
        /// The journal with the file's bytes before and after the change.
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
        /// The path that was read.
        path: RepoPath,
        /// The reason.
        source: io::Error,
    },
    /// The tree or the journal could not be written (a full disk, missing rights). Everything
    /// written before is restored.
    #[error("cannot write `{path}`: {source}")]
    Write {
        /// The path that was written.
        path: RepoPath,
        /// The reason.
        source: io::Error,
    },
    /// Some paths could not be restored. Every other path is; the journal stays, and the next run
    /// or `undo` tries again.
    #[error("{cause}; the change is still in the tree, at {}", join_paths(.paths))]
    StillThere {
        /// The paths that are not restored.
        paths: Vec<RepoPath>,
        /// The reason of the first.
        cause: Box<Self>,
    },
    /// The user's command removed the change itself; the old tree is restored.
    #[error("`{path}` no longer has the change: the command has removed it")]
    Vanished {
        /// The first such path.
        path: RepoPath,
    },
    /// As `StillThere`, and the journal is lost, so that no later run restores the tree.
    #[error("{restore}; its journal is lost: {journal}")]
    Unjournalled {
        /// The paths that are not restored, with the reason.
        restore: Box<Self>,
        /// The reason why there is no journal.
        journal: Box<Self>,
    },
    /// A change failed midway and could not be undone either; the journal stays, and the next run
    /// or `undo` tries again.
    #[error("{cause}; reverting the change failed too: {restore}")]
    Unrestored {
        /// The reason of the failed change.
        cause: Box<Self>,
        /// The reason of the failed restore.
        restore: Box<Self>,
    },
    /// The state folder, or one in it, is a link or a file that came with the repository.
    #[error("`{path}` is not a folder, and only a folder of our own is written into")]
    NotAFolder {
        /// The folder.
        path: RepoPath,
    },
    /// Something in `.papa-yu` was not written by this program.
    #[error("`{path}` {reason}")]
    BrokenJournal {
        /// The file or folder.
        path: RepoPath,
        /// The reason, as the end of a sentence that begins with the path.
        reason: String,
    },
    /// No kept change is left.
    #[error("there is no change to undo")]
    NothingToUndo,
    /// No undone change is left.
    #[error("there is no change to redo")]
    NothingToRedo,
    /// A path of the journal is not a legal path.
    #[error(transparent)]
    Path(#[from] PathFault),
}

impl ApplyError {
    /// Returns the protocol's error code (protocol section 4), if the error has one.
    pub fn code(&self) -> Option<ErrorCode> {
        match self {
            Self::BaseMismatch { .. } => Some(ErrorCode::BaseMismatch),
            Self::Locked { .. } => Some(ErrorCode::RepositoryLocked),
            Self::Reserved { .. } => Some(ErrorCode::ForbiddenPath),
            Self::Path(fault) => Some(fault.code),
            _ => None,
        }
    }

    /// Returns true when another process changed, or is changing, the same tree (exit code 5).
    pub fn is_conflict(&self) -> bool {
        matches!(self, Self::Locked { .. } | Self::BaseMismatch { .. } | Self::Diverged { .. })
    }

    /// Returns the outcome of a run that ends with this error. A full or read-only disk is no
    /// conflict.
    pub fn outcome(&self) -> OutcomeKind {
        match self.code() {
            Some(code) => code.row().outcome,
            None if self.is_conflict() => OutcomeKind::Conflict,
            None => OutcomeKind::NotFixed,
        }
    }

    /// Returns advice for the user, one per kind of error. It names the state of the tree,
    /// because that decides the next command.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Locked { .. } => ErrorCode::RepositoryLocked.hint(),
            Self::Write { .. } => {
                "check that the disk has space and that this user may write there; the tree is unchanged"
            }
            Self::StillThere { cause, .. } if matches!(**cause, Self::Diverged { .. }) => {
                "bring the named paths back by hand and remove the named journal; every other path is as it was"
            }
            Self::StillThere { .. } | Self::Unrestored { .. } => {
                "run `papayu-batch undo` when the disk has space and this user may write there"
            }
            Self::Unjournalled { .. } => {
                "bring the named paths back by hand, from version control; every other is as it was"
            }
            Self::Vanished { .. } => "name a command that leaves the changed files alone",
            Self::NotAFolder { .. } | Self::BrokenJournal { .. } => {
                "move it away; this program creates its files again"
            }
            Self::NothingToUndo | Self::NothingToRedo => {
                "only changes kept with `--emit worktree` can be undone"
            }
            Self::Diverged { .. } => {
                "nothing was written; the named journal has the file before and after the change"
            }
            _ => {
                "this run changed nothing; `papayu-batch undo` reverts the change of an earlier one"
            }
        }
    }

    /// Returns a function for `map_err` that adds the path to an error of reading.
    pub(super) fn read_failed(path: &RepoPath) -> impl FnOnce(io::Error) -> Self {
        let path = path.clone();
        move |source| Self::Read { path, source }
    }

    /// Returns a function for `map_err` that adds the path to an error of writing.
    pub(super) fn write_failed(path: &RepoPath) -> impl FnOnce(io::Error) -> Self {
        let path = path.clone();
        move |source| Self::Write { path, source }
    }

    /// Returns the error of a journal that cannot be used.
    pub(super) fn broken_journal(path: &RepoPath, reason: impl Into<String>) -> Self {
        Self::BrokenJournal { path: path.clone(), reason: reason.into() }
    }
}

/// Returns paths for a message.
fn join_paths(paths: &[RepoPath]) -> String {
    paths.iter().map(|path| format!("`{path}`")).collect::<Vec<_>>().join(", ")
}
