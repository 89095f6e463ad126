//! Writes a vetted change: the journal first, then the tree; all of it, or nothing.

use papayu_base::domain::{RepoPath, RunId};
use papayu_system::{Clock, Tree};
use papayu_vet::VettedChange;

use super::ApplyError;
use super::drift::{Drift, detect_drift, find_altered_steps};
use super::folder::{JournalState, StateFolder};
use super::journal::ChangeJournal;
use super::preflight::{base_mismatch, plan_steps};
use super::reconcile::{Foreign, Reconcile};
use super::recover::recover_locked;
use super::step::ChangeSide;

/// A change that is on disk and not decided yet. The repository stays locked until the change is
/// kept or rolled back. If the value is dropped without either, as in a crash, the next run undoes
/// the change.
#[must_use = "a change that is neither kept nor rolled back is taken back by the next run"]
pub struct Applied<'a> {
    folder: StateFolder<'a>,
    journal: ChangeJournal,
    /// The path of the run's folder from the repository's top, unless that is the top itself.
    below: Option<RepoPath>,
}

impl std::fmt::Debug for Applied<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Applied").field("journal", &self.journal).finish_non_exhaustive()
    }
}

/// Writes every file of `change` to the tree, after undoing the change of an interrupted run.
///
/// ```no_run
/// use papayu_base::domain::RunId;
/// use papayu_batch::apply;
/// use papayu_system::{Clock, Tree};
/// use papayu_vet::VettedChange;
///
/// fn write(tree: &dyn Tree, clock: &dyn Clock, change: &VettedChange, run: &RunId) {
///     let _ = apply::commit(tree, clock, change, run);
/// }
/// ```
///
/// A change that was not vetted cannot be committed:
///
/// ```compile_fail,E0308
/// use papayu_base::domain::RunId;
/// use papayu_batch::apply;
/// use papayu_patch::Preview;
/// use papayu_system::{Clock, Tree};
///
/// fn write(tree: &dyn Tree, clock: &dyn Clock, change: &Preview, run: &RunId) {
///     let _ = apply::commit(tree, clock, change, run);
/// }
/// ```
///
/// # Errors
///
/// `BaseMismatch`, with nothing written, when the tree differs from the one the change was vetted
/// for. `Locked` while another run works on the tree. `Write` when a file cannot be written; the
/// old tree is restored then.
pub fn commit<'a>(
    tree: &'a dyn Tree,
    clock: &dyn Clock,
    change: &VettedChange,
    run_id: &RunId,
) -> Result<Applied<'a>, ApplyError> {
    let folder = StateFolder::open_or_create(tree)?;
    recover_locked(&folder)?;
    let mut steps = plan_steps(tree, change.whole())?;
    let below = tree.top().map(|top| top.folder.clone());
    if let Some(below) = &below {
        for step in &mut steps {
            step.path = below.join(step.path.as_str())?;
        }
    }
    // The journal is on disk before the first byte of the tree changes.
    let journal = folder.begin_journal(run_id.clone(), clock.timestamp(), steps)?;
    let applied = Applied { folder, journal, below };
    match (Reconcile { to: ChangeSide::After, ..applied.reconcile(Foreign::Refuse) }).move_tree() {
        Ok(()) => Ok(applied),
        // The error of the write is reported, unless restoring fails as well.
        Err(cause) => Err(applied.restore_after(cause)),
    }
}

