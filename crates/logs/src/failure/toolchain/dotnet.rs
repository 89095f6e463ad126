//! Reads failures of `VSTest` and `xUnit` and unhandled exceptions of `.NET`; compilers are rows of the one-line table.
//!
//! ```text
//!   Failed Calc.Tests.Adds(a: 1) [12 ms]
//!   Error Message:
//!    Assert.Equal() Failure: Values differ
//!   Stack Trace:
//!      at Calc.Tests.Adds(Int32 a) in /src/CalcTests.cs:line 10
//! ```

use crate::failure::draft::FailureDraft;
use crate::failure::excerpt::LineImportance;
use crate::failure::findings::LogFailures;
use crate::failure::location;
use papayu_base::domain::{FailureKind, Location};

use super::{Parser, StackFrame};

const NAME: &str = "dotnet";

/// State between lines.
#[derive(Default)]
pub(super) struct DotNet {
    open: Option<FailureDraft>,
    part: DotnetTestPart,
}

/// The part of a failed test that is being read.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum DotnetTestPart {
    /// The title has been read, or the message is being read.
    #[default]
    Message,
    Stack,
    /// The output of the test.
    Output,
}

impl Parser for DotNet {
    fn cues(&self) -> &'static [&'static str] {
        &["  Failed ", "failed ", " [FAIL]", "Unhandled exception. "]
    }

    fn is_open(&self) -> bool {
        self.open.is_some()
    }

    fn read_line(&mut self, text: &str, findings: &mut LogFailures) -> LineImportance {
        if let Some(draft) = parse_title(text) {
            self.finish(findings);
            self.open = Some(draft);
            return LineImportance::Fault;
        }
        let text = without_xunit(text);
        let Some(draft) = &mut self.open else { return LineImportance::None };
        let trimmed = text.trim();
        match trimmed {
            "Error Message:" => self.part = DotnetTestPart::Message,
            "Stack Trace:" => self.part = DotnetTestPart::Stack,
            // `Standard Output Messages:` and its like precede output of the test.
            _ if trimmed.ends_with(" Messages:") || trimmed == "Output:" => {
                self.part = DotnetTestPart::Output;
            }
            _ if is_end(text, draft.has_no_message()) => {
                self.finish(findings);
                return LineImportance::None;
            }
            _ if self.part == DotnetTestPart::Output => return LineImportance::Known,
            _ => match parse_frame(trimmed) {
                Some(frame) => {
                    self.part = DotnetTestPart::Stack;
                    draft.add_locations(frame.location());
                }
                // A stack's own separators say nothing.
                None if self.part == DotnetTestPart::Stack => {}
                None => draft.add_line(trimmed),
            },
        }
        LineImportance::Part
    }

    fn finish(&mut self, findings: &mut LogFailures) {
        self.part = DotnetTestPart::Message;
        findings.close(&mut self.open);
    }
}

/// `  Failed Calc.Tests.Adds(a: 1) [12 ms]`, `failed Adds (12ms)`, xUnit's
/// `[xUnit.net 00:00:00.52]     Calc.Tests.Adds [FAIL]` and `Unhandled exception. System.X: message`.
fn parse_title(text: &str) -> Option<FailureDraft> {
    if let Some(message) = text.strip_prefix("Unhandled exception. ") {
        return Some(FailureDraft::new(NAME, FailureKind::Crash, message));
    }
    let name = if let Some(rest) =
        text.strip_prefix("  Failed ").or_else(|| text.strip_prefix("Failed "))
    {
        rest.strip_suffix("s]")?.rsplit_once(" [")?.0
    } else if let Some(rest) = text.strip_prefix("failed ") {
        rest.strip_suffix("s)")?.rsplit_once(" (")?.0
    } else {
        without_xunit(text).strip_suffix(" [FAIL]").filter(|_| text.starts_with("[xUnit.net "))?
    };
    Some(FailureDraft::test(NAME, name))
}

/// Takes `[xUnit.net 00:00:00.52] ` off.
fn without_xunit(text: &str) -> &str {
    let inside = text.strip_prefix("[xUnit.net ").and_then(|rest| rest.split_once(']'));
    inside.map_or(text, |(_, rest)| rest)
}

/// Returns `true` for the end of a failure: the next verdict, the summary, a line of the build.
fn is_end(text: &str, is_silent: bool) -> bool {
    const ENDS: &[&str] = &[
        "  Passed ", "  Skipped ", "Passed!", "Failed!", "Total tests:", "Test Run ",
        "Test summary:", "Build ",
    ];
    (text.trim().is_empty() && !is_silent && !text.starts_with(' '))
        || ENDS.iter().any(|end| text.starts_with(end))
}

/// `at Calc.Tests.Adds() in /src/CalcTests.cs:line 10`; without a file it is nowhere. xUnit's own lines
/// are `/src/CalcTests.cs(10,0): at Calc.Tests.Adds()`.
fn parse_frame(text: &str) -> Option<StackFrame> {
    let at = |path: &str, line: u32| {
        Some(StackFrame::At(Location { path: path.to_owned(), line: Some(line), column: None }))
    };
    if let Some((before, _)) = text.split_once("): at ") {
        let (path, numbers) = before.rsplit_once('(')?;
        let (line, _) = location::leading_number(numbers)?;
        return at(path, line);
    }
    let call = text.strip_prefix("at ").filter(|call| call.contains('('))?;
    if call.ends_with(')') {
        return Some(StackFrame::Nowhere);
    }
    // Microsoft's testing platform leaves out the word.
    let (before, line) = call.rsplit_once(":line ").or_else(|| call.rsplit_once(':'))?;
    let (_, path) = before.split_once(" in ")?;
    let (line, _) = location::leading_number(line)?;
    at(path, line)
}
