//! Application of anchored edits (protocol v3) to the text they were made for: all edits or none.
//!
//! - A text matches where all its characters match, apart from line endings, and where it neither begins
//!   nor ends inside a word. A place that differs only in white space at line ends counts too, so a text
//!   with one place of each kind is ambiguous. A leading newline is an empty line, and a final newline a
//!   line end; a leading newline may also end the line above if that matches exactly once.
//! - The anchor must match once in the file. Its region is 80 lines above and below it; without an anchor
//!   the region is the whole file.
//! - `before` must match once in the region. Above the anchor, it must be the head of the block that
//!   contains the anchor, or be adjacent to it. `replace` and `delete` need it; an insert without it goes
//!   next to the anchor.
//! - `replace` changes exactly this text, which may be part of a line. Inserts add whole lines, next to
//!   whole lines only. If a `delete` leaves only white space of a line, the line is deleted.
//! - Texts must be indented as in the file: no insert next to an indented line that is quoted without its
//!   indentation, and no new line that would leave the block of a partial line.
//! - Every edit is placed in the old text, so the order does not matter. Two edits that touch the same
//!   text, insert at the same place, or together join two words are refused.
//! - New lines end as the line at their place does, kept lines keep their bytes, and a missing final
//!   newline stays missing unless it is all that an edit changes. In a file with a lone `\r`, only text
//!   within a line can be replaced, because its lines are uncertain.
//! - An edit that changes nothing is refused, unless its `before` equals its `after`.
//!
//! The order of calls: `apply` asks `place` for each edit, which uses `find` and `rules`;
//! `splice`
//! puts the changes together, with `kept_lines` for lines that stay; `fault` describes what
//! fails.

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

/// The strategy that placed an edit; traces name it in `patch_strategy`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum EditStrategy {
    /// The texts match as written.
    Exact,
    /// The texts match except for white space at line ends.
    TrailingSpace,
}

impl EditStrategy {
    /// Returns the name in traces.
    pub fn name(self) -> &'static str {
        match self {
            Self::Exact => "edit_exact",
            Self::TrailingSpace => "edit_trailing_space",
        }
    }
}

#[cfg(test)]
mod tests;
