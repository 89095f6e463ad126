//! Reads the go compiler, vet, tests and panics.

use crate::domain::{FailureKind, Location};
use crate::failure::draft::{Draft, add_location, cut};
use crate::failure::excerpt::Claim;
use crate::failure::findings::Findings;
use crate::failure::place;

use super::Parser;

const NAME: &str = "go";

const CUES: &[&str] = &[
    ".go:",
    "--- FAIL: ",
    "--- PASS: ",
    "=== RUN ",
    "=== CONT ",
    "=== NAME ",
    "panic: ",
    "fatal error: ",
    "Error Trace:",
    "Error:",
    "FAIL\t",
    "[build failed]",
];

/// Messages that mean a missing module or package.
const IMPORT_MESSAGES: &[&str] = &[
    "no required module provides package",
    "cannot find package",
    "cannot find module",
    "is not in std",
    "could not import",
    "missing go.sum entry",
];

/// Tests that run side by side whose output is remembered.
const MAX_RUNNING: usize = 64;

/// State between lines.
#[derive(Default)]
pub(super) struct Go {
    compile: Option<Draft>,
    /// With `-v` a test's output comes before its verdict.
    running: Vec<Output>,
    /// Whose output the next lines are.
    current: Option<String>,
    /// The failed test whose output follows its verdict, as without `-v`.
    failed: Option<String>,
    panic: Option<Draft>,
}

struct Output {
    test: String,
    message: String,
    locations: Vec<Location>,
}

impl Parser for Go {
    fn cues(&self) -> &'static [&'static str] {
        CUES
    }

    fn is_open(&self) -> bool {
        self.compile.is_some() || self.panic.is_some() || self.failed.is_some()
    }

    fn line(&mut self, text: &str, findings: &mut Findings) -> Claim {
        if self.panic.is_some() {
            return self.panic_line(text, findings);
        }
        if let Some(claim) = self.verdict(text, findings) {
            return claim;
        }
        if let Some(message) =
            text.strip_prefix("panic: ").or_else(|| text.strip_prefix("fatal error: "))
        {
            self.begin_panic(message);
            return Claim::Fault;
        }
        if let Some(claim) = self.compiler_line(text, findings) {
            return claim;
        }
        self.output_line(text, findings)
    }

    fn finish(&mut self, findings: &mut Findings) {
        for draft in [self.compile.take(), self.panic.take()].into_iter().flatten() {
            findings.add(draft.done());
        }
    }
}

impl Go {
    fn verdict(&mut self, text: &str, findings: &mut Findings) -> Option<Claim> {
        let trimmed = text.trim_start();
        for mark in ["=== RUN ", "=== CONT ", "=== NAME "] {
            if let Some(name) = trimmed.strip_prefix(mark) {
                self.current = Some(name.trim().to_owned()).filter(|name| !name.is_empty());
                self.failed = None;
                return Some(Claim::Known);
            }
        }
        if let Some(rest) =
            trimmed.strip_prefix("--- PASS: ").or_else(|| trimmed.strip_prefix("--- SKIP: "))
        {
            let name = rest.split(' ').next().unwrap_or(rest);
            self.running.retain(|output| output.test != name);
            self.failed = None;
            return Some(Claim::Known);
        }
        let rest = trimmed.strip_prefix("--- FAIL: ")?;
        let name = rest.rsplit_once(" (").map_or(rest, |(name, _)| name);
        let mut draft = Draft::new(NAME, FailureKind::Test, "").of_test(name);
        if let Some(at) = self.running.iter().position(|output| output.test == name) {
            let output = self.running.remove(at);
            output.message.lines().for_each(|line| draft.say(line));
            output.locations.into_iter().for_each(|at| draft.place(at));
        }
        findings.add(draft.done());
        self.failed = Some(name.to_owned());
        Some(Claim::Fault)
    }

