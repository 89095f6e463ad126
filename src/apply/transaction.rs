//! Writes a preview: journal first, then the tree; all of it, or nothing.

use crate::domain::{RepoPath, RunId};
use crate::system::{Clock, Tree};
use crate::vet::VettedChange;

use super::ApplyError;
use super::drift::{Drift, detect_drift, find_altered_steps};
use super::folder::{Folder, State};
use super::journal::Journal;
use super::preflight::{base_mismatch, plan_steps};
use super::reconcile::{Foreign, Reconcile};
use super::recover::recover_locked;
use super::step::Side;

/// A change that is on disk and not decided on yet. The repository stays locked until it is kept or
/// rolled back; dropped without either, as by a crash, it is taken back by the next run.
#[must_use = "a change that is neither kept nor rolled back is taken back by the next run"]
pub struct Applied<'a> {
    folder: Folder<'a>,
    journal: Journal,
}

impl std::fmt::Debug for Applied<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Applied").field("journal", &self.journal).finish_non_exhaustive()
    }
}

/// Writes every change of `preview` to the tree.
///
/// An earlier run that was interrupted is taken back first. Then every path is compared with what
/// the preview was made from: `BaseMismatch`, and nothing written, where it differs. `Locked` while
/// another run works on the tree; `Write` when a file cannot be written, with the old tree back.
pub fn commit<'a>(
    tree: &'a dyn Tree,
    clock: &dyn Clock,
    change: &VettedChange,
    run_id: &RunId,
) -> Result<Applied<'a>, ApplyError> {
    let folder = Folder::open_or_create(tree)?;
    recover_locked(&folder)?;
    let steps = plan_steps(tree, change.whole())?;
    let journal = folder.begin_journal(run_id.clone(), clock.timestamp(), steps)?;
    let applied = Applied { folder, journal };
    match (Reconcile { to: Side::After, ..applied.reconcile(Foreign::Refuse) }).move_tree() {
        Ok(()) => Ok(applied),
        Err(cause) => Err(applied.restore_after(cause)),
    }
}

impl Applied<'_> {
    /// Returns the paths changed, in order of application.
    pub fn paths(&self) -> Vec<RepoPath> {
        self.journal.paths()
    }

    /// Looks what became of the change while the user's command ran.
    pub fn detect_drift(&self) -> Result<Drift, ApplyError> {
        detect_drift(self.folder.tree(), &self.journal.steps)
    }

    /// Decides for the new tree: from here only [`super::undo`] takes it back. Forgets what could
    /// have been redone and changes more than [`super::DEPTH`] back. When that fails, the old tree is
    /// brought back: an error never leaves a change that nobody has decided for.
    ///
    /// Returns the paths that the command altered: the journal then holds what really stands there, so
    /// that `undo` knows it. `Vanished` when the command has taken the change away.
    pub fn keep(mut self) -> Result<Vec<RepoPath>, ApplyError> {
        match self.mark_kept() {
            Ok(altered) => {
                // The change stands; what is not forgotten now is forgotten after the next one.
                let _ = self.folder.prune_journals();
                Ok(altered)
            }
            Err(cause) => {
                // It may have been marked before the folder's sync failed.
                let _ = self.folder.mark_journal(self.journal.number, State::Kept, State::Begun);
                Err(match self.roll_back() {
                    Ok(_) => cause,
                    Err(restore) => unrestored_error(cause, restore),
                })
            }
        }
    }

    fn mark_kept(&mut self) -> Result<Vec<RepoPath>, ApplyError> {
        let drift = self.detect_drift()?;
        if let Some(path) = drift.gone.first() {
            return Err(ApplyError::Vanished { path: path.clone() });
        }
        self.ensure_journal()?;
        let number = self.journal.number;
        if self.journal.steps.is_empty() {
            return self.folder.remove_journal(number, State::Begun).map(|()| Vec::new());
        }
        if !drift.altered.is_empty() {
            let steps = find_altered_steps(self.folder.tree(), &self.journal.steps, &drift)?;
            self.folder.replace_journal(&Journal { steps, ..self.journal.clone() })?;
        }
        self.folder.mark_journal(number, State::Begun, State::Kept)?;
        Ok(drift.altered)
    }

    /// Brings the old tree back: bytes, modes, and folders made for the change. What the user's
    /// command made of the changed files goes too; returns the copies kept of such files.
    ///
    /// `StillThere` names every path that could not be brought back; all others are. It needs no
    /// journal on the disk: both sides are in memory.
    pub fn roll_back(mut self) -> Result<Vec<RepoPath>, ApplyError> {
        let journal = self.ensure_journal();
        let restored = self.reconcile(Foreign::Replace).restore_paths();
        match (restored, journal) {
            (Ok(copies), Ok(())) => {
                self.folder.remove_journal(self.journal.number, State::Begun).map(|()| copies)
            }
            // The journal may lie there still, unreadable, and would be obeyed by a later run.
            (Ok(_), Err(error @ (ApplyError::Read { .. } | ApplyError::BrokenJournal { .. }))) => {
                Err(error)
            }
            // The command took the folder of ours away, and there is nothing left to tell of.
            (Ok(copies), Err(_)) => Ok(copies),
            (Err(restore), Ok(())) => Err(restore),
            (Err(restore), Err(journal)) => Err(ApplyError::Unjournalled {
                restore: Box::new(restore),
                journal: Box::new(journal),
            }),
        }
    }

    /// Writes the journal again when the user's command cleaned it away (`git clean -fdx`), under
    /// another number when somebody else's has taken its name since.
    fn ensure_journal(&mut self) -> Result<(), ApplyError> {
        let found = self.folder.journal_owner(self.journal.number, State::Begun)?;
        if found.as_ref() == Some(&self.journal.run_id) {
            return Ok(());
        }
        match Folder::open_or_create(self.folder.tree()) {
            // The lock file is still there, and it is we who hold it.
            Ok(_) | Err(ApplyError::Locked { .. }) => {}
            Err(error) => return Err(error),
        }
        let taken = |(number, _): &(u32, State)| *number == self.journal.number;
        if self.folder.list_journals()?.iter().any(taken) {
            self.journal.number = self.folder.next_number()?;
        }
        self.folder.write_journal(&self.journal)
    }

    fn reconcile(&self, foreign: Foreign) -> Reconcile<'_> {
        let (folder, journal) = (&self.folder, &self.journal);
        Reconcile { folder, journal, state: State::Begun, to: Side::Before, foreign }
    }

    /// Takes back what was written before `cause`.
    fn restore_after(&self, cause: ApplyError) -> ApplyError {
        let restored = self
            .reconcile(Foreign::Leave)
            .restore_paths()
            .and_then(|_| self.folder.remove_journal(self.journal.number, State::Begun));
        match (restored, cause) {
            (Err(restore), cause) => unrestored_error(cause, restore),
            (Ok(()), ApplyError::Diverged { path, reason, .. }) => base_mismatch(&path, reason),
            (Ok(()), cause) => cause,
        }
    }
}

fn unrestored_error(cause: ApplyError, restore: ApplyError) -> ApplyError {
    ApplyError::Unrestored { cause: Box::new(cause), restore: Box::new(restore) }
}
