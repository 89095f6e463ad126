//! The rungs of the ladder: ways in which a hunk's lines may stand in a file, one a file.

mod align;
mod astray;
pub(super) mod block;
pub(super) mod drift;
pub(super) mod elided;
pub(super) mod escape;
pub(super) mod indent;
pub(super) mod lost_plus;
pub(super) mod merged;
mod settled;

use super::splice::Splice;
use crate::domain::hunk::Rung;

/// A place where a hunk fits.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Fit<'a> {
    /// The file's line, from 0, where the hunk's first old line stands.
    pub(super) start: usize,
    pub(super) rung: Rung,
    /// What it does there.
    pub(super) splices: Vec<Splice<'a>>,
}
