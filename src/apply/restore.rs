//! Restores path by path: one that fails does not stop the others.

use std::io::ErrorKind;

use papayu_base::domain::RepoPath;
use papayu_system::Entry;

use super::ApplyError;
use super::reconcile::{Foreign, Reconcile, folders_only_on};
use super::step::{ChangeSide, PathChange, PathState, What};

/// The paths that were not restored, with the error of the first.
#[derive(Default)]
struct Failed {
    paths: Vec<RepoPath>,
    cause: Option<ApplyError>,
}

impl Failed {
    /// Notes a path that could not be restored; the first error is the cause that is reported.
    fn note(&mut self, path: &RepoPath, error: ApplyError) {
        if !self.paths.contains(path) {
            self.paths.push(path.clone());
        }
        self.cause.get_or_insert(error);
    }
}

impl Reconcile<'_> {
    /// Does the work of [`Reconcile::move_tree`] path by path, and returns the copies made of
    /// foreign files. Removals come first: they free the space that the restored files need.
    ///
    /// # Errors
    ///
    /// `StillThere` with every path that is not restored.
    pub(super) fn restore_paths(&self) -> Result<Vec<RepoPath>, ApplyError> {
        self.check_foreign()?;
        let mut steps: Vec<(usize, &PathChange)> = self.journal.steps.iter().enumerate().collect();
        // Undone in the reverse order, so that a folder is empty when its turn comes.
        if self.to == ChangeSide::Before {
            steps.reverse();
        }
        let (mut failed, mut copies) = (Failed::default(), Vec::new());
        for path in folders_only_on(&steps, self.to) {
            match self.tree().create_dir(path) {
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                made => self.note_folder(&mut failed, path, made),
            }
        }
        // First the files that go, then those that come.
        for comes in [false, true] {
            for (index, step) in &steps {
                let is_file = matches!(step.what, What::File { .. });
                if is_file && step.image(self.to).is_some() == comes {
                    match self.restore_file(*index, step) {
                        Ok(copy) => copies.extend(copy),
                        Err(error) => failed.note(&step.path, error),
                    }
                }
            }
        }
        for path in folders_only_on(&steps, self.to.other()) {
            match self.tree().remove_dir(path) {
                // Other programs may have put files into a folder of the change; it stays then.
                Err(error) if error.kind() == ErrorKind::DirectoryNotEmpty => {}
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                removed => self.note_folder(&mut failed, path, removed),
            }
        }
        let synced = self.sync_folders();
        match failed.cause {
            None => synced.map(|()| copies),
            Some(cause) => {
                Err(ApplyError::StillThere { paths: failed.paths, cause: Box::new(cause) })
            }
        }
    }

    /// Notes the failure of a folder.
    fn note_folder(&self, failed: &mut Failed, path: &RepoPath, done: std::io::Result<()>) {
        // Something that another program put in the folder's place stays.
        let leaves = self.foreign == Foreign::Leave
            && matches!(self.tree().entry(path), Ok(Entry::Link { .. } | Entry::File { .. }));
        if let Err(error) = done.map_err(ApplyError::write_failed(path))
            && !leaves
        {
            failed.note(path, error);
        }
    }

    /// Refuses before anything is written when one of the files has the bytes of neither side.
    fn check_foreign(&self) -> Result<(), ApplyError> {
        if self.foreign != Foreign::Refuse {
            return Ok(());
        }
        for step in &self.journal.steps {
            match step.find_state(self.tree()) {
                Ok(PathState::Other) => {
                    return Err(self.refuse_step(step, "is something else by now"));
                }
                Ok(PathState::Changed) => return Err(self.refuse_step(step, "was changed since")),
                // A path that cannot be read is reported in its turn.
                Ok(PathState::At(_)) | Err(_) => {}
            }
        }
        Ok(())
    }

    /// Restores one file; returns the copy of bytes that neither side has.
    fn restore_file(
        &self,
        index: usize,
        step: &PathChange,
    ) -> Result<Option<RepoPath>, ApplyError> {
        let path = &step.path;
        // An interrupted run may have left it, and the new one could not be created.
        self.remove_temporary(index, step)?;
        let copy = match (step.find_state(self.tree())?, self.foreign) {
            (PathState::At(side), _) if side == self.to => return Ok(None),
            (PathState::At(_), _) => None,
            // Bytes of somebody else stay; the journal keeps the old ones.
            (_, Foreign::Leave) => return Ok(None),
            (PathState::Changed, Foreign::Replace) => self.keep_copy(index, step)?,
            (PathState::Changed, Foreign::Refuse) => {
                return Err(self.refuse_step(step, "was changed just now"));
            }
            (PathState::Other, _) => return Err(self.refuse_step(step, "is something else by now")),
        };
        let Some(image) = step.image(self.to) else {
            self.tree().remove_file(path).map_err(ApplyError::write_failed(path))?;
            return Ok(copy);
        };
        if self.foreign == Foreign::Replace {
            self.make_parents(path)?;
        }
        let temporary = self.temporary_path(index, path)?;
        let staged = self.tree().create_for(&temporary, &image.bytes, image.mode, image.owner);
        staged.map_err(ApplyError::write_failed(path))?;
        // Writing the temporary file takes time, in which another process may have written.
        let expected = PathState::At(self.to.other());
        let known = self.foreign == Foreign::Replace || step.find_state(self.tree())? == expected;
        let swapped = if known {
            // A rename replaces the file at once: no reader sees half of it, and no kill leaves
            // half of it.
            self.tree().rename(&temporary, path).map_err(ApplyError::write_failed(path))
        } else {
            Err(self.refuse_step(step, "was changed just now"))
        };
        swapped.map(|()| copy).inspect_err(|_| {
            let _ = self.tree().remove_file(&temporary);
        })
    }

    /// Creates the folders that the user's command removed together with a file.
    fn make_parents(&self, path: &RepoPath) -> Result<(), ApplyError> {
        let mut missing = Vec::new();
        let mut above = path.parent();
        while let Some(folder) = above {
            if self.tree().entry(&folder).map_err(ApplyError::read_failed(&folder))?
                != Entry::Missing
            {
                break;
            }
            above = folder.parent();
            missing.push(folder);
        }
        for folder in missing.iter().rev() {
            self.tree().create_dir(folder).map_err(ApplyError::write_failed(folder))?;
        }
        Ok(())
    }
}
