//! The commands: each takes its arguments, calls the library once, and prints.

pub(super) mod completions;
pub(super) mod doctor;
pub(super) mod input;
pub(super) mod man;
pub(super) mod schema;
pub(super) mod trace;
