//! Failures that a goal or an issue quotes.

use papayu_base::domain::FailureReport;
use papayu_logs::failure::{LogReader, Matchers, ReportLimits};

/// Returns the report with the failures that the texts quote, such as a traceback in a goal: they name places as a log
/// does.
pub fn with_quoted_failures<'t>(
    report: &FailureReport,
    texts: impl IntoIterator<Item = &'t str>,
    matchers: &Matchers,
    max_log_chars: usize,
) -> FailureReport {
    let mut all = report.clone();
    for text in texts {
        let limits = ReportLimits { excerpt_chars: max_log_chars, green: None };
        let mut reader = LogReader::with_matchers(limits, matchers.clone());
        reader.push(text.as_bytes());
        all.failures.extend(reader.finish().failures);
    }
    all
}
