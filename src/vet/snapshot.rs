//! The state of a repository that a proposed change is judged against.

use std::collections::BTreeMap;

use super::{PathFacts, VettedChange};
use crate::domain::{RepoPath, Sha256};
use crate::text::Masker;

/// The state of a repository that a proposed change is judged against.
pub struct Snapshot<'a> {
    /// The files as they are now.
    pub files: &'a dyn PathFacts,
    /// Digests of the files that were shown to the author of the change.
    pub shown: &'a BTreeMap<RepoPath, Sha256>,
    /// The change that `files` already contain; the proposed one is made on top of it.
    pub earlier: Option<&'a VettedChange>,
    /// Finds the secrets that were masked when the files were shown.
    pub masker: &'a Masker,
}
