//! Text in, text out: lands unified diffs and anchored edits, or refuses; a wrong landing is worse than a refusal.

mod binary;
mod choose;
pub mod edit;
mod ladder;
pub mod land;
mod likeness;
mod order;
mod parse;
pub mod preview;
pub mod range;
mod reading;
mod refused;
pub mod render;
mod rung;
mod source;
mod splice;

pub use land::{Landed, apply};

pub use preview::{Change, Preview};

use crate::domain::hunk::HunkFault;

/// Why a patch was not landed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PatchFault {
    /// No `@@` header with lines under it.
    #[error("the patch has no hunk: a unified diff has `@@ -line,count +line,count @@` headers")]
    NoHunks,
    /// Only context lines, or new lines that are the old ones.
    #[error("the patch changes nothing")]
    ChangesNothing,
    /// Hunks for files that are not the action's own, and no other action's.
    #[error("the patch concerns other files ({}); one action patches one file", .0.join(", "))]
    SeveralFiles(Vec<String>),
    /// The new side is `/dev/null`.
    #[error("the patch deletes the file; DELETE_FILE does that")]
    DeletesFile,
    /// The old side is `/dev/null`, and the file is there.
    #[error("the patch creates a file that is already there")]
    CreatesFile,
    /// One hunk has no place, or more than one.
    #[error("{0}")]
    Hunk(Box<HunkFault>),
}

#[cfg(test)]
mod tests;
