//! Reads rustc, clippy, cargo, libtest and nextest.
//!
//! A diagnostic is read up to the blank line after it, a panic up to the end of its backtrace:
//!
//! ```text
//! error[E0425]: cannot find value `x` in this scope
//!  --> src/lib.rs:2:5
//!   |
//! 2 |     x
//!   |     ^ not found in this scope
//!
//! ---- tests::adds stdout ----
//! thread 'tests::adds' panicked at src/lib.rs:9:9:
//! assertion `left == right` failed
//!   left: 4
//!  right: 3
//! ```

use std::sync::LazyLock;

use crate::failure::draft::FailureDraft;
use crate::failure::excerpt::LineImportance;
use crate::failure::findings::LogFailures;
use crate::failure::{location, quoted};
use papayu_base::domain::{Failure, FailureKind, Location};
use papayu_base::text::WordFinder;

use super::Parser;

const NAME: &str = "rust";

const CUES: &[&str] = &[
    "error", "warning", "-->", ":::", "panicked at", "FAILED", "FAIL [", " stdout ----",
    " output ----", "test result:", "failures:", "SIGABRT", "SIGSEGV", "TIMEOUT [",
];

/// Codes of errors that a manifest may explain.
const IMPORT_CODES: &[&str] = &["E0432", "E0433", "E0463"];

/// Errors that only say that there were errors.
pub(super) const CONSEQUENCES: &[&str] = &[
    "aborting due to",
    "could not compile",
    "test failed, to rerun pass",
    "doctest failed, to rerun pass",
    "test run failed",
    "build failed",
    "process didn't exit successfully",
    "target failed",
    "targets failed",
];

/// Lines after which output is no longer the failed test's. nextest shows libtest's own, indented.
const LIBTEST_ENDS: &[&str] = &["failures:", "test result:"];
const NEXTEST_ENDS: &[&str] = &["────", "PASS [", "Summary ["];

/// Most lines of a panic's message.
const MAX_PANIC_LINES: usize = 10;

/// State between lines.
#[derive(Default)]
pub(super) struct RustParser {
    diagnostic: Option<OpenDiagnostic>,
    panic: Option<Panic>,
    /// The test of the captured output that follows.
    section: Option<String>,
}

/// The diagnostic that is being read.
enum OpenDiagnostic {
    /// Its spans are not wanted.
    Warning,
    /// `sure` becomes `true` when a span or a code shows that the error is rustc's.
    Error { draft: Box<FailureDraft>, sure: bool },
}

/// The panic that is being read, with its message and backtrace.
struct Panic {
    draft: FailureDraft,
    message_lines: usize,
}

impl Parser for RustParser {
    fn cues(&self) -> &'static [&'static str] {
        CUES
    }

    fn is_open(&self) -> bool {
        self.diagnostic.is_some() || self.panic.is_some() || self.section.is_some()
    }

    fn read_line(&mut self, text: &str, findings: &mut LogFailures) -> LineImportance {
        if let Some(claim) = self.in_diagnostic(text, findings) {
            return claim;
        }
        if let Some(claim) = self.in_panic(text, findings) {
            return claim;
        }
        self.read_start(text, findings)
    }

    fn finish(&mut self, findings: &mut LogFailures) {
        self.end_diagnostic(findings);
        self.end_panic(findings);
    }
}

impl RustParser {
    /// Reads a line that can start a diagnostic, a panic or the output of a test.
    fn read_start(&mut self, text: &str, findings: &mut LogFailures) -> LineImportance {
        if text.starts_with("warning: ") || text.starts_with("warning[") {
            self.diagnostic = Some(OpenDiagnostic::Warning);
            return LineImportance::Warning;
        }
        if let Some((code, message)) = parse_headline(text) {
            self.end_panic(findings);
            if is_consequence(message) {
                return LineImportance::Part;
            }
            let draft = compile_error(code, message);
            self.diagnostic =
                Some(OpenDiagnostic::Error { draft: Box::new(draft), sure: code.is_some() });
            return if code.is_some() { LineImportance::Fault } else { LineImportance::Vague };
        }
        if let Some(failure) = short_diagnostic(text) {
            findings.add(failure);
            return LineImportance::Fault;
        }
        if let Some(panic) = self.panic_headline(text) {
            self.end_panic(findings);
            self.panic = Some(panic);
            return LineImportance::Fault;
        }
        self.read_test_line(text, findings)
    }

