//! The whole policy of a run as one pure table: state × event → next state and step.
//!
//! Nothing here touches a disk or a model. [`next`] is total over what can happen; an event that
//! cannot occur in a state has no arrow. The bound of [`RunRules::max_asks`] and "no commit without a
//! preview" are proved by the tests over arbitrary event sequences.

pub use super::rules::{CommandCheck, RunRules, Seat};
pub use super::step::{RunEnd, Step};
pub use detours::{Research, is_research_code};
use papayu_base::domain::code::Remedy;
use papayu_base::domain::goal::Route;
use papayu_base::domain::{ErrorCode, Version};
use papayu_providers::OnError;

/// A state of the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
/// The position in the table; a `RunState` has further counters.
pub enum Phase {
    /// Nothing has happened.
    Start,
    /// The user's command runs on the tree as it was.
    CheckingBefore,
    /// The failure of the command looks like a flake: it runs again on the unchanged tree.
    Rerunning,
    /// The command runs once more before a model is asked.
    Controlling,
    /// The quickfix stage runs, or its proposal is going through the gates.
    Quickfixing,
    /// A PLAN request is out.
    Planning,
    /// Context requests are being answered.
    Reading,
    /// Online research runs for a plan that failed.
    Researching,
    /// An APPLY request is out, or its reply is going through the gates.
    Applying,
    /// A preview is being written to disk.
    Committing,
    /// The user's command runs on the changed tree.
    CheckingAfter,
    /// The command runs again with and without the change.
    Confirming,
    /// A second opinion on a proved change is requested.
    Judging,
    /// A change of the quickfix stage that helped, without being enough, becomes the base of
    /// the next one.
    Layering,
    /// A proved change is kept or reverted, as the settings require.
    Settling,
    /// The change is being reverted.
    RollingBack,
    /// The run is over.
    Done,
}

/// The state of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is something that happens once at most")]
pub struct RunState {
    /// The current state.
    pub place: Phase,
    /// Index into [`RunRules::attempts`].
    pub attempt: usize,
    /// Context rounds answered in this PLAN.
    pub round: u32,
    /// The protocol of this APPLY.
    pub version: Version,
    /// The last request was already asked again for its JSON.
    pub json_repaired: bool,
    /// The repair in this protocol, by the code that made it.
    pub repaired: Option<ErrorCode>,
    /// This attempt went back to PLAN after a base mismatch.
    /// It happens once at most, so that two programs writing the same file do not loop.
    pub replanned: bool,
    /// This attempt applied its actions again to files that had changed.
    pub reapplied: bool,
    /// The online research of the run.
    pub research: Research,
    /// Number of earlier rounds of this free provider.
    pub free_round: u32,
    /// A change was made, and the command was still red after it.
    pub tried: bool,
    /// Re-runs of a suspected flake.
    pub reruns: u32,
    /// The control run was made.
    pub controlled: bool,
    /// The end of the run after the rollback: a signal or a used-up budget interrupted the
    /// check of the change.
    pub stopping: Option<RunEnd>,
}

/// An event of the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepEvent {
    /// The run begins.
    Begin,
    /// The user's command passed.
    CheckGreen,
    /// The user's command failed.
    CheckRed,
    /// It ended with exit code 0 and its output shows failures; reported only for the unchanged tree.
    FailuresHidden,
    /// It ended with exit code 0 and by its output no test ran, or it could show no failure; reported only for the
    /// unchanged tree.
    NothingRan,
    /// The result changes when the command runs again with nothing changed.
    Unreliable,
    /// It failed with fewer failures and without new ones; reported only for a free change.
    CheckBetter,
    /// It failed for a reason outside the code.
    NotOurs,
    /// It failed in a way that may not happen again.
    Suspected,
    /// A usable PLAN arrived.
    PlanRead {
        /// It asks to read more.
        wants_context: bool,
    },
    /// The reply to a PLAN request brings the change itself (protocol section 13).
    ChangeRead {
        /// It asks to read more as well.
        wants_context: bool,
    },
    /// The context requests are answered.
    ContextAnswered,
    /// The context requests are answered, one of them by online research.
    ContextResearched,
    /// Online research has findings.
    Researched,
    /// Online research has none.
    ResearchFailed,
    /// The reply starts with `NO_CHANGES:`: no change is needed.
    NoChanges,
    /// The reply, a gate, the preview or the commit refused.
    Refused(ErrorCode),
    /// Every action applies in memory.
    PreviewReady,
    /// The change is on disk.
    Committed,
    /// The second opinion does not stop the change.
    Judged,
    /// The second opinion is that the change is no fix.
    Doubted,
    /// The helpful change is the base of the next one.
    LayerKept,
    /// The change is kept or reverted, as the settings require.
    Settled,
    /// The change is reverted.
    RolledBack,
    /// The provider gave no reply.
    ProviderFailed,
    /// The provider brought no reply in time.
    ProviderTimedOut,
    /// A budget is used up.
    OverBudget,
    /// Earlier runs have used up the attempts that this failure is given.
    Exhausted,
    /// A signal asked to stop.
    Interrupted,
}

