//! Reads from a command's output which tests ran with which result, and compares two runs.
//!
//! An exit code of 0 does not show that a test ran. The readers here know the
//! output of common test runners, in their usual and their verbose forms. A run is *complete* when
//! the tests seen by name are as many as in the runner's own totals, so a line that is misread
//! lowers the proof and never raises it. See `docs/proof.md`.
//!
//! Pure: text in, facts out.

mod checkers;
mod compare;
mod go;
mod idle;
mod javascript;
mod junit;
mod line;
mod named;
mod other;
mod python;
mod reader;
mod results;
mod rust;
mod tap;
#[cfg(test)]
mod tests;

pub use compare::{Comparison, compare_results, describe_results, lost_passes};
pub use junit::read_junit_results;
pub use reader::ResultReader;
pub use results::{TestResults, TestStatus};
