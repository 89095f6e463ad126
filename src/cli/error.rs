//! Everything that can end a command early, and its one rendering.

use std::io;
use std::path::PathBuf;

use anstyle::{AnsiColor, Style};

use crate::apply::ApplyError;
use crate::domain::{ErrorCode, ExitCode, OutcomeKind, Stage};
use crate::index::search::QueryFault;
use crate::protocol::Refusal;
use crate::providers::RecordingError;
use crate::publish::PublishError;
use crate::settings::SettingsError;
use crate::trace::TraceError;

/// Why a command ended early.
#[derive(Debug, thiserror::Error)]
pub enum CliError {
    /// The settings are wrong.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// A trace file could not be used.
    #[error(transparent)]
    Trace(#[from] TraceError),
    /// A file named on the command line, or a settings file, could not be read.
    #[error("cannot read `{}`: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the disk said.
        source: io::Error,
    },
    /// A file could not be written.
    #[error("cannot write `{}`: {source}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// What the disk said.
        source: io::Error,
    },
    /// The change is kept, and its result could not be written.
    #[error("the change is in the tree, but `{}` cannot be written: {source}", path.display())]
    KeptUntold {
        /// The file.
        path: PathBuf,
        /// What the disk said.
        source: io::Error,
    },
    /// `--repo` names no folder.
    #[error("`{}` is not a folder that can be opened: {source}", path.display())]
    Repository {
        /// As written.
        path: PathBuf,
        /// What the disk said.
        source: io::Error,
    },
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
    /// Neither a goal, nor a log, nor a command was given.
    #[error("there is nothing to go by: no goal, no log and no command")]
    NoInput,
    /// A recording could not be used.
    #[error(transparent)]
    Recording(RecordingError),
    /// The provider cannot be set up, or a setting does not fit.
    #[error("{0}")]
    Provider(String),
    /// `--record` with two models.
    #[error("a recording holds one model's replies, and `--second-model` names another")]
    RecordedTwoModels,
    /// `--max-cost` with a model of unknown price.
    #[error("no price is known for the model `{0}`, so a cost limit cannot be kept")]
    NoPrice(String),
    /// The tree could not be brought to rest before the run.
    #[error(transparent)]
    Apply(ApplyError),
    /// A plan file that the protocol refuses.
    #[error("the plan is refused: {0}")]
    Plan(Refusal),
    /// An error, and its outcome file could not be written either.
    #[error("{first}\n{second}")]
    Twice {
        /// What ended the command.
        first: Box<CliError>,
        /// Why `outcome.json` does not say so.
        second: String,
    },
    /// A change cannot be handed over.
    #[error(transparent)]
    Publish(#[from] PublishError),
    /// `--github-run` names a run in which nothing failed.
    #[error("no job of run {0} has failed")]
    NoFailedJob(u64),
    /// `--digest` is no digest.
    #[error("`{0}` is not the 64 hex digits of a sha256 digest")]
    Digest(String),
    /// A signal came before the run began.
    #[error("a signal ended the run while `{}` was read", path.display())]
    Interrupted {
        /// The file.
        path: PathBuf,
    },
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
            Self::Settings(error) => error.hint(),
            Self::Repository { .. } => Some("`--repo DIR` names the folder of the repository".into()),
            Self::NoTrace { .. } => Some("`papayu-batch trace show` lists all of them".into()),
            Self::ManyTraces { .. } => Some("write more of the id".into()),
            Self::NotOneRun { .. } => Some("`papayu-batch runs list` lists all of them".into()),
            Self::NotIndexed { nearest, .. } => {
                nearest.as_ref().map(|nearest| format!("did you mean `{nearest}`?"))
            }
            Self::NoInput => Some(
                "give `--goal TEXT`, `--log FILE` or `--run CMD`, or set `run.command` in papayu.toml".into(),
            ),
            Self::RecordedTwoModels => Some("record without `--second-model`".into()),
            Self::NoPrice(_) => Some(
                "name a price file (`llm.price_file`), or limit tokens with `--max-tokens`".into(),
            ),
            Self::Apply(error) => Some(error.hint().into()),
            Self::KeptUntold { .. } => Some("`papayu-batch undo` takes it back".into()),
            Self::Plan(refusal) if refusal.code.row().stage == Stage::Schema => Some(
                "the file must be a `plan.json` of `papayu-batch plan`, or a reply of the protocol"
                    .into(),
            ),
            Self::Plan(refusal) => Some(refusal.code.row().hint.into()),
            Self::Publish(error) => Some(error.hint().into()),
            Self::Digest(_) => Some("the job that wrote the bundle gives it out as `bundle-digest`".into()),
            Self::Twice { first, .. } => first.hint(),
            Self::NoGoldenTraces { .. } => {
                Some("`papayu-batch trace to-golden TRACE --output FILE` makes one".into())
            }
            Self::NoWireSchema => Some("`papayu-batch schema v2 --wire`".into()),
            Self::NoFailedJob(_) => Some("name the run whose jobs are red".into()),
            Self::Trace(_)
            | Self::Recording(_)
            | Self::Query(_)
            | Self::WatchedQuestion
            | Self::Provider(_)
            | Self::Read { .. }
            | Self::Write { .. }
            | Self::Interrupted { .. }
            | Self::Signals(_)
            | Self::Stdout(_) => None,
        }
    }

    /// Returns the protocol's code behind the error, where there is one.
    pub fn code(&self) -> Option<ErrorCode> {
        match self {
            Self::Apply(error) => error.code(),
            Self::Plan(refusal) => Some(refusal.code),
            Self::Twice { first, .. } => first.code(),
            _ => None,
        }
    }

    /// Returns the code that `outcome.json` says.
    pub fn code_name(&self) -> Option<&'static str> {
        match self {
            Self::Publish(error) => Some(error.code()),
            Self::Twice { first, .. } => first.code_name(),
            error => error.code().map(ErrorCode::as_str),
        }
    }

    /// Returns how a run that ends with it is called.
    pub fn outcome(&self) -> OutcomeKind {
        match self {
            Self::Apply(error) => error.outcome(),
            Self::Publish(_) => OutcomeKind::PublishFailed,
            Self::Plan(refusal) => refusal.code.row().outcome,
            Self::Twice { first, .. } => first.outcome(),
            Self::Interrupted { .. } => OutcomeKind::Interrupted,
            error if error.exit_code() == ExitCode::Usage => OutcomeKind::UsageError,
            _ => OutcomeKind::NotFixed,
        }
    }

    /// Returns the exit code: what the user wrote is wrong, or the machine refused.
    pub fn exit_code(&self) -> ExitCode {
        match self {
            Self::Apply(_) | Self::Plan(_) | Self::Publish(_) | Self::Interrupted { .. } => {
                self.outcome().exit_code()
            }
            Self::Twice { first, .. } => first.exit_code(),
            Self::NotIndexed { .. }
            | Self::Write { .. }
            | Self::KeptUntold { .. }
            | Self::Signals(_)
            | Self::Stdout(_) => ExitCode::NotFixed,
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
