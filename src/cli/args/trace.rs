//! `papayu-batch trace`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

/// Show traces, turn them into golden ones, check golden ones.
#[derive(Debug, Args)]
pub struct TraceArgs {
    /// What to do with traces.
    #[command(subcommand)]
    pub command: TraceCommand,
}

/// What can be done with traces.
#[derive(Debug, Subcommand)]
pub enum TraceCommand {
    /// Show one trace, or list all of them
    Show {
        /// Trace file, trace id or the beginning of one; without it all traces are listed
        trace: Option<String>,
    },
    /// Print a trace as a golden one: what the protocol said and did, nothing of the machine
    ToGolden {
        /// Trace file, trace id or the beginning of one
        trace: String,
        /// File to write in place of stdout
        #[arg(long, value_name = "FILE")]
        output: Option<PathBuf>,
    },
    /// Check that golden traces still hold: same schema, and the reply is still valid
    Check {
        /// Golden traces or folders of them [default: `golden_traces` in the repository]
        paths: Vec<PathBuf>,
    },
}
