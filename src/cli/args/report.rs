//! `papayu-batch report` and `papayu-batch runs`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

/// Sum up traces and runs; text or JSON on stdout, other forms into files.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct ReportArgs {
    /// Something else than the report of one folder.
    #[command(subcommand)]
    pub command: Option<ReportCommand>,
    /// Folder of traces [default: the one that runs write to]
    #[arg(long, value_name = "DIR")]
    pub traces: Option<PathBuf>,
    /// Folder of runs' results [default: `.papa-yu/runs` in the repository]
    #[arg(long, value_name = "DIR")]
    pub runs: Option<PathBuf>,
    /// Number of the newest APPLY traces that count
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..))]
    pub last: u32,
    /// Also write Markdown there
    #[arg(long, value_name = "FILE")]
    pub markdown: Option<PathBuf>,
    /// Also write one self-contained HTML page there, with the diff of every run
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Also write OpenMetrics text there
    #[arg(long, value_name = "FILE")]
    pub openmetrics: Option<PathBuf>,
    /// Exit with code 1 when the check fails
    #[arg(long, value_enum)]
    pub check: Option<Check>,
}

/// Other commands of `report`.
#[derive(Debug, Subcommand)]
pub enum ReportCommand {
    /// Join what the shards of a batch left into one summary
    Merge {
        /// Folders of the shards' results, each with its `summary.json`
        #[arg(required = true, value_name = "DIR")]
        folders: Vec<PathBuf>,
        /// Folder that the joined summary goes to
        #[arg(long, value_name = "DIR")]
        out: PathBuf,
    },
}

/// The checks of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Check {
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
    /// List all runs, the oldest first
    List,
    /// Show how a run ended, in full
    Show {
        /// Run id or the beginning of one
        run: String,
    },
    /// Show the change of a run, changed words marked
    Diff {
        /// Run id or the beginning of one
        run: String,
    },
    /// Delete the results of runs; traces and the journal stay
    Delete {
        /// Run ids or their beginnings
        #[arg(required = true)]
        runs: Vec<String>,
    },
}