    /// `./x.go:1:2: message`, `vet: ./x.go:1:2: message`; more of the message on lines with a tab.
    fn compiler_line(&mut self, text: &str, findings: &mut Findings) -> Option<Claim> {
        if let Some(open) = &mut self.compile {
            if text.starts_with('\t') {
                open.say(text);
                return Some(Claim::Part);
            }
            let done = self.compile.take();
            done.into_iter().for_each(|draft| findings.add(draft.done()));
        }
        let line = text.strip_prefix("vet: ").unwrap_or(text);
        if line.starts_with([' ', '\t']) {
            return None;
        }
        let (at, message) = place::split(line, &[".go"])?;
        let message = message.strip_prefix(' ')?;
        // Without a column it is a test's or a logger's own output.
        at.column?;
        let imports = IMPORT_MESSAGES.iter().any(|known| message.contains(known));
        let kind = if imports { FailureKind::Import } else { FailureKind::Compile };
        let mut draft = Draft::new(NAME, kind, message);
        if let Some(linter) = linter(message) {
            draft.failure.kind = FailureKind::Lint;
            draft = draft.with_code(linter);
        }
        draft.place(at);
        self.compile = Some(draft);
        Some(Claim::Fault)
    }

    /// `    x_test.go:12: message` and testify's table under it.
    fn output_line(&mut self, text: &str, findings: &mut Findings) -> Claim {
        if text.starts_with("FAIL") || text.starts_with("ok  \t") {
            self.failed = None;
            return Claim::Known;
        }
        if !text.starts_with([' ', '\t']) {
            return Claim::None;
        }
        let trimmed = text.trim();
        let (places, message) = if let Some(path) = trimmed.strip_prefix("Error Trace:") {
            (place::read(path), "")
        } else if let Some(message) = trimmed.strip_prefix("Error:") {
            (None, message.trim())
        } else if let Some((at, message)) = place::split(trimmed, &[".go"]) {
            (Some(at), message.trim())
        } else {
            return if self.failed.is_some() { Claim::Part } else { Claim::None };
        };
        if let Some(test) = &self.failed {
            let mut draft = Draft::new(NAME, FailureKind::Test, message).of_test(test);
            places.into_iter().for_each(|at| draft.place(at));
            findings.add(draft.done());
            return Claim::Part;
        }
        let Some(test) = self.current.clone() else { return Claim::None };
        self.remember(test, places, message);
        Claim::Known
    }

    fn remember(&mut self, test: String, place: Option<Location>, message: &str) {
        let at = self.running.iter().position(|output| output.test == test).unwrap_or_else(|| {
            if self.running.len() == MAX_RUNNING {
                self.running.remove(0);
            }
            self.running.push(Output { test, message: String::new(), locations: Vec::new() });
            self.running.len() - 1
        });
        let Some(output) = self.running.get_mut(at) else { return };
        if let Some(place) = place {
            add_location(&mut output.locations, place);
        }
        if output.message.len() < 1_000 && !message.is_empty() {
            output.message.push_str(cut(message, 500));
            output.message.push('\n');
        }
    }

    fn begin_panic(&mut self, message: &str) {
        let message = message.split(" [recovered").next().unwrap_or(message);
        let kind = FailureKind::Crash;
        let mut draft = Draft::new(NAME, kind, message);
        if let Some(test) = self.failed.take().or_else(|| self.current.clone()) {
            draft.failure.kind = FailureKind::Test;
            draft = draft.of_test(&test);
        }
        self.panic = Some(draft);
    }

    fn panic_line(&mut self, text: &str, findings: &mut Findings) -> Claim {
        let Some(open) = &mut self.panic else { return Claim::None };
        let ends = text.starts_with("FAIL")
            || text.starts_with("exit status")
            || text.starts_with("=== ")
            || text.starts_with("--- ");
        if ends {
            self.current = None;
            self.finish(findings);
            return Claim::Known;
        }
        // Only the first goroutine's frames are the panic's.
        if text.is_empty() && !open.failure.locations.is_empty() {
            self.finish(findings);
            return Claim::Part;
        }
        if let Some(frame) = text.strip_prefix('\t') {
            let frame = frame.rsplit_once(" +0x").map_or(frame, |(place, _)| place);
            if let Some(at) = place::read(frame) {
                open.place(at);
            }
        }
        Claim::Part
    }
}

/// golangci-lint ends its messages with the linter's name: `… (errcheck)`.
fn linter(message: &str) -> Option<&str> {
    let (_, name) = message.strip_suffix(')')?.rsplit_once(" (")?;
    let is_name =
        name.len() > 2 && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit());
    is_name.then_some(name)
}
