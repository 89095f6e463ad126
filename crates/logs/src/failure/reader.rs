//! Takes a log's bytes as they come and keeps only what is worth keeping.

use papayu_base::domain::FailureReport;

use super::decode::TextDecoder;
use super::found_report::report_found;
use super::limits::ReportLimits;
use super::matchers::{Matchers, OnAddMatcher};
use super::raw_tail::RawTail;
use super::report;
use super::scan::{Listener, LogScan};

/// Longest line that is kept, in bytes; the rest of it is skipped. Cargo's JSON messages are long.
const MAX_LINE_BYTES: usize = 256 * 1024;

/// Reads a log in bounded memory: any length, any chunks, any bytes.
///
/// The report depends only on the bytes, never on how they were cut into chunks.
pub struct LogReader<'a> {
    /// The line that the chunks so far have not ended.
    line: Vec<u8>,
    /// The rest of an overlong line is being skipped.
    skipping: bool,
    /// The length of the log so far.
    bytes: u64,
    decoder: TextDecoder,
    /// The text so far, while the whole of it may be a report; `None` for a log.
    whole: Option<Vec<u8>>,
    limits: ReportLimits,
    scan: LogScan<'a>,
}

impl<'a> LogReader<'a> {
    /// Starts reading.
    pub fn new(limits: ReportLimits) -> Self {
        Self::with_matchers(limits, Matchers::default())
    }

    /// Starts reading a log of tools that these matchers know too.
    pub fn with_matchers(limits: ReportLimits, matchers: Matchers) -> Self {
        Self {
            line: Vec::new(),
            skipping: false,
            bytes: 0,
            decoder: TextDecoder::default(),
            whole: Some(Vec::new()),
            scan: LogScan::new(limits.clone(), matchers),
            limits,
        }
    }

    /// Calls `listener` with every cleaned line of the log, in order; lines of machine-readable reports are left out.
    #[must_use]
    pub fn with_listener(mut self, listener: Listener<'a>) -> Self {
        self.scan.set_listener(listener);
        self
    }

    /// Calls `callback` for every matcher file that the log names (`::add-matcher::`); the returned matchers read the
    /// lines after it.
    #[must_use]
    pub fn on_add_matcher(mut self, callback: OnAddMatcher<'a>) -> Self {
        self.scan.set_on_add_matcher(callback);
        self
    }

    /// Takes the next bytes of the log.
    pub fn push(&mut self, bytes: &[u8]) {
        self.bytes += u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        let text = self.decoder.decode(bytes, false);
        self.push_text(&text);
    }

    /// Takes the next text: a report is kept until its end, a log is read line by line.
    fn push_text(&mut self, text: &[u8]) {
        let Some(whole) = &mut self.whole else { return self.push_lines(text) };
        whole.extend_from_slice(text);
        let begins_report = match whole.trim_ascii_start() {
            [] | [b'<', ..] | [b'{' | b'['] => true,
            [b'{' | b'[', next, ..] => {
                matches!(next, b'{' | b'"' | b']' | b'}' | b'\n' | b'\r' | b' ')
            }
            [first, ..] => *first == 0xef && whole.starts_with(b"\xef\xbb\xbf"),
        };
        if !begins_report || whole.len() > report::MAX_REPORT_BYTES {
            let text = self.whole.take().unwrap_or_default();
            self.push_lines(&text);
        }
    }

    /// Takes the next text of a log.
    fn push_lines(&mut self, text: &[u8]) {
        let mut rest = text;
        while let Some(end) = memchr::memchr(b'\n', rest) {
            let (head, tail) = rest.split_at(end);
            rest = tail.strip_prefix(b"\n").unwrap_or(tail);
            // Most lines are whole in one chunk and are read without a copy.
            if self.line.is_empty() && !self.skipping && head.len() <= MAX_LINE_BYTES {
                self.scan.read_raw_line(head);
            } else {
                self.keep_bytes(head);
                self.end_line();
            }
        }
        self.keep_bytes(rest);
    }

    /// Ends the log and returns its report.
    pub fn finish(mut self) -> FailureReport {
        let text = self.decoder.decode(&[], true);
        self.push_text(&text);
        if let Some(text) = self.whole.take() {
            if let Some(report) = self.read_whole(&text) {
                return report;
            }
            self.push_lines(&text);
        }
        if !self.line.is_empty() {
            self.end_line();
        }
        let mut report = self.scan.finish(self.bytes);
        if let Some(green) = &self.limits.green {
            green.add_advice(&mut report);
        }
        report
    }

    /// Returns the failures of a text that is a report from its first to its last character.
    fn read_whole(&self, text: &[u8]) -> Option<FailureReport> {
        let trimmed = text.trim_ascii();
        if !matches!(trimmed.last()?, b'>' | b'}' | b']') {
            return None;
        }
        let text = String::from_utf8_lossy(trimmed);
        let found = report::read_whole(&text).ok()?;
        // A text that only begins like a report is read as a log.
        if found.fault.is_some() {
            return None;
        }
        let bytes = usize::try_from(self.bytes).unwrap_or(usize::MAX);
        let mut report = report_found(found, self.limits.clone(), bytes).report;
        let mut raw = RawTail::default();
        text.lines().for_each(|line| raw.push_line(line));
        report.raw = raw.finish();
        Some(report)
    }

    /// Adds bytes to the current line, up to its limit.
    fn keep_bytes(&mut self, bytes: &[u8]) {
        let mut rest = bytes;
        while !rest.is_empty() {
            if self.skipping {
                // Text after a carriage return overwrites the text before it.
                let Some(at) = memchr::memchr(b'\r', rest) else { return };
                rest = rest.split_at(at + 1).1;
                self.skipping = false;
                continue;
            }
            // A report on one line is longer than any line of text.
            let is_report =
                self.line.len() >= MAX_LINE_BYTES && report::begins_long_line(&self.line);
            let most = if is_report { report::MAX_REPORT_BYTES } else { MAX_LINE_BYTES };
            let room = most.saturating_sub(self.line.len());
            let (now, later) = rest.split_at(room.min(rest.len()));
            self.line.extend_from_slice(now);
            rest = later;
            let is_cut = !rest.is_empty()
                && (self.line.len() >= report::MAX_REPORT_BYTES
                    || !report::begins_long_line(&self.line));
            if is_cut {
                self.end_line();
                self.skipping = true;
            }
        }
    }

    /// Passes the current line on.
    fn end_line(&mut self) {
        if !std::mem::take(&mut self.skipping) || !self.line.is_empty() {
            self.scan.read_raw_line(&self.line);
        }
        self.line.clear();
    }
}
