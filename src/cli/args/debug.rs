//! `papayu-batch debug …`: doors for measuring, not shown in help.

use clap::{Args, Subcommand};

/// Doors for measuring.
#[derive(Debug, Args)]
pub struct DebugArgs {
    /// Which door.
    #[command(subcommand)]
    pub command: DebugCommand,
}

/// What can be measured.
#[derive(Debug, Subcommand)]
pub enum DebugCommand {
    /// Land patches: JSON lines `{id, before, patch, path}` in, `{id, ok, after|error, us}` out
    Patch,
    /// Read files: JSON lines `{path, text}`, or paths, in, `{path, facts, calls, us}` out
    Facts,
}
