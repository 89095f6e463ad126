//! The order of application: folders first, then files, then removals (section 2).

use crate::domain::Kind;

/// Returns the rank of a kind; actions of one rank keep the order in which they were written.
pub(super) fn rank(kind: Kind) -> u8 {
    match kind {
        Kind::CreateDir => 0,
        Kind::CreateFile
        | Kind::UpdateFile
        | Kind::PatchFile
        | Kind::ReplaceRange
        | Kind::EditFile => 1,
        Kind::DeleteFile => 2,
        Kind::DeleteDir => 3,
    }
}
