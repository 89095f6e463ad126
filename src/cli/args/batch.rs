//! `papayu-batch batch`: many repositories from one manifest.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::fix::{ChangeArgs, given};
use crate::settings::FlagValue;

/// The same over many repositories.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct BatchArgs {
    /// What else can be done with a manifest.
    #[command(subcommand)]
    pub command: Option<BatchCommand>,
    /// The manifest: `.toml`, `.yaml`, `.json`, else one path or address a line; `-` is standard input
    #[arg(value_name = "MANIFEST", required = true)]
    pub manifest: Option<PathBuf>,
    /// Which of its tasks, and when to stop.
    #[command(flatten)]
    pub select: SelectArgs,
    /// What the whole batch may spend.
    #[command(flatten)]
    pub budget: BudgetArgs,
    /// Who is asked in every task.
    #[command(flatten)]
    pub model: BatchModelArgs,
    /// What may change, and how that is handed over, in every task.
    #[command(flatten)]
    pub change: ChangeArgs,
}

/// What else can be done with a manifest.
#[derive(Debug, Subcommand)]
pub enum BatchCommand {
    /// Print a GitHub matrix, one entry a shard that has tasks
    Matrix {
        /// The manifest
        manifest: PathBuf,
        /// Most entries; GitHub takes 256
        #[arg(long, value_name = "N", default_value = "256", value_parser = clap::value_parser!(u32).range(1..=256))]
        max: u32,
        /// Only tasks whose name fits this pattern
        #[arg(long, value_name = "GLOB")]
        filter: Vec<String>,
    },
}

/// Which tasks, and when to stop.
#[derive(Debug, Args)]
#[command(next_help_heading = "Tasks")]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of the command line")]
pub struct SelectArgs {
    /// Which tasks.
    #[command(flatten)]
    pub pick: PickArgs,
    /// How they are done.
    #[command(flatten)]
    pub way: WayArgs,
    /// Go on with the batch that the folder of results holds; what has ended stays
    #[arg(long)]
    pub resume: bool,
    /// The same, and tasks that did not end well are done again
    #[arg(long)]
    pub failed: bool,
    /// Begin anew where a batch has not ended
    #[arg(long, conflicts_with_all = ["resume", "failed"])]
    pub restart: bool,
    /// Say what would be done, and start nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Start nothing new once a task has not ended well
    #[arg(long)]
    pub fail_fast: bool,
    /// Most pull requests opened or updated within an hour, as N/h; others wait
    #[arg(long, value_name = "N/h", value_parser = per_hour)]
    pub limit_prs: Option<u32>,
}

/// Which tasks of a manifest.
#[derive(Debug, Args)]
pub struct PickArgs {
    /// Only tasks whose name fits this pattern; may be given several times
    #[arg(long, value_name = "GLOB")]
    pub filter: Vec<String>,
    /// Only this part of the tasks: I/N, or auto, or auto/N
    #[arg(long, value_name = "I/N")]
    pub shard: Option<String>,
    /// Only the first of what is left after all else
    #[arg(long, value_name = "N")]
    pub limit: Option<usize>,
}

/// How many tasks at once, what is seen of them, and where their clones lie.
#[derive(Debug, Args)]
pub struct WayArgs {
    /// Repositories at once [default: 4]
    #[arg(long, short, value_name = "N")]
    pub jobs: Option<u64>,
    /// Form of the progress on stderr [default: a bar on a terminal, else a line a task]
    #[arg(long, value_name = "FORM", value_parser = ["bar", "lines", "json", "none"])]
    pub progress: Option<String>,
    /// Folder of clones
    #[arg(long, value_name = "DIR")]
    pub cache: Option<PathBuf>,
}

impl WayArgs {
    /// Returns the settings these flags carry.
    pub fn flags(&self) -> Vec<FlagValue> {
        let cache = self.cache.as_ref().map(|path| path.display().to_string());
        given([
            ("batch.jobs", self.jobs.map(|number| number.to_string()), "--jobs"),
            ("batch.cache_dir", cache, "--cache"),
        ])
    }
}

/// What the whole batch may spend; when it is reached nothing new is started.
#[derive(Debug, Args)]
#[command(next_help_heading = "Budget of the whole batch")]
pub struct BudgetArgs {
    /// Most US dollars
    #[arg(long, value_name = "USD")]
    pub max_cost: Option<f64>,
    /// Most tokens
    #[arg(long, value_name = "N")]
    pub max_tokens: Option<u64>,
    /// Most requests to providers
    #[arg(long, value_name = "N")]
    pub max_requests: Option<u64>,
    /// Most seconds of this call
    #[arg(long, value_name = "SECONDS")]
    pub max_time: Option<u64>,
}

/// Who is asked.
#[derive(Debug, Args)]
#[command(next_help_heading = "Model")]
pub struct BatchModelArgs {
    /// Who answers: openai, anthropic, ollama, suggestions, suggestions,openai or replay:FILE
    #[arg(long, value_name = "NAME")]
    pub provider: Option<String>,
    /// Model to ask
    #[arg(long, value_name = "NAME")]
    pub model: Option<String>,
    /// Address of the model's API; its key comes from `PAPAYU_LLM_API_KEY`
    #[arg(long, value_name = "URL")]
    pub api_url: Option<String>,
    /// Command that shows the failure and proves the fix, in every repository
    #[arg(long, value_name = "CMD")]
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
    /// Returns the settings these flags carry.
    pub fn flags(&self) -> Vec<FlagValue> {
        let Self { provider, model, api_url, run, timeout, label, draft } = self;
        given([
            ("llm.provider", provider.clone(), "--provider"),
            ("llm.model", model.clone(), "--model"),
            ("llm.api_url", api_url.clone(), "--api-url"),
            ("run.command", run.clone(), "--run"),
            ("run.timeout_sec", timeout.map(|number| number.to_string()), "--timeout"),
            ("pr.labels", (!label.is_empty()).then(|| label.join(",")), "--label"),
            ("pr.draft", draft.then(|| "true".to_owned()), "--draft"),
        ])
    }
}

impl BatchArgs {
    /// Returns the settings that every task gets.
    pub fn task_flags(&self) -> Vec<FlagValue> {
        [self.model.flags(), self.change.flags()].concat()
    }

    /// Returns the settings of the batch itself.
    pub fn flags(&self) -> Vec<FlagValue> {
        [self.select.way.flags(), self.task_flags()].concat()
    }
}

fn per_hour(text: &str) -> Result<u32, String> {
    let number = text.strip_suffix("/h").unwrap_or(text);
    match number.parse() {
        Ok(number) if number > 0 => Ok(number),
        _ => Err("expected a number an hour, as `20/h`".to_owned()),
    }
}
