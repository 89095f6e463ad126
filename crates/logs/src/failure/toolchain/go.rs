//! Reads the go compiler, vet, tests, data races and panics.
//!
//! Without `-v` the output of a test follows its verdict, with `-v` it precedes it:
//!
//! ```text
//! ./calc.go:7:9: undefined: x
//! --- FAIL: TestAdd (0.00s)
//!     calc_test.go:8: got 4, want 3
//! panic: boom [recovered]
//! goroutine 7 [running]:
//! example.com/calc.Add(...)
//!     /src/calc.go:5 +0x1d
//! ```

use crate::failure::draft::FailureDraft;
use crate::failure::excerpt::LineImportance;
use crate::failure::findings::LogFailures;
use crate::failure::location;
use papayu_base::domain::FailureKind;

use super::Parser;

const NAME: &str = "go";

const CUES: &[&str] = &[
    ".go:", "--- FAIL: ", "--- PASS: ", "=== RUN ", "=== CONT ", "=== NAME ", "panic: ",
    "fatal error: ", "Error Trace:", "Error:", "expected: ", "actual  : ", "FAIL\t",
    "[build failed]", "WARNING: DATA RACE",
];

/// Messages that mean a missing module or package.
const IMPORT_MESSAGES: &[&str] = &[
    "no required module provides package",
    "cannot find package",
    "cannot find module",
    "is not in std",
    "is not in GOROOT",
    "could not import",
    "missing go.sum entry",
];

/// The maximal number of parallel tests with output that is kept.
const MAX_RUNNING: usize = 64;

/// State between lines.
#[derive(Default)]
pub(super) struct GoParser {
    compile: Option<FailureDraft>,
    /// With `-v` a test's output comes before its verdict.
    running: Vec<FailureDraft>,
    /// The test that printed the next lines.
    current: Option<String>,
    /// The failed test with its output after the verdict, as without `-v`.
    failed: Option<FailureDraft>,
    panic: Option<FailureDraft>,
    /// A data race's frames, and whether they are still being read; the test it fails is named later.
    race: Option<(FailureDraft, bool)>,
}

impl Parser for GoParser {
    fn cues(&self) -> &'static [&'static str] {
        CUES
    }

    fn is_open(&self) -> bool {
        self.compile.is_some()
            || self.panic.is_some()
            || self.failed.is_some()
            || self.race.is_some()
    }

    fn read_line(&mut self, text: &str, findings: &mut LogFailures) -> LineImportance {
        if self.panic.is_some() {
            return self.read_panic_line(text, findings);
        }
        if let Some(claim) = self.read_race_line(text) {
            return claim;
        }
        if let Some(claim) = self.read_verdict(text, findings) {
            return claim;
        }
        if let Some(message) =
            text.strip_prefix("panic: ").or_else(|| text.strip_prefix("fatal error: "))
        {
            self.begin_panic(message);
            return LineImportance::Fault;
        }
        if let Some(claim) = self.read_compiler_line(text, findings) {
            return claim;
        }
        self.read_output_line(text, findings)
    }

    fn finish(&mut self, findings: &mut LogFailures) {
        // The message of a panic precedes the earlier output of its test.
        let race = self.race.take().map(|(draft, _)| draft);
        let open = [self.compile.take(), self.panic.take(), race, self.failed.take()];
        for draft in open.into_iter().flatten() {
            findings.add(draft.finish());
        }
    }
}

