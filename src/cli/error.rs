//! Everything that can end a command early, and its one rendering.

use std::io;
use std::path::PathBuf;

use anstyle::{AnsiColor, Style};

use crate::batch::manifest::ManifestError;
use crate::batch::select::SelectFault;
use crate::batch::summary::MergeError;
use crate::domain::ExitCode;
use crate::fix::{FixError, STAYS_IN_CLONE};
use crate::index::search::QueryFault;
use crate::trace::TraceError;

/// Why a command ended early.
#[derive(Debug, thiserror::Error)]
pub enum CliError {
    /// The run could not begin, or could not leave its results.
    #[error(transparent)]
    Fix(#[from] FixError),
    /// A trace file could not be used.
    #[error(transparent)]
    Trace(#[from] TraceError),
    /// No trace has that name.
    #[error("no trace in `{}` is called `{name}`", folder.display())]
    NoTrace {
        /// As written.
        name: String,
        /// Where it was looked for.
        folder: PathBuf,
    },
    /// Several traces begin like that.
    #[error("{count} traces in `{}` begin with `{name}`", folder.display())]
    ManyTraces {
        /// As written.
        name: String,
        /// Where they are.
        folder: PathBuf,
        /// How many.
        count: usize,
    },
    /// No run, or several, have that name.
    #[error("{count} runs in `{}` begin with `{name}`", folder.display())]
    NotOneRun {
        /// As written.
        name: String,
        /// Where they are.
        folder: PathBuf,
        /// How many.
        count: usize,
    },
    /// Nothing to check is there.
    #[error("there are no golden traces in `{}`", folder.display())]
    NoGoldenTraces {
        /// Where they were looked for.
        folder: PathBuf,
    },
    /// `--wire` with a schema that is never sent.
    #[error("only v1, v2 and v3 are sent to providers and have a wire schema")]
    NoWireSchema,
    /// The index knows no such name or file.
    #[error("the index holds no {kind} called `{name}`")]
    NotIndexed {
        /// What was looked for.
        kind: &'static str,
        /// As written.
        name: String,
        /// The known one most like it.
        nearest: Option<String>,
    },
    /// What to search for cannot be searched for.
    #[error(transparent)]
    Query(#[from] QueryFault),
    /// `index --watch` with a question.
    #[error("`--watch` sums the index up and answers no question")]
    WatchedQuestion,
    /// A manifest that cannot be used.
    #[error(transparent)]
    Manifest(#[from] ManifestError),
    /// What cannot be selected by.
    #[error(transparent)]
    Select(#[from] SelectFault),
    /// Shards that cannot be joined.
    #[error(transparent)]
    Merge(#[from] MergeError),
    /// A queue that cannot be used.
    #[cfg(feature = "redis")]
    #[error("{0} ({code})", code = .0.code())]
    Queue(#[from] crate::batch::queue::QueueError),
    /// `--resume` with a manifest that was changed.
    #[error("the batch in `{}` is of another manifest", folder.display())]
    OtherManifest {
        /// The folder of results.
        folder: PathBuf,
    },
    /// `--resume` with other values for every task.
    #[error("the batch in `{}` was not begun with this {}", folder.display(), flags.iter().map(|flag| format!("`{flag}`")).collect::<Vec<_>>().join(", "))]
    OtherFlags {
        /// The folder of results.
        folder: PathBuf,
        /// Whose values are others, or are there for one of both only.
        flags: Vec<String>,
    },
    /// `--emit` of what would stay in a clone.
    #[error("`--emit {emit}` would stay in the clone of `{task}`, which is deleted")]
    StaysInClone {
        /// As written.
        emit: &'static str,
        /// The first task of an address.
        task: String,
    },
    /// A new batch where one has not ended.
    #[error("the batch in `{}` has not ended", folder.display())]
    Unfinished {
        /// The folder of results.
        folder: PathBuf,
    },
    /// A second batch in the same folder.
    #[error("another batch is at work in `{}`", folder.display())]
    InUse {
        /// The folder of results.
        folder: PathBuf,
    },
    /// `--digest` is no digest.
    #[error("`{0}` is not the 64 hex digits of a sha256 digest")]
    Digest(String),
    /// Signals cannot be watched.
    #[error("cannot watch signals: {0}")]
    Signals(io::Error),
    /// Stdout cannot be written.
    #[error("cannot write to stdout: {0}")]
    Stdout(io::Error),
}

impl CliError {
    /// Returns what the user can do about it.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Fix(error) => error.hint(),
            Self::NoTrace { .. } => Some("`papayu-batch trace show` lists all of them".into()),
            Self::ManyTraces { .. } => Some("write more of the id".into()),
            Self::NotOneRun { .. } => Some("`papayu-batch runs list` lists all of them".into()),
            Self::NotIndexed { nearest, .. } => {
                nearest.as_ref().map(|nearest| format!("did you mean `{nearest}`?"))
            }
            Self::Manifest(_) => {
                Some("`papayu-batch schema batch` says what a manifest may hold".into())
            }
            Self::OtherManifest { .. } => Some(
                "take the manifest back, name another folder with `--out`, or begin anew with `--restart`".into(),
            ),
            Self::OtherFlags { .. } => Some(
                "give the flags it was begun with, or others with `--failed`, or begin anew with `--restart`".into(),
            ),
            Self::StaysInClone { .. } => Some(STAYS_IN_CLONE.into()),
            Self::Unfinished { .. } => Some(
                "`--resume` goes on with it, `--restart` begins anew, `--out DIR` leaves it alone".into(),
            ),
            Self::InUse { .. } => Some("wait for it, or name another folder with `--out`".into()),
            Self::Digest(_) => Some("the job that wrote the bundle gives it out as `bundle-digest`".into()),
            Self::NoGoldenTraces { .. } => {
                Some("`papayu-batch trace to-golden TRACE --output FILE` makes one".into())
            }
            #[cfg(feature = "redis")]
            Self::Queue(error) => Some(error.code().hint().into()),
            Self::Merge(_) => Some("join the folders that the shards of one batch left".into()),
            Self::NoWireSchema => Some("`papayu-batch schema v2 --wire`".into()),
            Self::Trace(_)
            | Self::Query(_)
            | Self::Select(_)
            | Self::WatchedQuestion
            | Self::Signals(_)
            | Self::Stdout(_) => None,
        }
    }

    /// Returns the exit code: what the user wrote is wrong, or the machine refused.
    pub fn exit_code(&self) -> ExitCode {
        match self {
            Self::Fix(error) => error.exit_code(),
            #[cfg(feature = "redis")]
            Self::Queue(error) => error.code().row().outcome.exit_code(),
            Self::NotIndexed { .. } | Self::Signals(_) | Self::Stdout(_) => ExitCode::NotFixed,
            _ => ExitCode::Usage,
        }
    }
}

/// Returns the error as it is printed: every line of it, then every line of its hint.
pub(super) fn render(error: &CliError) -> String {
    let part = |label: &str, color: AnsiColor, text: &str| -> String {
        let style = Style::new().bold().fg_color(Some(color.into()));
        let lines = text.lines().map(|line| format!("{style}{label}{style:#} {line}\n"));
        lines.collect::<Vec<_>>().concat()
    };
    let message = part("error:", AnsiColor::Red, &error.to_string());
    let hint = error.hint().map(|hint| part("hint:", AnsiColor::Cyan, &hint));
    message + &hint.unwrap_or_default()
}
