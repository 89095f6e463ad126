//! `papayu-batch enqueue`, `worker` and `queue`: a batch that many machines share.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::batch::{BatchModelArgs, BudgetArgs, PickArgs};
use super::fix::ChangeArgs;
use super::value::{flag_values, number_value};
use super::way::WayArgs;
use crate::settings::FlagValue;

/// The address of the queue.
#[derive(Debug, Args)]
pub struct QueueAddress {
    /// Address of the NATS server: `nats://HOST` or `tls://HOST`; if it has a password, set `PAPAYU_QUEUE` instead
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
    /// The tasks to do.
    #[command(flatten)]
    pub pick: PickArgs,
    /// List the tasks without connecting to the queue
    #[arg(long)]
    pub dry_run: bool,
    /// Delete everything in the queue, including running tasks and results, and start again
    #[arg(long)]
    pub restart: bool,
}

/// Run tasks from a queue.
#[derive(Debug, Args)]
pub struct WorkerArgs {
    /// The queue.
    #[command(flatten)]
    pub address: QueueAddress,
    /// Exit when no task waits or runs on any worker
    #[arg(long)]
    pub until_empty: bool,
    /// Attempts before a task is parked because its workers died [default: 3]
    #[arg(long, value_name = "N")]
    pub max_tries: Option<u64>,
    /// Seconds without a heartbeat after which another worker takes over a task [default: 60]
    #[arg(long, value_name = "SECONDS")]
    pub lease: Option<u64>,
    /// The way the tasks are run.
    #[command(flatten)]
    pub way: WayArgs,
    /// The budget of this worker.
    #[command(flatten)]
    pub budget: BudgetArgs,
    /// The model of every task.
    #[command(flatten)]
    pub model: BatchModelArgs,
    /// The permissions and results of every task.
    #[command(flatten)]
    pub change: ChangeArgs,
}

/// Look at a queue.
#[derive(Debug, Args)]
pub struct QueueArgs {
    /// The queue.
    #[command(flatten)]
    pub address: QueueAddress,
    /// The command on the queue.
    #[command(subcommand)]
    pub command: QueueCommand,
}

/// The commands on a queue.
#[derive(Debug, Subcommand)]
pub enum QueueCommand {
    /// Show waiting, running and parked tasks, and the outcomes
    Status,
    /// Retry parked tasks
    Retry {
        /// Only tasks with a key that matches this pattern; may be given several times
        #[arg(long, value_name = "GLOB")]
        filter: Vec<String>,
    },
    /// Write the summary of all results in the queue to the folder of `--out`
    Report,
}

impl QueueAddress {
    /// Returns the setting it carries.
    pub fn flags(&self) -> Vec<FlagValue> {
        flag_values([("queue.url", self.queue.clone(), "--queue")])
    }
}

impl WorkerArgs {
    /// Returns the settings that every task gets.
    pub fn task_flags(&self) -> Vec<FlagValue> {
        [self.model.flags(), self.change.flags()].concat()
    }

    /// Returns the settings of the worker itself.
    pub fn flags(&self) -> Vec<FlagValue> {
        let own = flag_values([
            ("queue.max_tries", number_value(self.max_tries), "--max-tries"),
            ("queue.lease_sec", number_value(self.lease), "--lease"),
        ]);
        [self.way.flags(), own, self.address.flags(), self.task_flags()].concat()
    }
}
