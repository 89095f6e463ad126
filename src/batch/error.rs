//! The errors that end a batch command.

use std::path::PathBuf;

use super::manifest::ManifestError;
#[cfg(feature = "nats")]
use super::queue::fault::QueueError;
use super::select::SelectError;
use super::summary::MergeError;
use crate::fix::{FixError, STAYS_IN_CLONE};
use papayu_base::domain::{ExitCode, OutcomeKind};

/// The reason why a batch command ended early.
/// Errors of single tasks are outcomes in their rows and not here: they do not end the batch.
#[derive(Debug, thiserror::Error)]
pub enum BatchError {
    /// The repository, the settings, or a file.
    #[error(transparent)]
    Fix(#[from] FixError),
    /// The manifest is wrong.
    #[error(transparent)]
    Manifest(#[from] ManifestError),
    /// A pattern or shard is wrong.
    #[error(transparent)]
    Select(#[from] SelectError),
    /// Shards cannot be merged.
    #[error(transparent)]
    Merge(#[from] MergeError),
    /// The queue cannot be used.
    #[cfg(feature = "nats")]
    #[error("{0} ({code})", code = .0.code())]
    Queue(#[from] QueueError),
    /// A batch is resumed with a changed manifest.
    /// Results of two manifests in one folder would be mixed.
    #[error("the batch in `{}` is of another manifest", folder.display())]
    OtherManifest {
        /// The folder of results.
        folder: PathBuf,
    },
    /// A batch is resumed with other values for every task.
    #[error("the batch in `{}` was not started with this {}", folder.display(), flags.iter().map(|flag| format!("`{flag}`")).collect::<Vec<_>>().join(", "))]
    OtherFlags {
        /// The folder of results.
        folder: PathBuf,
        /// Flags with other values, or that only one call has.
        flags: Vec<String>,
    },
    /// `--emit` names a result that is deleted with a clone.
    #[error("`--emit {emit}` would stay in the clone of `{task}`, which is deleted")]
    StaysInClone {
        /// As written.
        emit: &'static str,
        /// The first task with an address.
        task: String,
    },
    /// There are fixes, and none of them can be published.
    #[error("no task of `{}` has a bundle", folder.display())]
    NoBundle {
        /// The folder of results.
        folder: PathBuf,
    },
    /// There is nothing to apply.
    #[error("no task of `{}` has a fix for a folder", folder.display())]
    NoPatch {
        /// The folder of results.
        folder: PathBuf,
    },
    /// The folder has a batch that has not ended.
    #[error("the batch in `{}` has not ended", folder.display())]
    Unfinished {
        /// The folder of results.
        folder: PathBuf,
    },
    /// The batch has not ended, and its results are incomplete.
    #[error("the batch in `{}` has not ended", folder.display())]
    NotEnded {
        /// The folder of results.
        folder: PathBuf,
    },
    /// Another process runs a batch in the folder.
    #[error("another batch runs in `{}`", folder.display())]
    InUse {
        /// The folder of results.
        folder: PathBuf,
    },
}

impl BatchError {
    /// Returns what the user can do about it.
    /// `None` if the message is enough by itself.
    pub fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::Fix(error) => return error.hint(),
            Self::Manifest(_) => "`papayu-batch schema batch` prints the schema of a manifest",
            Self::Select(_) => return None,
            Self::Merge(error) => return error.hint().map(str::to_owned),
            #[cfg(feature = "nats")]
            Self::Queue(error) => error.code().hint(),
            Self::OtherManifest { .. } => {
                "restore the manifest, name another folder with `--out`, or start a new batch with `--restart`"
            }
            Self::OtherFlags { .. } => {
                "use the same flags, or other flags with `--failed`, or start a new batch with `--restart`"
            }
            Self::StaysInClone { .. } => STAYS_IN_CLONE,
            Self::NoBundle { .. } => "run the batch with `--emit bundle`",
            Self::NoPatch { .. } => {
                "fixes of clones are published: run the batch with `--emit bundle` or `--emit pr`"
            }
            Self::Unfinished { .. } => {
                "`--resume` continues it, `--restart` starts a new batch, `--out DIR` uses another folder"
            }
            Self::NotEnded { folder } => {
                return Some(format!(
                    "`papayu-batch batch MANIFEST --out {} --resume`, with the flags of its first call, continues it",
                    folder.display()
                ));
            }
            Self::InUse { .. } => "wait for it, or name another folder with `--out`",
        };
        Some(hint.to_owned())
    }

    /// Returns the exit code of the command.
    /// Most are usage errors (2): nothing has run yet.
    pub fn exit_code(&self) -> ExitCode {
        match self {
            Self::Fix(error) => error.exit_code(),
            #[cfg(feature = "nats")]
            Self::Queue(error) => error.code().row().outcome.exit_code(),
            _ => ExitCode::Usage,
        }
    }

    /// Returns the outcome of a worker that ended with the error.
    /// Only a worker of a queue reports one, because it may lose its queue in the middle.
    pub fn outcome(&self) -> OutcomeKind {
        match self {
            #[cfg(feature = "nats")]
            Self::Queue(error) => error.code().row().outcome,
            _ => OutcomeKind::NotFixed,
        }
    }
}
