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

/// Returns `true` if the first line is an event of `go test -json`.
fn is_go_json(text: &str) -> bool {
    let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    first.starts_with('{') && first.contains("\"Action\":") && first.contains("\"Package\":")
}
