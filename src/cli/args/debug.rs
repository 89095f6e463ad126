//! `papayu-batch debug …`: entry points for benchmarks, not shown in the help.

use clap::{Args, Subcommand};

/// Entry points for benchmarks.
#[derive(Debug, Args)]
pub struct DebugArgs {
    /// The entry point.
    #[command(subcommand)]
    pub command: DebugCommand,
}

/// The entry points for benchmarks.
#[derive(Debug, Subcommand)]
pub enum DebugCommand {
    /// Land patches: JSON lines `{id, before, patch, path}` in, `{id, ok, after|error, us}` out
    Patch,
    /// Read files: JSON lines `{path, text}`, or paths, in, `{path, facts, calls, us}` out
    Facts,
}
