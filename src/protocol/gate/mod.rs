//! The gates of section 4, one refusal rule a file; every action passes one before any meets the next.

pub(super) mod base;
pub(super) mod conflict;
pub(super) mod content;
pub(super) mod count;
pub(super) mod delete;
pub(super) mod form;
pub(super) mod freshness;
pub(super) mod mode;
pub(super) mod path;
pub(super) mod protected;
pub(super) mod size;
mod subject;
pub(super) mod test_edits;
pub(super) mod text;
pub(super) mod update;

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

pub(super) use subject::{Located, Named};

/// Compiles the tables.
pub(super) fn prepare() {
    protected::prepare();
}

/// Compiles a built-in table of path patterns; `None`, which a gate takes for "matches all", cannot
/// happen while the tests pass.
fn table(globs: &[&str]) -> Option<GlobSet> {
    let mut set = GlobSetBuilder::new();
    for glob in globs {
        let mut glob = GlobBuilder::new(glob);
        set.add(glob.literal_separator(true).empty_alternates(true).build().ok()?);
    }
    set.build().ok()
}
