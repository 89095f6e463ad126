//! Failures and places that a goal or an issue quotes.

use papayu_base::domain::{Failure, FailureKind, FailureReport};
use papayu_logs::failure::{LogReader, Matchers, ReportLimits};

/// The errors of Python for a missing module, which people quote without the traceback.
const MISSING_MODULE: [&str; 2] = ["ModuleNotFoundError: ", "ImportError: "];

/// Returns the report with the failures that the texts quote, such as a traceback in a goal, and the other places that
/// they name, as `conf/a.yaml:12`: a log names them in the same way. A missing module also counts in a log that has no more than its name.
pub fn with_quoted_failures<'t>(
    report: &FailureReport,
    texts: impl IntoIterator<Item = &'t str>,
    matchers: &Matchers,
    max_log_chars: usize,
) -> FailureReport {
    let mut all = report.clone();
    // Of many places the first ones are used, and the user names those of the goal on purpose.
    let logged = std::mem::take(&mut all.mentions);
    for text in texts {
        let limits = ReportLimits { excerpt_chars: max_log_chars, green: None };
        let mut reader = LogReader::with_matchers(limits, matchers.clone());
        reader.push(text.as_bytes());
        let quoted = reader.finish();
        all.failures.extend(quoted.failures);
        all.mentions.extend(quoted.mentions);
        if !all.has_import_error() {
            all.failures.extend(missing_module(text));
        }
    }
    all.mentions.extend(logged);
    if !all.has_import_error() {
        all.failures.extend(missing_module(&report.excerpt));
    }
    all
}

/// Returns the first line of a text about a missing module.
fn missing_module(text: &str) -> Option<Failure> {
    let places = MISSING_MODULE.iter().filter_map(|word| text.find(word));
    let message = text.get(places.min()?..)?.lines().next()?.to_owned();
    Some(Failure {
        kind: FailureKind::Import,
        toolchain: "python".into(),
        message,
        ..Failure::default()
    })
}
