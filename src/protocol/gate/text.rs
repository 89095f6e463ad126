//! Gate `text`: a patch or range lands only in text that can be written back byte for byte.

use super::Located;
use crate::domain::ErrorCode;
use crate::protocol::refusal::Refusal;
use crate::text::encoding;

/// Refuses patches of files that are binary, or in an encoding that is not certain.
pub(in crate::protocol) fn check(actions: &[Located]) -> Result<(), Refusal> {
    for action in actions.iter().filter(|action| action.named.has_base()) {
        let bytes = action.fact.file().unwrap_or_default();
        if let Err(fault) = encoding::decode(bytes) {
            let reason = format!("{fault}, so it cannot be patched");
            return Err(action.refuse(ErrorCode::NonUtf8File, reason));
        }
    }
    Ok(())
}