impl GoParser {
    /// Reads `--- FAIL: TestX (0.00s)`, `--- PASS: …` and `=== RUN   TestX`.
    fn read_verdict(&mut self, text: &str, findings: &mut LogFailures) -> Option<LineImportance> {
        let trimmed = text.trim_start();
        for mark in ["=== RUN ", "=== CONT ", "=== NAME "] {
            if let Some(name) = trimmed.strip_prefix(mark) {
                self.current = Some(name.trim().to_owned()).filter(|name| !name.is_empty());
                findings.close(&mut self.failed);
                return Some(LineImportance::Known);
            }
        }
        if let Some(rest) =
            trimmed.strip_prefix("--- PASS: ").or_else(|| trimmed.strip_prefix("--- SKIP: "))
        {
            let name = rest.split(' ').next().unwrap_or(rest);
            self.running.retain(|output| !is_of(output, name));
            let is_part = |test: &String| test.starts_with(name);
            self.current = self.current.take().filter(|test| !is_part(test));
            findings.close(&mut self.failed);
            return Some(LineImportance::Known);
        }
        let rest = trimmed.strip_prefix("--- FAIL: ")?;
        // The time follows the name.
        let name = rest.rsplit_once(" (").map_or(rest, |(name, _)| name);
        let known = self.running.iter().position(|output| is_of(output, name));
        let draft = match known {
            Some(at) => self.running.remove(at),
            None if self.race.is_some() => self.take_raced_test(name),
            None => FailureDraft::test(NAME, name),
        };
        findings.close(&mut self.failed);
        self.failed = Some(draft);
        Some(LineImportance::Fault)
    }

    /// `WARNING: DATA RACE`, then goroutines with their frames, to a line of `=`.
    fn read_race_line(&mut self, text: &str) -> Option<LineImportance> {
        if text == "WARNING: DATA RACE" {
            // Only the first race of a test is read; the others are mostly its consequences.
            if self.race.is_none() {
                let kind = FailureKind::Crash;
                self.race = Some((FailureDraft::new(NAME, kind, "WARNING: DATA RACE"), true));
            }
            return Some(LineImportance::Fault);
        }
        let (draft, is_open) = self.race.as_mut().filter(|(_, is_open)| *is_open)?;
        if text.starts_with("=====") {
            *is_open = false;
            return Some(LineImportance::Part);
        }
        if let Some(frame) = text.strip_prefix("      ") {
            let frame = frame.rsplit_once(" +0x").map_or(frame, |(place, _)| place);
            draft.add_locations(location::parse_location(frame));
        } else if text.contains(" by goroutine ") {
            // "Read at 0x00c000018268 by goroutine 8:" is another address in another run.
            draft.add_line(text.split(" at 0x").next().unwrap_or(text));
        }
        Some(LineImportance::Part)
    }

    /// Returns the race as the failure of a test.
    fn take_raced_test(&mut self, test: &str) -> FailureDraft {
        match self.race.take() {
            Some((mut draft, _)) => {
                draft.failure.kind = FailureKind::Test;
                draft.for_test(test)
            }
            None => FailureDraft::test(NAME, test),
        }
    }

    /// `./x.go:1:2: message`, `vet: ./x.go:1:2: message`; more of the message on lines with a tab.
    fn read_compiler_line(
        &mut self,
        text: &str,
        findings: &mut LogFailures,
    ) -> Option<LineImportance> {
        if let Some(open) = &mut self.compile {
            if text.starts_with('\t') {
                open.add_line(text);
                return Some(LineImportance::Part);
            }
            findings.close(&mut self.compile);
        }
        let line = text.strip_prefix("vet: ").unwrap_or(text);
        if line.starts_with([' ', '\t']) {
            return None;
        }
        let (at, message) = location::split_location(line, &[".go"])?;
        let message = message.strip_prefix(' ')?;
        // Without a column it is a test's or a logger's own output.
        at.column?;
        let imports = IMPORT_MESSAGES.iter().any(|known| message.contains(known));
        let kind = if imports { FailureKind::Import } else { FailureKind::Compile };
        let mut draft = FailureDraft::new(NAME, kind, message);
        if let Some(linter) = linter_name(message) {
            draft.failure.kind = FailureKind::Lint;
            draft = draft.with_code(linter);
        }
        draft.add_location(at);
        self.compile = Some(draft);
        Some(LineImportance::Fault)
    }

