//! Turns the failures of a whole report into a [`FailureReport`].

use super::findings::MAX_FAILURES;
use super::limits::ReportLimits;
use super::matchers::Matchers;
use super::report::{Found, ReportFault};
use super::scan::LogScan;
use papayu_base::domain::FailureReport;

/// A report that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WholeReport {
    /// The failures.
    pub report: FailureReport,
    /// Sentences about what was not read as a failure: suppressed results, the part after a fault, failures beyond
    /// the limit.
    pub notes: Vec<String>,
}

/// Returns the report of what was found, within the limits.
pub(super) fn report_found(found: Found, limits: ReportLimits, bytes: usize) -> WholeReport {
    let mut notes = found.notes();
    let read = found.failures.len();
    if let Some(fault) = &found.fault {
        let fault = ReportFault::Broken(fault.clone());
        notes.push(format!("{fault}; {read} of its failures could be read"));
    }
    let mut scan = LogScan::new(limits, Matchers::default());
    scan.add_report(found.failures);
    let report = scan.finish(u64::try_from(bytes).unwrap_or(u64::MAX));
    if report.failures.len() == MAX_FAILURES && read > MAX_FAILURES {
        notes.push(format!(
            "{} failures beyond the first {MAX_FAILURES} were left out",
            read - MAX_FAILURES
        ));
    }
    WholeReport { report, notes }
}
