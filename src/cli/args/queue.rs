//! `papayu-batch enqueue`, `worker` and `queue`: a batch that many machines share.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::batch::{BatchModelArgs, BudgetArgs, PickArgs, WayArgs};
use super::fix::{ChangeArgs, given};
use crate::settings::FlagValue;

/// Which queue.
#[derive(Debug, Args)]
pub struct QueueAddress {
    /// The Redis, as `redis://HOST`, `rediss://HOST` or `unix:///SOCKET`; with a password rather in `PAPAYU_QUEUE`
    #[arg(long, value_name = "URL")]
    pub queue: Option<String>,
}

/// Put the tasks of a manifest into a queue.
#[derive(Debug, Args)]
pub struct EnqueueArgs {
    /// The manifest: `.toml`, `.yaml`, `.json`, else one path or address a line; `-` is standard input
    #[arg(value_name = "MANIFEST")]
    pub manifest: PathBuf,
    /// The queue.
    #[command(flatten)]
    pub address: QueueAddress,
    /// Which tasks.
    #[command(flatten)]
    pub pick: PickArgs,
    /// Say what would be put there, and ask no Redis
    #[arg(long)]
    pub dry_run: bool,
    /// Drop what is in the queue, running tasks and rows too, and begin anew
    #[arg(long)]
    pub restart: bool,
}

/// Do tasks from a queue.
#[derive(Debug, Args)]
pub struct WorkerArgs {
    /// The queue.
    #[command(flatten)]
    pub address: QueueAddress,
    /// End when no task waits or runs, with any worker
    #[arg(long)]
    pub until_empty: bool,
    /// How often a task is begun whose worker died each time, before it is parked [default: 3]
    #[arg(long, value_name = "N")]
    pub max_tries: Option<u64>,
    /// Seconds after which the task of a worker that is not heard from goes to another [default: 60]
    #[arg(long, value_name = "SECONDS")]
    pub lease: Option<u64>,
    /// How they are done.
    #[command(flatten)]
    pub way: WayArgs,
    /// What this worker may spend.
    #[command(flatten)]
    pub budget: BudgetArgs,
    /// Who is asked in every task.
    #[command(flatten)]
    pub model: BatchModelArgs,
    /// What may change, and how that is handed over, in every task.
    #[command(flatten)]
    pub change: ChangeArgs,
}

/// Look at a queue.
#[derive(Debug, Args)]
pub struct QueueArgs {
    /// The queue.
    #[command(flatten)]
    pub address: QueueAddress,
    /// What to do with it.
    #[command(subcommand)]
    pub command: QueueCommand,
}

/// What can be done with a queue.
#[derive(Debug, Subcommand)]
pub enum QueueCommand {
    /// Say what waits, runs and is parked, and how tasks ended
    Status,
    /// Put parked tasks back
    Retry {
        /// Only tasks whose key fits this pattern; may be given several times
        #[arg(long, value_name = "GLOB")]
        filter: Vec<String>,
    },
    /// Leave the summary of all rows in the queue, as a batch leaves its own, in the folder of `--out`
    Report,
}

impl QueueAddress {
    /// Returns the setting it carries.
    pub fn flags(&self) -> Vec<FlagValue> {
        given([("queue.url", self.queue.clone(), "--queue")])
    }
}

impl WorkerArgs {
    /// Returns the settings that every task gets.
    pub fn task_flags(&self) -> Vec<FlagValue> {
        [self.model.flags(), self.change.flags()].concat()
    }

    /// Returns the settings of the worker itself.
    pub fn flags(&self) -> Vec<FlagValue> {
        let text = |number: Option<u64>| number.map(|number| number.to_string());
        let own = given([
            ("queue.max_tries", text(self.max_tries), "--max-tries"),
            ("queue.lease_sec", text(self.lease), "--lease"),
        ]);
        [self.way.flags(), own, self.address.flags(), self.task_flags()].concat()
    }
}
