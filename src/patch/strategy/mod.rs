//! The strategies of the ladder: ways in which a hunk's lines may stand in a file, one a file.

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
use crate::domain::hunk::HunkStrategy;

/// A place where a hunk fits.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Placement<'a> {
    /// The file's line, from 0, where the hunk's first old line stands.
    pub(super) start: usize,
    pub(super) strategy: HunkStrategy,
    /// What it does there.
    pub(super) splices: Vec<Splice<'a>>,
}
