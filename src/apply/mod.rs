//! The only writer of the user's tree: a whole change or none of it, whatever happens meanwhile.
//!
//! [`commit`] journals a preview and then writes it; [`Applied`] is kept or rolled back once it is
//! verified. [`recover()`] takes back what an interrupted run left, [`undo`] and [`redo`] walk over
//! the last [`DEPTH`] kept changes. Only `system::Tree` and `system::Clock` are used.

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

pub use drift::Drift;
pub use error::ApplyError;
pub use folder::{DEPTH, RepositoryLock, lock_repository};
pub use history::{Redone, Undone, redo, undo};
pub use recover::recover;
pub use transaction::{Applied, commit};

#[cfg(test)]
mod tests;
