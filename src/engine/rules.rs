//! The limits of a run, fixed before it starts.

use crate::domain::Version;
use crate::domain::goal::Route;

/// The limits of a run, fixed before it starts.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of the run")]
pub struct Rules {
    /// The exchanges that the goal requires.
    pub route: Route,
    /// The protocol of the first APPLY.
    pub version: Version,
    /// `PAPAYU_PROTOCOL_FALLBACK_TO_V1`: whether an APPLY may fall back to v1. That from v3 to v2 is
    /// not its concern: no file is written whole in v2.
    pub fallback: bool,
    /// `PAPAYU_PROTOCOL_DIRECT`.
    pub direct: DirectReply,
    /// `PAPAYU_MAX_CONTEXT_ROUNDS`.
    pub rounds: u32,
    /// Most repetitions of a suspected flake before anything is changed.
    pub flake_reruns: u32,
    /// `true` if the command runs once more, with only a comment added, before a model is asked.
    pub control_run: bool,
    /// `true` if a failure that turns out to be a flake is fixed like any other.
    pub fixes_flakes: bool,
    /// `true` if a fix that the command accepts is confirmed by more runs.
    pub confirms: bool,
    /// The proof that the user's command gives.
    pub check: Check,
    /// `true` if a proved change stays in the tree.
    pub keeps_tree: bool,
    /// The provider of each attempt.
    pub attempts: Vec<Seat>,
    /// The first attempt of a second model. It is also asked if the replies of the first one were refused.
    pub second_model_from: Option<usize>,
    /// Most rounds of a free provider: it runs again after each of its changes, kept or reverted.
    pub free_rounds: u32,
}

impl Rules {
    /// Returns true if another model answers in this attempt than in the one before.
    pub(super) fn changes_model(&self, attempt: usize) -> bool {
        self.second_model_from == Some(attempt)
    }
}

/// The treatment of a reply to a PLAN request that brings the change itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DirectReply {
    /// It is carried out, except in v1.
    Accept,
    /// It is `ERR_PLAN_WITH_ACTIONS`.
    Refuse,
}

/// The proof that the user's command gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Check {
    /// There is none; nothing can be proved.
    None,
    /// The failure: green before means that there is nothing to fix.
    Failure,
    /// Nothing yet: the command was guessed from the kind of project, and proves the failure of a log
    /// only if it fails here too.
    Guessed,
    /// A goal named in words: green before does not mean that it is reached.
    Goal,
}

/// The provider of an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seat {
    /// The quickfix stage; when it has no fix, the next attempt begins.
    Quickfix,
    /// A model.
    Model,
    /// No one: the actions are given.
    Given,
}

impl Rules {
    /// Returns `true` if a fallback to a version is allowed.
    pub fn may_ask(&self, version: Version) -> bool {
        version != Version::V1 || self.fallback
    }

    /// Returns `true` if the reply to a PLAN request may bring the change. v1 has no such reply, and a run
    /// that only plans wants none.
    pub fn accepts_direct(&self) -> bool {
        self.direct == DirectReply::Accept
            && self.version != Version::V1
            && self.route == Route::PlanThenApply
    }

    /// Returns how often a provider is asked at the most: per attempt, and per round of a free one, two PLANs (one after a base
    /// mismatch) with every context round, two APPLYs of a first ask and a repair in each protocol down
    /// to v1, which is not repaired, and one JSON repair for each of all these.
    pub fn max_asks(&self) -> u32 {
        let per_apply = match self.version {
            Version::V1 => 1,
            Version::V2 => 3,
            Version::V3 => 5,
        };
        let per_attempt = 2 * (2 * (1 + self.rounds) + 2 * per_apply);
        let asks = |seat: &Seat| match seat {
            // Each round may run twice: once more when a file changed meanwhile.
            Seat::Quickfix => self.free_rounds.max(1).saturating_mul(2),
            Seat::Model | Seat::Given => per_attempt,
        };
        self.attempts.iter().map(asks).fold(0, u32::saturating_add)
    }
}
