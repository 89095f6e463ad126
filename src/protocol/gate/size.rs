//! Gate `size`: how much text actions may bring; patches and edits count like content.

use super::Named;
use crate::domain::ErrorCode;
use crate::protocol::refusal::Refusal;

/// The most bytes one action brings.
pub(in crate::protocol) const MAX_FILE_BYTES: usize = 1024 * 1024;
/// The most bytes all actions bring together.
pub(in crate::protocol) const MAX_TOTAL_BYTES: usize = 5 * 1024 * 1024;

/// Refuses one text over [`MAX_FILE_BYTES`] and all together over [`MAX_TOTAL_BYTES`].
pub(in crate::protocol) fn check(actions: &[Named]) -> Result<(), Refusal> {
    let mut total = 0;
    for action in actions {
        let bytes = action.texts().map(str::len).sum::<usize>();
        total += bytes;
        if bytes > MAX_FILE_BYTES {
            let reason = format!("brings {bytes} bytes; at most {MAX_FILE_BYTES} are allowed");
            return Err(action.refuse(ErrorCode::ContentTooLarge, reason));
        }
    }
    if total > MAX_TOTAL_BYTES {
        let reason =
            format!("the actions bring {total} bytes; at most {MAX_TOTAL_BYTES} are allowed");
        return Err(Refusal::of_reply(ErrorCode::ContentTooLarge, reason));
    }
    Ok(())
}
