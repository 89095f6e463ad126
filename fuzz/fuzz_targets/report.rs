//! Any bytes as a report of tests or of a scanner: they are read or refused.
#![no_main]

use libfuzzer_sys::fuzz_target;
use papayu_logs::failure::{ReportLimits, read_report};
use papayu_logs::findings::read_findings;
use papayu_logs::test_results::read_junit_results;

fuzz_target!(|data: &[u8]| {
    let _ = read_report(data, ReportLimits::default());
    let text = String::from_utf8_lossy(data).into_owned();
    let _ = read_findings(&text);
    let _ = read_junit_results(&[text]);
});
