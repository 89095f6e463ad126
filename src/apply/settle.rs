//! Brings the tree to one side of a journal, from wherever between its sides it stands.

use std::collections::BTreeSet;
use std::io::ErrorKind;

use crate::domain::RepoPath;
use crate::system::{Entry, Tree, aside};

use super::ApplyError;
use super::folder::{Folder, State, journal_path};
use super::journal::Journal;
use super::step::{Side, Standing, Step, What};

/// How many replaced files are kept open at once; a process may open a thousand or so.
const MAX_OPEN: usize = 16;

/// What is done about a file that holds neither side's bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Foreign {
    /// Nothing is written at all: `Diverged`.
    Refuse,
    /// That one path stays as it is.
    Leave,
    /// It is replaced; a copy is kept beside the journal.
    Replace,
}

/// One settling: a journal in a state, and the side to reach.
pub(super) struct Settle<'a> {
    pub(super) folder: &'a Folder<'a>,
    pub(super) journal: &'a Journal,
    pub(super) state: State,
    pub(super) to: Side,
    pub(super) foreign: Foreign,
}

impl Settle<'_> {
    /// Looks at every path first, then writes, then syncs every folder; doing it again after any
    /// failure or interruption is harmless.
    pub(super) fn run(&self) -> Result<(), ApplyError> {
        let moves = self.moves()?;
        self.sweep()?;
        self.make_folders(&moves)?;
        self.stage(&moves)?;
        let replaced = self.swap(&moves)?;
        self.drop_folders(&moves)?;
        self.sync()?;
        aside(|| drop(replaced));
        Ok(())
    }

    pub(super) fn tree(&self) -> &dyn Tree {
        self.folder.tree()
    }

    /// Removes temporary files that an interruption left.
    fn sweep(&self) -> Result<(), ApplyError> {
        self.files().try_for_each(|(index, step)| self.sweep_one(index, step))
    }

    pub(super) fn sweep_one(&self, index: usize, step: &Step) -> Result<(), ApplyError> {
        let path = self.temporary(index, &step.path)?;
        let found = self.tree().entry(&path).map_err(ApplyError::read(&path))?;
        if matches!(found, Entry::File { .. } | Entry::Link { .. }) {
            self.tree().remove_file(&path).map_err(ApplyError::write(&path))?;
        }
        Ok(())
    }

    /// Returns the steps whose path has to change.
    fn moves(&self) -> Result<Vec<(usize, &Step)>, ApplyError> {
        let mut moves = Vec::new();
        for (index, step) in self.journal.steps.iter().enumerate() {
            match (step.standing(self.tree())?, self.foreign) {
                (Standing::At(side), _) if side == self.to => {}
                (Standing::At(_), _) | (Standing::Changed, Foreign::Replace) => {
                    moves.push((index, step));
                }
                (_, Foreign::Leave) => {}
                (Standing::Odd, _) => {
                    return Err(self.diverged(step, "is something else by now"));
                }
                (Standing::Changed, Foreign::Refuse) => {
                    return Err(self.diverged(step, "was changed since"));
                }
            }
        }
        if self.to == Side::Before {
            // What was done last is taken back first.
            moves.reverse();
        }
        Ok(moves)
    }

    /// Keeps a copy of a file that holds neither side's bytes; `None` when it is gone.
    pub(super) fn keep_copy(
        &self,
        index: usize,
        step: &Step,
    ) -> Result<Option<RepoPath>, ApplyError> {
        let path = &step.path;
        let Entry::File { len, .. } = self.tree().entry(path).map_err(ApplyError::read(path))?
        else {
            return Ok(None);
        };
        let bytes = self.tree().read(path, len).map_err(ApplyError::read(path))?;
        self.folder.keep_copy(self.journal.number, index, &bytes).map(Some)
    }

    fn make_folders(&self, moves: &[(usize, &Step)]) -> Result<(), ApplyError> {
        for path in folders(moves, self.to) {
            self.tree().create_dir(path).map_err(ApplyError::write(path))?;
        }
        Ok(())
    }

    /// Writes the new bytes of every file beside it: a full disk shows while nothing is replaced.
    fn stage(&self, moves: &[(usize, &Step)]) -> Result<(), ApplyError> {
        for (index, step) in moves {
            if let Some(image) = step.image(self.to) {
                let path = self.temporary(*index, &step.path)?;
                let staged = self.tree().create_for(&path, &image.bytes, image.mode, image.owner);
                staged.map_err(ApplyError::write(&step.path))?;
            }
        }
        Ok(())
    }

    /// Returns what was replaced, still open.
    fn swap(&self, moves: &[(usize, &Step)]) -> Result<Vec<Box<dyn Send>>, ApplyError> {
        let mut replaced = Vec::new();
        for (index, step) in moves {
            let path = &step.path;
            if !matches!(step.what, What::File { .. }) {
                continue;
            }
            // Staging took a while; somebody may have written meanwhile.
            let expected = Standing::At(self.to.other());
            if self.foreign != Foreign::Replace && step.standing(self.tree())? != expected {
                return Err(self.diverged(step, "was changed just now"));
            }
            if replaced.len() < MAX_OPEN {
                replaced.extend(self.tree().keep(path));
            }
            let swapped = if step.image(self.to).is_some() {
                self.tree().rename(&self.temporary(*index, path)?, path)
            } else {
                absent_is_fine(self.tree().remove_file(path))
            };
            swapped.map_err(ApplyError::write(path))?;
        }
        Ok(replaced)
    }

    fn drop_folders(&self, moves: &[(usize, &Step)]) -> Result<(), ApplyError> {
        for path in folders(moves, self.to.other()) {
            match absent_is_fine(self.tree().remove_dir(path)) {
                // What others put into a folder that we had made is theirs, so the folder stays.
                Err(error)
                    if error.kind() == ErrorKind::DirectoryNotEmpty && self.to == Side::Before => {}
                removed => removed.map_err(ApplyError::write(path))?,
            }
        }
        Ok(())
    }

    /// Syncs the folder of every step, moved now or by the run that was interrupted.
    pub(super) fn sync(&self) -> Result<(), ApplyError> {
        let mut folders = BTreeSet::new();
        for (index, step) in self.journal.steps.iter().enumerate() {
            folders.insert(step.path.parent());
            folders.insert(self.temporary(index, &step.path)?.parent());
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

    fn files(&self) -> impl Iterator<Item = (usize, &Step)> {
        let steps = self.journal.steps.iter().enumerate();
        steps.filter(|(_, step)| matches!(step.what, What::File { .. }))
    }

    /// Returns the temporary name of a step's file: beside it, because a rename works only within
    /// one file system, or in the nearest folder above where the name fits the limit of paths.
    pub(super) fn temporary(&self, index: usize, path: &RepoPath) -> Result<RepoPath, ApplyError> {
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

    pub(super) fn diverged(&self, step: &Step, reason: &'static str) -> ApplyError {
        match journal_path(self.journal.number, self.state) {
            Ok(journal) => ApplyError::Diverged { path: step.path.clone(), reason, journal },
            Err(error) => error,
        }
    }
}

/// Returns the folders that are there on one side only.
pub(super) fn folders<'a>(
    moves: &'a [(usize, &'a Step)],
    only: Side,
) -> impl Iterator<Item = &'a RepoPath> {
    moves
        .iter()
        .filter(move |(_, step)| match step.what {
            What::MakeDir => only == Side::After,
            What::DropDir => only == Side::Before,
            What::File { .. } => false,
        })
        .map(|(_, step)| &step.path)
}

fn absent_is_fine(result: std::io::Result<()>) -> std::io::Result<()> {
    match result {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        other => other,
    }
}
