//! Gate `content`: present where it is required, and text.

use super::Named;
use crate::domain::{ErrorCode, Op};
use crate::protocol::refusal::Refusal;

/// Refuses a lack of `content`, NUL, and more than a tenth of non-printable characters.
pub(in crate::protocol) fn check(actions: &[Named]) -> Result<(), Refusal> {
    for action in actions {
        if requires_content(&action.op) && action.text().is_none() {
            return Err(missing(action));
        }
        if action.texts().any(|text| text.contains('\0')) {
            return Err(
                action.refuse(ErrorCode::PseudoBinary, "has a NUL character in its content")
            );
        }
        let (mut all, mut odd) = (0, 0);
        for c in action.texts().flat_map(str::chars) {
            all += 1;
            odd += usize::from(!is_printable(c));
        }
        if odd * 10 > all {
            let reason = "is not text: over a tenth of its characters cannot be printed";
            return Err(action.refuse(ErrorCode::PseudoBinary, reason));
        }
    }
    Ok(())
}

/// Returns the refusal of an action without the text it needs.
pub(in crate::protocol) fn missing(action: &Named) -> Refusal {
    let reason = format!("has no `content`, which {} requires", action.kind.name());
    action.refuse(ErrorCode::ContentRequired, reason)
}

fn requires_content(op: &Op) -> bool {
    matches!(op, Op::CreateFile { .. } | Op::UpdateFile { .. } | Op::ReplaceRange { .. })
}

/// Line ends, tabs and form feeds are found in source files; the replacement character is what
/// decoders leave of bytes that were none.
fn is_printable(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\r' | '\u{c}')
        || !(c.is_control() || c == char::REPLACEMENT_CHARACTER)
}
