//! Computes the summary of a batch from its rows.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::batch::limits::Down;
use crate::batch::plan::{BatchSpend, StopReason};
use crate::batch::row::{TaskRow, worst};
use papayu_base::domain::OutcomeKind;
use papayu_base::domain::outcome::RecipeResult;
use papayu_base::text::Masker;

/// The version of a summary's form.
pub(super) const FORM: u32 = 1;

/// `summary.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BatchSummary {
    /// Version of this form: 1.
    pub schema_version: u32,
    /// The digest of the manifest.
    pub manifest: String,
    /// The begin of the batch, RFC 3339 in UTC.
    pub started_at: String,
    /// The end of this call.
    pub ended_at: String,
    /// The worst outcome, or the reason why the batch stopped.
    pub outcome: OutcomeKind,
    /// The program's exit code.
    pub exit_code: u8,
    /// The reason why no more tasks were started; `null` if every task ended.
    pub stopped: Option<String>,
    /// Tasks selected and not started.
    pub not_started: usize,
    /// The number of tasks by outcome.
    pub counts: BTreeMap<String, usize>,
    /// The costs.
    pub spent: BatchSpend,
    /// Servers that did not answer.
    pub left_alone: Vec<Down>,
    /// The recipes that tasks learned or tried.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub recipes: Vec<RecipeSummary>,
    /// The row of each task that ended, in the order of the manifest.
    pub tasks: Vec<TaskRow>,
}

/// The results of a recipe in a batch.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RecipeSummary {
    /// Its id.
    pub id: String,
    /// The task that taught it; `null` for a recipe that was there before.
    pub learned_by: Option<String>,
    /// The tasks that it healed.
    pub healed: Vec<String>,
    /// The tasks in which it did not help.
    pub failed: Vec<String>,
    /// The requests that the healed tasks would have made, each as many as the task that taught it.
    pub requests_saved: u64,
    /// The same for tokens.
    pub tokens_saved: u64,
}

impl RecipeSummary {
    /// Returns the recipe in one line.
    pub(super) fn line(&self) -> String {
        let learned = self.learned_by.as_ref().map(|it| format!(", learned from {it}"));
        let failed = match self.failed.as_slice() {
            [] => String::new(),
            failed => format!(", did not help {}", failed.join(", ")),
        };
        let saved = match self.requests_saved {
            0 => String::new(),
            requests => format!(", saved {requests} requests and {} tokens", self.tokens_saved),
        };
        let (id, healed) = (&self.id, self.healed.len());
        format!("recipe {id}{}: healed {healed}{failed}{saved}", learned.unwrap_or_default())
    }
}

/// Returns what each recipe did, in the order of ids.
pub(super) fn sum_recipes(tasks: &[TaskRow]) -> Vec<RecipeSummary> {
    let mut recipes: BTreeMap<&str, (RecipeSummary, u64, u64)> = BTreeMap::new();
    for row in tasks {
        for record in &row.recipes {
            let (recipe, requests, tokens) = recipes.entry(&record.id).or_default();
            record.id.clone_into(&mut recipe.id);
            match record.result {
                RecipeResult::Healed => recipe.healed.push(row.name.clone()),
                RecipeResult::Failed => recipe.failed.push(row.name.clone()),
                RecipeResult::Learned => {
                    recipe.learned_by.get_or_insert_with(|| row.name.clone());
                    (*requests, *tokens) = (u64::from(row.requests), row.tokens.total());
                }
            }
        }
    }
    let all = recipes.into_values().map(|(recipe, requests, tokens)| {
        let healed = u64::try_from(recipe.healed.len()).unwrap_or_default();
        let (requests_saved, tokens_saved) = (requests * healed, tokens * healed);
        RecipeSummary { requests_saved, tokens_saved, ..recipe }
    });
    all.collect()
}

