//! The rows of a change on disk: it is checked, confirmed, judged, and then kept or reverted.

use super::{Phase, RunEnd, RunRules, RunState, Seat, Step, StepEvent, again, finish};

/// Returns the step after a run on the changed tree: confirm, judge, keep or revert the change.
pub(super) fn checked(
    state: RunState,
    event: StepEvent,
    rules: &RunRules,
) -> Option<(RunState, Step)> {
    let is_judging = state.place == Phase::Judging;
    let is_confirmed = state.place == Phase::Confirming || !rules.confirms;
    let is_given = rules.attempts.get(state.attempt) == Some(&Seat::Given);
    let (place, tried, step) = match event {
        StepEvent::Judged if is_judging => (Phase::Settling, state.tried, Step::Settle),
        StepEvent::Doubted if is_judging => (Phase::RollingBack, true, Step::RollBack),
        _ if is_judging => return None,
        StepEvent::CheckGreen if !is_confirmed => (Phase::Confirming, state.tried, Step::Confirm),
        StepEvent::Unreliable if state.place == Phase::Confirming => {
            return Some(finish(state, RunEnd::FlakyCommand));
        }
        StepEvent::CheckBetter if state.place == Phase::Confirming => return None,
        // The user chose the rule of given actions.
        StepEvent::CheckGreen if rules.judges && !is_given => {
            (Phase::Judging, state.tried, Step::Judge)
        }
        StepEvent::CheckGreen => (Phase::Settling, state.tried, Step::Settle),
        StepEvent::CheckRed => (Phase::RollingBack, true, Step::RollBack),
        StepEvent::CheckBetter => (Phase::Layering, true, Step::KeepLayer),
        _ => return None,
    };
    Some((RunState { place, tried, ..state }, step))
}

/// Returns the step after a rollback: the end that a signal decided, or the next proposal.
pub(super) fn taken_back(state: RunState, rules: &RunRules) -> (RunState, Step) {
    state.stopping.map_or_else(|| again(state, rules), |end| finish(state, end))
}

/// Ends the run. A change on disk that is not proved is reverted first.
pub(super) fn stop(state: RunState, end: RunEnd) -> (RunState, Step) {
    match state.place {
        // A change on disk is not accepted yet, so it must not stay.
        Phase::CheckingAfter | Phase::Confirming | Phase::Judging => {
            let state = RunState { place: Phase::RollingBack, stopping: Some(end), ..state };
            (state, Step::RollBack)
        }
        _ => finish(state, end),
    }
}
