//! Gate `base`: a patch says which bytes it was made for, and those were shown in this run.

use std::collections::BTreeMap;

use super::Located;
use crate::domain::{ErrorCode, RepoPath, Sha256};
use crate::protocol::refusal::Refusal;

/// Digests shown in FILE blocks, by path.
pub(in crate::protocol) type Shown = BTreeMap<RepoPath, Sha256>;

/// Refuses a base that is not 64 hex digits or was not shown for that path.
pub(in crate::protocol) fn check(actions: &[Located], shown: &Shown) -> Result<(), Refusal> {
    for action in actions.iter().filter(|action| action.named.has_base()) {
        let Some(base) = action.named.base() else {
            let reason = "has no `base_sha256` of 64 hex digits";
            return Err(action.refuse(ErrorCode::BaseSha256Invalid, reason));
        };
        let reason = match shown_for(action, shown) {
            Some(digest) if digest == base => continue,
            Some(digest) => format!("has the base {base}, but its FILE block says {digest}"),
            None => "was not shown in a FILE block of this run".to_owned(),
        };
        return Err(action.refuse(ErrorCode::BaseSha256NotFromContext, reason));
    }
    Ok(())
}

/// Returns the digest shown for the file, under its own name or the action's.
pub(in crate::protocol) fn shown_for(action: &Located, shown: &Shown) -> Option<Sha256> {
    shown.get(&action.resolved).or_else(|| shown.get(&action.named.path)).copied()
}
