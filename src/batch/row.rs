//! The row that a batch keeps of a task that ended.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use papayu_base::domain::outcome::RecipeRecord;
use papayu_base::domain::{Outcome, OutcomeKind, Usage};
use papayu_base::text::Masker;

/// Longest text kept of a reason or hint, in characters.
const MAX_TEXT: usize = 500;

/// The result of one task.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TaskRow {
    /// The name of the task and of its folder of results.
    pub name: String,
    /// Identifies the task in the manifest.
    pub key: String,
    /// The repository, without secrets.
    pub repo: String,
    /// The outcome.
    pub outcome: OutcomeKind,
    /// The exit code that `fix` would return.
    pub exit_code: u8,
    /// The reason, cut to a readable length.
    pub reason: String,
    /// The typed code behind the reason.
    pub error_code: Option<String>,
    /// A hint for the user.
    pub hint: Option<String>,
    /// The class of the failure.
    pub failure_class: Option<String>,
    /// The number of changed files.
    pub changed_files: usize,
    /// Tokens.
    pub tokens: Usage,
    /// Requests to providers.
    pub requests: u32,
    /// Dollars; `null` where no price is known.
    pub cost_usd: Option<f64>,
    /// Wall time of the run, in milliseconds.
    pub ms: u64,
    /// The branch of the fix.
    pub branch: Option<String>,
    /// Its pull request.
    pub pr_url: Option<String>,
    /// The digest of its bundle.
    #[serde(default)]
    pub bundle_digest: Option<String>,
    /// The folder of the repository; `null` for a clone.
    #[serde(default)]
    pub folder: Option<String>,
    /// The recipes that were tried or learned.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub recipes: Vec<RecipeRecord>,
    /// The time of the end, RFC 3339 in UTC.
    pub ended_at: String,
}

impl TaskRow {
    /// Returns the row of a task that ended with `outcome`; long texts are cut.
    pub fn new(name: &str, key: &str, repo: &str, outcome: &Outcome, ended_at: String) -> Self {
        // Reasons may quote whole logs.
        let cut = |text: &String| text.chars().take(MAX_TEXT).collect::<String>();
        Self {
            name: name.to_owned(),
            key: key.to_owned(),
            repo: repo.to_owned(),
            outcome: outcome.outcome,
            exit_code: outcome.exit_code,
            reason: cut(&outcome.reason),
            error_code: outcome.error_code.clone(),
            hint: outcome.hint.as_ref().map(cut),
            failure_class: outcome.failure_class.clone(),
            changed_files: outcome.changed_files.len(),
            tokens: outcome.tokens,
            requests: outcome.requests,
            cost_usd: outcome.cost_usd,
            ms: outcome.timings_ms.total,
            branch: outcome.branch.clone(),
            pr_url: outcome.pr_url.clone(),
            bundle_digest: outcome.bundle_digest.clone(),
            folder: None,
            recipes: outcome.recipes.clone(),
            ended_at,
        }
    }

    /// Returns the row without secrets: reports are public.
    pub(super) fn masked(&self, masker: &Masker) -> Self {
        let mask = |text: &String| masker.mask(text).into_owned();
        Self {
            name: mask(&self.name),
            key: mask(&self.key),
            repo: mask(&self.repo),
            reason: mask(&self.reason),
            error_code: self.error_code.as_ref().map(mask),
            hint: self.hint.as_ref().map(mask),
            failure_class: self.failure_class.as_ref().map(mask),
            branch: self.branch.as_ref().map(mask),
            pr_url: self.pr_url.as_ref().map(mask),
            bundle_digest: self.bundle_digest.clone(),
            folder: self.folder.as_ref().map(mask),
            recipes: self.recipes.clone(),
            ended_at: self.ended_at.clone(),
            ..*self
        }
    }

    /// Returns `false` for a task that a signal interrupted: it has to be done again.
    pub fn is_done(&self) -> bool {
        self.outcome != OutcomeKind::Interrupted
    }

    /// Returns whether the repository is green.
    pub fn is_good(&self) -> bool {
        matches!(self.outcome, OutcomeKind::Fixed | OutcomeKind::NothingToFix)
    }
}

/// Outcomes from the best to the worst; a batch ends with the exit code of the worst of its tasks.
///
/// An outcome that a person has to resolve ranks above one that another run may resolve.
pub const BY_SEVERITY: [OutcomeKind; 12] = [
    OutcomeKind::NothingToFix,
    OutcomeKind::Fixed,
    OutcomeKind::Planned,
    OutcomeKind::NotFixed,
    OutcomeKind::Rejected,
    OutcomeKind::Conflict,
    OutcomeKind::PublishFailed,
    OutcomeKind::OverBudget,
    OutcomeKind::ProviderError,
    OutcomeKind::Internal,
    OutcomeKind::UsageError,
    OutcomeKind::Interrupted,
];

/// Returns the worst of several outcomes; `nothing_to_fix` of none.
pub fn worst(outcomes: impl IntoIterator<Item = OutcomeKind>) -> OutcomeKind {
    // The position in the table is the severity.
    let rank = |kind: &OutcomeKind| BY_SEVERITY.iter().position(|known| known == kind);
    outcomes.into_iter().max_by_key(rank).unwrap_or(OutcomeKind::NothingToFix)
}
