//! Buffers the lines of a report until it is complete.
//!
//! Reports appear in logs on one line, or indented over many. Text that only looks like the start of a report is given back
//! to the line readers as soon as it cannot be one.

use papayu_base::domain::Failure;

use super::json_findings::read_logged;
use super::test_json::read_streamed;
use super::{MAX_REPORT_BYTES, read_whole};

/// The beginnings of reports on one line.
const ONE_LINE: &[&str] = &[
    r#"[{"filePath":"#, r#"[{"cell":"#, r#"[{"code":"#, r#"{"numFailedTestSuites":"#,
    r#"{"numTotalTestSuites":"#, r#"{"stats":{"#, r#"{"summary":{"#, r#"{"version":"2.1.0""#,
    r#"{"$schema":"#,
];

/// The maximal offset of the first word in a raw line, after the timestamp of a runner.
const MAX_START: usize = 120;

/// The result of buffering one line.
pub(in crate::failure) enum Buffered {
    /// It is none of a report's.
    NotReport,
    /// It is kept for now.
    Kept,
    /// It ended a report.
    Report(Vec<Failure>),
    /// The buffered lines, this one included, are not a report but text.
    Text(String),
}

/// Returns `true` if a line that is too long for text may be a report on one line.
pub(in crate::failure) fn begins_long_line(raw: &[u8]) -> bool {
    let head = String::from_utf8_lossy(raw.get(..MAX_START).unwrap_or(raw));
    ONE_LINE.iter().any(|start| head.contains(start))
}

/// Lines that may become a report.
#[derive(Debug, Default)]
pub(in crate::failure) struct ReportBuffer {
    /// The buffered lines, each with `\n`.
    text: String,
    /// The line that ends the report; empty if nothing is buffered.
    end: &'static str,
    lines: u32,
}

impl ReportBuffer {
    /// Takes a cleaned line.
    pub(in crate::failure) fn push_line(&mut self, line: &str) -> Buffered {
        if !self.end.is_empty() {
            return self.append_line(line);
        }
        // Most lines end here.
        if !line.starts_with(['[', '{', '<']) {
            return Buffered::NotReport;
        }
        if ONE_LINE.iter().any(|start| line.starts_with(start)) {
            return read_whole(line)
                .map_or(Buffered::NotReport, |found| Buffered::Report(found.failures));
        }
        if line.starts_with("{\"") && line.ends_with('}') {
            let found = serde_json::from_str(line).ok().map(|line| read_logged(&line));
            let found = found.filter(|found| !found.is_empty());
            return found.map_or(Buffered::NotReport, Buffered::Report);
        }
        if line.starts_with("[\"fail\",{") {
            let found = read_streamed(line).map(|failure| vec![failure]);
            return found.map_or(Buffered::NotReport, Buffered::Report);
        }
        self.end = match line {
            "[" => "]",
            "{" => "}",
            _ if line.starts_with("<?xml") || line.starts_with("<testsuites") => "</testsuites>",
            _ if is_suite(line) => "</testsuite>",
            _ => return Buffered::NotReport,
        };
        self.append_line(line)
    }

    /// Ends the log: an incomplete JUnit report is read as far as possible, other lines are text.
    pub(in crate::failure) fn finish(&mut self) -> Buffered {
        let text = std::mem::take(&mut self.text);
        let is_xml = std::mem::take(&mut self.end).starts_with('<');
        self.lines = 0;
        if text.is_empty() {
            return Buffered::NotReport;
        }
        match read_whole(&text) {
            Ok(found) if is_xml && !found.failures.is_empty() => Buffered::Report(found.failures),
            _ => Buffered::Text(text),
        }
    }

    /// Adds a line to the buffer and checks for the end of the report.
    fn append_line(&mut self, line: &str) -> Buffered {
        self.text.push_str(line);
        self.text.push('\n');
        self.lines += 1;
        // The lines go back to the line readers at once, so a stray bracket hides nothing.
        if self.is_hopeless(line) {
            return self.finish_as_text();
        }
        if is_suite(line) && self.lines == 2 {
            // Some tools write one suite without the enclosing element.
            self.end = "</testsuite>";
        }
        // The end tag of XML can follow other elements on its line.
        let is_end = if self.end.starts_with('<') {
            line.trim_end().ends_with(self.end) && !line.starts_with(' ')
        } else {
            line == self.end
        };
        if !is_end {
            return Buffered::Kept;
        }
        self.end = "";
        self.lines = 0;
        let text = std::mem::take(&mut self.text);
        match read_whole(&text) {
            Ok(found) => Buffered::Report(found.failures),
            Err(_) => Buffered::Text(text),
        }
    }

    /// Returns `true` if the lines cannot become a report. A program that prints a lone bracket
    /// seldom continues with indented
    /// JSON.
    fn is_hopeless(&self, line: &str) -> bool {
        if self.text.len() > MAX_REPORT_BYTES {
            return true;
        }
        let trimmed = line.trim_start();
        match self.lines {
            2 if self.end.starts_with('<') => !trimmed.starts_with('<'),
            2 => line.len() == trimmed.len() || !trimmed.starts_with(['{', '"']),
            _ => false,
        }
    }

    /// Returns the buffered lines as text.
    fn finish_as_text(&mut self) -> Buffered {
        self.end = "";
        self.lines = 0;
        Buffered::Text(std::mem::take(&mut self.text))
    }
}

/// Returns `true` for a line that begins with the start tag of a test suite, which may have no attributes.
fn is_suite(line: &str) -> bool {
    line.strip_prefix("<testsuite").is_some_and(|rest| rest.starts_with([' ', '>']))
}