impl RunState {
    /// Returns the state before anything happened.
    pub fn start(rules: &RunRules) -> Self {
        Self {
            place: Phase::Start,
            attempt: 0,
            round: 0,
            version: rules.version,
            json_repaired: false,
            repaired: None,
            replanned: false,
            reapplied: false,
            research: Research::Unused,
            free_round: 0,
            tried: false,
            reruns: 0,
            controlled: false,
            stopping: None,
        }
    }
}

/// Returns the next state and the step to perform; `None` if the event cannot occur in the
/// state.
///
/// The function is pure, so every policy of the run can be tested without files, commands and
/// models.
pub fn next(state: RunState, event: StepEvent, rules: &RunRules) -> Option<(RunState, Step)> {
    match (state.place, event) {
        // Writing is not interruptible: it ends first, and the signal is seen in the next place.
        (
            Phase::Done | Phase::Layering | Phase::Settling | Phase::RollingBack,
            StepEvent::Interrupted | StepEvent::OverBudget,
        ) => None,
        // A signal and a budget are possible in every other state and have the same effect
        // there.
        (_, StepEvent::Interrupted) => Some(proving::stop(state, RunEnd::Interrupted)),
        (_, StepEvent::OverBudget) => Some(proving::stop(state, RunEnd::OverBudget)),
        // Without a command there is nothing to check, and the first attempt begins at once.
        (Phase::Start, StepEvent::Begin) if rules.check != CommandCheck::None => {
            Some((RunState { place: Phase::CheckingBefore, ..state }, Step::CheckBefore))
        }
        (Phase::Start, StepEvent::Begin) | (Phase::CheckingBefore, StepEvent::CheckRed) => {
            Some(begin_attempt(state, rules))
        }
        (
            Phase::CheckingBefore,
            StepEvent::CheckGreen | StepEvent::FailuresHidden | StepEvent::NothingRan,
        ) => Some(was_green(state, event, rules)),
        // The failure was confirmed: it is no accident, so the model is paid.
        (Phase::Controlling, StepEvent::CheckRed) => Some(begin_attempt(state, rules)),
        (Phase::Controlling, StepEvent::CheckGreen) => Some(finish(state, RunEnd::FlakyCommand)),
        (Phase::Start | Phase::CheckingBefore, StepEvent::NotOurs)
        | (Phase::CheckingBefore, StepEvent::Suspected)
        | (Phase::Rerunning, _) => detours::judged(state, event, rules),
        (Phase::Quickfixing | Phase::Planning | Phase::Applying, _) => {
            proposing(state, event, rules)
        }
        (Phase::Reading, StepEvent::ContextAnswered | StepEvent::ContextResearched) => {
            let is_research = event == StepEvent::ContextResearched;
            let research = if is_research { Research::Used } else { state.research };
            let round = state.round + 1;
            let state = RunState { place: Phase::Planning, round, research, ..state };
            Some((RunState { json_repaired: false, ..state }, Step::AskPlan))
        }
        (Phase::Researching, event) => detours::researched(state, event, rules),
        (Phase::Committing, StepEvent::Refused(code)) => Some(refused(state, code, rules)),
        (Phase::Committing, StepEvent::Committed) if rules.check != CommandCheck::None => {
            Some((RunState { place: Phase::CheckingAfter, ..state }, Step::CheckAfter))
        }
        // Without a command, nothing can prove the change; the end of the run reports that.
        (Phase::Committing, StepEvent::Committed) => {
            Some((RunState { place: Phase::Settling, ..state }, Step::Settle))
        }
        (Phase::CheckingAfter | Phase::Confirming | Phase::Judging, event) => {
            proving::checked(state, event, rules)
        }
        (Phase::Layering, StepEvent::LayerKept) => Some(again(state, rules)),
        (Phase::Settling, StepEvent::Settled) => {
            let proved = rules.check != CommandCheck::None;
            let end = if proved { RunEnd::Fixed } else { RunEnd::Unproved };
            Some(finish(state, end))
        }
        (Phase::RollingBack, StepEvent::RolledBack) => Some(proving::taken_back(state, rules)),
        _ => None,
    }
}

