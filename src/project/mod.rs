//! The kind of project that a repository is, and its manifests and test command.

pub mod detect;
pub mod profile;
mod python;
mod root;
mod test_command;
#[cfg(test)]
mod tests;
mod type_check;
mod whole_check;

pub use detect::detect;
pub use profile::{Profile, ProjectKind, TestCommand};
pub use type_check::find_type_check;
pub use whole_check::widen_command;
