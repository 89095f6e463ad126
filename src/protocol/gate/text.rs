//! Gate `text`: a patch or range lands only in text that can be written back byte for byte.

use super::Located;
use crate::domain::ErrorCode;
use crate::protocol::refusal::Refusal;

/// Refuses patches of files that are not UTF-8 or hold NUL.
pub(in crate::protocol) fn check(actions: &[Located]) -> Result<(), Refusal> {
    for action in actions.iter().filter(|action| action.named.has_base()) {
        let bytes = action.fact.file().unwrap_or_default();
        if std::str::from_utf8(bytes).is_err() || bytes.contains(&0) {
            let reason = "is not UTF-8 text, so it cannot be patched";
            return Err(action.refuse(ErrorCode::NonUtf8File, reason));
        }
    }
    Ok(())
}