/// Returns the next step while a change is requested.
fn proposing(state: RunState, event: StepEvent, rules: &RunRules) -> Option<(RunState, Step)> {
    let is_quickfix = state.place == Phase::Quickfixing;
    Some(match event {
        // The tools of the quickfix stage do not fail as a provider does.
        StepEvent::ProviderTimedOut if state.place == Phase::Planning => {
            detours::after_failed_plan(state, RunEnd::ProviderFailed, rules)
        }
        StepEvent::ProviderFailed | StepEvent::ProviderTimedOut if !is_quickfix => {
            no_help(state, rules, RunEnd::ProviderFailed)
        }
        StepEvent::Exhausted => finish(state, RunEnd::Exhausted),
        StepEvent::NoChanges => no_changes(state, rules),
        _ if state.place == Phase::Planning => return planning(state, event, rules),
        // The quickfix stage answers a plan-only run with a plan at once, without a reading
        // round.
        StepEvent::PlanRead { .. } if is_quickfix => finish(state, RunEnd::Planned),
        StepEvent::Refused(code) => refused(state, code, rules),
        StepEvent::PreviewReady if rules.check != CommandCheck::None || rules.keeps_tree => {
            (RunState { place: Phase::Committing, ..state }, Step::Commit)
        }
        // Nothing checks the change and nothing is kept, so it is only delivered as a patch.
        StepEvent::PreviewReady => finish(state, RunEnd::Unproved),
        _ => return None,
    })
}

/// Returns the step if the command passed before any change; only a goal is pursued all the same.
fn was_green(state: RunState, event: StepEvent, rules: &RunRules) -> (RunState, Step) {
    let end = match event {
        StepEvent::FailuresHidden => RunEnd::FailuresHidden,
        StepEvent::NothingRan => RunEnd::NothingRan,
        _ if rules.check == CommandCheck::Log => RunEnd::NotReproduced,
        _ => RunEnd::NothingToFix,
    };
    match rules.check {
        CommandCheck::Goal | CommandCheck::None => begin_attempt(state, rules),
        CommandCheck::Failure | CommandCheck::Log => finish(state, end),
    }
}

/// Returns the step after a PLAN reply: read more, apply the change, end the run or ask for actions.
fn planning(state: RunState, event: StepEvent, rules: &RunRules) -> Option<(RunState, Step)> {
    match event {
        // A model that still asks is not certain of its change, which stays in the conversation.
        StepEvent::PlanRead { wants_context: true }
        | StepEvent::ChangeRead { wants_context: true }
            if state.round < rules.rounds =>
        {
            Some((RunState { place: Phase::Reading, ..state }, Step::AnswerContext))
        }
        StepEvent::ChangeRead { .. } if rules.accepts_direct() => {
            let (state, _) = begin_apply(state, rules);
            Some((state, Step::TakeReplyActions))
        }
        StepEvent::PlanRead { .. } if matches!(rules.route, Route::PlanOnly | Route::Review) => {
            Some(finish(state, RunEnd::Planned))
        }
        StepEvent::PlanRead { .. } => Some(begin_apply(state, rules)),
        StepEvent::Refused(code) => Some(repair_json(state, code, rules)),
        _ => None,
    }
}

