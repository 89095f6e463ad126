//! Gates `count` and `size`: no more actions, edits or bytes than a person would review.

use super::NamedAction;
use papayu_base::domain::{ErrorCode, Op};
use papayu_patch::protocol::Refusal;

/// Most actions of one reply (protocol section 4).
const MAX_ACTIONS: usize = 200;
/// Most edits of one action.
const MAX_FILE_EDITS: usize = 200;
/// Most edits of all actions together.
const MAX_EDITS: usize = 1000;
/// Most bytes of text in one action; patches and edits count like content.
const MAX_FILE_BYTES: usize = 1024 * 1024;
/// Most bytes of text in all actions together.
const MAX_TOTAL_BYTES: usize = 5 * 1024 * 1024;

/// Refuses more than [`MAX_ACTIONS`], [`MAX_FILE_EDITS`] or [`MAX_EDITS`].
///
/// Fails with `ERR_TOO_MANY_ACTIONS`, without reading a text of the actions.
pub(super) fn check_count(actions: &[NamedAction]) -> Result<(), Refusal> {
    let code = ErrorCode::TooManyActions;
    let count = actions.len();
    if count > MAX_ACTIONS {
        let reason = format!("{count} actions; a reply has at most {MAX_ACTIONS}");
        return Err(Refusal::of_reply(code, reason));
    }
    // Counted over all actions too, because each edit searches its file.
    let mut total = 0;
    for action in actions {
        let Op::EditFile { edits, .. } = &action.op else { continue };
        let count = edits.len();
        total += count;
        if count > MAX_FILE_EDITS {
            let reason = format!("has {count} edits; one action has at most {MAX_FILE_EDITS}");
            return Err(action.refuse(code, reason));
        }
    }
    if total > MAX_EDITS {
        let reason = format!("{total} edits; a reply has at most {MAX_EDITS}");
        return Err(Refusal::of_reply(code, reason));
    }
    Ok(())
}

/// Refuses one action with texts over [`MAX_FILE_BYTES`], and all together over [`MAX_TOTAL_BYTES`].
///
/// Fails with `ERR_CONTENT_TOO_LARGE`. Both texts of an edit count.
pub(super) fn check_size(actions: &[NamedAction]) -> Result<(), Refusal> {
    // Edits count with both their texts: a reply could otherwise send megabytes of anchors.
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
