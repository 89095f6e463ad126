//! Reads logs and reports; `failure` and `triage` interpret them.

mod explain;
pub mod glob;
pub mod log;
mod matchers;

pub use explain::{explain_as_json, explain_log};
pub use glob::expand_pattern;
pub use log::{InputError, Log, read_bare_log, read_log, read_stream};
pub use matchers::MatcherLoader;