    /// Reads the lines of libtest and nextest about failed tests.
    fn read_test_line(&mut self, text: &str, findings: &mut LogFailures) -> LineImportance {
        if let Some(name) = text.strip_prefix("---- ").and_then(|rest| {
            // The second one is that of wasm-bindgen's runner.
            rest.strip_suffix(" stdout ----").or_else(|| rest.strip_suffix(" output ----"))
        }) {
            self.end_panic(findings);
            self.section = Some(name.to_owned());
            let mut draft = FailureDraft::test(NAME, name);
            draft.add_locations(doc_test_place(name));
            findings.add(draft.finish());
            return LineImportance::Fault;
        }
        if let Some(name) =
            text.strip_prefix("test ").and_then(|rest| rest.strip_suffix(" ... FAILED"))
        {
            findings
                .add(FailureDraft::test(NAME, name.trim_end_matches(" - should panic")).finish());
            return LineImportance::Known;
        }
        if let Some(name) = nextest_failure(text) {
            self.end_panic(findings);
            findings.add(FailureDraft::test(NAME, name).finish());
            self.section = Some(name.to_owned());
            return LineImportance::Fault;
        }
        let trimmed = text.trim_start();
        if LIBTEST_ENDS.iter().any(|end| text.starts_with(end))
            || NEXTEST_ENDS.iter().any(|end| trimmed.starts_with(end))
        {
            self.end_panic(findings);
            self.section = None;
            return LineImportance::Known;
        }
        // A test that returns an error prints it like this.
        if let (Some(name), Some(error)) = (&self.section, trimmed.strip_prefix("Error: ")) {
            let draft = FailureDraft::new(NAME, FailureKind::Test, error).for_test(name);
            findings.add(draft.finish());
            return LineImportance::Part;
        }
        LineImportance::None
    }

    /// Reads a line of the open diagnostic; `None` if it ended before the line.
    fn in_diagnostic(&mut self, text: &str, findings: &mut LogFailures) -> Option<LineImportance> {
        let open = self.diagnostic.as_mut()?;
        if !belongs_to_diagnostic(text) {
            let is_warning = matches!(open, OpenDiagnostic::Warning);
            self.end_diagnostic(findings);
            let claim = if is_warning { LineImportance::Warning } else { LineImportance::Known };
            return text.is_empty().then_some(claim);
        }
        let OpenDiagnostic::Error { draft, sure } = open else {
            return Some(LineImportance::Warning);
        };
        let trimmed = text.trim_start();
        let span = ["--> ", "::: "].iter().find_map(|arrow| trimmed.strip_prefix(arrow));
        // Compilers of other languages have the same form with a corner as its arrow.
        let corner = trimmed.strip_prefix("┌─ ");
        if corner.is_some() {
            "generic".clone_into(&mut draft.failure.toolchain);
        }
        let span = span.or(corner);
        if let Some(at) = span.and_then(location::parse_location) {
            *sure = true;
            draft.add_location(at);
        } else if let Some(lint) = lint_name(trimmed) {
            draft.failure.kind = FailureKind::Lint;
            // The command line spells it with `-`, the source and the JSON form with `_`.
            // clippy and rustc name the lint of a `deny` only in this note.
            draft.failure.code = Some(lint.replace('-', "_"));
        } else if let Some(source) = quoted::strip_gutter(trimmed) {
            draft.add_source(source);
        }
        Some(LineImportance::Part)
    }

    /// Adds the open error; warnings are dropped.
    fn end_diagnostic(&mut self, findings: &mut LogFailures) {
        let Some(OpenDiagnostic::Error { mut draft, sure }) = self.diagnostic.take() else {
            return;
        };
        if let Some(test) = &self.section {
            // A doc test that does not compile.
            draft.failure.kind = FailureKind::Test;
            *draft = draft.for_test(test);
        } else if !sure {
            draft.failure.kind = FailureKind::Unknown;
            "generic".clone_into(&mut draft.failure.toolchain);
        }
        findings.add(draft.finish());
    }

    /// `thread 'name' panicked at src/x.rs:1:2:` or, before Rust 1.73, `… at 'message', src/x.rs:1:2`.
    fn panic_headline(&self, text: &str) -> Option<Panic> {
        let text = text.trim_start();
        let named = text.strip_prefix("thread '").and_then(|text| text.split_once(" panicked at "));
        // A runner of tests for the web has no threads.
        let (thread, at) = named.or_else(|| Some(("", text.strip_prefix("panicked at ")?)))?;
        // Newer versions of Rust print the thread's id after its name.
        let thread = thread.rsplit_once('\'').map_or(thread, |(name, _)| name);
        let (message, at) = match at.rsplit_once("', ") {
            Some((message, at)) => (message.trim_start_matches('\''), at),
            None => ("", at),
        };
        // A panic in the captured output of a test belongs to that test, whatever its thread.
        let owner = match &self.section {
            Some(section) => Some(section.as_str()),
            None => Some(thread).filter(|name| name.contains("::") || !is_worker(name)),
        };
        let kind = if owner.is_some() { FailureKind::Test } else { FailureKind::Crash };
        let mut draft = FailureDraft::new(NAME, kind, message);
        if let Some(owner) = owner {
            draft = draft.for_test(owner);
        }
        draft.add_locations(location::parse_location(at.trim_end_matches(':')));
        let message_lines = if message.is_empty() { 0 } else { MAX_PANIC_LINES };
        Some(Panic { draft, message_lines })
    }

