//! Reads logs of any size into a [`FailureReport`](papayu_base::domain::FailureReport).
//!
//! Pure and streaming: [`LogReader`] takes bytes in chunks and keeps only the state of its parsers
//! and a bounded excerpt.
//! The flow of a line: `reader` decodes it, `prefix` and `job_prefix` take off what is before it and find its job, `steps`
//! finds the end of its step, `cues` names the parsers and rows that may know it, `scan` calls the rows of `tools` and the
//! parsers in the order of `toolchain::all_parsers`, and `structure` keeps the unknown lines that look like a
//! failure; the failures are merged by `findings`, and `excerpt` decides which lines are shown. A file that is a report from
//! its first to its last character is read by `report` instead.
//! Logs are untrusted: they are parsed, and nothing in them is executed.
//!
//! # Examples
//!
//! ```
//! use papayu_logs::failure::{ReportLimits, LogReader};
//!
//! let mut reader = LogReader::new(ReportLimits::default());
//! reader.push(b"src/a.ts(1,2): error TS2304: Cannot find name 'x'.\n");
//! let report = reader.finish();
//! assert_eq!(report.failures[0].code.as_deref(), Some("TS2304"));
//! assert_eq!(report.failures[0].locations[0].line, Some(1));
//! ```

mod cues;
mod decode;
mod draft;
mod excerpt;
mod expected_actual;
mod findings;
mod found_report;
mod green;
mod green_log;
mod invocation;
mod job_lines;
mod job_prefix;
mod limits;
mod listing;
mod location;
pub mod matchers;
mod passed_run;
mod passed_test;
mod passing;
pub mod paths;
mod placing;
mod prefix;
mod quoted;
mod raw_tail;
mod reader;
mod repetition;
mod report;
mod report_file;
mod scan;
mod steps;
mod structure;
mod successor;
mod teamcity;
mod toolchain;
mod tools;

pub(crate) use draft::FailureDraft;
pub use found_report::WholeReport;
pub use green::GreenLines;
pub use green_log::read_green_lines;
pub use limits::ReportLimits;
pub use listing::list_failures;
pub use matchers::{Matchers, OnAddMatcher};
pub(crate) use passed_run::ends_in_success;
pub(crate) use passing::is_passing;
pub use paths::{find_printed_file, map_to_repo};
pub use placing::place_in_repository;
pub use reader::LogReader;
pub use report::{MAX_REPORT_BYTES, ReportFault};
pub use report_file::read_report;
pub use scan::Listener;
pub use steps::{StepState, StepTracker};
pub(crate) use structure::is_expected_failure;
pub use successor::{ReplacedName, find_replacement, last_part};

/// Builds the tables that every log needs, which takes milliseconds.
pub fn prepare() {
    cues::find_cues("error");
}

/// Returns `true` for a line with a word or mark of a failure.
pub(crate) fn has_failure_word(line: &str) -> bool {
    let cued = cues::find_cues(line);
    cued.generic || cued.structure
}

#[cfg(test)]
mod tests;
