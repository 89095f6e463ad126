//! The kind of project that a repository is, and its manifests and test command.

pub mod detect;
pub mod profile;
mod python;
mod root;
mod test_command;
#[cfg(test)]
mod tests;
mod whole_check;

pub use detect::detect;
pub use profile::{Profile, ProjectKind, TestCommand};
pub use whole_check::widen_command;
