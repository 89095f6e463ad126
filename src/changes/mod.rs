//! The changes since the command last passed: files, lines, definitions, dependencies and commits, as data.

mod definitions;
mod dependencies;
mod diff;
mod history;
mod read;

pub use diff::{ChangedHunk, DiffedFile};
pub use history::{CommitShare, KeptHunk};
pub use read::{Changes, Green, read_changes, record_changes};
