//! Moves the tree to one side of a journal, from any mixture of its two sides.

use std::collections::BTreeSet;
use std::io::ErrorKind;

use papayu_base::domain::RepoPath;
use papayu_system::{Entry, Tree};

use super::ApplyError;
use super::folder::{JournalState, StateFolder, journal_path};
use super::journal::ChangeJournal;
use super::step::{ChangeSide, PathChange, PathState, What};

/// The treatment of a file that has the bytes of neither side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Foreign {
    /// Write nothing at all: `Diverged`.
    Refuse,
    /// Leave this path as it is.
    Leave,
    /// Replace it, and copy its bytes next to the journal.
    Replace,
}

/// A journal, its state, and the side to reach.
pub(super) struct Reconcile<'a> {
    /// Locked for as long as the tree changes.
    pub(super) folder: &'a StateFolder<'a>,
    pub(super) journal: &'a ChangeJournal,
    /// The state in which the journal file is, for messages.
    pub(super) state: JournalState,
    /// The side that the tree has afterwards.
    pub(super) to: ChangeSide,
    /// The treatment of files that have the bytes of neither side.
    pub(super) foreign: Foreign,
}

impl Reconcile<'_> {
    /// Moves the whole tree to the wanted side: checks every path, then writes, then syncs
    /// every folder.
    ///
    /// It can be repeated after any failure or interruption. An error leaves the paths that
    /// were moved before it; [`Self::restore_paths`] moves those back.
    pub(super) fn move_tree(&self) -> Result<(), ApplyError> {
        let moves = self.find_moves()?;
        // Left by an interruption; a new temporary file could not be created over them.
        self.remove_temporaries()?;
        self.make_folders(&moves)?;
        self.stage_files(&moves)?;
        self.swap_files(&moves)?;
        self.drop_folders(&moves)?;
        // Last, because only after the sync may the journal be marked: a power cut must not
        // find a journal that is ahead of the tree.
        self.sync_folders()
    }

    pub(super) fn tree(&self) -> &dyn Tree {
        self.folder.tree()
    }

    /// Removes temporary files that an interruption left.
    fn remove_temporaries(&self) -> Result<(), ApplyError> {
        self.file_steps().try_for_each(|(index, step)| self.remove_temporary(index, step))
    }

    /// Removes the temporary file of the step with this index (from 0), which a kill may have left.
    ///
    /// Fails with [`ApplyError::Read`] or [`ApplyError::Write`]. A missing file is no error.
    pub(super) fn remove_temporary(
        &self,
        index: usize,
        step: &PathChange,
    ) -> Result<(), ApplyError> {
        let path = self.temporary_path(index, &step.path)?;
        let found = self.tree().entry(&path).map_err(ApplyError::read_failed(&path))?;
        if matches!(found, Entry::File { .. } | Entry::Link { .. }) {
            self.tree().remove_file(&path).map_err(ApplyError::write_failed(&path))?;
        }
        Ok(())
    }

    /// Returns the steps with a path that is not on the wanted side.
    fn find_moves(&self) -> Result<Vec<(usize, &PathChange)>, ApplyError> {
        let mut moves = Vec::new();
        for (index, step) in self.journal.steps.iter().enumerate() {
            match (step.find_state(self.tree())?, self.foreign) {
                // Moved before a kill.
                (PathState::At(side), _) if side == self.to => {}
                (PathState::At(_), _) | (PathState::Changed, Foreign::Replace) => {
                    moves.push((index, step));
                }
                (_, Foreign::Leave) => {}
                (PathState::Other, _) => {
                    return Err(self.refuse_step(step, "is something else by now"));
                }
                (PathState::Changed, Foreign::Refuse) => {
                    return Err(self.refuse_step(step, "was changed since"));
                }
            }
        }
        if self.to == ChangeSide::Before {
            // The last step is undone first.
            moves.reverse();
        }
        Ok(moves)
    }

    /// Copies a file that has the bytes of neither side; `None` when it does not exist.
    ///
    /// Fails with [`ApplyError::Read`] if the file cannot be read, and as
    /// [`write_copy`](StateFolder::write_copy) does.
    pub(super) fn keep_copy(
        &self,
        index: usize,
        step: &PathChange,
    ) -> Result<Option<RepoPath>, ApplyError> {
        let path = &step.path;
        let Entry::File { len, .. } =
            self.tree().entry(path).map_err(ApplyError::read_failed(path))?
        else {
            return Ok(None);
        };
        let bytes = self.tree().read(path, len).map_err(ApplyError::read_failed(path))?;
        self.folder.write_copy(self.journal.number, index, &bytes).map(Some)
    }

    /// Creates the folders that only the wanted side has, parents first.
    fn make_folders(&self, moves: &[(usize, &PathChange)]) -> Result<(), ApplyError> {
        for path in folders_only_on(moves, self.to) {
            self.tree().create_dir(path).map_err(ApplyError::write_failed(path))?;
        }
        Ok(())
    }

    /// Writes the new bytes of every file to a temporary one: a full disk shows before anything is
    /// replaced.
    fn stage_files(&self, moves: &[(usize, &PathChange)]) -> Result<(), ApplyError> {
        for (index, step) in moves {
            if let Some(image) = step.image(self.to) {
                let path = self.temporary_path(*index, &step.path)?;
                let staged = self.tree().create_for(&path, &image.bytes, image.mode, image.owner);
                staged.map_err(ApplyError::write_failed(&step.path))?;
            }
        }
        Ok(())
    }

    /// Renames every staged file to its path, and removes the files that the other side does not
    /// have.
    fn swap_files(&self, moves: &[(usize, &PathChange)]) -> Result<(), ApplyError> {
        for (index, step) in moves {
            let path = &step.path;
            if !matches!(step.what, What::File { .. }) {
                continue;
            }
            // Staging takes time, in which another process may have written.
            let expected = PathState::At(self.to.other());
            // The window between this check and the rename cannot be closed without a lock that all
            // programs honour.
            if self.foreign != Foreign::Replace && step.find_state(self.tree())? != expected {
                return Err(self.refuse_step(step, "was changed just now"));
            }
            let swapped = if step.image(self.to).is_some() {
                self.tree().rename(&self.temporary_path(*index, path)?, path)
            } else {
                absent_is_fine(self.tree().remove_file(path))
            };
            swapped.map_err(ApplyError::write_failed(path))?;
        }
        Ok(())
    }

    /// Removes the folders that only the other side has, children first.
    fn drop_folders(&self, moves: &[(usize, &PathChange)]) -> Result<(), ApplyError> {
        for path in folders_only_on(moves, self.to.other()) {
            match absent_is_fine(self.tree().remove_dir(path)) {
                // Other programs may have put files into a folder of the change; it stays then.
                Err(error)
                    if error.kind() == ErrorKind::DirectoryNotEmpty
                        && self.to == ChangeSide::Before => {}
                removed => removed.map_err(ApplyError::write_failed(path))?,
            }
        }
        Ok(())
    }

    /// Syncs the folder of every step, also of those that an interrupted run moved.
    ///
    /// Fails with [`ApplyError::Write`] and the first folder that cannot be synced. A folder that no longer
    /// exists is no error.
    pub(super) fn sync_folders(&self) -> Result<(), ApplyError> {
        let mut folders = BTreeSet::new();
        for (index, step) in self.journal.steps.iter().enumerate() {
            folders.insert(step.path.parent());
            // A rename changes two folders, and both entries must reach the disk.
            folders.insert(self.temporary_path(index, &step.path)?.parent());
        }
        for folder in folders {
            let synced = absent_is_fine(self.tree().sync_dir(folder.as_ref()));
            if let Err(source) = synced {
                let path = folder.map_or_else(|| RepoPath::parse("root"), Ok)?;
                return Err(ApplyError::Write { path, source });
            }
        }
        Ok(())
    }

    /// Returns the steps about files, with their numbers.
    fn file_steps(&self) -> impl Iterator<Item = (usize, &PathChange)> {
        let steps = self.journal.steps.iter().enumerate();
        steps.filter(|(_, step)| matches!(step.what, What::File { .. }))
    }

    /// Returns the temporary name of the file of the step with this index (from 0). It is in the same folder,
    /// because a rename works within one file system only, or in the nearest parent where the name fits the
    /// limit of paths.
    ///
    /// Fails with [`ApplyError::Path`] if not even the root has place for the name, which its length excludes.
    pub(super) fn temporary_path(
        &self,
        index: usize,
        path: &RepoPath,
    ) -> Result<RepoPath, ApplyError> {
        let name = format!(".papayu-{:08}-{index}.tmp", self.journal.number);
        let mut folder = path.parent();
        while let Some(above) = folder {
            if let Ok(temporary) = above.join(&name) {
                return Ok(temporary);
            }
            folder = above.parent();
        }
        Ok(RepoPath::parse(&name)?)
    }

    /// Returns the error of a path that is on neither side, so that its content belongs to somebody
    /// else.
    pub(super) fn refuse_step(&self, step: &PathChange, reason: &'static str) -> ApplyError {
        match journal_path(self.journal.number, self.state) {
            Ok(journal) => ApplyError::Diverged { path: step.path.clone(), reason, journal },
            Err(error) => error,
        }
    }
}

/// Returns the folders that exist on one side only.
pub(super) fn folders_only_on<'a>(
    moves: &'a [(usize, &'a PathChange)],
    only: ChangeSide,
) -> impl Iterator<Item = &'a RepoPath> {
    moves
        .iter()
        .filter(move |(_, step)| match step.what {
            What::MakeDir => only == ChangeSide::After,
            What::DropDir => only == ChangeSide::Before,
            What::File { .. } => false,
        })
        .map(|(_, step)| &step.path)
}

/// Returns success if the path is absent already: the step was done before a kill.
fn absent_is_fine(result: std::io::Result<()>) -> std::io::Result<()> {
    match result {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        other => other,
    }
}
