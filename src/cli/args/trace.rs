//! `papayu-batch trace`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

/// Show traces, make golden traces, check golden traces.
#[derive(Debug, Args)]
pub struct TraceArgs {
    /// The command on traces.
    #[command(subcommand)]
    pub command: TraceCommand,
}

/// The commands on traces.
#[derive(Debug, Subcommand)]
pub enum TraceCommand {
    /// Show one trace, or list all of them
    Show {
        /// Trace file, trace id or the beginning of one; without it all traces are listed
        trace: Option<String>,
    },
    /// Print traces as golden traces, without the properties of this machine
    ToGolden {
        /// Trace files, folders of them, trace ids or beginnings of ids
        #[arg(required = true, value_name = "TRACE")]
        traces: Vec<String>,
        /// File to write in place of stdout; with a `/` at the end, or with several traces, a folder of files named by
        /// the ids
        #[arg(long, value_name = "FILE")]
        output: Option<PathBuf>,
    },
    /// Check golden traces: the schema is unchanged and the reply is still valid
    Check {
        /// Golden traces or folders of them [default: `golden_traces` in the repository]
        paths: Vec<PathBuf>,
    },
}