/// The facts of a batch that its rows do not show.
#[derive(Debug, Default)]
pub struct BatchEnd {
    /// The digest of the manifest.
    pub manifest: String,
    /// When the batch began, RFC 3339 in UTC.
    pub started_at: String,
    /// The end of this call.
    pub ended_at: String,
    /// Why tasks were left unstarted.
    pub stop: Option<StopReason>,
    /// The number of tasks left unstarted.
    pub not_started: usize,
    /// The sum over all calls.
    pub spent: BatchSpend,
    /// Servers that did not answer.
    pub left_alone: Vec<Down>,
}

impl BatchSummary {
    /// Returns the summary of a batch.
    pub fn new(end: BatchEnd, tasks: Vec<TaskRow>) -> Self {
        let BatchEnd { manifest, started_at, ended_at, stop, not_started, spent, left_alone } = end;
        let worst = worst(tasks.iter().map(|row| row.outcome));
        // The outcome of a stopped batch is the reason of its stop: such a batch can be resumed.
        let outcome = match stop {
            Some(StopReason::Interrupted) => OutcomeKind::Interrupted,
            Some(StopReason::Budget(_)) => OutcomeKind::OverBudget,
            Some(StopReason::FailFast(_)) | None => worst,
        };
        let stopped = stop.map(|stop| match stop {
            StopReason::Interrupted => "a signal ended it".to_owned(),
            StopReason::Budget(words) => words,
            StopReason::FailFast(name) => {
                format!("`{name}` did not end well, and `--fail-fast` is set")
            }
        });
        Self {
            schema_version: FORM,
            manifest,
            started_at,
            ended_at,
            outcome,
            exit_code: outcome.exit_code().number(),
            stopped,
            not_started,
            counts: count_outcomes(&tasks),
            spent,
            left_alone,
            recipes: sum_recipes(&tasks),
            tasks,
        }
    }

    /// Ends the summary with another outcome, and with the reason.
    #[cfg(feature = "nats")]
    pub(crate) fn stop(&mut self, outcome: OutcomeKind, reason: String) {
        self.stopped = Some(reason);
        self.outcome = outcome;
        self.exit_code = outcome.exit_code().number();
    }

    /// Adds a reason why the batch is not complete, and ends it with the outcome if that is worse.
    pub(crate) fn add_stop(&mut self, outcome: OutcomeKind, reason: String) {
        self.stopped = Some(match self.stopped.take() {
            Some(earlier) => format!("{earlier}; {reason}"),
            None => reason,
        });
        self.outcome = worst([self.outcome, outcome]);
        self.exit_code = self.outcome.exit_code().number();
    }

    /// Hides secrets in all texts: reports are public.
    pub(crate) fn mask(&mut self, masker: &Masker) {
        self.stopped = self.stopped.as_ref().map(|text| masker.mask(text).into_owned());
        for down in &mut self.left_alone {
            down.reason = masker.mask(&down.reason).into_owned();
        }
        for row in &mut self.tasks {
            *row = row.masked(masker);
        }
    }

    /// Returns the rows, those of red repositories first.
    pub(super) fn worst_first(&self) -> impl Iterator<Item = &TaskRow> {
        // People look for failures first.
        let bad = self.tasks.iter().filter(|row| !row.is_good());
        bad.chain(self.tasks.iter().filter(|row| row.is_good()))
    }

    /// Returns the counts and the reason of a stop in one line.
    pub fn line(&self) -> String {
        // The rows have the same words.
        let words = |name: &str| {
            let row = self.tasks.iter().find(|row| row.outcome.name() == name);
            row.map_or_else(|| name.replace('_', " "), |row| row.outcome.words().to_owned())
        };
        let counts = self.counts.iter().map(|(name, count)| format!("{count} {}", words(name)));
        let mut parts: Vec<String> = counts.collect();
        if self.not_started > 0 {
            parts.push(format!("{} not reached", self.not_started));
        }
        if parts.is_empty() {
            parts.push("nothing to do".to_owned());
        }
        let stopped = self.stopped.as_ref().map(|why| format!("; {why}")).unwrap_or_default();
        format!("{}{stopped}", parts.join(", "))
    }
}

/// Returns how many tasks ended in each way.
pub(super) fn count_outcomes(tasks: &[TaskRow]) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for row in tasks {
        *counts.entry(row.outcome.name().to_owned()).or_default() += 1;
    }
    counts
}
