//! Gate `count`: not more actions, nor more edits, than a person would review.

use super::Named;
use crate::domain::{ErrorCode, Op};
use crate::protocol::refusal::Refusal;

/// The most actions of one reply.
pub(in crate::protocol) const MAX_ACTIONS: usize = 200;
/// The most edits of one action.
pub(in crate::protocol) const MAX_FILE_EDITS: usize = 200;
/// The most edits of all actions together.
pub(in crate::protocol) const MAX_EDITS: usize = 1000;

/// Refuses more than [`MAX_ACTIONS`], [`MAX_FILE_EDITS`] or [`MAX_EDITS`].
pub(in crate::protocol) fn check(actions: &[Named]) -> Result<(), Refusal> {
    let too_many = |reason| Err(Refusal::of_reply(ErrorCode::TooManyActions, reason));
    let count = actions.len();
    if count > MAX_ACTIONS {
        return too_many(format!("{count} actions; a reply has at most {MAX_ACTIONS}"));
    }
    let mut total = 0;
    for action in actions {
        let Op::EditFile { edits, .. } = &action.op else { continue };
        let count = edits.len();
        total += count;
        if count > MAX_FILE_EDITS {
            let reason = format!("has {count} edits; one action has at most {MAX_FILE_EDITS}");
            return Err(action.refuse(ErrorCode::TooManyActions, reason));
        }
    }
    if total > MAX_EDITS {
        return too_many(format!("{total} edits; a reply has at most {MAX_EDITS}"));
    }
    Ok(())
}
