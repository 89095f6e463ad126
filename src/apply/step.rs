//! One step of a change, with both sides of its path.

use std::io::ErrorKind;

use papayu_base::domain::RepoPath;
use papayu_system::{Entry, Owner, Tree};

use super::ApplyError;

/// A side of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ChangeSide {
    /// The old tree.
    Before,
    /// The new tree.
    After,
}

impl ChangeSide {
    /// Returns the opposite side.
    pub(super) fn other(self) -> Self {
        match self {
            Self::Before => Self::After,
            Self::After => Self::Before,
        }
    }
}

/// A file's bytes, permission bits and owner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Image {
    pub(super) bytes: Vec<u8>,
    /// Permission bits, as in `st_mode & 0o7777`.
    pub(super) mode: u32,
    /// `None` for a new file, which gets the owner of the process.
    pub(super) owner: Option<Owner>,
}

/// The kind of change at a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum What {
    /// A folder that exists only after the change.
    MakeDir,
    /// A folder that exists only before the change.
    DropDir,
    /// A file that differs; `None` on a side without it.
    File { before: Option<Image>, after: Option<Image> },
}

/// A path and its change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PathChange {
    pub(super) path: RepoPath,
    /// The kind of change with both its sides.
    pub(super) what: What,
}

/// The state of a path, compared with both sides of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PathState {
    /// As on this side.
    At(ChangeSide),
    /// Another regular file, or none, where the step has a file.
    Changed,
    /// Something of another kind, or a link on the way.
    Other,
}

impl PathChange {
    /// Returns the file on one side; `None` where the side has none, and for folders.
    pub(super) fn image(&self, side: ChangeSide) -> Option<&Image> {
        match (&self.what, side) {
            (What::File { before, .. }, ChangeSide::Before) => before.as_ref(),
            (What::File { after, .. }, ChangeSide::After) => after.as_ref(),
            _ => None,
        }
    }

    /// Compares the path with both sides by bytes; permission bits and owners are ignored.
    ///
    /// Fails with [`ApplyError::Read`] if the path cannot be resolved or read. A path through a link is in the
    /// state `Other`, not an error.
    pub(super) fn find_state(&self, tree: &dyn Tree) -> Result<PathState, ApplyError> {
        match tree.resolve(&self.path) {
            Ok(real) if real == self.path => {}
            // A journal that came with the repository could lead through a link to `.git`.
            Ok(_) => return Ok(PathState::Other),
            Err(error) if error.kind() == ErrorKind::PermissionDenied => {
                return Ok(PathState::Other);
            }
            Err(source) => return Err(ApplyError::Read { path: self.path.clone(), source }),
        }
        let entry = tree.entry(&self.path).map_err(ApplyError::read_failed(&self.path))?;
        let with_folder = match self.what {
            What::MakeDir => ChangeSide::After,
            What::DropDir => ChangeSide::Before,
            What::File { .. } => return self.find_file_state(tree, &entry),
        };
        Ok(match entry {
            Entry::Dir => PathState::At(with_folder),
            Entry::Missing => PathState::At(with_folder.other()),
            _ => PathState::Other,
        })
    }

    /// Returns the side that a file is on, by its content. A file that cannot be read is on
    /// neither.
    fn find_file_state(&self, tree: &dyn Tree, entry: &Entry) -> Result<PathState, ApplyError> {
        let found = match entry {
            Entry::Missing => None,
            // Only a file as long as one of the two sides can be equal to it.
            Entry::File { len, .. } => {
                let sides = [self.image(ChangeSide::Before), self.image(ChangeSide::After)];
                if !sides.into_iter().flatten().any(|image| image.bytes.len() as u64 == *len) {
                    return Ok(PathState::Changed);
                }
                Some(tree.read(&self.path, *len).map_err(ApplyError::read_failed(&self.path))?)
            }
            Entry::Dir | Entry::Link { .. } | Entry::Other => return Ok(PathState::Other),
        };
        for side in [ChangeSide::Before, ChangeSide::After] {
            if self.image(side).map(|image| &image.bytes) == found.as_ref() {
                return Ok(PathState::At(side));
            }
        }
        Ok(PathState::Changed)
    }
}
