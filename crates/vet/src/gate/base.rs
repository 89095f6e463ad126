//! Gates `base`, `read first`, `update` and `freshness`: a change is made for the bytes that were
//! shown.

use std::collections::BTreeMap;

use super::LocatedAction;
use papayu_base::domain::{ActionKind, ErrorCode, RepoPath, Sha256, Version};
use papayu_patch::protocol::Refusal;

/// Digests shown in FILE blocks, by path.
type ShownDigests = BTreeMap<RepoPath, Sha256>;

/// Refuses a `base_sha256` that is not 64 hexadecimal digits, or that was not shown for that
/// path: a model that invents a digest has not read the file.
///
/// Fails with `ERR_BASE_SHA256_INVALID` or `ERR_BASE_SHA256_NOT_FROM_CONTEXT`.
pub(super) fn check_stated(actions: &[LocatedAction], shown: &ShownDigests) -> Result<(), Refusal> {
    for action in actions.iter().filter(|action| action.named.has_base()) {
        let Some(base) = action.named.base() else {
            let reason = "has no `base_sha256` of 64 hex digits";
            return Err(action.named.refuse(ErrorCode::BaseSha256Invalid, reason));
        };
        let reason = match shown_for(action, shown) {
            Some(digest) if digest == base => continue,
            Some(digest) => format!("has the base {base}, but its FILE block says {digest}"),
            None => "was not shown in a FILE block of this run".to_owned(),
        };
        return Err(action.named.refuse(ErrorCode::BaseSha256NotFromContext, reason));
    }
    Ok(())
}

/// Refuses to write a whole existing file: in v1 where PLAN did not read it, later always.
///
/// Fails with `ERR_UPDATE_WITHOUT_BASE` in v1 and `ERR_V2_UPDATE_EXISTING_FORBIDDEN` later.
pub(super) fn check_rewrites(
    version: Version,
    actions: &[LocatedAction],
    shown: &ShownDigests,
) -> Result<(), Refusal> {
    for action in actions {
        let exists = action.fact.file().is_some();
        match (version, action.named.kind) {
            (Version::V1, kind) => {
                // v1 has no patches, so a whole file may be written if the model has read it.
                let rewrites =
                    kind == ActionKind::UpdateFile || (kind == ActionKind::CreateFile && exists);
                if rewrites && shown_for(action, shown).is_none() {
                    let reason = "would be rewritten without having been read in PLAN";
                    return Err(action.named.refuse(ErrorCode::UpdateWithoutBase, reason));
                }
            }
            // Models shorten the files that they write as a whole.
            (Version::V2 | Version::V3, ActionKind::UpdateFile | ActionKind::CreateFile)
                if exists =>
            {
                let instead = if version == Version::V3 {
                    ActionKind::EditFile
                } else {
                    ActionKind::PatchFile
                };
                let reason = format!("exists: change it with {}, not as a whole", instead.name());
                return Err(action.named.refuse(ErrorCode::V2UpdateExistingForbidden, reason));
            }
            (Version::V2 | Version::V3, _) => {}
        }
    }
    Ok(())
}

/// Refuses changes of files whose bytes are no longer those of the base: for a patch or edit the
/// stated one, for a v1 rewrite the one PLAN read.
///
/// Fails with `ERR_EDIT_BASE_MISMATCH` for an edit and `ERR_BASE_MISMATCH` for the others, also if the file was
/// removed.
pub(super) fn check_fresh(actions: &[LocatedAction], shown: &ShownDigests) -> Result<(), Refusal> {
    for action in actions {
        let base = match action.named.kind {
            ActionKind::PatchFile | ActionKind::ReplaceRange | ActionKind::EditFile => {
                action.named.base()
            }
            ActionKind::UpdateFile | ActionKind::CreateFile => shown_for(action, shown),
            ActionKind::CreateDir | ActionKind::DeleteFile | ActionKind::DeleteDir => None,
        };
        let Some(base) = base else { continue };
        let reason = match action.fact.file().map(Sha256::of) {
            Some(digest) if digest == base => continue,
            Some(digest) => format!("changed since it was read: {base} then, {digest} now"),
            // A missing file is a mismatch as well: the model must not create it by a patch.
            None => "was removed since it was read".to_owned(),
        };
        let code = match action.named.kind {
            ActionKind::EditFile => ErrorCode::EditBaseMismatch,
            _ => ErrorCode::BaseMismatch,
        };
        return Err(action.named.refuse(code, reason));
    }
    Ok(())
}

/// Returns the digest that was shown for the file, under its resolved path or the path of the
/// action.
fn shown_for(action: &LocatedAction, shown: &ShownDigests) -> Option<Sha256> {
    shown.get(&action.resolved).or_else(|| shown.get(&action.named.path)).copied()
}
