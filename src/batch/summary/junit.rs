//! The summary as JUnit XML, with one test case for each task.

use std::fmt::Write as _;

use super::sum::BatchSummary;
use crate::batch::row::TaskRow;
use crate::emit::junit::escape_xml;

/// Returns the report; the case of a repository that is green passes.
pub fn junit(summary: &BatchSummary) -> String {
    let failures = summary.tasks.iter().filter(|row| !row.is_good()).count();
    let time = format_seconds(summary.tasks.iter().map(|row| row.ms).sum());
    let tests = summary.tasks.len();
    let counts = format!("tests=\"{tests}\" failures=\"{failures}\" errors=\"0\" time=\"{time}\"");
    let mut out = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"papayu-batch\" {counts}>\n\
         <testsuite name=\"batch\" {counts}>\n"
    );
    for row in &summary.tasks {
        write_case(&mut out, row);
    }
    out + "</testsuite>\n</testsuites>\n"
}

/// Writes a task as a test case.
fn write_case(out: &mut String, row: &TaskRow) {
    let (repo, name, time) = (escape_xml(&row.repo), escape_xml(&row.name), format_seconds(row.ms));
    // Writing to a string cannot fail.
    let _ = write!(out, "<testcase classname=\"{repo}\" name=\"{name}\" time=\"{time}\"");
    if row.is_good() {
        out.push_str("/>\n");
        return;
    }
    let (kind, reason) = (row.outcome.name(), escape_xml(&row.reason));
    let _ = writeln!(
        out,
        "><failure type=\"{kind}\" message=\"{reason}\">{reason}</failure></testcase>"
    );
}

/// Returns milliseconds as seconds with three decimals, as JUnit reports have them.
fn format_seconds(ms: u64) -> String {
    format!("{}.{:03}", ms / 1000, ms % 1000)
}
