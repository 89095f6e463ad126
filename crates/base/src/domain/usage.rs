//! The consumption of a run: tokens, money, requests.

use std::ops::AddAssign;

use serde::{Deserialize, Serialize};

/// Tokens as the provider counts them; `cached` is the part of `input` read from a prompt cache.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema,
)]
pub struct Usage {
    /// Tokens sent, cached ones included.
    pub input: u64,
    /// Tokens written by the model.
    pub output: u64,
    /// Input tokens served from the provider's prompt cache.
    pub cached: u64,
}

impl Usage {
    /// Returns input plus output tokens.
    pub fn total(self) -> u64 {
        // Saturating: a wrong count of a provider must not end a run.
        self.input.saturating_add(self.output)
    }
}

impl AddAssign for Usage {
    fn add_assign(&mut self, other: Self) {
        self.input = self.input.saturating_add(other.input);
        self.output = self.output.saturating_add(other.output);
        self.cached = self.cached.saturating_add(other.cached);
    }
}

/// The part of one provider in the requests of a run that asks several.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ProviderRecord {
    /// The provider: `openai`, `anthropic` and so on.
    pub provider: String,
    /// The model.
    pub model: String,
    /// `true` for the model that combines the replies of the others.
    #[serde(default)]
    pub is_aggregator: bool,
    /// Replies that could be used.
    pub replies: u32,
    /// Requests that brought no reply that could be used.
    pub failures: u32,
    /// The reason of the last of these.
    pub error: Option<String>,
    /// Requests sent, retries included.
    pub requests: u32,
    /// Tokens.
    pub tokens: Usage,
    /// Dollars; `null` if the price of the model is not known.
    pub cost_usd: Option<f64>,
    /// Time until its replies, in milliseconds.
    pub ms: u64,
}

/// An action that was left out because another provider changes the same path.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct MergeConflict {
    /// The path of the action that was left out.
    pub path: String,
    /// The model of the action that was taken.
    pub kept: String,
    /// The model of the action that was left out.
    pub dropped: String,
}

/// Counts of the requests that a run answered, and of the edits in its replies.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema,
)]
pub struct ReplyActivity {
    /// Context requests and tool calls that were answered.
    pub requests_answered: u32,
    /// Edits that passed every check, also those that were reverted later.
    pub edits_applied: u32,
    /// Edits of changes that a check refused.
    pub edits_refused: u32,
}

impl ReplyActivity {
    /// Returns the counts that were added after an earlier state of the same run.
    #[must_use]
    pub fn since(self, before: Self) -> Self {
        Self {
            requests_answered: self.requests_answered.saturating_sub(before.requests_answered),
            edits_applied: self.edits_applied.saturating_sub(before.edits_applied),
            edits_refused: self.edits_refused.saturating_sub(before.edits_refused),
        }
    }
}

/// The fixes without a model; zeros if the run ends without a fix.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema,
)]
pub struct FreeRecord {
    /// The number of failures fixed.
    pub failures_fixed: u32,
    /// Tokens that a model would have read and written in the same exchanges, estimated at four
    /// characters each.
    pub tokens_saved: u64,
}
