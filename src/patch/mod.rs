//! Text in, text out: reads unified diffs and lands them, or refuses; a wrong landing is worse than a refusal.

mod binary;
pub mod land;
pub mod parse;
pub mod preview;
pub mod range;
pub mod render;

pub use land::{Landed, apply};

pub use preview::{Change, Preview};

use crate::domain::hunk::HunkFault;

/// Why a patch was not landed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PatchFault {
    /// No `@@` header with lines under it.
    #[error("the patch has no hunk: a unified diff has `@@ -line,count +line,count @@` headers")]
    NoHunks,
    /// Only context lines.
    #[error("the patch changes nothing: it has no line that begins with `+` or `-`")]
    ChangesNothing,
    /// More than one `---`/`+++` pair.
    #[error("the patch concerns several files; one action patches one file")]
    SeveralFiles,
    /// One hunk has no place, or more than one.
    #[error("{0}")]
    Hunk(Box<HunkFault>),
}

#[cfg(test)]
mod tests;
