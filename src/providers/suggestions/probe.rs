//! What every source is handed: a repository to ask about, and the limits.

use std::time::Duration;

use super::provider::SuggestionsConfig;
use crate::domain::{FailureReport, RepoPath};
use crate::system::{System, Tree};

/// Longer files are left alone: the protocol takes at most 1 MiB a file (section 4).
const MAX_FILE_BYTES: u64 = 1 << 20;

/// A repository to ask about, and the limits.
pub(super) struct Probe<'a> {
    pub(super) system: System<'a>,
    pub(super) tree: &'a dyn Tree,
    pub(super) config: &'a SuggestionsConfig,
    /// What fails now: the log's failures, less those that earlier fixes mended.
    pub(super) report: &'a FailureReport,
    /// For all commands together.
    pub(super) time_limit: Duration,
}

/// A signal asked the run to stop.
#[derive(Debug)]
pub(super) struct Interrupted;

impl Probe<'_> {
    /// Reads a file that a tool wants to edit; the error says why it is left alone.
    pub(super) fn read(&self, path: &RepoPath) -> Result<String, &'static str> {
        let bytes = self.tree.read(path, MAX_FILE_BYTES).map_err(|_| "the file cannot be read")?;
        String::from_utf8(bytes).map_err(|_| "the file is not UTF-8")
    }
}
