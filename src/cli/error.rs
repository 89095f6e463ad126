//! Everything that can end a command early, and its one rendering.

use std::io;
use std::path::PathBuf;

use anstyle::{AnsiColor, Style};

use crate::batch::BatchError;
use crate::fix::{ContinueError, FixError};
use crate::mcp::McpError;
use crate::tools::ToolError;
use papayu_base::domain::ExitCode;
use papayu_base::text::spelling::find_nearest;
use papayu_providers::research::ResearchError;
use papayu_system::memory::{KEYS, MemoryKey};
use papayu_system::trace::TraceError;

/// Why a command ended early.
#[derive(Debug, thiserror::Error)]
pub enum CliError {
    /// The run could not begin, or could not leave its results.
    #[error(transparent)]
    Fix(#[from] FixError),
    /// A trace file could not be used.
    #[error(transparent)]
    Trace(#[from] TraceError),
    /// No recipe has that name.
    #[error("`{0}` is no recipe file, and no recipe in the folders has this id")]
    NoRecipe(String),
    /// `recipe add` without a folder.
    #[error("no folder for recipes is known")]
    NoRecipeFolder,
    /// No trace has that name.
    #[error("no trace in `{}` is called `{name}`", folder.display())]
    NoTrace {
        /// As written.
        name: String,
        /// The folder that was searched.
        folder: PathBuf,
    },
    /// Several traces begin like that.
    #[error("{count} traces in `{}` begin with `{name}`", folder.display())]
    ManyTraces {
        /// As written.
        name: String,
        /// The folder of all of them.
        folder: PathBuf,
        /// The number of matches.
        count: usize,
    },
    /// A trace from which no golden trace can be made.
    #[error("the trace `{name}` makes no golden trace: {wrong}")]
    NotGolden {
        /// As written.
        name: String,
        /// The faults that `trace check` would find.
        wrong: String,
    },
    /// No run, or several, have that name.
    #[error("{count} runs in `{}` begin with `{name}`", folder.display())]
    NotOneRun {
        /// As written.
        name: String,
        /// The folder of all of them.
        folder: PathBuf,
        /// The number of matches.
        count: usize,
    },
    /// A run that is not continued.
    #[error(transparent)]
    Continue(#[from] ContinueError),
    /// No run has left results.
    #[error("there are no runs in `{}`", folder.display())]
    NoRuns {
        /// The folder of all of them.
        folder: PathBuf,
    },
    /// No run has left a plan.
    #[error("no run in `{}` has left a plan", folder.display())]
    NoPlan {
        /// The folder of all of them.
        folder: PathBuf,
    },
    /// Nothing to check is there.
    #[error("there are no golden traces in `{}`", folder.display())]
    NoGoldenTraces {
        /// The folder that was searched.
        folder: PathBuf,
    },
    /// `man` with a name that is no command.
    #[error("there is no manual page of `{0}`")]
    NoManualPage(String),
    /// `--wire` with a schema that is never sent.
    #[error("only v1, v2 and v3 are sent to providers and have a wire schema")]
    NoWireSchema,
    /// The index knows no such name or file.
    #[error("the index has no {kind} called `{name}`")]
    NotIndexed {
        /// The kind of name.
        kind: &'static str,
        /// As written.
        name: String,
        /// The known one most like it.
        nearest: Option<String>,
    },
    /// No note, or several, have that id.
    #[error("{count} notes begin with `{id}`")]
    NotOneNote {
        /// As written.
        id: String,
        /// The number of matches.
        count: usize,
    },
    /// A note without words.
    #[error("a note needs words")]
    EmptyNote,
    /// A run that gives no note.
    #[error("the run `{0}` gives no note: it has no proved fix of a model")]
    NothingToDistill(String),
    /// A key that the engineering memory does not have.
    #[error("the engineering memory has no key `{key}`")]
    NoMemoryKey {
        /// As written.
        key: String,
    },
    /// A value of another form than the key's.
    #[error("`{key}` cannot have this value: {reason}")]
    MemoryValue {
        /// The key.
        key: String,
        /// The expected form.
        reason: String,
    },
    /// `index --watch` with a question.
    #[error("`--watch` prints totals and cannot be combined with a query")]
    WatchedQuestion,
    /// A batch could not begin, or not write its results.
    #[error(transparent)]
    Batch(#[from] BatchError),
    /// `--digest` is no digest.
    #[error("`{0}` is not the 64 hex digits of a sha256 digest")]
    Digest(String),
    /// A command of the queue in a program that was built without it.
    #[cfg(not(feature = "nats"))]
    #[error("this program was built without the queue (the feature `nats`)")]
    NoQueue,
    /// A file that would be overwritten.
    #[error("`{}` exists", path.display())]
    FileExists {
        /// The file.
        path: PathBuf,
    },
    /// No folder for settings of the user.
    #[error("the environment names no folder for settings of the user")]
    NoUserFolder,
    /// Online research has no findings.
    #[error(transparent)]
    Research(#[from] ResearchError),
    /// A tool has no answer.
    #[error(transparent)]
    Tool(#[from] ToolError),
    /// The MCP server ended with an error.
    #[error(transparent)]
    Mcp(#[from] McpError),
    /// Signals cannot be watched.
    #[error("cannot watch signals: {0}")]
    Signals(io::Error),
    /// Stdout cannot be written.
    #[error("cannot write to stdout: {0}")]
    Stdout(io::Error),
}

impl CliError {
    /// Returns what the user can do about it. `None` if the message is enough by itself.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Fix(error) => error.hint(),
            Self::Batch(error) => error.hint(),
            Self::Continue(error) => Some(error.hint()),
            Self::NoRuns { .. } => Some("`papayu-batch fix` makes one".into()),
            Self::NoPlan { .. } => {
                Some("`papayu-batch plan` writes one; `--plan FILE` names one elsewhere".into())
            }
            Self::NoRecipe(_) => Some(
                "`papayu-batch recipe list --recipes DIR` lists those of a folder".into(),
            ),
            Self::NoRecipeFolder => Some("name one with `--to DIR`, or set `recipes.dir`".into()),
            Self::NoTrace { .. } => Some("`papayu-batch trace show` lists all of them".into()),
            Self::ManyTraces { .. } => Some("write more of the id".into()),
            Self::NotOneRun { .. } => Some("`papayu-batch runs list` lists all of them".into()),
            Self::NotIndexed { nearest, .. } => {
                nearest.as_ref().map(|nearest| format!("did you mean `{nearest}`?"))
            }
            Self::NotOneNote { .. } => Some("`papayu-batch notes list` lists all of them".into()),
            Self::NoMemoryKey { key } => {
                let names: Vec<String> = KEYS.iter().map(MemoryKey::dotted).collect();
                let nearest = find_nearest(key, names.iter().map(String::as_str));
                nearest.map(|nearest| format!("did you mean `{nearest}`?"))
            }
            Self::Digest(_) => {
                Some("the job that wrote the bundle gives it out as `bundle-digest`".into())
            }
            Self::NoGoldenTraces { .. } => {
                Some("`papayu-batch trace to-golden TRACE --output FILE` makes one".into())
            }
            Self::NotGolden { .. } => Some(
                "take the trace of a model's reply, made by this version of the program".into(),
            ),
            #[cfg(not(feature = "nats"))]
            Self::NoQueue => {
                Some("`cargo install --path . --locked --features nats` in a clone of papayu-batch builds one with it".into())
            }
            Self::NoManualPage(_) => Some("`papayu-batch --help` lists the commands".into()),
            Self::NoWireSchema => Some("`papayu-batch schema v2 --wire`".into()),
            Self::Tool(error) => Some(error.code().row().hint.into()),
            Self::Mcp(McpError::Fix(error)) => error.hint(),
            Self::FileExists { .. } => Some("`--force` overwrites it".into()),
            Self::NoUserFolder => Some("set HOME or XDG_CONFIG_HOME".into()),
            Self::Research(error) => error.hint().map(str::to_owned),
            Self::Mcp(_)
            | Self::Trace(_)
            | Self::WatchedQuestion
            | Self::MemoryValue { .. }
            | Self::EmptyNote
            | Self::NothingToDistill(_)
            | Self::Signals(_)
            | Self::Stdout(_) => None,
        }
    }

    /// Returns the exit code: what the user wrote is wrong, or the machine refused.
    pub fn exit_code(&self) -> ExitCode {
        match self {
            Self::Fix(error) | Self::Mcp(McpError::Fix(error)) => error.exit_code(),
            Self::Batch(error) => error.exit_code(),
            Self::Tool(error) => error.code().row().outcome.exit_code(),
            Self::Research(ResearchError::Interrupted) => ExitCode::Interrupted,
            Self::Research(ResearchError::Search { .. } | ResearchError::NoHits)
            | Self::Mcp(_)
            | Self::NotIndexed { .. }
            | Self::Signals(_)
            | Self::Stdout(_) => ExitCode::NotFixed,
            _ => ExitCode::Usage,
        }
    }
}

/// Returns the error as it is printed: every line of it, then every line of its hint.
pub(super) fn render_error(error: &CliError) -> String {
    let part = |label: &str, color: AnsiColor, text: &str| -> String {
        let style = Style::new().bold().fg_color(Some(color.into()));
        // Each line has the label, so that tools can filter by it.
        let lines = text.lines().map(|line| format!("{style}{label}{style:#} {line}\n"));
        lines.collect::<Vec<_>>().concat()
    };
    let message = part("error:", AnsiColor::Red, &error.to_string());
    let hint = error.hint().map(|hint| part("hint:", AnsiColor::Cyan, &hint));
    message + &hint.unwrap_or_default()
}
