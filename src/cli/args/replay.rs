//! `papayu-batch replay`.

use std::path::PathBuf;

use clap::Args;

use super::context::GoalArgs;
use super::fix::{ChangeArgs, given};
use super::offer::OfferArgs;
use crate::settings::FlagValue;

/// Run a recorded session again, offline.
#[derive(Debug, Args)]
pub struct ReplayArgs {
    /// The recording that `--record` made
    #[arg(value_name = "FILE")]
    pub recording: PathBuf,
    /// What is asked for.
    #[command(flatten)]
    pub goal: GoalArgs,
    /// What may change, and how that is handed over.
    #[command(flatten)]
    pub change: ChangeArgs,
    /// How it is offered.
    #[command(flatten)]
    pub offer: OfferArgs,
}

impl ReplayArgs {
    /// Returns the settings these flags carry.
    pub fn flags(&self) -> Vec<FlagValue> {
        let Self { recording, goal, change, offer } = self;
        let provider = Some(format!("replay:{}", recording.display()));
        let provider = given([("llm.provider", provider, "FILE")]);
        [provider, goal.flags(), change.flags(), offer.flags()].concat()
    }
}
