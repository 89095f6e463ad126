//! Gate `patch form`: `patch` is there and is a unified diff; what it says is the patch engine's to judge.

use super::{Located, Named};
use crate::domain::{ErrorCode, Op};
use crate::protocol::refusal::Refusal;

/// Refuses a missing or blank patch and one that is no unified diff.
pub(in crate::protocol) fn check(actions: &[Located]) -> Result<(), Refusal> {
    for Located { named, .. } in actions {
        let Op::PatchFile { patch, .. } = &named.op else { continue };
        let patch = patch.as_deref().unwrap_or_default();
        if patch.trim().is_empty() {
            return Err(missing(named));
        }
        if !looks_unified(patch) {
            let reason = "has a patch without `@@` lines: a unified diff is expected";
            return Err(named.refuse(ErrorCode::PatchNotUnified, reason));
        }
    }
    Ok(())
}

/// Returns the refusal of a `PATCH_FILE` without a patch.
pub(in crate::protocol) fn missing(action: &Named) -> Refusal {
    action.refuse(ErrorCode::PatchRequired, "has no `patch`, which PATCH_FILE requires")
}

fn looks_unified(patch: &str) -> bool {
    let has = |mark: &str| patch.lines().any(|line| line.starts_with(mark));
    has("@@") || (has("--- ") && has("+++ "))
}
