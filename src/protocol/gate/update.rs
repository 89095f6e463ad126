//! Gates `read first` and `update`: whole files are rewritten in v1 only, and only after PLAN read them.

use super::Located;
use super::base::{Shown, shown_for};
use crate::domain::{ErrorCode, Kind, Version};
use crate::protocol::refusal::Refusal;

/// Refuses what the version does not allow to be written whole.
pub(in crate::protocol) fn check(
    version: Version,
    actions: &[Located],
    shown: &Shown,
) -> Result<(), Refusal> {
    for action in actions {
        let exists = action.fact.file().is_some();
        match (version, action.named.kind) {
            (Version::V1, kind) => {
                let rewrites = kind == Kind::UpdateFile || (kind == Kind::CreateFile && exists);
                if rewrites && shown_for(action, shown).is_none() {
                    let reason = "would be rewritten without having been read in PLAN";
                    return Err(action.refuse(ErrorCode::UpdateWithoutBase, reason));
                }
            }
            (Version::V2 | Version::V3, Kind::UpdateFile | Kind::CreateFile) if exists => {
                let instead = if version == Version::V3 { Kind::EditFile } else { Kind::PatchFile };
                let reason = format!("exists: change it with {}, not as a whole", instead.name());
                return Err(action.refuse(ErrorCode::V2UpdateExistingForbidden, reason));
            }
            (Version::V2 | Version::V3, _) => {}
        }
    }
    Ok(())
}
