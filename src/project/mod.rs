//! The kind of project that a repository is, and its manifests and test command.

pub mod detect;
pub mod profile;
mod whole_check;

pub use detect::detect;
pub use profile::{Profile, ProjectKind};
pub use whole_check::widen_command;
