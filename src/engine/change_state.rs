//! The change of a run, and its effect on the files of the tree.

use std::collections::BTreeSet;

use super::engine_inputs::EngineInputs;
use super::fatal::Fatal;
use super::kept_changes::KeptChanges;
use super::tracked_files::TrackedFiles;
use crate::apply::{self, Applied, ApplyError};
use papayu_base::domain::{Allowance, RepoPath};
use papayu_vet::VettedChange;

/// The edits of a reply that were left out.
#[derive(Default)]
pub(super) struct LeftOut {
    /// Their files.
    pub(super) paths: Vec<RepoPath>,
    /// The allowances that they need.
    pub(super) missing: BTreeSet<Allowance>,
}

/// The change of a run, and its effect on the files of the tree.
#[derive(Default)]
pub(super) struct ChangeState<'a> {
    /// The last change that passed `vet`.
    pub(super) vetted: Option<VettedChange>,
    /// The same as a git patch.
    pub(super) patch: Vec<u8>,
    /// The last change that `vet` refused, or that passed the command and does not count, as a git patch; after one that is applied, its edits
    /// that were left out.
    pub(super) refused: Vec<u8>,
    /// The change on disk.
    pub(super) applied: Option<Applied<'a>>,
    /// Changes that helped and are on disk.
    pub(super) kept: KeptChanges,
    /// The tracked files before the command, and those that it changed.
    pub(super) tracked: TrackedFiles,
    /// Versions that the command made of changed files which were then reverted.
    pub(super) copies: Vec<RepoPath>,
    /// Paths of changes that the command removed although it passed.
    pub(super) vanished: Vec<RepoPath>,
    /// Files that have the name of a test and are code of the product, as far as replies edited them.
    pub(super) product: BTreeSet<String>,
    /// Files that the last reply edited without an allowance, so that these edits were left out.
    pub(super) left_out: LeftOut,
}

impl<'a> ChangeState<'a> {
    /// Writes a change to disk in a transaction. The tree must be as it was before the run.
    ///
    /// # Errors
    ///
    /// Returns [`ApplyError`] if a file cannot be written, or has changed since it was vetted.
    pub(super) fn write(
        &mut self,
        inputs: &EngineInputs<'a>,
        change: &VettedChange,
    ) -> Result<(), ApplyError> {
        let EngineInputs { world, id, .. } = inputs;
        let applied = apply::commit(world.tree, world.system.clock, change, id)?;
        // The command sees the files as changed by this run, so they are not reported as changed by the command.
        self.tracked.add_own(applied.paths());
        self.applied = Some(applied);
        Ok(())
    }

    /// Writes the kept changes to disk again. The tree must be as it was before the run.
    ///
    /// # Errors
    ///
    /// Returns [`Fatal`] if a file cannot be written.
    pub(super) fn write_kept(&mut self, inputs: &EngineInputs<'a>) -> Result<(), Fatal> {
        match self.kept.kept().cloned() {
            Some(kept) => self.write(inputs, &kept).map_err(Fatal::apply),
            None => Ok(()),
        }
    }

    /// Ends the transaction of the change on disk, which stays.
    ///
    /// # Errors
    ///
    /// Returns [`Fatal`] if the journal cannot be closed.
    pub(super) fn keep(&mut self) -> Result<(), Fatal> {
        if let Some(applied) = self.applied.take() {
            applied.keep().map_err(Fatal::apply)?;
        }
        Ok(())
    }

    /// Reverts the change on disk, if there is one.
    ///
    /// Returns the paths of copies of files that the command changed meanwhile.
    ///
    /// # Errors
    ///
    /// Returns [`Fatal`] if a file cannot be restored.
    pub(super) fn revert(&mut self) -> Result<Vec<RepoPath>, Fatal> {
        let Some(applied) = self.applied.take() else { return Ok(Vec::new()) };
        let copies = applied.roll_back().map_err(Fatal::apply)?;
        self.copies.extend(copies.iter().cloned());
        Ok(copies)
    }

    /// Reverts the change on disk and writes another one.
    ///
    /// # Errors
    ///
    /// Returns [`Fatal`] if a file cannot be restored or written.
    pub(super) fn replace(
        &mut self,
        inputs: &EngineInputs<'a>,
        change: &VettedChange,
    ) -> Result<(), Fatal> {
        self.revert()?;
        self.write(inputs, change).map_err(Fatal::apply)
    }

    /// Records the files in which the command reverted the change.
    ///
    /// # Errors
    ///
    /// Returns [`Fatal`] if a file of the change cannot be read.
    pub(super) fn note_vanished(&mut self) -> Result<(), Fatal> {
        if let Some(applied) = &self.applied {
            self.vanished.extend(applied.detect_drift().map_err(Fatal::apply)?.gone);
        }
        Ok(())
    }
}

/// Returns paths for messages: `` `a.rs`, `b.rs` ``.
pub(super) fn quote_paths(paths: &[RepoPath]) -> String {
    paths.iter().map(|path| format!("`{path}`")).collect::<Vec<_>>().join(", ")
}
