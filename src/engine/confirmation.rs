//! The runs that confirm a fix, as the outcome lists them.

use crate::domain::outcome::{CheckRecord, FlakeRecord, GuardRecord, VerifyRecord};

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

impl Confirmation {
    /// Returns its part of the record of a run.
    pub(super) fn record(&self) -> VerifyRecord {
        VerifyRecord {
            repeated: self.repeated.clone(),
            guard: self.guard.clone(),
            type_check: self.type_check.clone(),
            flake: self.flake.clone(),
            ..VerifyRecord::default()
        }
    }
}
