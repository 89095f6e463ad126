//! Text in, text out: lands unified diffs and anchored edits, or refuses; a wrong landing is worse than a refusal.

mod action;
mod already_applied;
mod antonyms;
pub mod apply;
mod binary;
pub mod edit;
mod fault;
mod hints;
mod line_roles;
mod order;
mod parse;
pub mod preview;
pub mod range;
pub mod render;
mod search;
mod similarity;
mod source;
mod splice;
mod strategy;

pub use action::{TreeAction, TreeOp};
pub use apply::{PatchedText, apply_patch};

pub use preview::{Change, Preview};

use crate::domain::hunk::HunkFault;

/// Why a patch was not landed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PatchFault {
    /// No `@@` header with lines under it.
    #[error(
        "has a patch without a hunk: a unified diff has `@@ -line,count +line,count @@` headers"
    )]
    NoHunks,
    /// Only context lines, or new lines that are the old ones.
    #[error("has a patch that changes nothing")]
    ChangesNothing,
    /// Hunks for files that are not the action's own, and no other action's.
    #[error("has a patch for other files ({}); one action patches one file", join_names(.0))]
    SeveralFiles(Vec<String>),
    /// The new side is `/dev/null`.
    #[error("has a patch that deletes it; DELETE_FILE does that")]
    DeletesFile,
    /// The old side is `/dev/null`, and the file is there.
    #[error("has a patch that creates it, and is there already")]
    CreatesFile,
    /// A patch of a merge, with a column of marks for each parent.
    #[error("has a combined diff; a unified diff has one old side")]
    Combined,
    /// The file gets another name.
    #[error("has a patch that renames a file; CREATE_FILE and DELETE_FILE do that")]
    Renames,
    /// One hunk has no place, or more than one.
    #[error("{0}")]
    Hunk(Box<HunkFault>),
}

/// Names shown of many.
const MOST_NAMES: usize = 5;

fn join_names(names: &[String]) -> String {
    let shown: Vec<&str> = names.iter().take(MOST_NAMES).map(String::as_str).collect();
    match names.len().saturating_sub(MOST_NAMES) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

#[cfg(test)]
mod tests;
