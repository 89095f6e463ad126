//! The rows of online research, of files that changed while a reply was generated, and of suspected flakes.

use super::{Event, Finish, Place, Rules, State, Step, begin_attempt, finish, no_help};
use crate::domain::{ErrorCode, OnConflict};

/// The online research of a run: at most one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Research {
    /// None so far.
    Unused,
    /// It runs; the end that the run has without findings.
    Running(Finish),
    /// It was done.
    Used,
}

/// Returns `true` for the codes of a plan after which online research may help (protocol section 10).
pub fn is_research_code(code: ErrorCode) -> bool {
    matches!(code, ErrorCode::JsonParse | ErrorCode::JsonExtract | ErrorCode::SchemaValidation)
}

/// Returns the row of a plan that failed: research, once in a run and only where the user allows it.
pub(super) fn after_failed_plan(state: State, end: Finish, rules: &Rules) -> (State, Step) {
    let helps = match end {
        Finish::Refused(code) => is_research_code(code),
        end => end == Finish::ProviderFailed,
    };
    if helps && rules.researches && state.research == Research::Unused {
        let research = Research::Running(end);
        return (State { place: Place::Researching, research, ..state }, Step::Research(end));
    }
    no_help(state, rules, end)
}

/// Returns the row of the research: with findings the plan is asked for again, without them the run goes on as
/// without research.
pub(super) fn researched(state: State, event: Event, rules: &Rules) -> Option<(State, Step)> {
    let Research::Running(end) = state.research else { return None };
    let state = State { research: Research::Used, ..state };
    match event {
        Event::Researched => {
            let state = State { place: Place::Planning, round: 0, json_repaired: false, ..state };
            Some((state, Step::AskPlan))
        }
        Event::ResearchFailed => Some(no_help(state, rules, end)),
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
pub(super) fn conflict(state: State, code: ErrorCode, rules: &Rules) -> Option<(State, Step)> {
    if !matches!(code, ErrorCode::BaseMismatch | ErrorCode::EditBaseMismatch) {
        return None;
    }
    match rules.on_conflict {
        OnConflict::Regenerate => None,
        OnConflict::Skip => Some(no_help(state, rules, Finish::Refused(code))),
        OnConflict::Apply if state.reapplied => None,
        OnConflict::Apply => {
            let state = State { place: Place::Applying, reapplied: true, ..state };
            Some((state, Step::Reapply))
        }
    }
}

/// Returns the step for a failure before any change: the end if it is not in the code, a re-run
/// for a suspected flake, or the first attempt.
pub(super) fn judged(state: State, event: Event, rules: &Rules) -> Option<(State, Step)> {
    match event {
        Event::NotOurs => Some(finish(state, Finish::NotOurs)),
        Event::Suspected => Some(suspected(state, rules)),
        Event::CheckRed => Some(begin_attempt(state, rules)),
        // A pass proves the flake, and further runs estimate how often it fails.
        Event::CheckGreen if rules.fixes_flakes => Some(suspected(state, rules)),
        Event::CheckGreen => Some(finish(state, Finish::Flaky)),
        _ => None,
    }
}

/// Runs the command again if it may be a flake and re-runs are left; else starts the first
/// attempt.
fn suspected(state: State, rules: &Rules) -> (State, Step) {
    if state.reruns < rules.flake_reruns {
        let state = State { place: Place::Rerunning, reruns: state.reruns + 1, ..state };
        return (state, Step::Rerun);
    }
    begin_attempt(state, rules)
}
