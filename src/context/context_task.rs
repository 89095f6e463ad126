//! The task that needs context, and the index of its repository.

use super::diet::DietConfig;
use crate::changes::Changes;
use crate::project::Profile;
use papayu_base::domain::FailureReport;
use papayu_index::Index;
use papayu_index::term_index::TermIndex;

/// The index and terms of the repository.
#[derive(Clone, Copy)]
pub struct RepositoryIndex<'a> {
    /// The index of the files.
    pub index: &'a Index,
    /// The terms of the files.
    pub words: &'a TermIndex,
}

/// The task that needs context.
#[derive(Clone, Copy)]
pub struct ContextTask<'a> {
    /// The failure.
    pub report: &'a FailureReport,
    /// The goal in words; may be empty.
    pub goal: &'a str,
    /// The kind of the project.
    pub profile: &'a Profile,
    /// The changes since the command last passed; `None` if that is not known.
    pub changes: Option<&'a Changes>,
    /// The limits: the number of files, and the characters of one.
    pub limits: DietConfig,
}
