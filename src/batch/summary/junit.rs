//! The summary as JUnit XML: a case a task.

use std::io::{self, Write};

use super::sum::Summary;
use crate::batch::row::{Row, Rows};
use crate::emit::junit::escaped;

/// Writes the report; a task passed where it is fixed or nothing was to fix.
pub fn junit(out: &mut dyn Write, summary: &Summary<&dyn Rows>) -> io::Result<()> {
    let (mut tests, mut failures, mut ms) = (0_usize, 0_usize, 0_u64);
    summary.tasks.each(&mut |row| {
        tests += 1;
        failures += usize::from(!row.is_good());
        ms += row.ms;
        Ok(())
    })?;
    let time = seconds(ms);
    let counts = format!("tests=\"{tests}\" failures=\"{failures}\" errors=\"0\" time=\"{time}\"");
    write!(
        out,
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"papayu-batch\" {counts}>\n\
         <testsuite name=\"batch\" {counts}>\n"
    )?;
    summary.tasks.each(&mut |row| case(out, row))?;
    out.write_all(b"</testsuite>\n</testsuites>\n")
}

fn case(out: &mut dyn Write, row: &Row) -> io::Result<()> {
    let (repo, name, time) = (escaped(&row.repo), escaped(&row.name), seconds(row.ms));
    write!(out, "<testcase classname=\"{repo}\" name=\"{name}\" time=\"{time}\"")?;
    if row.is_good() {
        return out.write_all(b"/>\n");
    }
    let (kind, reason) = (row.outcome.name(), escaped(&row.reason));
    writeln!(out, "><failure type=\"{kind}\" message=\"{reason}\">{reason}</failure></testcase>")
}

fn seconds(ms: u64) -> String {
    format!("{}.{:03}", ms / 1000, ms % 1000)
}
