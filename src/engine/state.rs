//! The whole policy of a run as one pure table: state × event → next state and step.
//!
//! Nothing here touches a disk or a model. [`next`] is total over what can happen; an event that
//! cannot occur in a state has no arrow. The bound of [`Rules::max_asks`] and "no commit without a
//! preview" are proved by the tests over arbitrary event sequences.

pub use super::rules::{Check, Rules, Seat};
pub use super::step::{Finish, Step};
use crate::domain::code::Remedy;
use crate::domain::goal::Route;
use crate::domain::{ErrorCode, Version};
use crate::providers::OnError;
pub use detours::{Research, is_research_code};

/// A state of the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
/// The position in the table; a `State` has further counters.
pub enum Place {
    /// Nothing has happened.
    Start,
    /// The user's command runs on the tree as it was.
    CheckingBefore,
    /// The command, whose failure looks like a flake, runs again on the unchanged tree.
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
pub struct State {
    /// The current state.
    pub place: Place,
    /// Index into [`Rules::attempts`].
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
    pub stopping: Option<Finish>,
}

/// An event of the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// The run begins.
    Begin,
    /// The user's command passed.
    CheckGreen,
    /// The user's command failed.
    CheckRed,
    /// It ended with exit code 0 and its output shows failures; reported only for the unchanged tree.
    FailuresHidden,
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

impl State {
    /// Returns the state before anything happened.
    pub fn start(rules: &Rules) -> Self {
        Self {
            place: Place::Start,
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
pub fn next(state: State, event: Event, rules: &Rules) -> Option<(State, Step)> {
    match (state.place, event) {
        // Writing is not interruptible: it ends first, and the signal is seen in the next place.
        (
            Place::Done | Place::Layering | Place::Settling | Place::RollingBack,
            Event::Interrupted | Event::OverBudget,
        ) => None,
        // A signal and a budget are possible in every other state and have the same effect
        // there.
        (_, Event::Interrupted) => Some(stop(state, Finish::Interrupted)),
        (_, Event::OverBudget) => Some(stop(state, Finish::OverBudget)),
        // Without a command there is nothing to check, and the first attempt begins at once.
        (Place::Start, Event::Begin) if rules.check != Check::None => {
            Some((State { place: Place::CheckingBefore, ..state }, Step::CheckBefore))
        }
        (Place::Start, Event::Begin) | (Place::CheckingBefore, Event::CheckRed) => {
            Some(begin_attempt(state, rules))
        }
        (Place::CheckingBefore, Event::CheckGreen) => Some(was_green(state, rules)),
        (Place::CheckingBefore, Event::FailuresHidden) => Some(match rules.check {
            Check::Goal | Check::None => begin_attempt(state, rules),
            Check::Failure | Check::Guessed => finish(state, Finish::FailuresHidden),
        }),
        // The failure was confirmed: it is no accident, so the model is paid.
        (Place::Controlling, Event::CheckRed) => Some(begin_attempt(state, rules)),
        (Place::Controlling, Event::CheckGreen) => Some(finish(state, Finish::FlakyCommand)),
        (Place::Start | Place::CheckingBefore, Event::NotOurs)
        | (Place::CheckingBefore, Event::Suspected)
        | (Place::Rerunning, _) => detours::judged(state, event, rules),
        (Place::Quickfixing | Place::Planning | Place::Applying, _) => {
            proposing(state, event, rules)
        }
        (Place::Reading, Event::ContextAnswered | Event::ContextResearched) => {
            let is_research = event == Event::ContextResearched;
            let research = if is_research { Research::Used } else { state.research };
            let round = state.round + 1;
            let state = State { place: Place::Planning, round, research, ..state };
            Some((State { json_repaired: false, ..state }, Step::AskPlan))
        }
        (Place::Researching, event) => detours::researched(state, event, rules),
        (Place::Committing, Event::Refused(code)) => Some(refused(state, code, rules)),
        (Place::Committing, Event::Committed) if rules.check != Check::None => {
            Some((State { place: Place::CheckingAfter, ..state }, Step::CheckAfter))
        }
        // Without a command, nothing can prove the change; the end of the run reports that.
        (Place::Committing, Event::Committed) => {
            Some((State { place: Place::Settling, ..state }, Step::Settle))
        }
        (Place::CheckingAfter | Place::Confirming, event) => checked(state, event, rules),
        (Place::Layering, Event::LayerKept) => Some(again(state, rules)),
        (Place::Settling, Event::Settled) => {
            let proved = rules.check != Check::None;
            let end = if proved { Finish::Fixed } else { Finish::Unproved };
            Some(finish(state, end))
        }
        (Place::RollingBack, Event::RolledBack) => Some(taken_back(state, rules)),
        _ => None,
    }
}

/// Returns the next step while a change is requested.
fn proposing(state: State, event: Event, rules: &Rules) -> Option<(State, Step)> {
    let is_quickfix = state.place == Place::Quickfixing;
    Some(match event {
        // The tools of the quickfix stage do not fail as a provider does.
        Event::ProviderTimedOut if state.place == Place::Planning => {
            detours::after_failed_plan(state, Finish::ProviderFailed, rules)
        }
        Event::ProviderFailed | Event::ProviderTimedOut if !is_quickfix => {
            no_help(state, rules, Finish::ProviderFailed)
        }
        Event::Exhausted => finish(state, Finish::Exhausted),
        Event::NoChanges => no_changes(state, rules),
        _ if state.place == Place::Planning => return planning(state, event, rules),
        // The quickfix stage answers a plan-only run with a plan at once, without a reading
        // round.
        Event::PlanRead { .. } if is_quickfix => finish(state, Finish::Planned),
        Event::Refused(code) => refused(state, code, rules),
        Event::PreviewReady if rules.check != Check::None || rules.keeps_tree => {
            (State { place: Place::Committing, ..state }, Step::Commit)
        }
        // Nothing checks the change and nothing is kept, so it is only delivered as a patch.
        Event::PreviewReady => finish(state, Finish::Unproved),
        _ => return None,
    })
}

/// Returns the next step after a run of the command on the changed tree: confirm or keep a
/// pass, revert a failure, keep a partial fix.
fn checked(state: State, event: Event, rules: &Rules) -> Option<(State, Step)> {
    let is_confirmed = state.place == Place::Confirming || !rules.confirms;
    let (place, tried, step) = match event {
        Event::CheckGreen if !is_confirmed => (Place::Confirming, state.tried, Step::Confirm),
        Event::Unreliable if state.place == Place::Confirming => {
            return Some(finish(state, Finish::FlakyCommand));
        }
        Event::CheckBetter if state.place == Place::Confirming => return None,
        Event::CheckGreen => (Place::Settling, state.tried, Step::Settle),
        Event::CheckRed => (Place::RollingBack, true, Step::RollBack),
        Event::CheckBetter => (Place::Layering, true, Step::KeepLayer),
        _ => return None,
    };
    Some((State { place, tried, ..state }, step))
}

/// Returns the step after a rollback: the end that a signal decided, or the next proposal.
fn taken_back(state: State, rules: &Rules) -> (State, Step) {
    state.stopping.map_or_else(|| again(state, rules), |end| finish(state, end))
}

/// Returns the step if the command passed before any change. Only a goal is pursued all the
/// same.
fn was_green(state: State, rules: &Rules) -> (State, Step) {
    match rules.check {
        Check::Failure => finish(state, Finish::NothingToFix),
        Check::Guessed => finish(state, Finish::NotReproduced),
        Check::Goal | Check::None => begin_attempt(state, rules),
    }
}

/// Returns the step after a PLAN reply: read more, apply a direct change, end a plan-only run,
/// or ask for actions.
fn planning(state: State, event: Event, rules: &Rules) -> Option<(State, Step)> {
    match event {
        // A model that still asks is not certain of its change, which stays in the conversation.
        Event::PlanRead { wants_context: true } | Event::ChangeRead { wants_context: true }
            if state.round < rules.rounds =>
        {
            Some((State { place: Place::Reading, ..state }, Step::AnswerContext))
        }
        Event::ChangeRead { .. } if rules.accepts_direct() => {
            let (state, _) = begin_apply(state, rules);
            Some((state, Step::TakeReplyActions))
        }
        Event::PlanRead { .. } if matches!(rules.route, Route::PlanOnly | Route::Review) => {
            Some(finish(state, Finish::Planned))
        }
        Event::PlanRead { .. } => Some(begin_apply(state, rules)),
        Event::Refused(code) => Some(repair_json(state, code, rules)),
        _ => None,
    }
}

/// Starts the attempt of `state.attempt` with the step of its provider.
fn begin_attempt(state: State, rules: &Rules) -> (State, Step) {
    // Counters of the attempt before do not apply to this one.
    let state =
        State { round: 0, json_repaired: false, replanned: false, reapplied: false, ..state };
    if is_free(state, rules) {
        return (State { place: Place::Quickfixing, ..state }, Step::Quickfix);
    }
    if needs_control_run(state, rules) {
        let state = State { place: Place::Controlling, controlled: true, ..state };
        return (state, Step::ControlRun);
    }
    let given = rules.attempts.get(state.attempt) == Some(&Seat::Given);
    if given || rules.route == Route::ApplyOnly {
        begin_apply(state, rules)
    } else {
        (State { place: Place::Planning, ..state }, Step::AskPlan)
    }
}

/// Returns `true` if the command has to fail once more before a model is paid. Re-runs of a
/// suspected flake have shown that already.
fn needs_control_run(state: State, rules: &Rules) -> bool {
    rules.control_run
        && !state.controlled
        && state.reruns == 0
        && matches!(rules.check, Check::Failure | Check::Guessed)
        && rules.attempts.get(state.attempt) == Some(&Seat::Model)
}

/// Starts the APPLY of an attempt in the protocol of the settings.
fn begin_apply(state: State, rules: &Rules) -> (State, Step) {
    let given = rules.attempts.get(state.attempt) == Some(&Seat::Given);
    let state = State {
        place: Place::Applying,
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
fn refused(state: State, code: ErrorCode, rules: &Rules) -> (State, Step) {
    if rules.attempts.get(state.attempt) == Some(&Seat::Given) {
        return finish(state, Finish::Refused(code));
    }
    let remedy = code.row().remedy;
    if is_free(state, rules) {
        // The tools give the same answer to the same files.
        // Asking again gives the same answer, unless a file changed while the tools ran.
        if remedy == Remedy::Replan && !state.replanned {
            let state = State { place: Place::Quickfixing, replanned: true, ..state };
            return (state, Step::Quickfix);
        }
        return no_help(state, rules, Finish::Refused(code));
    }
    if let Some(row) = detours::conflict(state, code, rules) {
        return row;
    }
    let may_repair = matches!(remedy, Remedy::Repair | Remedy::RepairThenFallback)
        && state.version != Version::V1
        && state.repaired.is_none();
    if may_repair {
        let state = State { json_repaired: false, repaired: Some(code), ..state };
        return (State { place: Place::Applying, ..state }, Step::RepairApply(code));
    }
    let may_fall_back = matches!(remedy, Remedy::Fallback | Remedy::RepairThenFallback);
    let older = state.version.fallback(code).filter(|version| rules.may_ask(*version));
    if let Some(version) = older.filter(|_| may_fall_back) {
        // A new protocol starts with its own JSON repair.
        let state = State { json_repaired: false, repaired: None, version, ..state };
        return (State { place: Place::Applying, ..state }, Step::Fallback(code));
    }
    if remedy == Remedy::Replan && !state.replanned {
        // A file changed on disk: the plan was made from another text, so it is made again,
        // once.
        let state = State { round: 0, json_repaired: false, replanned: true, ..state };
        return (State { place: Place::Planning, ..state }, Step::AskPlan);
    }
    repair_json(state, code, rules)
}

/// Asks once for valid JSON if that is the remedy; else the attempt gives no change.
fn repair_json(state: State, code: ErrorCode, rules: &Rules) -> (State, Step) {
    if code.row().remedy == Remedy::RepairJson && !state.json_repaired {
        (State { json_repaired: true, ..state }, Step::RepairJson(code))
    } else if state.place == Place::Planning {
        detours::after_failed_plan(state, Finish::Refused(code), rules)
    } else {
        no_help(state, rules, Finish::Refused(code))
    }
}

/// Returns the step after a reply without a change.
fn no_changes(state: State, rules: &Rules) -> (State, Step) {
    no_help(state, rules, Finish::NoChanges)
}

/// Returns the step if a provider gives no usable change.
///
/// The quickfix stage is followed by the next provider, and a model with refused replies by the
/// second model, if there is one; otherwise the run ends with `end`.
fn no_help(state: State, rules: &Rules, end: Finish) -> (State, Step) {
    let hands_over =
        // Only refused replies are worth a second opinion: a model without a change has
        // understood the task.
        matches!(end, Finish::Refused(_)) && rules.changes_model(state.attempt.saturating_add(1));
    let asks_again = end == Finish::ProviderFailed && rules.on_error == OnError::Retry;
    let next = if is_free(state, rules) || hands_over || asks_again {
        next_attempt(state, rules)
    } else if end == Finish::ProviderFailed && rules.on_error == OnError::Skip {
        second_model(state, rules)
    } else {
        None
    };
    // One that has nothing more to offer is not the reason why what it offered before did not help.
    let end = if end == Finish::NoChanges && state.tried { Finish::StillRed } else { end };
    next.unwrap_or_else(|| finish(state, end))
}

/// Returns the step after a change that was not enough. The quickfix stage runs again while it
/// has rounds left, because its proposals cost nothing.
fn again(state: State, rules: &Rules) -> (State, Step) {
    let free_round = state.free_round + 1;
    if is_free(state, rules) && free_round < rules.free_rounds {
        return begin_attempt(State { free_round, ..state }, rules);
    }
    next_attempt(state, rules).unwrap_or_else(|| finish(state, Finish::StillRed))
}

/// Returns `true` if the attempt under way asks no model.
fn is_free(state: State, rules: &Rules) -> bool {
    rules.attempts.get(state.attempt) == Some(&Seat::Quickfix)
}

/// Starts the next attempt; `None` after the last one.
fn next_attempt(state: State, rules: &Rules) -> Option<(State, Step)> {
    let attempt = state.attempt + 1;
    let state = State { attempt, free_round: 0, ..state };
    (attempt < rules.attempts.len()).then(|| begin_attempt(state, rules))
}

/// Goes to the first attempt of the second model, if that is still to come.
fn second_model(state: State, rules: &Rules) -> Option<(State, Step)> {
    let attempt = rules.second_model_from.filter(|attempt| *attempt > state.attempt)?;
    Some(begin_attempt(State { attempt, free_round: 0, ..state }, rules))
}

/// Ends the run. A change on disk that is not proved is reverted first.
fn stop(state: State, end: Finish) -> (State, Step) {
    match state.place {
        // A change on disk is not proved yet, so it must not stay.
        Place::CheckingAfter | Place::Confirming => {
            let state = State { place: Place::RollingBack, stopping: Some(end), ..state };
            (state, Step::RollBack)
        }
        _ => finish(state, end),
    }
}

/// Returns the final state with its end.
fn finish(state: State, end: Finish) -> (State, Step) {
    (State { place: Place::Done, ..state }, Step::Finish(end))
}

mod detours;
#[cfg(test)]
mod tests;
