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
