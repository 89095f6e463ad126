//! Reads the bytes of a file that is a report.

use super::decode::decode_whole;
use super::found_report::{WholeReport, report_found};
use super::limits::ReportLimits;
use super::reader::LogReader;
use super::report::{MAX_REPORT_BYTES, ReportFault, read_whole};

/// Reads the bytes of a report: JUnit XML, TRX, `NUnit`, xUnit.net, Checkstyle, SARIF, CTRF, TAP, and the JSON of test
/// runners and linters. A report that ends early is read as far as it goes.
///
/// # Errors
///
/// Returns the fault if the bytes have another format, or are broken before the first failure.
pub fn read_report(bytes: &[u8], limits: ReportLimits) -> Result<WholeReport, ReportFault> {
    if bytes.len() > MAX_REPORT_BYTES {
        let text = format!("it is longer than {MAX_REPORT_BYTES} bytes");
        return Err(ReportFault::WrongFormat(text));
    }
    let text = decode_whole(bytes);
    if is_go_json(&text) {
        let mut reader = LogReader::new(limits);
        reader.push(text.as_bytes());
        return Ok(with_note_of_none(WholeReport { report: reader.finish(), notes: Vec::new() }));
    }
    let found = read_whole(&text)?;
    if let Some(fault) = &found.fault
        && found.failures.is_empty()
    {
        return Err(ReportFault::Broken(fault.clone()));
    }
    Ok(with_note_of_none(report_found(found, limits, bytes.len())))
}

/// Returns the report with a sentence about it if it has no failure: a person must see that the file was read.
fn with_note_of_none(mut whole: WholeReport) -> WholeReport {
    whole.report.passed = whole.report.failures.is_empty();
    if whole.report.passed {
        whole.notes.push("it has no open failure".to_owned());
    }
    whole
}

/// Returns `true` if the first line is an event of `go test -json`.
fn is_go_json(text: &str) -> bool {
    let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    first.starts_with('{') && first.contains("\"Action\":") && first.contains("\"Package\":")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn notes(text: &str) -> Vec<String> {
        read_report(text.as_bytes(), ReportLimits::default()).unwrap().notes
    }

    #[test]
    fn a_report_without_an_open_failure_says_so() {
        let none = "it has no open failure";
        assert_eq!(notes(r#"<testsuite name="a"><testcase name="b"/></testsuite>"#), [none]);
        assert_eq!(notes(r#"{"version":"2.1.0","runs":[{"results":[]}]}"#), [none]);
        assert_eq!(notes(r#"{"Action":"pass","Package":"a","Test":"TestB"}"#), [none]);
        let failed = r#"<testsuite name="a"><testcase name="b"><failure message="c"/></testcase></testsuite>"#;
        assert_eq!(notes(failed), Vec::<String>::new());
        let result = r#"{"message":{"text":"c"},"suppressions":[{"kind":"inSource"}]}"#;
        let suppressed = format!(r#"{{"version":"2.1.0","runs":[{{"results":[{result}]}}]}}"#);
        assert_eq!(notes(&suppressed).last().map(String::as_str), Some(none));
    }
}
