//! The gates of protocol section 4, grouped by what they look at; `sequence` runs them in order.

mod base;
mod conflict;
mod content;
mod limits;
mod path;
pub(super) mod protected;
mod sequence;
mod subject;
pub(super) mod unattended;

pub(super) use sequence::{check_actions, check_texts};
use subject::{LocatedAction, NamedAction};

/// Compiles the pattern tables of the gates, about 20 ms at most, so that the first reply does
/// not wait for it.
pub(super) fn prepare() {
    protected::prepare();
}
