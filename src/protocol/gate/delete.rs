//! Gate `delete`: headless runs remove nothing unless `--allow-delete` says so (section 2).

use super::Named;
use crate::domain::ErrorCode;
use crate::protocol::policy::Policy;
use crate::protocol::refusal::Refusal;

/// Refuses removals that the run does not allow.
pub(in crate::protocol) fn check(actions: &[Named], policy: &Policy) -> Result<(), Refusal> {
    match actions.iter().find(|action| action.deletes() && !policy.allow_delete) {
        Some(action) => {
            let reason = "would be deleted; this run does not allow deletions";
            Err(action.refuse(ErrorCode::DeleteNotAllowed, reason))
        }
        None => Ok(()),
    }
}
