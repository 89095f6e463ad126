//! Gate `mode`: a PLAN has no actions; an APPLY has some, or a summary that begins with
//! `NO_CHANGES:`.

use super::Refusal;
use papayu_base::domain::{Action, ActionSet, ErrorCode};

/// Refuses a PLAN with actions.
///
/// # Errors
///
/// `ERR_PLAN_WITH_ACTIONS`, with the first action's path.
pub(super) fn check_plan(actions: &[Action]) -> Result<(), Refusal> {
    match actions.first() {
        Some(first) => {
            let reason = "a PLAN has no actions: `actions` must be []";
            Err(Refusal::of(ErrorCode::PlanWithActions, 0, first, reason))
        }
        None => Ok(()),
    }
}

/// Refuses an APPLY without actions, unless its summary begins with `NO_CHANGES:`.
///
/// # Errors
///
/// `ERR_APPLY_EMPTY_ACTIONS`.
pub(super) fn check_apply(set: &ActionSet) -> Result<(), Refusal> {
    // Without the strict form a model that gave up would pass for one that found nothing to change.
    if set.actions.is_empty() && !set.says_no_changes() {
        let reason = "an APPLY without actions needs a summary that begins with `NO_CHANGES:`";
        return Err(Refusal::of_reply(ErrorCode::ApplyEmptyActions, reason));
    }
    Ok(())
}
