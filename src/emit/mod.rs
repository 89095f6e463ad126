//! Where results go: the result folder, always; what a CI system shows and hands on, where one runs us.

pub mod agent_sync;
pub mod annotations;
mod changes;
pub mod github_output;
pub mod junit;
pub mod results;
pub mod sarif;
pub mod step_summary;

pub use changes::changed_files;
pub use results::{ResultError, Results, clear, write};
