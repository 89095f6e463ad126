//! The one check between a proposed change and the disk.
//!
//! [`vet`] takes the actions of a reply through every gate, applies them in memory, and judges the
//! result: secrets, and the tests and settings that are to prove it. [`vet_files`] does the same for files that
//! are already complete, as in a bundle, and [`vet_formatted`] for a vetted change that a formatter has rewritten. All return
//! a [`VettedChange`], the only thing that `apply::commit` writes and that `publish` makes a commit of.
//!
//! The page of the crate describes how a gate is added.

mod basis;
mod change;
mod comment;
mod conflict_markers;
mod credentials;
mod decoded;
mod flat_hunks;
mod gate;
mod guessed_places;
mod line_ranges;
mod locked_sources;
mod path_facts;
mod policy;
pub mod proof_basis;
mod review;
mod rules;
mod secrets;
pub mod suspicion;
mod syntax;
mod test_part;
pub mod weakening;

pub use change::{
    FileSides, Snapshot, StopCheck, VettedChange, preview_refused, vet, vet_files, vet_files_until,
    vet_formatted, vet_until,
};
pub use comment::{comment_mark, with_comment};
pub use conflict_markers::find_conflict;
pub use path_facts::{PathFact, PathFacts};
pub use policy::{GlobFault, Globs, Policy};
pub use review::{ReviewPlaces, find_allowed, find_review_places};
pub use test_part::{TestPart, separate_tests};
pub use weakening::has_tests;

use papayu_base::domain::RepoPath;
use papayu_lang::PathClass;

/// Compiles the tables of path patterns, unless that is done: it takes milliseconds.
pub fn prepare() {
    gate::prepare();
}

/// Returns `true` for a path that is protected in every run: `.git`, keys, `.env` files,
/// installed packages. Such a file is neither changed nor shown.
pub fn is_protected(path: &RepoPath) -> bool {
    gate::protected::is_protected(&path.identity())
}

/// Returns `true` for a file that is never shown, by its path alone: it is protected, or its
/// name is that of a file with credentials.
pub fn is_hidden(path: &RepoPath) -> bool {
    let identity = path.identity();
    gate::protected::is_protected(&identity) || credentials::is_named_so(&identity)
}

/// Returns `true` for a file that is a credential by its content, such as a private key. It is
/// never shown.
pub fn holds_credentials(path: &RepoPath, text: &str) -> bool {
    credentials::holds_credentials(path, text)
}

/// Returns `true` for a path of tests, or of files that tests read, such as
/// `tests/data/in.json`.
pub fn is_test(path: &RepoPath) -> bool {
    matches!(PathClass::of_path(path.as_str()), PathClass::Test | PathClass::TestSupport)
}

#[cfg(test)]
mod encoding_tests;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
