//! Reads the tools of Python: tracebacks, unittest and pytest.

mod pytest;
mod traceback;

use crate::failure::excerpt::LineImportance;
use crate::failure::findings::LogFailures;

use super::Parser;
use pytest::Pytest;
use traceback::Tracebacks;

const CUES: &[&str] = &[
    "Traceback (most recent", "File \"", "FAIL: ", "ERROR: ", "FAILED ", "ERROR ", "= FAILURES =",
    "= ERRORS =", "Failure in ", "Error in ", "= warnings summary", "= short test summary",
];

/// State between lines.
#[derive(Default)]
pub(super) struct PythonParser {
    pytest: Pytest,
    tracebacks: Tracebacks,
}

impl Parser for PythonParser {
    fn cues(&self) -> &'static [&'static str] {
        CUES
    }

    fn is_open(&self) -> bool {
        self.pytest.is_open() || self.tracebacks.is_open()
    }

    fn read_line(&mut self, text: &str, findings: &mut LogFailures) -> LineImportance {
        // Inside its sections pytest prints tracebacks that the program under test only logged.
        match self.pytest.read_line(text, findings) {
            LineImportance::None => self.tracebacks.read_line(text, findings),
            claim => claim,
        }
    }

    fn finish(&mut self, findings: &mut LogFailures) {
        self.tracebacks.finish(findings);
        self.pytest.finish(findings);
    }
}
