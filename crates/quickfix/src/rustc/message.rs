//! Reads compiler errors out of cargo's JSON messages.

use std::path::PathBuf;

use rustfix::diagnostics::Applicability;
use serde::Deserialize;
use serde::de::IgnoredAny;

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
    pub(super) diagnostic: RustcDiagnostic,
}

/// rustc's own form. `rustfix` has the same types and keeps `level` and `expansion` private.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
pub(super) struct RustcDiagnostic {
    pub(super) message: String,
    pub(super) code: Option<RustcCode>,
    /// `error`, `warning`, `note`, `help` or `failure-note`.
    pub(super) level: String,
    pub(super) spans: Vec<RustcSpan>,
    /// Notes and suggestions about the same error.
    pub(super) children: Vec<RustcDiagnostic>,
}

/// `E0425`, `unused_mut`, `clippy::needless_return`.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
pub(super) struct RustcCode {
    pub(super) code: String,
}

/// A stretch of source; bytes and lines are those of the file on disk.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
pub(super) struct RustcSpan {
    pub(super) file_name: String,
    /// The first byte, from 0.
    pub(super) byte_start: usize,
    /// The byte behind the last one.
    pub(super) byte_end: usize,
    /// The first line, from 1.
    pub(super) line_start: usize,
    /// The first column, from 1, in characters.
    pub(super) column_start: usize,
    /// `true` for the place that the error itself points to.
    pub(super) is_primary: bool,
    pub(super) text: Vec<SpanLine>,
    /// The text to put in place of the span; `None` for a span without a suggestion.
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

/// Returns the errors in the output of cargo in order of appearance, each once: a library and its tests report the
/// same ones.
pub(super) fn read_errors(output: &[u8]) -> Vec<CompilerError> {
    let mut errors = Vec::new();
    for line in output.split(|byte| *byte == b'\n') {
        if let Some(error) = read(&String::from_utf8_lossy(line))
            && !errors.contains(&error)
        {
            errors.push(error);
        }
    }
    errors.truncate(MAX_ERRORS);
    errors
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

    #[test]
    fn an_error_that_the_library_and_its_tests_share_is_kept_once() {
        let errors = read_errors(MISSPELT.as_bytes());
        let messages: Vec<_> =
            errors.iter().map(|error| error.diagnostic.message.as_str()).collect();
        assert_eq!(messages, ["cannot find value `heigth` in this scope"]);
    }

    #[test]
    fn lines_of_standard_error_around_a_message_do_no_harm() {
        let line = MISSPELT.lines().next().unwrap();
        let noisy = format!(
            "error: could not{line}error: could not compile\n\u{1b}[1mwarning\u{1b}[0m\n{{\n"
        );
        let errors = read_errors(noisy.as_bytes());
        assert_eq!(errors, read_errors(line.as_bytes()));
        assert_eq!(errors.len(), 1);
    }

    #[test]
    fn warnings_and_messages_cut_short_are_not_errors() {
        let warning = MISSPELT.replace(r#""level":"error""#, r#""level":"warning""#);
        let cut = MISSPELT.lines().next().unwrap().get(..900).unwrap();
        for output in [warning.as_str(), cut, "", "\n\n", r#"{"reason":"compiler-message"}"#] {
            assert_eq!(read_errors(output.as_bytes()), [], "{output}");
        }
    }
}
