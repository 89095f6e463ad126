//! Strategies: the ways in which the old lines of a hunk may match a file, one per file.

mod align;
mod blank_anchor;
pub(super) mod block;
pub(super) mod drift;
pub(super) mod elided;
pub(super) mod escape;
pub(super) mod indent;
mod indent_mismatch;
pub(super) mod lost_plus;
pub(super) mod merged;

use super::splice::Splice;
use papayu_base::domain::hunk::HunkStrategy;

/// A place where a hunk fits, and the changes it makes there.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Placement<'a> {
    /// The 0-based line of the file that matches the first old line.
    pub(super) start: usize,
    pub(super) strategy: HunkStrategy,
    /// The replaced lines in ascending order, without overlaps.
    pub(super) splices: Vec<Splice<'a>>,
}
