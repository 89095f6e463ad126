//! The commands: each takes its arguments, calls the library once, and prints.

pub(super) mod apply;
pub(super) mod batch;
pub(super) mod completions;
pub(super) mod context;
mod continue_run;
pub(super) mod debug;
pub(super) mod doctor;
pub(super) mod explain;
pub(super) mod findings;
pub(super) mod fix;
pub(super) mod index;
pub(super) mod init;
pub(super) mod input;
pub(super) mod man;
pub(super) mod mcp;
pub(super) mod memory;
pub(super) mod notes;
pub(super) mod publish;
pub(super) mod replay;
pub(super) mod report;
pub(super) mod research;
pub(super) mod runs;
pub(super) mod schema;
mod settings_file;
mod stored_runs;
pub(super) mod tool;
pub(super) mod trace;
