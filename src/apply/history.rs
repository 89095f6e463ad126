//! Takes back the last change, and brings it again.

use crate::domain::{RepoPath, RunId};
use crate::system::Tree;

use super::ApplyError;
use super::folder::{Folder, State, hold_known, journal_path};
use super::journal::Journal;
use super::recover::recover_locked;
use super::settle::{Foreign, Settle};
use super::step::{Side, Standing, What};

/// What [`undo`] took back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Undone {
    /// The run whose change it was.
    pub run_id: RunId,
    /// The paths that are as before.
    pub paths: Vec<RepoPath>,
    /// Whether that run had been interrupted before it kept the change.
    pub interrupted: bool,
}

/// What [`redo`] brought again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redone {
    /// The run whose change it was.
    pub run_id: RunId,
    /// The paths that changed again.
    pub paths: Vec<RepoPath>,
}

/// Takes back an interrupted run if there is one, else the last change that was kept.
///
/// When all its files already are as they were, it only counts as taken back. `Diverged`, and nothing
/// written, when one of them was changed since; `NothingToUndo` when
/// no change is left; `Locked` while a run is under way, also before its first change. A failure or interruption midway leaves the tree as it was or as asked.
pub fn undo(tree: &dyn Tree) -> Result<Undone, ApplyError> {
    let _held = hold_known(tree)?;
    let folder = Folder::find(tree)?.ok_or(ApplyError::NothingToUndo)?;
    if let Some(recovered) = recover_locked(&folder)? {
        let (run_id, paths) = (recovered.run_id, recovered.paths);
        return Ok(Undone { run_id, paths, interrupted: true });
    }
    let number = last_kept(&folder)?.ok_or(ApplyError::NothingToUndo)?;
    let journal = cross(&folder, number, &UNDO)?;
    Ok(Undone { paths: journal.paths(), run_id: journal.run_id, interrupted: false })
}

/// Brings back the change that was undone last, with the refusals of [`undo`]; `NothingToRedo`
/// when none was undone since the last commit.
pub fn redo(tree: &dyn Tree) -> Result<Redone, ApplyError> {
    let _held = hold_known(tree)?;
    let folder = Folder::find(tree)?.ok_or(ApplyError::NothingToRedo)?;
    recover_locked(&folder)?;
    let after = last_kept(&folder)?.unwrap_or(0);
    let mut journals = folder.journals()?.into_iter();
    let next = journals.find(|(number, state)| *state == State::Undone && *number > after);
    let (number, _) = next.ok_or(ApplyError::NothingToRedo)?;
    let journal = cross(&folder, number, &REDO)?;
    Ok(Redone { paths: journal.paths(), run_id: journal.run_id })
}

/// A way from one side of a kept change to the other, and the states it goes through.
struct Way {
    from: State,
    through: State,
    to: State,
    side: Side,
}

const UNDO: Way =
    Way { from: State::Kept, through: State::Undoing, to: State::Undone, side: Side::Before };
const REDO: Way =
    Way { from: State::Undone, through: State::Redoing, to: State::Kept, side: Side::After };

fn last_kept(folder: &Folder<'_>) -> Result<Option<u32>, ApplyError> {
    let journals = folder.journals()?.into_iter();
    Ok(journals.filter(|(_, state)| *state == State::Kept).map(|(number, _)| number).next_back())
}

fn cross(folder: &Folder<'_>, number: u32, way: &Way) -> Result<Journal, ApplyError> {
    let journal = folder.load(number, way.from)?;
    if is_there(folder, &journal, way)? {
        // Somebody brought the files there another way (`git checkout`), and nothing is left to do.
        folder.mark(number, way.from, way.to)?;
        return Ok(journal);
    }
    check(folder, &journal, way)?;
    folder.mark(number, way.from, way.through)?;
    let settle =
        |to, foreign| Settle { folder, journal: &journal, state: way.through, to, foreign };
    if let Err(cause) = settle(way.side, Foreign::Refuse).run() {
        let restored = settle(way.side.other(), Foreign::Leave)
            .restore()
            .and_then(|_| folder.mark(number, way.through, way.from));
        return Err(match restored {
            Ok(()) => cause,
            Err(restore) => {
                ApplyError::Unrestored { cause: Box::new(cause), restore: Box::new(restore) }
            }
        });
    }
    folder.mark(number, way.through, way.to)?;
    Ok(journal)
}

/// Tells whether every file already is what it is to become.
fn is_there(folder: &Folder<'_>, journal: &Journal, way: &Way) -> Result<bool, ApplyError> {
    for step in &journal.steps {
        if step.standing(folder.tree())? != Standing::At(way.side) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Refuses when a file is not exactly what the change, or its undo, left.
fn check(folder: &Folder<'_>, journal: &Journal, way: &Way) -> Result<(), ApplyError> {
    for step in &journal.steps {
        let standing = step.standing(folder.tree())?;
        let folder_is_there = !matches!(step.what, What::File { .. });
        if standing == Standing::At(way.side.other())
            || folder_is_there && matches!(standing, Standing::At(_))
        {
            continue;
        }
        let journal = journal_path(journal.number, way.from)?;
        let reason = match standing {
            Standing::Odd => "is something else by now",
            _ => "was changed since",
        };
        return Err(ApplyError::Diverged { path: step.path.clone(), reason, journal });
    }
    Ok(())
}
