//! The limits of a run, fixed before it starts.

use papayu_base::domain::goal::Route;
use papayu_base::domain::{OnConflict, Version};
use papayu_providers::OnError;

/// The limits of a run, fixed before it starts.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of the run")]
pub struct RunRules {
    /// The exchanges that the goal requires.
    pub route: Route,
    /// The protocol of the first APPLY.
    pub version: Version,
    /// `PAPAYU_PROTOCOL_FALLBACK_TO_V1`: whether an APPLY may fall back to v1. The fallback
    /// from v3 to v2 is always allowed, because v2 writes no file whole either.
    pub fallback: bool,
    /// `PAPAYU_PROTOCOL_DIRECT`.
    pub direct: DirectReply,
    /// `PAPAYU_MAX_CONTEXT_ROUNDS`.
    /// Most answered requests for context in one PLAN.
    pub rounds: u32,
    /// Most repetitions of a suspected flake before anything is changed.
    pub flake_reruns: u32,
    /// `true` if the command runs once more, with only a comment added, before a model is asked.
    pub control_run: bool,
    /// `true` if a failure that turns out to be a flake is fixed like any other.
    pub fixes_flakes: bool,
    /// `true` if a fix that the command accepts is confirmed by more runs.
    pub confirms: bool,
    /// `true` if a proved change is judged by a model that sees only the change.
    pub judges: bool,
    /// The proof that the user's command gives.
    pub check: CommandCheck,
    /// `true` if a proved change stays in the tree.
    pub keeps_tree: bool,
    /// The provider of each attempt.
    pub attempts: Vec<Seat>,
    /// The first attempt of a second model. It is also asked if the replies of the first one were refused.
    pub second_model_from: Option<usize>,
    /// `true` if the run may do online research without asking.
    pub researches: bool,
    /// The treatment of a file that changed while the reply was generated.
    pub on_conflict: OnConflict,
    /// The reaction to a request that brought no reply.
    pub on_error: OnError,
    /// Most rounds of the quickfix stage, which runs again after each of its changes, kept or reverted.
    pub free_rounds: u32,
}

impl RunRules {
    /// Returns `true` if another model answers in this attempt than in the one before.
    pub(super) fn changes_model(&self, attempt: usize) -> bool {
        self.second_model_from == Some(attempt)
    }
}

/// The treatment of a reply to a PLAN request that brings the change itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DirectReply {
    /// The change is vetted and applied, except in v1.
    Accept,
    /// The reply is refused with `ERR_PLAN_WITH_ACTIONS`.
    Refuse,
}

/// The proof that the user's command gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommandCheck {
    /// There is none; nothing can be proved.
    None,
    /// A known failure: if the command passes before any change, there is nothing to fix.
    Failure,
    /// The failure of a log: the command proves its fix only if it fails here too.
    Log,
    /// A goal in words. The command passing before a change does not mean that the goal is
    /// reached.
    Goal,
}

/// The provider of an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seat {
    /// The recipes that were there when the run began; when none has a change, the next attempt begins.
    Recipes,
    /// The quickfix stage; when it has no fix, the next attempt begins.
    Quickfix,
    /// The recipes once more, after a wait for a task that may learn one for the same failure.
    NewRecipes,
    /// A model.
    Model,
    /// No provider: the actions are given by the user.
    Given,
}

impl Seat {
    /// Returns `true` for a provider that asks no model.
    pub fn is_free(self) -> bool {
        matches!(self, Self::Recipes | Self::Quickfix | Self::NewRecipes)
    }

    /// Returns `true` for recipes.
    pub fn is_recipes(self) -> bool {
        matches!(self, Self::Recipes | Self::NewRecipes)
    }
}

impl RunRules {
    /// Returns `true` if a fallback to a version is allowed.
    pub fn may_ask(&self, version: Version) -> bool {
        version != Version::V1 || self.fallback
    }

    /// Returns `true` if the reply to a PLAN request may contain the change. Protocol v1 has no
    /// such reply, and a run with [`Route::PlanOnly`] wants no change.
    pub fn accepts_direct(&self) -> bool {
        self.direct == DirectReply::Accept
            && self.version != Version::V1
            && self.route == Route::PlanThenApply
    }

    /// Returns the largest number of requests for a change that the table can make, over all attempts; the judge adds at
    /// most two for each proved change. The
    /// tests of [`super::state`] show that no sequence of events exceeds it.
    ///
    /// An attempt of a model has at most two PLANs (one more after a base mismatch), each with
    /// every round of context, and two series of APPLYs. A series has one request and one
    /// repair in each protocol down to v1, which is not repaired. Each of these requests may be
    /// repeated once for its JSON.
    pub fn max_asks(&self) -> u32 {
        let per_apply = match self.version {
            Version::V1 => 1,
            Version::V2 => 3,
            Version::V3 => 5,
        };
        let per_attempt = 2 * (2 * (1 + self.rounds) + 2 * per_apply);
        let asks = |seat: &Seat| match seat {
            // Each round may run twice: once more when a file changed meanwhile.
            Seat::Recipes | Seat::Quickfix | Seat::NewRecipes => {
                self.free_rounds.max(1).saturating_mul(2)
            }
            Seat::Model | Seat::Given => per_attempt,
        };
        // Online research is followed by one more PLAN with its context rounds, once in a run.
        let researched = if self.researches { 2 * (1 + self.rounds) } else { 0 };
        self.attempts.iter().map(asks).fold(researched, u32::saturating_add)
    }
}