    /// Reads a line of the open panic; `None` if it ended before the line.
    fn in_panic(&mut self, text: &str, findings: &mut LogFailures) -> Option<LineImportance> {
        let panic = self.panic.as_mut()?;
        let trimmed = text.trim_start();
        if let Some(at) = trimmed.strip_prefix("at ").and_then(location::parse_location) {
            panic.draft.add_location(at);
            return Some(LineImportance::Part);
        }
        let ends_message =
            text.is_empty() || trimmed.starts_with("note: ") || trimmed == "stack backtrace:";
        if ends_message {
            panic.message_lines = MAX_PANIC_LINES;
            return Some(LineImportance::Part);
        }
        if panic.message_lines < MAX_PANIC_LINES {
            panic.message_lines += 1;
            panic.draft.add_line(text);
            return Some(LineImportance::Part);
        }
        if is_frame_name(trimmed) {
            return Some(LineImportance::Part);
        }
        self.end_panic(findings);
        None
    }

    /// Adds the open panic.
    fn end_panic(&mut self, findings: &mut LogFailures) {
        if let Some(panic) = self.panic.take() {
            findings.add(panic.draft.finish());
        }
    }
}

/// `error: message` or `error[E0425]: message`.
fn parse_headline(text: &str) -> Option<(Option<&str>, &str)> {
    let rest = text.strip_prefix("error")?;
    if let Some(message) = rest.strip_prefix(": ") {
        return Some((None, message));
    }
    let (code, message) = rest.strip_prefix('[')?.split_once("]: ")?;
    Some((Some(code), message))
}

/// `src/x.rs:1:2: error[E0425]: message`, as `--message-format short` prints it.
fn short_diagnostic(text: &str) -> Option<Failure> {
    let (at, rest) = location::split_location(text, &[".rs"])?;
    let (code, message) = parse_headline(rest.trim_start())?;
    let mut draft = compile_error(code, message);
    draft.add_location(at);
    Some(draft.finish())
}

/// Starts an error of the compiler; some codes mean a missing import.
fn compile_error(code: Option<&str>, message: &str) -> FailureDraft {
    let is_import = code.is_some_and(is_import_code);
    let kind = if is_import { FailureKind::Import } else { FailureKind::Compile };
    FailureDraft::new(NAME, kind, message).with_code(code)
}

static CONSEQUENCE: LazyLock<WordFinder> = LazyLock::new(|| WordFinder::new(CONSEQUENCES.to_vec()));

/// Returns `true` for an error that only reports earlier errors.
pub(super) fn is_consequence(message: &str) -> bool {
    CONSEQUENCE.is_in(message)
}

/// Returns `true` for the code of an import error, which a manifest may explain.
pub(super) fn is_import_code(code: &str) -> bool {
    IMPORT_CODES.contains(&code)
}

/// Source with its gutter, spans, notes; a blank line or anything else ends a diagnostic.
fn belongs_to_diagnostic(text: &str) -> bool {
    let trimmed = text.trim_start();
    let gutter = trimmed.trim_start_matches(|c: char| c.is_ascii_digit()).trim_start();
    gutter.starts_with(['|', '=', '+', '~', '-', '┌', '│'])
        || trimmed.starts_with(":::")
        || trimmed.starts_with("...")
        || trimmed.starts_with("note: ")
        || trimmed.starts_with("help: ")
        || (text.starts_with("   ") && !trimmed.is_empty())
}

/// "= note: `#[deny(clippy::x)]` on by default" or "= note: `-D unused-variables` implied by …".
fn lint_name(text: &str) -> Option<&str> {
    let rest = text.strip_prefix("= note: `")?;
    let (name, _) = match rest.strip_prefix("#[deny(") {
        Some(rest) => rest.split_once(')')?,
        None => rest.strip_prefix("-D ")?.split_once('`')?,
    };
    Some(name)
}

/// `FAIL [   0.010s] (1/10) crate tests::name`, and the same for signals and timeouts.
fn nextest_failure(text: &str) -> Option<&str> {
    let trimmed = text.trim_start();
    let (status, rest) = trimmed.split_once(" [")?;
    let (_, rest) = rest.split_once("s]")?;
    let failed = status.ends_with("FAIL") || status.starts_with("SIG") || status == "TIMEOUT";
    // A flaky test passed in a retry.
    (failed && !status.contains("FLAKY")).then(|| rest.trim().rsplit(' ').next())?
}

/// Returns the location in the name of a doc test: `src/lib.rs - item (line 3)`.
fn doc_test_place(name: &str) -> Option<Location> {
    let (path, rest) = name.split_once(" - ")?;
    let (line, _) = location::leading_number(rest.rsplit_once("(line ")?.1)?;
    Some(Location { path: path.to_owned(), line: Some(line), column: None })
}

/// Threads that are not named after a test.
fn is_worker(name: &str) -> bool {
    name == "main"
        || name == "<unnamed>"
        || name.contains("worker")
        || name.contains("thread")
        || name.contains(' ')
}

/// `  12: core::panicking::panic` in a backtrace.
fn is_frame_name(trimmed: &str) -> bool {
    location::leading_number(trimmed).is_some_and(|(_, rest)| rest.starts_with(": "))
}
