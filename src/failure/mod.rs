//! Reads any log, of any size, into a [`FailureReport`](crate::domain::FailureReport).
//!
//! Pure and streaming: [`LogReader`] takes bytes as they come and keeps only the state of its parsers
//! and a bounded excerpt. What a log says is untrusted; it is parsed, never obeyed.

mod cues;
mod draft;
mod excerpt;
mod expected_actual;
mod findings;
mod invocation;
mod job_prefix;
mod location;
pub mod matchers;
pub mod paths;
mod quoted;
mod reader;
mod report;
mod scan;
mod toolchain;

pub use matchers::{Matchers, OnAddMatcher};
pub use paths::{by_base_name, map_to_repo};
pub use reader::{Limits, LogReader};
pub use scan::Listener;

/// Makes what the lines of every log are held against, if that has not been done yet: it takes milliseconds.
pub fn prepare() {
    cues::cued("error");
}

#[cfg(test)]
mod tests;
