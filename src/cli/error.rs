//! Everything that can end a command early, and its one rendering.

use std::io;
use std::path::PathBuf;

use anstyle::{AnsiColor, Style};

use crate::domain::ExitCode;
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
    /// Nothing to check is there.
    #[error("there are no golden traces in `{}`", folder.display())]
    NoGoldenTraces {
        /// Where they were looked for.
        folder: PathBuf,
    },
    /// `--wire` with a schema that is never sent.
    #[error("only v1 and v2 are sent to providers and have a wire schema")]
    NoWireSchema,
    /// Neither a goal, nor a log, nor a command was given.
    #[error("there is nothing to go by: no goal, no log and no command")]
    NoInput,
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
            Self::NoInput => Some(
                "give `--goal TEXT`, `--log FILE` or `--run CMD`, or set `run.command` in papayu.toml".into(),
            ),
            Self::NoGoldenTraces { .. } => {
                Some("`papayu-batch trace to-golden TRACE --output FILE` makes one".into())
            }
            Self::NoWireSchema => Some("`papayu-batch schema v2 --wire`".into()),
            Self::Trace(_)
            | Self::Read { .. }
            | Self::Write { .. }
            | Self::Signals(_)
            | Self::Stdout(_) => None,
        }
    }

    /// Returns the exit code: what the user wrote is wrong, or the machine refused.
    pub fn exit_code(&self) -> ExitCode {
        match self {
            Self::Write { .. } | Self::Signals(_) | Self::Stdout(_) => ExitCode::NotFixed,
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
