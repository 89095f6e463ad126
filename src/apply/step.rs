//! One step of a change, with what its path holds on either side of it.

use std::io::ErrorKind;

use crate::domain::RepoPath;
use crate::system::{Entry, Owner, Tree};

use super::ApplyError;

/// A side of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    /// The old tree.
    Before,
    /// The new tree.
    After,
}

impl Side {
    /// Returns the side one comes from.
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
    pub(super) mode: u32,
    /// `None` for a file that is new, and so belongs to whoever runs this.
    pub(super) owner: Option<Owner>,
}

/// What changes at a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum What {
    /// A folder that is only there after the change.
    MakeDir,
    /// A folder that is only there before it.
    DropDir,
    /// A file that differs; `None` where it is not there.
    File { before: Option<Image>, after: Option<Image> },
}

/// A path and what changes there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Step {
    pub(super) path: RepoPath,
    pub(super) what: What,
}

/// What a path holds, seen from a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PathState {
    /// What it holds on this side.
    At(Side),
    /// Another regular file, or none, where a file is expected.
    Changed,
    /// Something of another kind, or a link on the way.
    Other,
}

impl Step {
    /// Returns the file on one side; `None` when it is not there, and for folders.
    pub(super) fn image(&self, side: Side) -> Option<&Image> {
        match (&self.what, side) {
            (What::File { before, .. }, Side::Before) => before.as_ref(),
            (What::File { after, .. }, Side::After) => after.as_ref(),
            _ => None,
        }
    }

    /// Compares what stands at the path with both sides; permission bits and owners do not
    /// count, bytes do.
    pub(super) fn find_state(&self, tree: &dyn Tree) -> Result<PathState, ApplyError> {
        match tree.resolve(&self.path) {
            Ok(real) if real == self.path => {}
            // A journal that somebody put into the repository could lead through a link to `.git`.
            Ok(_) => return Ok(PathState::Other),
            Err(error) if error.kind() == ErrorKind::PermissionDenied => {
                return Ok(PathState::Other);
            }
            Err(source) => return Err(ApplyError::Read { path: self.path.clone(), source }),
        }
        let entry = tree.entry(&self.path).map_err(ApplyError::read_failed(&self.path))?;
        let dir = |made: Side| match entry {
            Entry::Dir => PathState::At(made),
            Entry::Missing => PathState::At(made.other()),
            _ => PathState::Other,
        };
        match self.what {
            What::MakeDir => Ok(dir(Side::After)),
            What::DropDir => Ok(dir(Side::Before)),
            What::File { .. } => self.find_file_state(tree, &entry),
        }
    }

    fn find_file_state(&self, tree: &dyn Tree, entry: &Entry) -> Result<PathState, ApplyError> {
        let holds = match entry {
            Entry::Missing => None,
            // Only a file as long as one of the images is worth reading.
            Entry::File { len, .. } => {
                let sides = [self.image(Side::Before), self.image(Side::After)];
                if !sides.into_iter().flatten().any(|image| image.bytes.len() as u64 == *len) {
                    return Ok(PathState::Changed);
                }
                Some(tree.read(&self.path, *len).map_err(ApplyError::read_failed(&self.path))?)
            }
            Entry::Dir | Entry::Link { .. } | Entry::Other => return Ok(PathState::Other),
        };
        let at = |side| self.image(side).map(|image| &image.bytes) == holds.as_ref();
        Ok(match (at(Side::Before), at(Side::After)) {
            (true, _) => PathState::At(Side::Before),
            (_, true) => PathState::At(Side::After),
            _ => PathState::Changed,
        })
    }
}
