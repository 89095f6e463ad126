//! The rows of online research, of files that changed while a reply was generated, and of suspected flakes.

use super::{Phase, RunEnd, RunRules, RunState, Step, StepEvent, begin_attempt, finish, no_help};
use papayu_base::domain::{ErrorCode, OnConflict};

/// The online research of a run: at most one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Research {
    /// None so far.
    Unused,
    /// It runs; the end that the run has without findings.
    Running(RunEnd),
    /// It was done.
    Used,
}

/// Returns `true` for the codes of a plan after which online research may help (protocol section 10).
pub fn is_research_code(code: ErrorCode) -> bool {
    matches!(code, ErrorCode::JsonParse | ErrorCode::JsonExtract | ErrorCode::SchemaValidation)
}

/// Returns the row of a plan that failed: research, once in a run and only where the user allows it.
pub(super) fn after_failed_plan(
    state: RunState,
    end: RunEnd,
    rules: &RunRules,
) -> (RunState, Step) {
    let helps = match end {
        RunEnd::Refused(code) => is_research_code(code),
        end => end == RunEnd::ProviderFailed,
    };
    if helps && rules.researches && state.research == Research::Unused {
        let research = Research::Running(end);
        return (RunState { place: Phase::Researching, research, ..state }, Step::Research(end));
    }
    no_help(state, rules, end)
}

/// Returns the row of the research: with findings the plan is asked for again, without them the run goes on as
/// without research.
pub(super) fn researched(
    state: RunState,
    event: StepEvent,
    rules: &RunRules,
) -> Option<(RunState, Step)> {
    let Research::Running(end) = state.research else { return None };
    let state = RunState { research: Research::Used, ..state };
    match event {
        StepEvent::Researched => {
            let state =
                RunState { place: Phase::Planning, round: 0, json_repaired: false, ..state };
            Some((state, Step::AskPlan))
        }
        StepEvent::ResearchFailed => Some(no_help(state, rules, end)),
        _ => None,
    }
}

/// Returns the row of a file that changed while the reply was generated; `None` leaves it to the remedy of the code.
///
/// | `--on-conflict` | next step |
/// |---|---|
/// | `regenerate` | the remedy of the code: PLAN once more with the file read again, or an older protocol |
/// | `skip` | the change is dropped: another model, if there is one, else the end |
/// | `apply` | the same actions on the files as they are now, once; then the remedy of the code |
pub(super) fn conflict(
    state: RunState,
    code: ErrorCode,
    rules: &RunRules,
) -> Option<(RunState, Step)> {
    if !matches!(code, ErrorCode::BaseMismatch | ErrorCode::EditBaseMismatch) {
        return None;
    }
    match rules.on_conflict {
        OnConflict::Regenerate => None,
        OnConflict::Skip => Some(no_help(state, rules, RunEnd::Refused(code))),
        OnConflict::Apply if state.reapplied => None,
        OnConflict::Apply => {
            let state = RunState { place: Phase::Applying, reapplied: true, ..state };
            Some((state, Step::Reapply))
        }
    }
}

/// Returns the step for a failure before any change: the end if it is not in the code, a re-run
/// for a suspected flake, or the first attempt.
pub(super) fn judged(
    state: RunState,
    event: StepEvent,
    rules: &RunRules,
) -> Option<(RunState, Step)> {
    match event {
        StepEvent::NotOurs => Some(finish(state, RunEnd::NotOurs)),
        StepEvent::Suspected => Some(suspected(state, rules)),
        StepEvent::CheckRed => Some(begin_attempt(state, rules)),
        // A pass proves the flake, and further runs estimate how often it fails.
        StepEvent::CheckGreen if rules.fixes_flakes => Some(suspected(state, rules)),
        StepEvent::CheckGreen => Some(finish(state, RunEnd::Flaky)),
        _ => None,
    }
}

/// Runs the command again if it may be a flake and re-runs are left; else starts the first
/// attempt.
fn suspected(state: RunState, rules: &RunRules) -> (RunState, Step) {
    if state.reruns < rules.flake_reruns {
        let state = RunState { place: Phase::Rerunning, reruns: state.reruns + 1, ..state };
        return (state, Step::Rerun);
    }
    begin_attempt(state, rules)
}
