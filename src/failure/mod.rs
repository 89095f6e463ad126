//! Reads any log, of any size, into a [`FailureReport`](crate::domain::FailureReport).
//!
//! Pure and streaming: [`LogReader`] takes bytes as they come and keeps only the state of its parsers
//! and a bounded excerpt. What a log says is untrusted; it is parsed, never obeyed.

mod draft;
mod excerpt;
mod findings;
pub mod paths;
mod place;
mod reader;
mod report;
mod toolchain;

pub use paths::{by_base_name, map_to_repo};
pub use reader::{Limits, Listener, LogReader};

#[cfg(test)]
mod tests;
