//! What can be written on the command line: one struct a command, checked only for its own form.

mod completions;
mod context;
mod debug;
mod fix;
mod global;
mod index;
mod offer;
mod plan;
mod replay;
mod report;
mod schema;
#[cfg(test)]
mod tests;
mod trace;

use clap::{Parser, Subcommand};

pub use completions::CompletionsArgs;
pub use context::{ContextArgs, GoalArgs};
pub use debug::{DebugArgs, DebugCommand};
pub use fix::{ChangeArgs, FixArgs, ModelArgs};
pub use global::{Format, GlobalArgs};
pub use index::{IndexArgs, IndexQuestion};
pub use offer::{OfferArgs, PublishArgs};
pub use plan::{ApplyArgs, PlanArgs};
pub use replay::ReplayArgs;
pub use report::{Check, ReportArgs, RunsArgs, RunsCommand};
pub use schema::{SchemaArgs, SchemaName};
pub use trace::{TraceArgs, TraceCommand};

/// Repair red builds: read the failure, plan, patch, and prove the fix with your own command
#[derive(Debug, Parser)]
#[command(name = "papayu-batch", version, arg_required_else_help = true, max_term_width = 100)]
pub struct Cli {
    /// Flags of every command.
    #[command(flatten)]
    pub global: GlobalArgs,
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// What the program can do.
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
    /// Print the manual page
    Man,
    /// Doors for measuring
    #[command(hide = true)]
    Debug(DebugArgs),
}
