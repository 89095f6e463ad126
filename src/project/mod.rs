//! The kind of project that a repository is, and its manifests and test command.

mod build_command;
mod check_files;
pub mod detect;
mod installation;
mod product_files;
pub mod profile;
mod python;
mod python_setup;
mod root;
mod setup;
mod test_command;
#[cfg(test)]
mod tests;
mod type_check;
mod unshipped;
mod whole_check;

pub use build_command::BuildCommand;
pub use check_files::find_check_files;
pub use detect::{
    EnclosingProject, Subproject, detect, detect_kind, find_enclosing, find_subprojects,
};
pub use installation::{InstallMarker, InstallVariable, Installation};
pub(crate) use product_files::find_product_files;
pub use profile::{KindLimits, Profile, ProjectKind, TestCommand};
pub use setup::find_installations;
pub use type_check::find_type_check;
pub(crate) use unshipped::lacks_shipped_file;
pub use whole_check::widen_command;
