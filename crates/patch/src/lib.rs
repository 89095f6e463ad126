//! Applies unified diffs and anchored edits to texts in memory, or refuses them.
//!
//! Applying a change at the wrong place is worse than refusing it, so every ambiguity is a refusal.
//!
//! The order of steps for a diff: `parse` reads the sections, `line_roles` interprets the marks
//! of
//! each hunk, `search` and `strategy` find its places, `hints` chooses among them, `splice`
//! writes
//! the text. [`edit`] does the same for protocol v3 and [`range`] for line ranges. [`preview`]
//! combines the actions of a reply into one change; [`render`] writes it as a diff.

mod action;
mod already_applied;
mod antonyms;
pub mod apply;
mod binary;
pub mod edit;
mod fault;
mod hints;
mod hunk;
mod line_roles;
mod order;
mod parse;
pub mod preview;
pub mod prompts;
pub mod protocol;
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

use papayu_base::domain::hunk::HunkFault;

/// The reason why a patch does not apply. The message continues the name of the file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PatchFault {
    /// There is no `@@` header with lines after it.
    #[error(
        "has a patch without a hunk: a unified diff has `@@ -line,count +line,count @@` headers"
    )]
    NoHunks,
    /// There are only context lines, or the new lines equal the old ones.
    #[error("has a patch that changes nothing")]
    ChangesNothing,
    /// Some hunks are for files that neither this action nor another one changes.
    #[error("has a patch for other files ({}); one action patches one file", join_names(.0))]
    SeveralFiles(Vec<String>),
    /// The header names another file than the action.
    #[error(
        "has a patch with the header of `{0}`; the path of the action and the header must agree"
    )]
    OtherFile(String),
    /// The new side is `/dev/null`.
    #[error("has a patch that deletes it; DELETE_FILE does that")]
    DeletesFile,
    /// The old side is `/dev/null`, and the file exists.
    #[error("has a patch that creates it, and is there already")]
    CreatesFile,
    /// The patch is of a merge, with a column of marks for each parent.
    #[error("has a combined diff; a unified diff has one old side")]
    Combined,
    /// The patch renames the file.
    #[error("has a patch that renames a file; CREATE_FILE and DELETE_FILE do that")]
    Renames,
    /// A hunk has no place, or more than one; then the faults of the hunks after it.
    #[error("{0}")]
    Hunk(Box<HunkFault>, Vec<HunkFault>),
}

/// The most names shown in a message.
const MAX_NAMES: usize = 5;

/// Returns names for a message, the surplus as a count.
/// At most five names are written out.
fn join_names(names: &[String]) -> String {
    let shown: Vec<&str> = names.iter().take(MAX_NAMES).map(String::as_str).collect();
    match names.len().saturating_sub(MAX_NAMES) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

#[cfg(test)]
mod tests;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