/// Starts the attempt of `state.attempt` with the step of its provider.
fn begin_attempt(state: RunState, rules: &RunRules) -> (RunState, Step) {
    // Counters of the attempt before do not apply to this one.
    let state =
        RunState { round: 0, json_repaired: false, replanned: false, reapplied: false, ..state };
    if is_free(state, rules) {
        return (RunState { place: Phase::Quickfixing, ..state }, free_step(state, rules));
    }
    if needs_control_run(state, rules) {
        let state = RunState { place: Phase::Controlling, controlled: true, ..state };
        return (state, Step::ControlRun);
    }
    let given = rules.attempts.get(state.attempt) == Some(&Seat::Given);
    if given || rules.route == Route::ApplyOnly {
        begin_apply(state, rules)
    } else {
        (RunState { place: Phase::Planning, ..state }, Step::AskPlan)
    }
}

/// Returns `true` if the command has to fail once more before a model is paid. Re-runs of a
/// suspected flake have shown that already.
fn needs_control_run(state: RunState, rules: &RunRules) -> bool {
    rules.control_run
        && !state.controlled
        && state.reruns == 0
        && matches!(rules.check, CommandCheck::Failure | CommandCheck::Log)
        && rules.attempts.get(state.attempt) == Some(&Seat::Model)
}

/// Starts the APPLY of an attempt in the protocol of the settings.
fn begin_apply(state: RunState, rules: &RunRules) -> (RunState, Step) {
    let given = rules.attempts.get(state.attempt) == Some(&Seat::Given);
    let state = RunState {
        place: Phase::Applying,
        version: rules.version,
        json_repaired: false,
        repaired: None,
        ..state
    };
    (state, if given { Step::TakeGivenActions } else { Step::AskApply })
}

/// Returns the step after a refusal (protocol section 5): first a repair, then a fallback to an
/// older protocol, each once in a protocol.
///
/// An older protocol has its own repair, and v1 has neither, so this ends. The row of the code
/// in `domain::code` has the remedy.
fn refused(state: RunState, code: ErrorCode, rules: &RunRules) -> (RunState, Step) {
    if rules.attempts.get(state.attempt) == Some(&Seat::Given) {
        return finish(state, RunEnd::Refused(code));
    }
    let remedy = code.row().remedy;
    if is_free(state, rules) {
        // The tools give the same answer to the same files.
        // Asking again gives the same answer, unless a file changed while the tools ran.
        if remedy == Remedy::Replan && !state.replanned {
            let state = RunState { place: Phase::Quickfixing, replanned: true, ..state };
            return (state, free_step(state, rules));
        }
        return no_help(state, rules, RunEnd::Refused(code));
    }
    if let Some(row) = detours::conflict(state, code, rules) {
        return row;
    }
    let may_repair = matches!(remedy, Remedy::Repair | Remedy::RepairThenFallback)
        && state.version != Version::V1
        && state.repaired.is_none();
    if may_repair {
        let state = RunState { json_repaired: false, repaired: Some(code), ..state };
        return (RunState { place: Phase::Applying, ..state }, Step::RepairApply(code));
    }
    let may_fall_back = matches!(remedy, Remedy::Fallback | Remedy::RepairThenFallback);
    let older = state.version.fallback(code).filter(|version| rules.may_ask(*version));
    if let Some(version) = older.filter(|_| may_fall_back) {
        // A new protocol starts with its own JSON repair.
        let state = RunState { json_repaired: false, repaired: None, version, ..state };
        return (RunState { place: Phase::Applying, ..state }, Step::Fallback(code));
    }
    if remedy == Remedy::Replan && !state.replanned {
        // A file changed on disk: the plan was made from another text, so it is made again,
        // once.
        let state = RunState { round: 0, json_repaired: false, replanned: true, ..state };
        return (RunState { place: Phase::Planning, ..state }, Step::AskPlan);
    }
    repair_json(state, code, rules)
}

