//! Gate `freshness`: the file on disk is still the one that was shown.

use super::Located;
use super::base::{Shown, shown_for};
use crate::domain::{ErrorCode, Kind, Sha256};
use crate::protocol::refusal::Refusal;

/// Refuses changes of files whose bytes are no longer those of the base: for a patch or edit the stated
/// one, for a v1 rewrite the one PLAN read.
pub(in crate::protocol) fn check(actions: &[Located], shown: &Shown) -> Result<(), Refusal> {
    for action in actions {
        let base = match action.named.kind {
            Kind::PatchFile | Kind::ReplaceRange | Kind::EditFile => action.named.base(),
            Kind::UpdateFile | Kind::CreateFile => shown_for(action, shown),
            Kind::CreateDir | Kind::DeleteFile | Kind::DeleteDir => None,
        };
        let Some(base) = base else { continue };
        let reason = match action.fact.file().map(Sha256::of) {
            Some(digest) if digest == base => continue,
            Some(digest) => format!("changed since it was read: {base} then, {digest} now"),
            None => "was removed since it was read".to_owned(),
        };
        let code = match action.named.kind {
            Kind::EditFile => ErrorCode::EditBaseMismatch,
            _ => ErrorCode::BaseMismatch,
        };
        return Err(action.refuse(code, reason));
    }
    Ok(())
}
