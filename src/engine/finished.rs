//! The result of a run.

use crate::domain::{FailureReport, Outcome};
use crate::memory::Memory;
use crate::vet::VettedChange;

/// The result of a run, for reports and outputs.
pub struct Finished {
    /// The outcome, as `outcome.json` contains it.
    pub outcome: Outcome,
    /// The same as a git patch, secrets and all: it is the user's own text.
    pub patch: Vec<u8>,
    /// The changes that fixed only a part of the failures, as a git patch.
    pub partial: Vec<u8>,
    /// The plan file's text, when a plan was what the goal wanted.
    pub plan: Option<String>,
    /// The failure's excerpt, masked.
    pub log: String,
    /// The failures before any change, masked.
    pub failure: FailureReport,
    /// The description of the change by its author, masked.
    pub summary: String,
    /// The change itself, of the tree as it was.
    pub change: Option<VettedChange>,
    /// The values that replies asked to remember and that may be saved.
    pub remembered: Memory,
}