    /// `    x_test.go:12: message` and testify's table under it.
    fn read_output_line(&mut self, text: &str, findings: &mut LogFailures) -> LineImportance {
        if text.starts_with("FAIL") || text.starts_with("ok  \t") {
            findings.close(&mut self.failed);
            return LineImportance::Known;
        }
        if !text.starts_with([' ', '\t']) {
            return LineImportance::None;
        }
        let trimmed = text.trim();
        let (place, message) = if let Some(path) = trimmed.strip_prefix("Error Trace:") {
            (location::parse_location(path), "")
        } else if let Some(message) = trimmed.strip_prefix("Error:") {
            (None, message.trim())
        } else if let Some((at, message)) = location::split_location(trimmed, &[".go"]) {
            (Some(at), message.trim())
        } else {
            return self.read_more_output(trimmed);
        };
        let is_failed = self.failed.is_some();
        let Some(output) = self.current_output() else { return LineImportance::None };
        // The testing package names itself when a race was found.
        output.add_locations(place.filter(|at| at.path != "testing.go"));
        output.add_line(message);
        if is_failed { LineImportance::Part } else { LineImportance::Known }
    }

    /// Adds a line without a location to the message of the failed test.
    fn read_more_output(&mut self, trimmed: &str) -> LineImportance {
        let is_failed = self.failed.is_some();
        let current = self.current.as_deref().unwrap_or_default();
        // With `-v` a test prints before its verdict.
        let running = self.running.iter_mut().find(|output| is_of(output, current));
        let Some(output) = self.failed.as_mut().or(running) else { return LineImportance::None };
        let trace = location::parse_location(trimmed);
        if !output.has_no_message() && trace.is_none() && !trimmed.starts_with("Test:") {
            output.add_line(trimmed);
        }
        output.add_locations(trace);
        if is_failed { LineImportance::Part } else { LineImportance::Known }
    }

    /// Returns the test that printed the current line.
    fn current_output(&mut self) -> Option<&mut FailureDraft> {
        if self.failed.is_some() {
            return self.failed.as_mut();
        }
        let test = self.current.as_deref()?;
        let known = self.running.iter().position(|output| is_of(output, test));
        let at = known.unwrap_or_else(|| {
            // The oldest test has most likely ended without a verdict in this log.
            if self.running.len() == MAX_RUNNING {
                self.running.remove(0);
            }
            self.running.push(FailureDraft::test(NAME, test));
            self.running.len() - 1
        });
        self.running.get_mut(at)
    }

    /// Starts a panic; it belongs to the test that runs.
    fn begin_panic(&mut self, message: &str) {
        // The testing package recovers a panic and raises it again.
        let message = message.split(" [recovered").next().unwrap_or(message);
        let failed = self.failed.as_ref().and_then(|draft| draft.failure.test.clone());
        self.panic = Some(match failed.or_else(|| self.current.clone()) {
            Some(test) => FailureDraft::new(NAME, FailureKind::Test, message).for_test(&test),
            None => FailureDraft::new(NAME, FailureKind::Crash, message),
        });
    }

    /// Reads a line of a panic's goroutines: `\t/src/calc.go:5 +0x1d`.
    fn read_panic_line(&mut self, text: &str, findings: &mut LogFailures) -> LineImportance {
        let Some(open) = &mut self.panic else { return LineImportance::None };
        let ends = text.starts_with("FAIL")
            || text.starts_with("exit status")
            || text.starts_with("=== ")
            || text.starts_with("--- ");
        if ends {
            self.current = None;
            self.finish(findings);
            return LineImportance::Known;
        }
        // Only the first goroutine's frames are the panic's.
        if text.is_empty() && !open.failure.locations.is_empty() {
            self.finish(findings);
            return LineImportance::Part;
        }
        if let Some(frame) = text.strip_prefix('\t') {
            let frame = frame.rsplit_once(" +0x").map_or(frame, |(place, _)| place);
            open.add_locations(location::parse_location(frame));
        }
        LineImportance::Part
    }
}

/// Returns `true` if a draft is of the test.
fn is_of(output: &FailureDraft, test: &str) -> bool {
    output.failure.test.as_deref() == Some(test)
}

/// golangci-lint ends its messages with the linter's name: `… (errcheck)`.
fn linter_name(message: &str) -> Option<&str> {
    let (_, name) = message.strip_suffix(')')?.rsplit_once(" (")?;
    let is_name =
        name.len() > 2 && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit());
    is_name.then_some(name)
}
