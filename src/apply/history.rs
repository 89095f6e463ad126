//! Undoes the last change, and redoes it.

use papayu_base::domain::{RepoPath, RunId};
use papayu_system::Tree;

use super::ApplyError;
use super::folder::{JournalState, StateFolder, journal_path, lock_existing};
use super::journal::ChangeJournal;
use super::reconcile::{Foreign, Reconcile};
use super::recover::recover_locked;
use super::step::{ChangeSide, PathState, What};

/// The change that [`undo`] took back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Undone {
    /// The run that made the change.
    pub run_id: RunId,
    /// The restored paths.
    pub paths: Vec<RepoPath>,
    /// True when that run was interrupted before it kept the change.
    pub interrupted: bool,
}

/// The change that [`redo`] made again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redone {
    /// The run that made the change.
    pub run_id: RunId,
    /// The changed paths.
    pub paths: Vec<RepoPath>,
}

/// Restores the tree of an interrupted run if there is one, else undoes the last kept change. A
/// failure or interruption midway leaves the tree as it was or as asked.
///
/// # Errors
///
/// `NothingToUndo` when no change is left, `Locked` while a run works on the repository, `Diverged`
/// when one of the files was changed since: then nothing was written.
pub fn undo(tree: &dyn Tree) -> Result<Undone, ApplyError> {
    let _lock = lock_existing(tree)?;
    let folder = StateFolder::open_existing(tree)?.ok_or(ApplyError::NothingToUndo)?;
    // An interrupted run comes first: its change is on top of every kept one.
    if let Some(recovered) = recover_locked(&folder)? {
        let (run_id, paths) = (recovered.run_id, recovered.paths);
        return Ok(Undone { run_id, paths, interrupted: true });
    }
    let number = find_last_kept(&folder)?.ok_or(ApplyError::NothingToUndo)?;
    let journal = switch_side(&folder, number, &UNDO)?;
    Ok(Undone { paths: journal.paths(), run_id: journal.run_id, interrupted: false })
}

/// Makes the change again that was undone last.
///
/// # Errors
///
/// `NothingToRedo` when none was undone since the last commit; else as [`undo`].
pub fn redo(tree: &dyn Tree) -> Result<Redone, ApplyError> {
    let _lock = lock_existing(tree)?;
    let folder = StateFolder::open_existing(tree)?.ok_or(ApplyError::NothingToRedo)?;
    // Redo needs a clean tree, so an interrupted run is restored before it.
    recover_locked(&folder)?;
    let after = find_last_kept(&folder)?.unwrap_or(0);
    let mut journals = folder.list_journals()?.into_iter();
    let next = journals.find(|(number, state)| *state == JournalState::Undone && *number > after);
    let (number, _) = next.ok_or(ApplyError::NothingToRedo)?;
    let journal = switch_side(&folder, number, &REDO)?;
    Ok(Redone { paths: journal.paths(), run_id: journal.run_id })
}

/// A direction between the two sides of a change, with the states that its journal passes
/// through.
struct Way {
    /// The state of the journal before.
    from: JournalState,
    /// The state while the tree is a mixture of both sides.
    through: JournalState,
    /// The state afterwards.
    to: JournalState,
    /// The side that the tree reaches.
    side: ChangeSide,
}

const UNDO: Way = Way {
    from: JournalState::Kept,
    through: JournalState::Undoing,
    to: JournalState::Undone,
    side: ChangeSide::Before,
};
const REDO: Way = Way {
    from: JournalState::Undone,
    through: JournalState::Redoing,
    to: JournalState::Kept,
    side: ChangeSide::After,
};

/// Returns the number of the newest transaction that is in effect.
fn find_last_kept(folder: &StateFolder<'_>) -> Result<Option<u32>, ApplyError> {
    let journals = folder.list_journals()?.into_iter();
    Ok(journals
        .filter(|(_, state)| *state == JournalState::Kept)
        .map(|(number, _)| number)
        .next_back())
}

/// Moves the files of a transaction to their other side, for undo or redo, and marks the
/// journal.
///
/// # Errors
///
/// Returns [`ApplyError::Diverged`] with nothing written if a file was changed since. Any later
/// failure restores the side before the call; if that fails too, it is
/// [`ApplyError::Unrestored`].
fn switch_side(
    folder: &StateFolder<'_>,
    number: u32,
    way: &Way,
) -> Result<ChangeJournal, ApplyError> {
    let journal = folder.load_journal(number, way.from)?;
    if is_reached(folder, &journal, way)? {
        // All files are there already, say by `git checkout`.
        folder.mark_journal(number, way.from, way.to)?;
        return Ok(journal);
    }
    check_unchanged(folder, &journal, way)?;
    // From here on an interruption is seen by the next run, which restores the old tree.
    folder.mark_journal(number, way.from, way.through)?;
    let state = way.through;
    let forward =
        Reconcile { folder, journal: &journal, state, to: way.side, foreign: Foreign::Refuse };
    if let Err(cause) = forward.move_tree() {
        let back = Reconcile { to: way.side.other(), foreign: Foreign::Leave, ..forward };
        let restored =
            back.restore_paths().and_then(|_| folder.mark_journal(number, way.through, way.from));
        return Err(match restored {
            Ok(()) => cause,
            Err(restore) => {
                ApplyError::Unrestored { cause: Box::new(cause), restore: Box::new(restore) }
            }
        });
    }
    folder.mark_journal(number, way.through, way.to)?;
    Ok(journal)
}

/// Returns true when every path is on the wanted side.
fn is_reached(
    folder: &StateFolder<'_>,
    journal: &ChangeJournal,
    way: &Way,
) -> Result<bool, ApplyError> {
    for step in &journal.steps {
        if step.find_state(folder.tree())? != PathState::At(way.side) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Refuses a path that is not exactly as the change, or its undo, wrote it.
fn check_unchanged(
    folder: &StateFolder<'_>,
    journal: &ChangeJournal,
    way: &Way,
) -> Result<(), ApplyError> {
    for step in &journal.steps {
        let state = step.find_state(folder.tree())?;
        // A folder may be on either side: it has no bytes that could be lost.
        let folder_is_there = !matches!(step.what, What::File { .. });
        if state == PathState::At(way.side.other())
            || folder_is_there && matches!(state, PathState::At(_))
        {
            continue;
        }
        let journal = journal_path(journal.number, way.from)?;
        let reason = match state {
            PathState::Other => "is something else by now",
            _ => "was changed since",
        };
        return Err(ApplyError::Diverged { path: step.path.clone(), reason, journal });
    }
    Ok(())
}
