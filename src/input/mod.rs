//! Reads logs and reports; `failure` and `triage` interpret them.

pub mod glob;
pub mod log;
mod matchers;

pub use glob::expand_pattern;
pub use log::{InputError, Log, read_log, read_stream};
pub use matchers::MatcherLoader;
