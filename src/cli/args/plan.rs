//! `papayu-batch plan` and `papayu-batch apply`: the two halves of a fix.

use std::path::PathBuf;

use clap::Args;

use super::context::GoalArgs;
use super::fix::{ChangeArgs, ModelArgs};
use super::offer::OfferArgs;
use super::value::{command_text, flag_values};
use crate::settings::FlagValue;

/// Write a plan that a person may read before it is applied.
#[derive(Debug, Args)]
pub struct PlanArgs {
    /// The goal and the failure.
    #[command(flatten)]
    pub goal: GoalArgs,
    /// The model that is asked, and its budget.
    #[command(flatten)]
    pub model: ModelArgs,
}

/// Apply a saved plan, verify, and output the change.
#[derive(Debug, Args)]
pub struct ApplyArgs {
    /// The `plan.json` that `plan` wrote; without FILE the newest one
    #[arg(long, value_name = "FILE", num_args = 0..=1, required = true)]
    pub plan: Option<Option<PathBuf>>,
    /// Command that proves the fix
    #[arg(long, value_name = "CMD", value_parser = command_text)]
    pub run: Option<String>,
    /// The model that is asked, and its budget.
    #[command(flatten)]
    pub model: ModelArgs,
    /// The permissions and the results.
    #[command(flatten)]
    pub change: ChangeArgs,
    /// The options of a pull request.
    #[command(flatten)]
    pub offer: OfferArgs,
}

impl PlanArgs {
    /// Returns the settings these flags carry.
    pub fn flags(&self) -> Vec<FlagValue> {
        let Self { goal, model } = self;
        [goal.flags(), model.flags()].concat()
    }
}

impl ApplyArgs {
    /// Returns the settings these flags carry.
    pub fn flags(&self) -> Vec<FlagValue> {
        let Self { plan: _, run, model, change, offer } = self;
        let run = flag_values([("run.command", run.clone(), "--run")]);
        [run, model.flags(), change.flags(), offer.flags()].concat()
    }
}
