//! `papayu-batch replay`.

use std::path::PathBuf;

use clap::Args;

use super::context::GoalArgs;
use super::fix::ChangeArgs;
use super::offer::OfferArgs;
use super::value::flag_values;
use crate::settings::FlagValue;

/// Run a recorded session again, offline.
#[derive(Debug, Args)]
pub struct ReplayArgs {
    /// The recording that `--record` made
    #[arg(value_name = "FILE")]
    pub recording: PathBuf,
    /// The goal and the failure.
    #[command(flatten)]
    pub goal: GoalArgs,
    /// The permissions and the results.
    #[command(flatten)]
    pub change: ChangeArgs,
    /// The options of a pull request.
    #[command(flatten)]
    pub offer: OfferArgs,
}

impl ReplayArgs {
    /// Returns the settings these flags carry.
    pub fn flags(&self) -> Vec<FlagValue> {
        let Self { recording, goal, change, offer } = self;
        let provider = Some(format!("replay:{}", recording.display()));
        let provider = flag_values([("llm.provider", provider, "FILE")]);
        [provider, goal.flags(), change.flags(), offer.flags()].concat()
    }
}