/// Asks once for valid JSON if that is the remedy; else the attempt gives no change.
fn repair_json(state: RunState, code: ErrorCode, rules: &RunRules) -> (RunState, Step) {
    if code.row().remedy == Remedy::RepairJson && !state.json_repaired {
        (RunState { json_repaired: true, ..state }, Step::RepairJson(code))
    } else if state.place == Phase::Planning {
        detours::after_failed_plan(state, RunEnd::Refused(code), rules)
    } else {
        no_help(state, rules, RunEnd::Refused(code))
    }
}

/// Returns the step after a reply without a change.
fn no_changes(state: RunState, rules: &RunRules) -> (RunState, Step) {
    no_help(state, rules, RunEnd::NoChanges)
}

/// Returns the step if a provider gives no usable change.
///
/// The quickfix stage is followed by the next provider, and a model with refused replies by the
/// second model, if there is one; otherwise the run ends with `end`.
fn no_help(state: RunState, rules: &RunRules, end: RunEnd) -> (RunState, Step) {
    let hands_over =
        // Only refused replies are worth a second opinion: a model without a change has
        // understood the task.
        matches!(end, RunEnd::Refused(_)) && rules.changes_model(state.attempt.saturating_add(1));
    let asks_again = end == RunEnd::ProviderFailed && rules.on_error == OnError::Retry;
    let next = if is_free(state, rules) || hands_over || asks_again {
        next_attempt(state, rules)
    } else if end == RunEnd::ProviderFailed && rules.on_error == OnError::Skip {
        second_model(state, rules)
    } else {
        None
    };
    // One that has nothing more to offer is not the reason why what it offered before did not help.
    let end = if end == RunEnd::NoChanges && state.tried { RunEnd::StillRed } else { end };
    next.or_else(|| given_again(state, rules)).unwrap_or_else(|| finish(state, end))
}

/// Starts the last attempt if its actions are given: those of a recipe alone, after models that added nothing to it.
fn given_again(state: RunState, rules: &RunRules) -> Option<(RunState, Step)> {
    let attempt = rules.attempts.len().checked_sub(1).filter(|last| *last > state.attempt)?;
    let is_given = rules.attempts.get(attempt) == Some(&Seat::Given);
    is_given.then(|| begin_attempt(RunState { attempt, free_round: 0, ..state }, rules))
}

/// Returns the step after a change that was not enough. The quickfix stage runs again while it
/// has rounds left, because its proposals cost nothing.
fn again(state: RunState, rules: &RunRules) -> (RunState, Step) {
    let free_round = state.free_round + 1;
    if is_free(state, rules) && free_round < rules.free_rounds {
        return begin_attempt(RunState { free_round, ..state }, rules);
    }
    next_attempt(state, rules).unwrap_or_else(|| finish(state, RunEnd::StillRed))
}

/// Returns `true` if the attempt under way asks no model.
fn is_free(state: RunState, rules: &RunRules) -> bool {
    rules.attempts.get(state.attempt).is_some_and(|seat| seat.is_free())
}

/// Returns the step of an attempt that asks no model.
fn free_step(state: RunState, rules: &RunRules) -> Step {
    let is_recipes = rules.attempts.get(state.attempt).is_some_and(|seat| seat.is_recipes());
    if is_recipes { Step::Recipes } else { Step::Quickfix }
}

/// Starts the next attempt; `None` after the last one.
fn next_attempt(state: RunState, rules: &RunRules) -> Option<(RunState, Step)> {
    let attempt = state.attempt + 1;
    let state = RunState { attempt, free_round: 0, ..state };
    (attempt < rules.attempts.len()).then(|| begin_attempt(state, rules))
}

/// Goes to the first attempt of the second model, if that is still to come.
fn second_model(state: RunState, rules: &RunRules) -> Option<(RunState, Step)> {
    let attempt = rules.second_model_from.filter(|attempt| *attempt > state.attempt)?;
    Some(begin_attempt(RunState { attempt, free_round: 0, ..state }, rules))
}

/// Returns the final state with its end.
fn finish(state: RunState, end: RunEnd) -> (RunState, Step) {
    (RunState { place: Phase::Done, ..state }, Step::Finish(end))
}

mod detours;
mod proving;
#[cfg(test)]
mod tests;
