//! The inputs of answers: the repository, the failure, the index, tools and git.

use super::RepositoryIndex;
use papayu_base::domain::FailureReport;
use papayu_system::Tree;

/// The inputs that requests are answered from.
pub struct ContextSources<'a> {
    /// The repository.
    pub tree: &'a dyn Tree,
    /// Its files, sorted.
    pub files: &'a [String],
    /// The report of the failure.
    pub report: &'a FailureReport,
    /// The index and terms of the files.
    pub known: RepositoryIndex<'a>,
    /// Returns the versions of tools; called on the first request for them.
    pub environment: &'a dyn Fn() -> String,
    /// Runs git with these arguments and returns its output; `Err` is the reason in words.
    pub git: &'a dyn Fn(&[String]) -> Result<String, String>,
}
