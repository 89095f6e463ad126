//! Lands anchored edits (protocol v3) on the text they were made for: all of an action, or none.
//!
//! - A text stands where all its characters stand, line endings left out of the comparison, and where
//!   it neither begins nor ends inside a word. A place where it stands but for white space at the ends of
//!   lines is one, too: where there is another, none is taken. A first newline is an empty line, a final
//!   one the end of a line; a first one may end the line above where that stands just once.
//! - The anchor must stand once in the file. The region it names reaches 80 lines above and below its
//!   own; without an anchor the region is the whole file.
//! - `before` must stand once in the region; above the anchor it must be the head of what holds the
//!   anchor, or stand beside it. `replace` and `delete` need it; an insert may leave it empty and then
//!   goes beside the anchor.
//! - `replace` changes exactly that text, so a piece of a line may be replaced. Inserts bring whole
//!   lines, beside whole lines only. What a `delete` leaves of a line goes with it when it is only white
//!   space.
//! - Texts are indented as the file is: no insert beside an indented line that is named without its
//!   indentation, and no new line that would leave the block of a piece of a line.
//! - Every edit is placed in the text as it was, so their order means nothing; two that touch the same
//!   text, insert at one place, or together make one word of two are refused.
//! - New lines end as the line at their place does, lines that stay keep their bytes, and a missing
//!   newline at the end of the file stays missing, unless it is all that an edit changes. Where a lone
//!   `\r` leaves it open what a line is, only text within a line can be replaced.
//! - An edit that is none, though its texts differ, is refused: no change is never success.
//!
//! Whatever could be meant in two ways is refused: a wrong landing is worse than a refusal.

mod apply;
mod document;
mod fault;
mod find;
mod kept_lines;
mod place;
mod rules;
mod splice;

pub use apply::{EditedText, apply_edits};
pub use fault::EditFault;

/// How an edit found its place; named in the trace's `patch_strategy`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum EditStrategy {
    /// Its texts stand as they are written.
    Exact,
    /// They do when white space at the ends of lines is left out.
    TrailingSpace,
}

impl EditStrategy {
    /// Returns the name in the trace.
    pub fn name(self) -> &'static str {
        match self {
            Self::Exact => "edit_exact",
            Self::TrailingSpace => "edit_trailing_space",
        }
    }
}

#[cfg(test)]
mod tests;