impl Applied<'_> {
    /// Returns the changed paths, in order of application.
    pub fn paths(&self) -> Vec<RepoPath> {
        self.strip_folder(self.journal.paths())
    }

    /// Returns paths of the journal, which begin at the repository's top, as the run's folder has them.
    fn strip_folder(&self, paths: Vec<RepoPath>) -> Vec<RepoPath> {
        let Some(below) = &self.below else { return paths };
        paths.into_iter().map(|path| path.strip_folder(below).unwrap_or(path)).collect()
    }

    /// Returns the paths that the user's command changed again.
    ///
    /// # Errors
    ///
    /// [`ApplyError::Read`] if a changed file cannot be read.
    pub fn detect_drift(&self) -> Result<Drift, ApplyError> {
        let Drift { gone, altered } = detect_drift(self.folder.tree(), &self.journal.steps)?;
        Ok(Drift { gone: self.strip_folder(gone), altered: self.strip_folder(altered) })
    }

    /// Keeps the change: only [`super::undo`] restores the old tree from now on. Returns the paths
    /// that the user's command altered; their journal gets the bytes that are on disk, so that
    /// `undo` accepts them. Removes the journals of undone changes, and of those more than
    /// [`super::DEPTH`] back.
    ///
    /// # Errors
    ///
    /// `Vanished` when the command removed the change itself; `Write` when the journal cannot be
    /// marked. The old tree is restored then.
    pub fn keep(mut self) -> Result<Vec<RepoPath>, ApplyError> {
        match self.mark_kept() {
            Ok(altered) => {
                // The change is kept; a journal that cannot be removed now is removed after the
                // next one.
                let _ = self.folder.prune_journals();
                Ok(altered)
            }
            Err(cause) => {
                // The rename may have succeeded before the sync of the folder failed.
                let _ = self.folder.mark_journal(
                    self.journal.number,
                    JournalState::Kept,
                    JournalState::Begun,
                );
                Err(match self.roll_back() {
                    Ok(_) => cause,
                    Err(restore) => unrestored_error(cause, restore),
                })
            }
        }
    }

    /// Marks the transaction as kept. Returns the paths that the command changed afterwards,
    /// with the bytes that are on disk now as their new side.
    fn mark_kept(&mut self) -> Result<Vec<RepoPath>, ApplyError> {
        // Checked before the journal is marked: a change that is no longer there must not be
        // kept.
        let drift = detect_drift(self.folder.tree(), &self.journal.steps)?;
        if let Some(path) = drift.gone.first() {
            return Err(ApplyError::Vanished { path: path.clone() });
        }
        self.ensure_journal()?;
        let number = self.journal.number;
        // A change without remaining steps needs no undo.
        if self.journal.steps.is_empty() {
            return self.folder.remove_journal(number, JournalState::Begun).map(|()| Vec::new());
        }
        if !drift.altered.is_empty() {
            let steps = find_altered_steps(self.folder.tree(), &self.journal.steps, &drift)?;
            self.folder.replace_journal(&ChangeJournal { steps, ..self.journal.clone() })?;
        }
        self.folder.mark_journal(number, JournalState::Begun, JournalState::Kept)?;
        Ok(self.strip_folder(drift.altered))
    }

    /// Restores the old tree: bytes, modes, and folders. Files that the user's command made of the
    /// changed ones are replaced; returns the copies of these. It needs no journal on disk, because
    /// both sides are in memory.
    ///
    /// # Errors
    ///
    /// `StillThere` with every path that could not be restored; all others are. `Unjournalled` when
    /// the journal is lost too.
    pub fn roll_back(mut self) -> Result<Vec<RepoPath>, ApplyError> {
        let journal = self.ensure_journal();
        let restored = self.reconcile(Foreign::Replace).restore_paths();
        match (restored, journal) {
            (Ok(copies), Ok(())) => self
                .folder
                .remove_journal(self.journal.number, JournalState::Begun)
                .map(|()| copies),
            // An unreadable journal may still be there, and a later run would restore from it.
            (Ok(_), Err(error @ (ApplyError::Read { .. } | ApplyError::BrokenJournal { .. }))) => {
                Err(error)
            }
            // The command removed the state folder, so there is no journal to remove.
            (Ok(copies), Err(_)) => Ok(copies),
            (Err(restore), Ok(())) => Err(restore),
            (Err(restore), Err(journal)) => Err(ApplyError::Unjournalled {
                restore: Box::new(restore),
                journal: Box::new(journal),
            }),
        }
    }

    /// Writes the journal again if the user's command removed it, as `git clean -fdx` does. It
    /// gets the next number if another run has used this one since.
    fn ensure_journal(&mut self) -> Result<(), ApplyError> {
        let found = self.folder.journal_owner(self.journal.number, JournalState::Begun)?;
        if found.as_ref() == Some(&self.journal.run_id) {
            return Ok(());
        }
        match StateFolder::open_or_create(self.folder.tree()) {
            // `Locked` means that this process still has the lock file.
            Ok(_) | Err(ApplyError::Locked { .. }) => {}
            Err(error) => return Err(error),
        }
        let number = self.journal.number;
        if self.folder.list_journals()?.iter().any(|(taken, _)| *taken == number) {
            self.journal.number = self.folder.next_number()?;
        }
        self.folder.write_journal(&self.journal)
    }

    /// Returns the reconciliation back to the state before the change.
    fn reconcile(&self, foreign: Foreign) -> Reconcile<'_> {
        let (folder, journal) = (&self.folder, &self.journal);
        Reconcile { folder, journal, state: JournalState::Begun, to: ChangeSide::Before, foreign }
    }

    /// Restores the paths that were written before `cause`, and returns the error to report.
    /// Files of other programs stay as they are.
    fn restore_after(&self, cause: ApplyError) -> ApplyError {
        let restored = self
            .reconcile(Foreign::Leave)
            .restore_paths()
            .and_then(|_| self.folder.remove_journal(self.journal.number, JournalState::Begun));
        match (restored, cause) {
            (Err(restore), cause) => unrestored_error(cause, restore),
            (Ok(()), ApplyError::Diverged { path, reason, .. }) => base_mismatch(&path, reason),
            (Ok(()), cause) => cause,
        }
    }
}

/// Returns the error of a failed change that could not be taken back either: both causes matter.
fn unrestored_error(cause: ApplyError, restore: ApplyError) -> ApplyError {
    ApplyError::Unrestored { cause: Box::new(cause), restore: Box::new(restore) }
}
