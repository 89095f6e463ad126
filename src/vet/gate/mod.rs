//! The gates of protocol section 4, grouped by what they look at; `sequence` runs them in order.

mod base;
mod conflict;
mod content;
mod limits;
mod path;
pub(super) mod protected;
mod sequence;
mod subject;
mod unattended;

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

pub(super) use sequence::{check_actions, check_texts};
use subject::{LocatedAction, NamedAction};

/// Compiles the pattern tables of the gates, about 20 ms at most, so that the first reply does
/// not wait for it.
pub(super) fn prepare() {
    protected::prepare();
}

/// Compiles a built-in table of path patterns. Gates take `None` for "matches everything"; the unit
/// tests compile every table, so it does not occur.
pub(super) fn table(globs: &[&str]) -> Option<GlobSet> {
    let mut set = GlobSetBuilder::new();
    for glob in globs {
        let mut glob = GlobBuilder::new(glob);
        set.add(glob.literal_separator(true).empty_alternates(true).build().ok()?);
    }
    set.build().ok()
}

#[cfg(test)]
mod tests;
