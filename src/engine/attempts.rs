//! The attempts of a run: the one under way, and what the earlier ones tried.

use super::engine_inputs::EngineInputs;
use super::rules::{RunRules, Seat};
use super::task::Model;
use crate::recipes::RecipeTries;
use papayu_base::domain::ReplyActivity;
use papayu_patch::prompts::FailedAttempt;
use papayu_quickfix::FixBatches;

/// The attempts of a run.
#[derive(Default)]
pub(super) struct Attempts {
    /// The position of the attempt under way in [`RunRules::attempts`].
    index: usize,
    /// Its provider.
    seat: Option<Seat>,
    /// `true` after any provider was asked.
    pub(super) asked: bool,
    /// Fixes that the quickfix stage proposed before.
    pub(super) batches: FixBatches,
    /// Recipes that were tried.
    pub(super) recipes: RecipeTries,
    /// Findings of the quickfix stage without a safe fix, one on each line, for the next request.
    pub(super) hints: String,
    /// Free attempts with an applied change; attempts without a proposal do not count.
    free_landed: Vec<usize>,
    /// The summary of the last reply or proposal.
    pub(super) last_summary: String,
    /// The last proposed change, in one line.
    pub(super) last_change: String,
    /// Failed changes with their output, for the next request.
    pub(super) failed: Vec<FailedAttempt>,
    /// The number of them that the continued runs made.
    earlier: usize,
    /// Failed changes, one line each.
    pub(super) tries: Vec<String>,
    /// The answered requests and the edits of all replies.
    pub(super) activity: ReplyActivity,
}

impl Attempts {
    /// Returns the state in the first attempt.
    pub(super) fn begin(rules: &RunRules, earlier: &[FailedAttempt]) -> Self {
        let (failed, earlier) = (earlier.to_vec(), earlier.len());
        let mut attempts = Self { failed, earlier, ..Self::default() };
        attempts.enter(0, rules);
        attempts
    }

    /// Makes the attempt at a position of [`RunRules::attempts`] the one under way.
    pub(super) fn enter(&mut self, index: usize, rules: &RunRules) {
        self.index = index;
        self.seat = rules.attempts.get(index).copied();
    }

    /// Returns `true` if the attempt under way asks no model.
    pub(super) fn is_free(&self) -> bool {
        self.seat.is_some_and(Seat::is_free)
    }

    /// Returns `true` if the attempt under way waits for the recipes of other tasks.
    pub(super) fn waits_for_recipes(&self) -> bool {
        self.seat == Some(Seat::NewRecipes)
    }

    /// Returns the name of the provider in traces, if it asks no model.
    pub(super) fn free_name(&self) -> Option<&'static str> {
        let seat = self.seat.filter(|seat| seat.is_free())?;
        Some(if seat.is_recipes() { "recipe" } else { "quickfix" })
    }

    /// Returns `true` if the user passed the actions of the attempt under way.
    pub(super) fn is_given(&self) -> bool {
        self.seat == Some(Seat::Given)
    }

    /// Returns `true` if the user passed the actions of the attempt under way, and models go on after it.
    pub(super) fn is_given_first(&self, rules: &RunRules) -> bool {
        self.is_given() && rules.attempts.iter().skip(self.index).any(|seat| *seat == Seat::Model)
    }

    /// Returns the model of the attempt under way; `None` in an attempt without one.
    pub(super) fn model<'a>(&self, inputs: &EngineInputs<'a>) -> Option<Model<'a>> {
        let seats = inputs.rules.attempts.iter();
        let before = seats.take_while(|seat| **seat != Seat::Model).count();
        inputs.world.models.get(self.index.checked_sub(before)?).copied()
    }

    /// Returns the number of attempts so far without those of the quickfix stage.
    pub(super) fn count_paid(&self, rules: &RunRules) -> usize {
        let begun = rules.attempts.iter().take(self.index + 1);
        begun.filter(|seat| !seat.is_free()).count()
    }

    /// Returns the number of attempts for the outcome. A quickfix attempt counts only if a change of it was applied;
    /// a run without a request made none.
    pub(super) fn count_all(&self, inputs: &EngineInputs<'_>) -> u32 {
        // Given actions count as an attempt although no provider is asked.
        if !self.asked && inputs.task.given.is_none() {
            return 0;
        }
        let all = self.count_paid(&inputs.rules) + self.free_landed.len();
        u32::try_from(all.max(1)).unwrap_or(u32::MAX)
    }

    /// Counts the attempt under way as one with a change if it is free: once, whatever number of changes it makes.
    pub(super) fn note_landed(&mut self) {
        if self.is_free() && !self.free_landed.contains(&self.index) {
            self.free_landed.push(self.index);
        }
    }

    /// Keeps the summary of a model's reply.
    pub(super) fn set_summary(&mut self, summary: String) {
        summary.lines().next().unwrap_or_default().clone_into(&mut self.last_change);
        self.last_summary = summary;
    }

    /// Keeps the summary of actions; that of a quickfix proposal is kept already.
    pub(super) fn set_reply_summary(&mut self, summary: String) {
        if !self.is_free() {
            self.set_summary(summary);
        }
    }

    /// Records the change of the attempt under way as failed.
    pub(super) fn push_failed(&mut self, attempt: FailedAttempt) {
        // The tools may try one thing after another; a model learns enough from the last, and the next request has
        // all kept changes anyway.
        if self.is_free() {
            self.failed.truncate(self.earlier);
        }
        self.failed.push(attempt);
        self.tries.push(self.last_change.clone());
    }
}
