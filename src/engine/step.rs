//! The steps that a run performs, and the ways in which it ends.

use papayu_base::domain::ErrorCode;

/// The next step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Run the user's command on the tree as it is.
    CheckBefore,
    /// Run it once more on the unchanged tree.
    Rerun,
    /// Run it once more before a model is asked: a failure that goes away by itself is no failure to fix.
    ControlRun,
    /// Take the change of a recipe that matches the failure through the gates.
    Recipes,
    /// Run the quickfix stage and take its proposal through the gates.
    Quickfix,
    /// Ask for a PLAN (round 0), or again with the answers so far.
    AskPlan,
    /// Answer the plan's context requests.
    AnswerContext,
    /// Search the web for the failure of a plan; the run has this end without findings.
    Research(RunEnd),
    /// Ask for an APPLY.
    AskApply,
    /// Take the actions that were given instead of asking.
    TakeGivenActions,
    /// Take the actions in the reply to the PLAN request.
    TakeReplyActions,
    /// Take the actions of the last reply again, on the files as they are now.
    Reapply,
    /// Ask again, quoting what is wrong with the JSON.
    RepairJson(ErrorCode),
    /// Ask for the one repair in this protocol.
    RepairApply(ErrorCode),
    /// Ask for the one APPLY in the next older protocol.
    Fallback(ErrorCode),
    /// Write the preview to disk.
    Commit,
    /// Run the user's command on the changed tree.
    CheckAfter,
    /// Run it once more with and without the change, and the guard.
    Confirm,
    /// Ask a model for a second opinion on the proved change.
    Judge,
    /// Leave the change where it is and go on from there.
    KeepLayer,
    /// Keep the change, or revert it if only a patch is wanted.
    Settle,
    /// Revert the change, down to the changes that helped before it.
    RollBack,
    /// Stop; a change on disk that is not kept is reverted.
    Finish(RunEnd),
}

impl Step {
    /// Returns the name of the step in OpenTelemetry spans.
    pub fn name(self) -> &'static str {
        match self {
            Self::CheckBefore => "verify before",
            Self::Rerun => "verify again",
            Self::ControlRun => "control run",
            Self::Recipes => "recipes",
            Self::Quickfix => "quickfix",
            Self::AskPlan => "plan",
            Self::AnswerContext => "answer context",
            Self::Research(_) => "online research",
            Self::AskApply => "apply",
            Self::TakeGivenActions => "apply given actions",
            Self::TakeReplyActions => "apply direct reply",
            Self::Reapply => "apply again",
            Self::RepairJson(_) => "repair JSON",
            Self::RepairApply(_) => "repair",
            Self::Fallback(_) => "fallback",
            Self::Commit => "commit",
            Self::CheckAfter => "verify after",
            Self::Confirm => "confirm fix",
            Self::Judge => "judge",
            Self::KeepLayer => "keep change",
            Self::Settle => "finish change",
            Self::RollBack => "roll back",
            Self::Finish(_) => "finish",
        }
    }

    /// Returns whether an interrupted run leaves the step out. All other steps write or revert
    /// files, or run a command, which a signal ends by itself.
    pub fn is_optional(self) -> bool {
        let takes_actions =
            matches!(self, Self::TakeGivenActions | Self::TakeReplyActions | Self::Reapply);
        let reads = matches!(self, Self::AnswerContext | Self::Research(_));
        self.asks() || takes_actions || reads || self == Self::Commit
    }

    /// Returns whether the step requests a change from the quickfix stage or a model.
    pub fn asks(self) -> bool {
        matches!(
            self,
            Self::Recipes
                | Self::Quickfix
                | Self::AskPlan
                | Self::AskApply
                | Self::RepairJson(_)
                | Self::RepairApply(_)
                | Self::Fallback(_)
        )
    }
}

/// The end of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunEnd {
    /// The command passes as it is.
    NothingToFix,
    /// The command passes, so it cannot prove a fix of the log's failure.
    NotReproduced,
    /// The failure is outside the code: infrastructure, environment or the base commit.
    NotOurs,
    /// A failure that did not happen again.
    Flaky,
    /// The command gives another result when it runs again.
    FlakyCommand,
    /// The command ends with exit code 0 although its output shows failures.
    FailuresHidden,
    /// The command ends with exit code 0 and by its output no test ran, or it could show no failure.
    NothingRan,
    /// A plan was requested and is ready.
    Planned,
    /// A change was applied without a command that could prove it.
    Unproved,
    /// The command passes after the change.
    Fixed,
    /// No provider had a change to offer.
    NoChanges,
    /// The command fails after the last attempt.
    StillRed,
    /// A refusal that has no remedy left.
    Refused(ErrorCode),
    /// A provider gave no reply.
    ProviderFailed,
    /// A budget is spent.
    OverBudget,
    /// Earlier runs have used up the attempts for this failure.
    Exhausted,
    /// A signal ended the run.
    Interrupted,
}
