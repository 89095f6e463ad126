//! The only writer of the user's tree: a whole change or none of it, also after a crash.
//!
//! [`commit`] journals a [`VettedChange`](papayu_vet::VettedChange) and writes it; [`Applied`] is
//! kept or rolled back after the check. [`recover()`] restores the tree after an interrupted run;
//! [`undo`] and [`redo`] move over the last [`DEPTH`] kept changes. Only `system::Tree` and
//!
//! The order of calls in [`commit`]: `folder` locks the state folder, `recover` restores what a
//! killed run left, `preflight` compares the tree with the change, `journal` is written,
//! `reconcile` moves the files. `Applied::roll_back` uses `restore`, which goes on after a path
//! that fails.
//! `system::Clock` are used.

mod drift;
mod error;
mod folder;
mod history;
mod journal;
mod preflight;
mod reconcile;
mod recover;
mod restore;
mod state_dir;
mod step;
mod transaction;
mod tree_facts;

pub use drift::Drift;
pub use error::ApplyError;
pub use folder::{DEPTH, RepositoryLock, lock_repository};
pub use history::{Redone, Undone, redo, undo};
pub use recover::recover;
pub use transaction::{Applied, commit};
pub use tree_facts::TreeFacts;

#[cfg(test)]
mod tests;
