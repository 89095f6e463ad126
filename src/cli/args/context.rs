//! `papayu-batch context`, and the flags that say what is asked for.

use std::path::PathBuf;

use clap::Args;

use super::value::{command_text, flag_values};
use crate::settings::FlagValue;

/// Show the context that a model would get, with reasons; asks no model.
#[derive(Debug, Args)]
pub struct ContextArgs {
    /// The goal and the failure.
    #[command(flatten)]
    pub goal: GoalArgs,
}

/// The goal and the failure, at least one of them.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Goal")]
pub struct GoalArgs {
    /// Goal in plain words; may begin with `plan:`, `apply:` or `review:`
    #[arg(long, value_name = "TEXT", conflicts_with = "goal_file")]
    pub goal: Option<String>,
    /// File with the goal
    #[arg(long, value_name = "FILE")]
    pub goal_file: Option<PathBuf>,
    /// Log of the failure, or - for stdin; may be given several times
    #[arg(long, value_name = "FILE|-")]
    pub log: Vec<PathBuf>,
    /// Log of a run of the same job that passed; its lines are left out of the excerpt
    #[arg(long, value_name = "FILE")]
    pub green_log: Option<PathBuf>,
    /// Commit, tag or branch on which the command passed: what changed since then is evidence [default: auto, the base
    /// of the pull request, the commit before the push or the last pushed one]
    #[arg(long, value_name = "REF")]
    pub green: Option<String>,
    /// JUnit XML reports of the failure, a glob; may be given several times
    #[arg(long, value_name = "GLOB")]
    pub junit: Vec<String>,
    /// SARIF report of findings; may be given several times
    #[arg(long, value_name = "FILE")]
    pub sarif: Vec<PathBuf>,
    /// Failed jobs' logs of this CI run of the forge: a workflow run, pipeline or build
    #[arg(long, visible_alias = "github-run", value_name = "ID")]
    pub ci_run: Option<u64>,
    /// Issue of the repository that describes the failure
    #[arg(long, value_name = "N")]
    pub issue: Option<u64>,
    /// Command that shows the failure and proves the fix
    #[arg(long, value_name = "CMD", value_parser = command_text)]
    pub run: Option<String>,
}

impl GoalArgs {
    /// Returns the settings these flags carry.
    pub fn flags(&self) -> Vec<FlagValue> {
        flag_values([
            ("run.command", self.run.clone(), "--run"),
            ("run.green", self.green.clone(), "--green"),
        ])
    }
}
