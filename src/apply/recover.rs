//! Restores the tree after an interrupted run.

use papayu_base::domain::{RepoPath, RunId};
use papayu_system::Tree;

use super::ApplyError;
use super::folder::{JournalState, StateFolder};
use super::journal::ChangeJournal;
use super::reconcile::{Foreign, Reconcile};
use super::step::ChangeSide;

/// Restores the old tree if a run was interrupted between its first write and its decision to keep
/// the change, or during an undo or redo, and returns that run. Writes nothing when there is
/// nothing to do. Safe to interrupt and repeat.
///
/// # Errors
///
/// `Locked` while that run is alive. `Diverged` when one of the files was changed since: then
/// neither the tree nor the journal is touched, and the user has to remove the journal.
/// `StillThere` when some path cannot be written; all others are restored then.
pub fn recover(tree: &dyn Tree) -> Result<Option<RunId>, ApplyError> {
    let Some(folder) = StateFolder::open_existing(tree)? else { return Ok(None) };
    Ok(recover_locked(&folder)?.map(|recovered| recovered.run_id))
}

/// A run that was undone.
/// The run that was interrupted.
pub(super) struct Recovered {
    pub(super) run_id: RunId,
    pub(super) paths: Vec<RepoPath>,
}

/// Restores what a killed run left, under the lock. Returns the restored transaction, the oldest if there are
/// several.
///
/// Fails with [`ApplyError::BrokenJournal`] for a journal that this user did not write on this machine, and as
/// [`restore_journal`] does. The journals that are not yet processed remain for the next call.
pub(super) fn recover_locked(folder: &StateFolder<'_>) -> Result<Option<Recovered>, ApplyError> {
    let mut recovered = None;
    // Newest first: an older change was the base of a newer one.
    // Newest first. This program leaves one at most; the repository may bring more.
    for (number, state) in folder.list_journals()?.into_iter().rev() {
        match state {
            JournalState::New => folder.remove_journal(number, state)?,
            JournalState::Kept | JournalState::Undone => {}
            JournalState::Begun | JournalState::Undoing | JournalState::Redoing => {
                let journal = folder.load_journal(number, state)?;
                restore_journal(folder, &journal, state)?;
                recovered = Some(Recovered { paths: journal.paths(), run_id: journal.run_id });
            }
        }
    }
    Ok(recovered)
}

/// Brings the files of a journal back to the side before the change.
fn restore_journal(
    folder: &StateFolder<'_>,
    journal: &ChangeJournal,
    state: JournalState,
) -> Result<(), ApplyError> {
    Reconcile { folder, journal, state, to: ChangeSide::Before, foreign: Foreign::Refuse }
        .restore_paths()?;
    match state {
        JournalState::Begun => folder.remove_journal(journal.number, state),
        _ => folder.mark_journal(journal.number, state, JournalState::Undone),
    }
}
