//! The input of learning, and a rule with its evidence.

use papayu_base::domain::FailureReport;

use super::rule_evidence::RuleEvidence;
use crate::apply::RecipeChange;
use crate::bindings::Reexports;
use crate::recipe::{Origin, RecipeStep};
use crate::recipe_files::RecipeFiles;

/// A proved fix.
#[derive(Clone, Copy)]
pub struct TaughtFix<'a> {
    /// The changed files.
    pub changes: &'a [RecipeChange],
    /// The failures before the change.
    pub report: &'a FailureReport,
    /// The files before the change.
    pub files: &'a dyn RecipeFiles,
    /// The names that files pass on.
    pub reexports: &'a dyn Reexports,
    /// The run that proved it.
    pub origin: &'a Origin,
}

/// A rule with what the failure has to say about it.
pub(crate) struct LearnedStep {
    pub(crate) step: RecipeStep,
    pub(crate) evidence: RuleEvidence,
}
