//! The state of the search for the commit that made the command fail.

use papayu_base::domain::CulpritRecord;

/// The state of the search in a run.
#[derive(Default)]
pub(super) struct Blame {
    /// The commit, if one is suspected or proved.
    pub(super) record: Option<CulpritRecord>,
    /// The reason why runs on earlier commits prove none.
    pub(super) note: Option<String>,
    /// `true` after the search, which is done once.
    pub(super) is_done: bool,
}
