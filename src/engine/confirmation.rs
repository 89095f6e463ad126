//! The runs that confirm a fix, as the outcome lists them.

use crate::domain::outcome::{CheckRecord, FlakeRecord, GuardRecord};

/// The runs that confirm a fix.
#[derive(Default)]
pub(super) struct Confirmation {
    /// The command on the new and then on the old tree.
    pub(super) repeated: Vec<CheckRecord>,
    /// The guard on the old and the new tree.
    pub(super) guard: Option<GuardRecord>,
    /// The type checker of the project on the old and the new tree.
    pub(super) type_check: Option<GuardRecord>,
    /// The runs that prove the fix of a flaky test.
    pub(super) flake: Option<FlakeRecord>,
    /// Why the command cannot prove a fix, as the rest of a sentence about it.
    pub(super) unreliable: Option<String>,
}
