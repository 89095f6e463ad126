//! Reads a whole report: the format is found by its content, and the failures become a [`FailureReport`].

use serde_json::Value;

use super::{
    Found, MAX_REPORT_BYTES, ReportFault, checkstyle, dotnet_xml, junit, lint_json, more_tests,
    sarif, tap, test_json, xml,
};
use crate::failure::decode::decode_whole;
use crate::failure::findings::MAX_FAILURES;
use crate::failure::limits::ReportLimits;
use crate::failure::reader::LogReader;
use crate::failure::scan::LogScan;
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

/// Reads the bytes of a report: JUnit XML, TRX, NUnit, xUnit.net, Checkstyle, SARIF, CTRF, TAP, and the JSON of test
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
        return Ok(WholeReport { report: reader.finish(), notes: Vec::new() });
    }
    let found = read_whole(&text)?;
    if let Some(fault) = &found.fault
        && found.failures.is_empty()
    {
        return Err(ReportFault::Broken(fault.clone()));
    }
    Ok(report_found(found, limits, bytes.len()))
}

/// Returns the report of what was found, within the limits.
pub(in crate::failure) fn report_found(
    found: Found,
    limits: ReportLimits,
    bytes: usize,
) -> WholeReport {
    let mut notes = found.notes();
    let read = found.failures.len();
    if let Some(fault) = &found.fault {
        let fault = ReportFault::Broken(fault.clone());
        notes.push(format!("{fault}; {read} of its failures could be read"));
    }
    let mut scan = LogScan::new(limits, crate::failure::Matchers::default());
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

/// Returns the failures of a whole text, and the fault at which its reading ended.
///
/// # Errors
///
/// Returns the fault of a text that is no report, or is broken before its format is known.
pub(in crate::failure) fn read_whole(text: &str) -> Result<Found, ReportFault> {
    let text = text.trim_start_matches('\u{feff}').trim();
    if text.starts_with('<') {
        return read_xml(text);
    }
    if !text.starts_with(['{', '[']) {
        if tap::is_tap(text) {
            return Ok(Found::of(tap::read_tap(text)));
        }
        let found =
            if text.is_empty() { "it is empty" } else { "it is neither XML nor JSON nor TAP" };
        return Err(ReportFault::WrongFormat(found.to_owned()));
    }
    let wrong = || {
        let text = "it is JSON, but neither SARIF nor of a test runner or linter that is known";
        ReportFault::WrongFormat(text.to_owned())
    };
    match serde_json::from_str::<Value>(text) {
        Ok(report) => read_json(&report).ok_or_else(wrong),
        Err(error) => match more_tests::read_dart(text) {
            Some(failures) => Ok(Found::of(failures)),
            None => Err(ReportFault::Broken(error.to_string())),
        },
    }
}

/// Reads XML by the name of its first element.
fn read_xml(text: &str) -> Result<Found, ReportFault> {
    let document = xml::read_document(text);
    let Some(first) = document.roots.first() else {
        let fault = document.fault.map_or_else(
            || ReportFault::WrongFormat("it is XML without an element".to_owned()),
            ReportFault::Broken,
        );
        return Err(fault);
    };
    let roots = document.roots.as_slice();
    let mut found = match first.name.as_str() {
        "testsuites" | "testsuite" => Found::of(junit::read_junit(roots)),
        "TestRun" => Found::of(dotnet_xml::read_trx(roots)),
        "test-run" | "test-results" => Found::of(dotnet_xml::read_nunit(roots)),
        "assemblies" | "assembly" => Found::of(dotnet_xml::read_xunit(roots)),
        "checkstyle" => {
            let (failures, warnings) = checkstyle::read_checkstyle(roots);
            let mut found = Found::of(failures);
            (0..warnings).for_each(|_| found.skip("below the level `error`"));
            found
        }
        name => {
            let text =
                format!("it is XML with the root element `{name}`, which no known format has");
            return Err(ReportFault::WrongFormat(text));
        }
    };
    found.fault = document.fault;
    Ok(found)
}

/// Reads a JSON document; `None` if its format is unknown.
pub(super) fn read_json(report: &Value) -> Option<Found> {
    test_json::read_tests(report)
        .or_else(|| more_tests::read_more_tests(report))
        .or_else(|| lint_json::read_lints(report))
        .map(Found::of)
        .or_else(|| sarif::read_sarif(report))
}

/// Returns `true` if the first line is an event of `go test -json`.
fn is_go_json(text: &str) -> bool {
    let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    first.starts_with('{') && first.contains("\"Action\":") && first.contains("\"Package\":")
}
