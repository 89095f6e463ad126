//! Puts the line that decides the class of a failure before lines that only have the form of an error.

use std::slice;

use papayu_base::domain::{Failure, FailureClass, FailureKind, FailureReport, Triage};

use super::similar::estimate_class;
use crate::failure::FailureDraft;

/// Makes the evidence of the class the first failure, if it is a line of the log and the known failures were found by
/// their form and read as if of another class: the errors of setup and cleanup have the same form as the cause.
pub fn put_evidence_first(report: &mut FailureReport, triage: &Triage) {
    let is_code = matches!(triage.class, FailureClass::Code | FailureClass::Formatting);
    let line = triage.evidence.iter().find(|evidence| evidence.number.is_some());
    let Some(evidence) = line.filter(|_| !is_code) else { return };
    let is_vague = |kind| kind == FailureKind::Unknown;
    if !report.failures.iter().all(|failure| is_vague(failure.kind) && failure.test.is_none()) {
        return;
    }
    // An error of the class often has more words than the line that decides, as `npm error code ERESOLVE`.
    let is_own = |failure: &Failure| {
        estimate_class(slice::from_ref(failure)).is_some_and(|found| found.class == triage.class)
    };
    if let Some(own) = report.failures.iter().position(is_own) {
        report.failures.swap(0, own);
        return;
    }
    let text = evidence.line.trim_start_matches("##[error]").trim();
    let known = report.failures.iter().position(|failure| {
        failure.message.lines().any(|line| text.contains(line.trim()) || line.contains(text))
    });
    let first = match known {
        Some(at) => report.failures.remove(at),
        None => FailureDraft::new("generic", FailureKind::Unknown, text).finish(),
    };
    report.failures.retain(|failure| !failure.locations.is_empty());
    report.failures.insert(0, first);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::failure::{LogReader, ReportLimits};
    use crate::triage::{CommandEnd, SignalCollector, classify};

    fn messages(log: &str) -> Vec<String> {
        let mut collector = SignalCollector::default();
        let mut listen = |line: &str, is_claimed: bool| collector.push_line(line, is_claimed);
        let mut reader = LogReader::new(ReportLimits::default()).with_listener(&mut listen);
        reader.push(log.as_bytes());
        let mut report = reader.finish();
        let triage = classify(&collector.finish(), &report, CommandEnd::Unknown);
        put_evidence_first(&mut report, &triage);
        report.failures.into_iter().map(|failure| failure.message).collect()
    }

    #[test]
    fn the_deciding_line_replaces_errors_of_setup_and_cleanup() {
        let log = "error: could not download cache\n$ ./tool\nsh: 1: ./tool: Exec format error\n\
                   failed to get logs: container has failed\nError: Process completed with exit code 1.\n";
        assert_eq!(messages(log), ["sh: 1: ./tool: Exec format error"]);
    }

    #[test]
    fn failures_of_parsers_stay() {
        let log = "src/a.c:1:2: error: no such type\nError: Process completed with exit code 1.\n";
        assert_eq!(messages(log), ["no such type"]);
    }
}
