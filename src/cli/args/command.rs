//! The commands, in the order in which `--help` lists them.

use clap::Subcommand;

use super::{
    ApplyArgs, BatchArgs, CompletionsArgs, ContextArgs, DebugArgs, DoctorArgs, ExplainArgs,
    FixArgs, IndexArgs, InitArgs, ManArgs, McpArgs, MemoryArgs, NotesArgs, PlanArgs, PublishArgs,
    RecipeArgs, ReplayArgs, ReportArgs, ResearchArgs, RunsArgs, SchemaArgs, ToolArgs, TraceArgs,
};

/// The commands of the program.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Fix a failure: plan, apply, verify, and output the change
    Fix(Box<FixArgs>),
    /// Write a commented `papayu.toml` and, on request, a workflow; existing files stay as they are
    Init(InitArgs),
    /// Write a plan that a person may read before it is applied
    Plan(Box<PlanArgs>),
    /// Apply a saved plan, verify, and output the change
    Apply(Box<ApplyArgs>),
    /// Publish the fix of a bundle as a branch or pull request; runs no code of the repository
    Publish(Box<PublishArgs>),
    /// Fix many repositories in parallel, from a manifest
    Batch(Box<BatchArgs>),
    /// Put the tasks of a manifest into a queue that many machines share
    #[cfg(feature = "nats")]
    Enqueue(Box<super::EnqueueArgs>),
    /// Run tasks from a queue
    #[cfg(feature = "nats")]
    Worker(Box<super::WorkerArgs>),
    /// Show a queue, retry parked tasks, write the summary of its results
    #[cfg(feature = "nats")]
    Queue(super::QueueArgs),
    /// Put the tasks of a manifest into a queue; this program was built without it
    #[cfg(not(feature = "nats"))]
    #[command(hide = true, visible_aliases = ["worker", "queue"])]
    Enqueue(super::NoQueueArgs),
    /// Revert the last kept change, or the change of a killed run
    Undo,
    /// Make the reverted change again
    Redo,
    /// Explain a log or report: cause, failures, places, next step; needs no repository and asks no model
    Explain(ExplainArgs),
    /// Show the context that a model would get, with reasons; asks no model
    Context(ContextArgs),
    /// Search the web for a query and print short texts with their addresses; asks no model
    Research(ResearchArgs),
    /// Build or refresh the index of the repository's code, or query it
    Index(IndexArgs),
    /// Call a tool of those that models use
    Tool(ToolArgs),
    /// Serve the tools to a coding agent over stdio, as an MCP server
    Mcp(McpArgs),
    /// Run a recorded session again, offline
    Replay(Box<ReplayArgs>),
    /// Show traces, make golden traces, check golden traces
    Trace(TraceArgs),
    /// Summarize traces and runs: metrics, graduation verdict, week over week
    Report(ReportArgs),
    /// List, show or delete the results of earlier runs
    Runs(RunsArgs),
    /// Show or change what every request to a model says about you and the project
    Memory(MemoryArgs),
    /// List, add, pin or delete notes on earlier failures of the repository
    Notes(NotesArgs),
    /// List, show, test or add recipes: rewrite rules that are tried before a model
    Recipe(RecipeArgs),
    /// Show every setting with its source, and check the environment
    Doctor(DoctorArgs),
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
