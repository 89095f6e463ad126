//! The summary as JUnit XML: a case a task.

use std::fmt::Write as _;

use super::sum::Summary;
use crate::emit::junit::escaped;

/// Returns the report; a task passed where it is fixed or nothing was to fix.
pub fn junit(summary: &Summary) -> String {
    let failed = summary.tasks.iter().filter(|row| !row.is_good()).count();
    let seconds = |ms: u64| format!("{}.{:03}", ms / 1000, ms % 1000);
    let time = seconds(summary.tasks.iter().map(|row| row.ms).sum());
    let counts = format!(
        "tests=\"{}\" failures=\"{failed}\" errors=\"0\" time=\"{time}\"",
        summary.tasks.len()
    );
    let mut out = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"papayu-batch\" {counts}>\n\
         <testsuite name=\"batch\" {counts}>\n"
    );
    for row in &summary.tasks {
        let _ = write!(
            out,
            "<testcase classname=\"{}\" name=\"{}\" time=\"{}\"",
            escaped(&row.repo),
            escaped(&row.name),
            seconds(row.ms)
        );
        if row.is_good() {
            out += "/>\n";
        } else {
            let (kind, reason) = (row.outcome.name(), escaped(&row.reason));
            let _ = writeln!(
                out,
                "><failure type=\"{kind}\" message=\"{reason}\">{reason}</failure></testcase>"
            );
        }
    }
    out + "</testsuite>\n</testsuites>\n"
}
