//! The arguments of the command line: one struct for each command. Only the syntax is checked here.

mod batch;
mod command;
mod completions;
mod context;
mod debug;
mod doctor;
mod explain;
mod findings;
mod fix;
mod global;
mod index;
mod init;
mod man;
mod memory;
mod notes;
mod offer;
mod plan;
#[cfg(feature = "nats")]
mod queue;
mod recipe;
mod replay;
mod report;
mod research;
mod schema;
#[cfg(test)]
mod tests;
mod tool;
mod trace;
mod value;
mod way;

use clap::Parser;

pub use batch::{BatchArgs, BatchCommand, BatchModelArgs, BudgetArgs, PickArgs, SelectArgs};
pub use command::Command;
pub use completions::CompletionsArgs;
pub use context::{ContextArgs, GoalArgs};
pub use debug::{DebugArgs, DebugCommand};
pub use doctor::DoctorArgs;
pub use explain::ExplainArgs;
pub use fix::{ChangeArgs, FixArgs, ModelArgs, RecipeFlags};
pub use global::{GlobalArgs, OutputFormat};
pub use index::{IndexArgs, IndexQuestion};
pub use init::InitArgs;
pub use man::ManArgs;
pub use memory::{MemoryArgs, MemoryCommand};
pub use notes::{NotesArgs, NotesCommand};
pub use offer::{AllowArgs, OfferArgs, PublishArgs};
pub use plan::{ApplyArgs, PlanArgs};
#[cfg(feature = "nats")]
pub use queue::{EnqueueArgs, QueueAddress, QueueArgs, QueueCommand, WorkerArgs};
pub use recipe::{RecipeArgs, RecipeCommand};
pub use replay::ReplayArgs;
pub use report::{
    ContinueArgs, PickRunArgs, ReportArgs, ReportCheck, ReportCommand, RunsArgs, RunsCommand,
};
pub use research::ResearchArgs;
pub use schema::{SchemaArgs, SchemaName};
pub use tool::{McpArgs, NamedCall, ToolArgs, ToolProfile};
pub use trace::{TraceArgs, TraceCommand};

/// The arguments of the queue's commands in a program that was built without it.
#[cfg(not(feature = "nats"))]
#[derive(Debug, clap::Args)]
pub struct NoQueueArgs {
    /// Not read
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    pub words: Vec<std::ffi::OsString>,
}

/// Repair red builds: read the failure, plan, patch, and prove the fix with your own command
#[derive(Debug, Parser)]
#[command(name = "papayu-batch", version = env!("VERSION_WITH_COMMIT"), arg_required_else_help = true, max_term_width = 100)]
pub struct Cli {
    /// Flags of every command.
    #[command(flatten)]
    pub global: GlobalArgs,
    /// The command.
    #[command(subcommand)]
    pub command: Command,
}

impl Cli {
    /// Returns the program with the commands of its help only, for manual pages and completions.
    pub fn visible_command() -> clap::Command {
        let whole = <Self as clap::CommandFactory>::command();
        let visible = whole.get_subcommands().filter(|inner| !inner.is_hide_set()).cloned();
        let about = whole.get_about().cloned().unwrap_or_default();
        clap::Command::new("papayu-batch")
            .version(env!("VERSION_WITH_COMMIT"))
            .about(about)
            .max_term_width(100)
            .args(whole.get_arguments().cloned())
            .subcommand_required(true)
            .arg_required_else_help(true)
            .subcommands(visible)
    }
}
