//! Gate `count`: not more actions than a person would review.

use crate::domain::ErrorCode;
use crate::protocol::refusal::Refusal;

/// The most actions of one reply.
pub(in crate::protocol) const MAX_ACTIONS: usize = 200;

/// Refuses more than [`MAX_ACTIONS`].
pub(in crate::protocol) fn check(count: usize) -> Result<(), Refusal> {
    if count <= MAX_ACTIONS {
        return Ok(());
    }
    let reason = format!("{count} actions; a reply has at most {MAX_ACTIONS}");
    Err(Refusal::of_reply(ErrorCode::TooManyActions, reason))
}
