//! Parsers of logs, one per toolchain, independent of each other.
//!
//! A parser names the cues of the lines that can start a failure. Lines without any cue reach only parsers that are inside
//! a failure, so the time for a log hardly depends on the number of parsers.

use crate::failure::excerpt::LineImportance;
use crate::failure::findings::LogFailures;

pub(super) use node::StackFrame;

mod c;
pub(super) mod cargo_json;
mod dotnet;
pub(super) mod generic;
mod go;
pub(super) mod go_json;
mod java;
mod lint;
mod node;
mod one_line;
mod php;
mod python;
mod ruby;
mod rust;
mod typescript;

/// Reads a log line by line and adds the failures it knows.
pub(super) trait Parser {
    /// Returns texts of which at least one is in every line that can begin something.
    fn cues(&self) -> &'static [&'static str];

    /// Returns `true` inside a failure, when the parser needs lines without a cue too.
    fn is_open(&self) -> bool {
        false
    }

    /// Receives the line before one with a cue, for tools that print the file or the message first;
    /// not inside a failure.
    fn set_previous_line(&mut self, _previous: &str) {}

    /// Reads one cleaned line and returns its claim.
    fn read_line(&mut self, text: &str, findings: &mut LogFailures) -> LineImportance;

    /// Adds what is still open at the end of the log.
    fn finish(&mut self, _findings: &mut LogFailures) {}
}

/// Reads a line of a JavaScript or a Java stack. `None` for any other line.
pub(super) fn parse_stack_frame(trimmed: &str) -> Option<StackFrame> {
    // Reports do not name the language, so both forms are tried.
    node::parse_frame(trimmed, false).or_else(|| java::parse_frame(trimmed))
}

/// The number of known toolchains.
pub(super) const COUNT: usize = 15;

/// Returns the parsers of all known toolchains; the generic one reads what they leave.
pub(super) fn all_parsers() -> [Box<dyn Parser + Send>; COUNT] {
    [
        Box::new(rust::RustParser::default()),
        Box::new(python::PythonParser::default()),
        Box::new(node::NodeParser::default()),
        Box::new(typescript::TypeScript::default()),
        Box::new(go::GoParser::default()),
        Box::new(lint::Eslint::default()),
        Box::new(lint::Biome::default()),
        Box::new(lint::Ruff::default()),
        Box::new(lint::Formatters::default()),
        Box::new(c::C::default()),
        Box::new(lint::JavaStyle::default()),
        Box::new(java::Java::default()),
        Box::new(ruby::Ruby::default()),
        Box::new(php::Php::default()),
        Box::new(dotnet::DotNet::default()),
    ]
}
