//! The stage itself: asks every source, chooses what to try next, and lands it in memory.

use std::time::Duration;

use super::fix_batches::FixBatches;
use super::format;
use super::known_names::{IndexSource, KnownNames};
use super::land::land;
use super::proposal::Proposal;
use super::sources;
use super::tool_context::{Interrupted, QuickfixConfig, ToolContext};
use papayu_base::domain::changes::ChangeRecord;
use papayu_base::domain::{FailureReport, RepoPath};
use papayu_index::ResolvedImports;
use papayu_system::{System, Tree};

/// The changes that others made.
#[derive(Clone, Copy, Debug, Default)]
pub struct KnownChanges<'c> {
    /// The files that the command itself changed, with their new content: the hooks of pre-commit fail because of their own fixes.
    pub rewritten: &'c [(RepoPath, Vec<u8>)],
    /// The changes since the command passed; `None` if they are not known.
    pub changes: Option<&'c ChangeRecord>,
}

/// The fixes that need no model, for one repository.
///
/// It reads the repository and runs tools in a form that changes nothing; it never writes.
pub struct Quickfix<'a> {
    system: System<'a>,
    tree: &'a dyn Tree,
    config: QuickfixConfig,
    index: Option<&'a dyn IndexSource>,
}

impl<'a> Quickfix<'a> {
    /// Returns the stage for one repository; no tool runs before [`Quickfix::propose`].
    pub fn new(system: System<'a>, tree: &'a dyn Tree, config: QuickfixConfig) -> Self {
        Self { system, tree, config, index: None }
    }

    /// Adds the index, which the rules about names need.
    #[must_use]
    pub fn with_index(self, index: &'a dyn IndexSource) -> Self {
        Self { index: Some(index), ..self }
    }

    /// Returns the user's command. `None` if there is none.
    pub fn run_command(&self) -> Option<&str> {
        self.config.run.as_deref()
    }

    /// Returns the changes for the failures of a report, and a hint for each failure without a safe fix.
    ///
    /// The tools run again with each call, because the tree may have changed. `batches` remembers the proposals
    /// of earlier calls in the same run: first all fixes together, then one at a time.
    ///
    /// # Errors
    ///
    /// [`Interrupted`] when a signal ended a tool. A tool that cannot run is no error: the proposal's account
    /// names it.
    pub fn propose(
        &self,
        batches: &mut FixBatches,
        report: &FailureReport,
        time_left: Duration,
    ) -> Result<Proposal, Interrupted> {
        self.propose_with(batches, report, KnownChanges::default(), time_left)
    }

    /// Does the same as [`Quickfix::propose`] with what is known about changes.
    ///
    /// # Errors
    ///
    /// The same.
    pub fn propose_with(
        &self,
        batches: &mut FixBatches,
        report: &FailureReport,
        known: KnownChanges<'_>,
        time_left: Duration,
    ) -> Result<Proposal, Interrupted> {
        // Reading the index takes a while, and most rules do without.
        let index = self.index.filter(|_| sources::need_names(report));
        let index = index.map(IndexSource::index);
        let links = index.map(ResolvedImports::of);
        let names = index.zip(links.as_ref()).map(|(index, links)| KnownNames::new(index, links));
        let tools = ToolContext {
            system: self.system,
            tree: self.tree,
            config: &self.config,
            report,
            names: names.as_ref(),
            changes: known.changes,
            time_limit: self.config.timeout.min(time_left),
        };
        let mut findings = sources::find_fixes(&tools)?;
        if let Some(found) = format::find_hook_fixes(&tools, known.rewritten) {
            findings.join(found);
        }
        let chosen = batches.next(&findings.fixes);
        // In memory: the change is written later, when the gates have passed it.
        let placed = land(&findings, &chosen);
        let hints = findings.unfixed.into_iter().chain(placed.left_out).collect();
        let (files, fixes) = (placed.files, placed.notes);
        Ok(Proposal { files, fixes, hints, account: findings.account })
    }
}
