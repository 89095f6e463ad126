//! What failed, in the short form that outcomes keep.

use crate::domain::{Failure, FailureReport};

/// Failures listed at the most.
const MAX_LISTED: usize = 50;

/// Returns one line for each failure, its identity, at most 50.
pub fn failures_line_list(report: &FailureReport) -> Vec<String> {
    report.failures.iter().take(MAX_LISTED).map(Failure::identity).collect()
}
