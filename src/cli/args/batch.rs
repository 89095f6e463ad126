//! `papayu-batch batch`: many repositories from one manifest.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::fix::{ChangeArgs, RecipeFlags};
use super::value::{
    ProviderNames, command_text, flag_values, list_value, number_value, switch_value,
};
use super::way::{HoldArgs, WayArgs, per_hour};
use crate::settings::FlagValue;

/// Fix many repositories.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct BatchArgs {
    /// Other commands on a manifest.
    #[command(subcommand)]
    pub command: Option<BatchCommand>,
    /// The manifest: `.toml`, `.yaml`, `.json`, else one path or address a line; `-` is standard input
    #[arg(value_name = "MANIFEST", required = true)]
    pub manifest: Option<PathBuf>,
    /// Goal of every task in plain words; after a `--recipe`, a model does what the rule leaves of it
    #[arg(long, value_name = "TEXT")]
    pub goal: Option<String>,
    /// The tasks to do, and when to stop.
    #[command(flatten)]
    pub select: SelectArgs,
    /// The budget of the whole batch.
    #[command(flatten)]
    pub budget: BudgetArgs,
    /// The model of every task.
    #[command(flatten)]
    pub model: BatchModelArgs,
    /// The permissions and results of every task.
    #[command(flatten)]
    pub change: ChangeArgs,
    /// The recipes of every task.
    #[command(flatten)]
    pub recipes: RecipeFlags,
}

/// Other commands on a manifest.
#[derive(Debug, Subcommand)]
pub enum BatchCommand {
    /// Apply the fixes of a batch to the folders that they were made for
    Apply {
        /// The folders of results of the batch or of its shards
        #[arg(required = true, value_name = "DIR")]
        folders: Vec<PathBuf>,
        /// Only tasks with a name that matches this pattern
        #[arg(long, value_name = "GLOB")]
        filter: Vec<String>,
    },
    /// Print a GitHub matrix with one entry for each shard that has tasks
    Matrix {
        /// The manifest
        manifest: PathBuf,
        /// Maximum number of entries; GitHub accepts 256
        #[arg(long, value_name = "N", default_value = "256", value_parser = clap::value_parser!(u32).range(1..=256))]
        max: u32,
        /// Only tasks with a name that matches this pattern
        #[arg(long, value_name = "GLOB")]
        filter: Vec<String>,
    },
}

/// The tasks to do, and when to stop.
#[derive(Debug, Args)]
#[command(next_help_heading = "Tasks")]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of the command line")]
pub struct SelectArgs {
    /// The tasks to do.
    #[command(flatten)]
    pub pick: PickArgs,
    /// The way the tasks are run.
    #[command(flatten)]
    pub way: WayArgs,
    /// Continue the batch in the folder of results; finished tasks are not repeated
    #[arg(long)]
    pub resume: bool,
    /// Continue, and repeat the tasks that did not succeed
    #[arg(long)]
    pub failed: bool,
    /// Discard an unfinished batch and start a new one
    #[arg(long, conflicts_with_all = ["resume", "failed"])]
    pub restart: bool,
    /// List the tasks without starting any
    #[arg(long)]
    pub dry_run: bool,
    /// Start no new task after one has failed
    #[arg(long)]
    pub fail_fast: bool,
    /// Limit of pull requests opened or updated in an hour, as N/h; other tasks wait
    #[arg(long, value_name = "N/h", value_parser = per_hour)]
    pub limit_prs: Option<u32>,
    /// The times when no task is started.
    #[command(flatten)]
    pub hold: HoldArgs,
}

/// Selects tasks of a manifest.
#[derive(Debug, Args)]
pub struct PickArgs {
    /// Only tasks with a name that matches this pattern; may be given several times
    #[arg(long, value_name = "GLOB")]
    pub filter: Vec<String>,
    /// Only this part of the tasks: I/N, or auto, or auto/N
    #[arg(long, value_name = "I/N")]
    pub shard: Option<String>,
    /// Only the first N of the selected tasks
    #[arg(long, value_name = "N")]
    pub limit: Option<usize>,
}

/// The budget of the whole batch; when it is used up, no new task is started.
#[derive(Debug, Args)]
#[command(next_help_heading = "Budget of the whole batch")]
pub struct BudgetArgs {
    /// Maximum cost in US dollars
    #[arg(long, value_name = "USD")]
    pub max_cost: Option<f64>,
    /// Maximum number of tokens
    #[arg(long, value_name = "N")]
    pub max_tokens: Option<u64>,
    /// Maximum number of requests to providers
    #[arg(long, value_name = "N")]
    pub max_requests: Option<u64>,
    /// Maximum duration of this call in seconds
    #[arg(long, value_name = "SECONDS")]
    pub max_time: Option<u64>,
}

/// The model that is asked.
#[derive(Debug, Args)]
#[command(next_help_heading = "Model")]
pub struct BatchModelArgs {
    /// Provider: openai, anthropic, ollama, command, suggestions, suggestions,openai or replay:FILE
    #[arg(long, value_name = "NAME", value_parser = ProviderNames, hide_possible_values = true)]
    pub provider: Option<String>,
    /// Model to ask
    #[arg(long, value_name = "NAME")]
    pub model: Option<String>,
    /// Address of the model's API; its key comes from `PAPAYU_LLM_API_KEY`
    #[arg(long, value_name = "URL")]
    pub api_url: Option<String>,
    /// Command that shows the failure and proves the fix, in every repository
    #[arg(long, value_name = "CMD", value_parser = command_text)]
    pub run: Option<String>,
    /// Time limit of one task's run, in seconds [default: 1800]
    #[arg(long, value_name = "SECONDS")]
    pub timeout: Option<u64>,
    /// Label of pull requests; may be given several times
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub label: Vec<String>,
    /// Open pull requests as drafts
    #[arg(long)]
    pub draft: bool,
}

impl BatchModelArgs {
    /// Returns the settings that these flags set.
    pub fn flags(&self) -> Vec<FlagValue> {
        let Self { provider, model, api_url, run, timeout, label, draft } = self;
        flag_values([
            ("llm.provider", provider.clone(), "--provider"),
            ("llm.model", model.clone(), "--model"),
            ("llm.api_url", api_url.clone(), "--api-url"),
            ("run.command", run.clone(), "--run"),
            ("run.timeout_sec", number_value(*timeout), "--timeout"),
            ("pr.labels", list_value(label), "--label"),
            ("pr.draft", switch_value(*draft), "--draft"),
        ])
    }
}

impl BatchArgs {
    /// Returns the settings that every task of the batch has.
    pub fn task_flags(&self) -> Vec<FlagValue> {
        [self.model.flags(), self.change.flags(), self.recipes.flags()].concat()
    }

    /// Returns the settings of the batch itself.
    pub fn flags(&self) -> Vec<FlagValue> {
        [self.select.way.flags(), self.task_flags()].concat()
    }
}
