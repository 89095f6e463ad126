//! The commands, in the order in which `--help` lists them.

use clap::Subcommand;

use super::{
    ApplyArgs, BatchArgs, CompletionsArgs, ContextArgs, DebugArgs, FixArgs, IndexArgs, ManArgs,
    PlanArgs, PublishArgs, ReplayArgs, ReportArgs, RunsArgs, SchemaArgs, TraceArgs,
};

/// The commands of the program.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Plan, apply, verify and hand over a fix
    Fix(Box<FixArgs>),
    /// Write a plan that a person may read before it is applied
    Plan(Box<PlanArgs>),
    /// Carry out a saved plan, verify and hand over
    Apply(Box<ApplyArgs>),
    /// Offer the fix of a bundle as a branch or pull request; nothing of the repository is run
    Publish(Box<PublishArgs>),
    /// Do the same in many repositories at once, from a manifest
    Batch(Box<BatchArgs>),
    /// Put the tasks of a manifest into a queue that many machines share
    #[cfg(feature = "redis")]
    Enqueue(Box<super::EnqueueArgs>),
    /// Do tasks from a queue
    #[cfg(feature = "redis")]
    Worker(Box<super::WorkerArgs>),
    /// Say what is in a queue, put parked tasks back, leave the summary of its rows
    #[cfg(feature = "redis")]
    Queue(super::QueueArgs),
    /// Put the tasks of a manifest into a queue; this program was built without it
    #[cfg(not(feature = "redis"))]
    #[command(hide = true, visible_aliases = ["worker", "queue"])]
    Enqueue(super::NoQueueArgs),
    /// Take the last kept change back, or what a killed run left
    Undo,
    /// Make the change that was taken back again
    Redo,
    /// Show what a model would be shown, and why; none is asked
    Context(ContextArgs),
    /// Build or refresh the index of the repository's code, or ask it
    Index(IndexArgs),
    /// Run a recorded session again, offline
    Replay(Box<ReplayArgs>),
    /// Show traces, turn them into golden ones, check golden ones
    Trace(TraceArgs),
    /// Sum up traces and runs: metrics, graduation verdict, week over week
    Report(ReportArgs),
    /// List, show or delete the results of earlier runs
    Runs(RunsArgs),
    /// Show every setting with where it came from, and check what a run needs
    Doctor,
    /// Print a JSON Schema
    Schema(SchemaArgs),
    /// Print a completion script for a shell
    Completions(CompletionsArgs),
    /// Print a manual page, or write all of them
    Man(ManArgs),
    /// Entry points for benchmarks
    #[command(hide = true)]
    Debug(DebugArgs),
}
