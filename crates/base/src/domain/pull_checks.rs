//! The checks of a pull request's commit in an outcome.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A check of the pull request's commit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PullCheck {
    /// The name of the job, the workflow or the status.
    pub name: String,
    /// `success`, `failure`, `pending`, `action_required`, `skipped` or `neutral`.
    pub conclusion: String,
}

/// The checks of the pull request's commit after `--wait-checks`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PullChecks {
    /// The state of all of them: that of a check, or `none`. `success` needs a check that passed; skipped ones are no pass.
    pub state: String,
    /// Each check.
    pub checks: Vec<PullCheck>,
}
