//! Reads the tools of Python: tracebacks, unittest and pytest.

mod pytest;
mod traceback;

use crate::domain::FailureKind;
use crate::failure::excerpt::Claim;
use crate::failure::findings::Findings;

use super::Parser;
use pytest::Pytest;
use traceback::Tracebacks;

const NAME: &str = "python";

/// Endings of files that Python's tools name.
const ENDINGS: &[&str] = &[".py", ".pyi", ".pyx", ".rst", ".md"];

const CUES: &[&str] = &[
    "Traceback (most recent",
    "File \"",
    "FAIL: ",
    "ERROR: ",
    "FAILED ",
    "ERROR ",
    "= FAILURES =",
    "= ERRORS =",
    "= warnings summary",
    "= short test summary",
];

/// State between lines.
#[derive(Default)]
pub(super) struct Python {
    pytest: Pytest,
    tracebacks: Tracebacks,
}

impl Parser for Python {
    fn cues(&self) -> &'static [&'static str] {
        CUES
    }

    fn is_open(&self) -> bool {
        self.pytest.is_open() || self.tracebacks.is_open()
    }

    fn read_line(&mut self, text: &str, findings: &mut Findings) -> Claim {
        // Inside its sections pytest prints tracebacks that the program under test only logged.
        match self.pytest.read_line(text, findings) {
            Claim::None => self.tracebacks.read_line(text, findings),
            claim => claim,
        }
    }

    fn finish(&mut self, findings: &mut Findings) {
        self.tracebacks.finish(findings);
        self.pytest.finish(findings);
    }
}

/// Returns the kind that an exception's name means; `otherwise` for ordinary ones.
fn kind_of(exception: &str, otherwise: FailureKind) -> FailureKind {
    let name = exception.split(':').next().unwrap_or_default().trim();
    match name.rsplit('.').next().unwrap_or_default() {
        "ModuleNotFoundError" | "ImportError" => FailureKind::Import,
        "SyntaxError" | "IndentationError" | "TabError" => FailureKind::Compile,
        _ => otherwise,
    }
}
