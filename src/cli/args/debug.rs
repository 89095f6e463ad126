//! `papayu-batch debug …`: entry points for benchmarks and trials, not shown in the help.

use clap::{Args, Subcommand};

use super::PickRunArgs;

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
    /// Check changes: JSON lines `{id, files: [{path, before, after}], tests: [{path, text}]}` in, `{id, grade, flags, notes}` out
    Vet,
    /// Print the text by which the change of a run can be judged, as a judge gets it
    JudgePacket(PickRunArgs),
}
