//! Reads logs and reports; `failure` and `triage` interpret them.

pub mod glob;
pub mod log;
mod matchers;

pub use glob::expand;
pub use log::{InputError, Log, listen, read_log};
pub use matchers::MatcherLoader;
