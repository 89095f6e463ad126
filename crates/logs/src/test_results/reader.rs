//! Takes a command's output as it comes and passes each line to the runners' readers.

use papayu_base::text::{clean_line, first_chars};

use super::python::PythonReader;
use super::results::TestResults;
use super::{checkers, go::GoReader, javascript::TickReader, named, other};
use super::{idle::IdleReader, rust::RustReader, tap::TapReader};

/// Longest line that is read, in bytes; the rest of it is skipped.
const MAX_LINE_BYTES: usize = 16 * 1024;
/// Longest part of a line that is read, in characters.
const MAX_LINE_CHARS: usize = 4_000;

/// Reads which tests ran from the output of a command: any length, any chunks, any bytes.
#[derive(Debug, Default)]
pub struct ResultReader {
    line: Vec<u8>,
    results: TestResults,
    rust: RustReader,
    python: PythonReader,
    go: GoReader,
    ticks: TickReader,
    tap: TapReader,
    idle: IdleReader,
}

impl ResultReader {
    /// Takes the next bytes of the output.
    pub fn push(&mut self, bytes: &[u8]) {
        let mut rest = bytes;
        while let Some(end) = memchr::memchr(b'\n', rest) {
            let (head, tail) = rest.split_at(end);
            self.keep_bytes(head);
            self.end_line();
            rest = tail.strip_prefix(b"\n").unwrap_or(tail);
        }
        self.keep_bytes(rest);
    }

    /// Ends the output and returns its tests.
    pub fn finish(mut self) -> TestResults {
        self.end_line();
        self.go.finish(&mut self.results);
        self.python.finish(&mut self.results);
        self.ticks.finish(&mut self.results);
        self.tap.finish(&mut self.results);
        self.idle.finish(&mut self.results);
        self.results
    }

    fn keep_bytes(&mut self, bytes: &[u8]) {
        let room = MAX_LINE_BYTES.saturating_sub(self.line.len());
        self.line.extend(bytes.iter().take(room));
    }

    /// Reads the line that has ended, without terminal codes and cut to [`MAX_LINE_CHARS`] characters.
    fn end_line(&mut self) {
        let raw = std::mem::take(&mut self.line);
        let text = String::from_utf8_lossy(&raw);
        let clean = clean_line(&text);
        let line = first_chars(clean.trim_end(), MAX_LINE_CHARS);
        if !line.trim().is_empty() {
            self.read_line(line);
        }
        self.line = raw;
        self.line.clear();
    }

    /// Passes a line to each reader until one knows it.
    fn read_line(&mut self, line: &str) {
        let results = &mut self.results;
        // The lines of other readers, such as totals, also show whether a test ran.
        self.idle.read_line(line);
        let _known = self.rust.read_line(line, results)
            || self.go.read_line(line, results)
            || self.tap.read_line(line, results)
            || self.python.read_line(line, results)
            || named::read_test(line, results)
            || other::read_totals(line, results)
            || checkers::read_line(line, results)
            || self.ticks.read_line(line, results);
    }
}
