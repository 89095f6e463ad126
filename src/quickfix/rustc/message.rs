//! Reads compiler errors out of cargo's JSON messages, a line at a time, in bounded memory.

use std::path::PathBuf;

use rustfix::diagnostics::Applicability;
use serde::Deserialize;
use serde::de::IgnoredAny;

/// One line longer than this is dropped.
const MAX_LINE_BYTES: usize = 4 << 20;

/// Errors kept. A build with more needs several rounds anyway, and the next round sees the rest.
const MAX_ERRORS: usize = 500;

/// The start of the only kind of message that is read. Cargo writes the reason first.
const BEGINNING: &str = "{\"reason\":\"compiler-message\"";

/// An error of rustc or clippy.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
pub(super) struct CompilerError {
    /// Absolute path of the package's `Cargo.toml`.
    pub(super) manifest_path: PathBuf,
    /// The error itself.
    #[serde(rename = "message")]
    pub(super) diagnostic: Diagnostic,
}

/// rustc's own form. `rustfix` has the same types and keeps `level` and `expansion` private.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
pub(super) struct Diagnostic {
    pub(super) message: String,
    pub(super) code: Option<Code>,
    pub(super) level: String,
    pub(super) spans: Vec<Span>,
    pub(super) children: Vec<Diagnostic>,
}

/// `E0425`, `unused_mut`, `clippy::needless_return`.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
pub(super) struct Code {
    pub(super) code: String,
}

/// A stretch of source; bytes and lines are those of the file on disk.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) file_name: String,
    pub(super) byte_start: usize,
    pub(super) byte_end: usize,
    pub(super) line_start: usize,
    pub(super) column_start: usize,
    pub(super) is_primary: bool,
    pub(super) text: Vec<SpanLine>,
    pub(super) suggested_replacement: Option<String>,
    pub(super) suggestion_applicability: Option<Applicability>,
    #[serde(default, rename = "expansion", deserialize_with = "is_present")]
    pub(super) in_macro: bool,
}

/// A line the span touches, without its line ending.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
pub(super) struct SpanLine {
    pub(super) text: String,
}

/// Deserializes whether a field has a value, without the value: expansions of macros nest deeply.
fn is_present<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<bool, D::Error> {
    Ok(Option::<IgnoredAny>::deserialize(deserializer)?.is_some())
}

/// Takes output as it comes and keeps the errors in it.
#[derive(Default)]
pub(super) struct MessageReader {
    line: Vec<u8>,
    is_too_long: bool,
    errors: Vec<CompilerError>,
}

impl MessageReader {
    /// Takes the next bytes of the output.
    pub(super) fn take(&mut self, mut bytes: &[u8]) {
        while let Some(end) = bytes.iter().position(|byte| *byte == b'\n') {
            let (head, tail) = bytes.split_at(end);
            self.extend(head);
            self.end_line();
            bytes = tail.get(1..).unwrap_or_default();
        }
        self.extend(bytes);
    }

    /// Returns the errors in order of appearance, each once: a library and its tests report the
    /// same ones.
    pub(super) fn finish(mut self) -> Vec<CompilerError> {
        self.end_line();
        self.errors
    }

    /// Appends to the line that is being read; a line that is too long is dropped whole.
    fn extend(&mut self, bytes: &[u8]) {
        self.is_too_long |= self.line.len() + bytes.len() > MAX_LINE_BYTES;
        if self.is_too_long {
            self.line.clear();
        } else {
            self.line.extend_from_slice(bytes);
        }
    }

    /// Parses the line, one JSON object of cargo.
    fn end_line(&mut self) {
        if !std::mem::take(&mut self.is_too_long)
            && self.errors.len() < MAX_ERRORS
            && let Some(error) = read(&String::from_utf8_lossy(&self.line))
            && !self.errors.contains(&error)
        {
            self.errors.push(error);
        }
        self.line.clear();
    }
}

/// Reads a message from a line. Standard error shares the output, so other text may precede or follow it.
fn read(line: &str) -> Option<CompilerError> {
    let message = line.get(line.find(BEGINNING)?..)?;
    let first = serde_json::Deserializer::from_str(message).into_iter().next()?;
    // A warning that does not break the build is not our business; a denied one is an error.
    first.ok().filter(|error: &CompilerError| error.diagnostic.level == "error")
}

#[cfg(test)]
mod tests {
    use super::*;

    const MISSPELT: &str = include_str!("recorded/misspelt_variable.jsonl");

    fn read_in_chunks(output: &[u8], size: usize) -> Vec<CompilerError> {
        let mut reader = MessageReader::default();
        output.chunks(size).for_each(|chunk| reader.take(chunk));
        reader.finish()
    }

    #[test]
    fn an_error_that_the_library_and_its_tests_share_is_kept_once_however_the_bytes_are_cut() {
        for size in [1, 7, 4096, usize::MAX] {
            let errors = read_in_chunks(MISSPELT.as_bytes(), size);
            let messages: Vec<_> =
                errors.iter().map(|error| error.diagnostic.message.as_str()).collect();
            assert_eq!(messages, ["cannot find value `heigth` in this scope"], "{size}");
        }
    }

    #[test]
    fn lines_of_standard_error_around_a_message_do_no_harm() {
        let line = MISSPELT.lines().next().unwrap();
        let noisy = format!(
            "error: could not{line}error: could not compile\n\u{1b}[1mwarning\u{1b}[0m\n{{\n"
        );
        let errors = read_in_chunks(noisy.as_bytes(), usize::MAX);
        assert_eq!(errors, read_in_chunks(line.as_bytes(), usize::MAX));
        assert_eq!(errors.len(), 1);
    }

    #[test]
    fn warnings_and_messages_cut_short_are_not_errors() {
        let warning = MISSPELT.replace(r#""level":"error""#, r#""level":"warning""#);
        let cut = MISSPELT.lines().next().unwrap().get(..900).unwrap();
        for output in [warning.as_str(), cut, "", "\n\n", r#"{"reason":"compiler-message"}"#] {
            assert_eq!(read_in_chunks(output.as_bytes(), 64), [], "{output}");
        }
    }

    #[test]
    fn a_line_without_end_is_dropped_and_what_follows_it_is_read() {
        let mut reader = MessageReader::default();
        for _ in 0..6 {
            reader.take(&vec![b'x'; 1 << 20]);
            assert!(reader.line.len() <= MAX_LINE_BYTES);
        }
        reader.take(b"\n");
        reader.take(MISSPELT.as_bytes());
        assert_eq!(reader.finish().len(), 1);
    }
}
