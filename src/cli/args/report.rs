//! `papayu-batch report` and `papayu-batch runs`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use super::fix::{ChangeArgs, ModelArgs};
use crate::settings::FlagValue;

/// Summarize traces and runs; text or JSON on stdout, other formats into files.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct ReportArgs {
    /// Another report.
    #[command(subcommand)]
    pub command: Option<ReportCommand>,
    /// Folder of traces [default: the one that runs write to]
    #[arg(long, value_name = "DIR")]
    pub traces: Option<PathBuf>,
    /// Folder of runs' results [default: `.papa-yu/runs` in the repository]
    #[arg(long, value_name = "DIR")]
    pub runs: Option<PathBuf>,
    /// Number of the newest APPLY traces to count
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..))]
    pub last: u32,
    /// File for the report as Markdown
    #[arg(long, value_name = "FILE")]
    pub markdown: Option<PathBuf>,
    /// File for the report as one self-contained HTML page, with the diff of every run
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// File for the metrics as OpenMetrics text
    #[arg(long, value_name = "FILE")]
    pub openmetrics: Option<PathBuf>,
    /// Exit with code 1 when the check fails
    #[arg(long, value_enum)]
    pub check: Option<ReportCheck>,
}

/// Other commands of `report`.
#[derive(Debug, Subcommand)]
pub enum ReportCommand {
    /// Merge the results of the shards of a batch into one summary
    Merge {
        /// Folders of the shards' results, each with its `summary.json`
        #[arg(required = true, value_name = "DIR")]
        folders: Vec<PathBuf>,
        /// Folder for the merged summary
        #[arg(long, value_name = "DIR")]
        out: PathBuf,
    },
}

/// The checks of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ReportCheck {
    /// The newest protocol needs no fallback
    Graduation,
}

/// List earlier runs, show one, its change, or delete some.
#[derive(Debug, Args)]
pub struct RunsArgs {
    /// The command on runs.
    #[command(subcommand)]
    pub command: RunsCommand,
}

/// The commands on runs.
#[derive(Debug, Subcommand)]
pub enum RunsCommand {
    /// List all runs, the newest last
    List {
        /// List the runs of this repository on all machines, from the store of `store.url`
        #[arg(long)]
        shared: bool,
    },
    /// Show the outcome of a run
    Show {
        /// The run
        #[command(flatten)]
        pick: PickRunArgs,
        /// Look for the run in the store of `store.url`
        #[arg(long)]
        shared: bool,
    },
    /// Show the change of a run, with changed words marked
    Diff(PickRunArgs),
    /// Continue a run that ended without a fix: its goal, inputs, command and flags again, and the model sees the
    /// attempts that failed
    Continue(Box<ContinueArgs>),
    /// Delete the results of runs; traces and the journal stay
    Delete {
        /// Run ids or their beginnings
        #[arg(required = true)]
        runs: Vec<String>,
    },
}

/// The run that is continued, and flags that replace recorded ones.
#[derive(Debug, Args)]
pub struct ContinueArgs {
    /// Run id or the beginning of one
    pub run: String,
    /// The model that is asked, and its budget.
    #[command(flatten)]
    pub model: ModelArgs,
    /// The permissions and the results.
    #[command(flatten)]
    pub change: ChangeArgs,
}

impl ContinueArgs {
    /// Returns the settings these flags carry.
    pub fn flags(&self) -> Vec<FlagValue> {
        let Self { run: _, model, change } = self;
        [model.flags(), change.flags()].concat()
    }
}

/// The run that is meant.
#[derive(Debug, Args)]
pub struct PickRunArgs {
    /// Run id or the beginning of one; the newest run if it is left out
    #[arg(conflicts_with = "last")]
    pub run: Option<String>,
    /// The newest run, also where no RUN is given
    #[arg(long)]
    pub last: bool,
}
