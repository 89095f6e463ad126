//! Collects the lines of one JavaScript failure: headline, message, frames.
//!
//! ```text
//!  FAIL  src/calc.test.ts > adds
//! AssertionError: expected 4 to be 3 // Object.is equality
//!  ❯ src/calc.test.ts:6:21
//! ```
//!
//! An error without a test becomes a crash when its first frame follows.

use crate::failure::draft::FailureDraft;
use crate::failure::excerpt::LineImportance;
use crate::failure::findings::LogFailures;
use crate::failure::quoted;
use crate::failure::structure::read_comment;
use crate::failure::toolchain::Parser;
use papayu_base::domain::{Failure, FailureKind, Location};

use super::file_findings::FileFindings;
use super::runner::{NodeTestParser, RunnerHeadline};
use super::stack::{self, StackFrame};

const NAME: &str = "node";
/// The toolchain of other tools that print TAP.
const TAP: &str = "tap";

const CUES: &[&str] = &[
    "FAIL ", "● ", " failing", "failing tests:", "not ok ", "Error: ", "Error [", "    at ", "  ─",
    "❯ ", ".js:", ".mjs:", ".cjs:", ".ts:", "Cannot find module", "Cannot find package",
    "Test Suites:", "Test Files ", "FAILED TESTS:",
];

/// Messages that mean a missing module or package.
const IMPORT_MESSAGES: &[&str] = &[
    "Cannot find module",
    "Cannot find package",
    "Failed to resolve import",
    "ERR_MODULE_NOT_FOUND",
    "does not provide an export named",
    "Failed to resolve entry for package",
    "Failed to load url",
];

/// Lines between the place node prints and the error it belongs to.
const MAX_HINT_AGE: u8 = 6;

/// The message of `node --test` for a file that failed outside of its tests.
const FILE_FAILED: &str = "test failed";

/// Lines of values that `assert` prints.
const MAX_ASSERTION_LINES: usize = 20;

/// State between lines.
#[derive(Default)]
pub(in super::super) struct NodeParser {
    runner: NodeTestParser,
    block: Option<NodeBlock>,
    /// An error's headline, until its first frame shows that it is one.
    headline: Option<String>,
    /// `/abs/x.js:3`, which node prints above the source line and the error.
    hint: Option<(Location, u8)>,
    /// `true` after a crash in the comments of TAP, until the file that crashed is named.
    crashed_file: bool,
    /// `true` directly below the verdict of TAP about a test that failed, and the comments that explain it.
    below_verdict: bool,
}

/// One failure being read.
struct NodeBlock {
    /// vitest names several tests above one error.
    tests: Vec<String>,
    /// The findings of a linter, for which the name of a test is a path.
    file: Option<FileFindings>,
    /// The location of the test or the error, if no frame has a better one.
    origin: Option<Location>,
    draft: FailureDraft,
    /// `true` if the frames have begun, which end the message.
    in_frames: bool,
    /// A stack without a test ends at the first line that is no frame.
    is_crash: bool,
}

impl Parser for NodeParser {
    fn cues(&self) -> &'static [&'static str] {
        CUES
    }

    fn is_open(&self) -> bool {
        self.block.is_some()
            || self.headline.is_some()
            || self.hint.is_some()
            || self.runner.is_open()
    }

    fn read_line(&mut self, text: &str, findings: &mut LogFailures) -> LineImportance {
        let file = self.block.as_mut().and_then(|block| block.file.as_mut());
        if file.is_some_and(|file| file.read_comment(text)) {
            return LineImportance::Part;
        }
        if std::mem::take(&mut self.below_verdict) && self.read_explanation(text, findings) {
            return LineImportance::Part;
        }
        let text = self.strip_comment(text);
        match self.runner.read_header(text) {
            Some(RunnerHeadline::Test { name, file }) => {
                return self.begin_test(name, file, findings);
            }
            Some(RunnerHeadline::Continued) => return LineImportance::Part,
            Some(RunnerHeadline::Known) => {
                self.end_block(findings);
                return LineImportance::Known;
            }
            Some(RunnerHeadline::Drop) => {
                self.block = None;
                return LineImportance::Known;
            }
            None => {}
        }
        let trimmed = text.trim();
        // Frames and diffs are indented or marked; other text ends the failure.
        let unindented = !text.starts_with([' ', '\t', '+', '-', '❯']);
        if unindented && !trimmed.is_empty() && self.block.as_ref().is_some_and(|b| b.in_frames) {
            self.end_block(findings);
        }
        if let Some(frame) =
            stack::parse_frame(trimmed, self.block.is_some() && self.runner.is_tap())
        {
            return self.add_frame(frame, findings);
        }
        if self.block.is_some() {
            let claim = self.read_in_block(trimmed, findings);
            if claim != LineImportance::None {
                return claim;
            }
        }
        self.read_outside(trimmed)
    }

    fn finish(&mut self, findings: &mut LogFailures) {
        self.end_block(findings);
    }
}

impl NodeParser {
    /// Returns a line of a crash without the `# ` with which TAP prints a test file's stderr; another line as it is.
    fn strip_comment<'t>(&mut self, text: &'t str) -> &'t str {
        let Some(rest) = text.strip_prefix("# ") else { return text };
        let is_open = self.headline.is_some()
            || self.hint.is_some()
            || self.block.as_ref().is_some_and(|block| block.is_crash);
        let starts = stack::is_error_headline(rest) || stack::parse_hint(rest).is_some();
        let is_part = is_open && !rest.starts_with("Subtest: ");
        if !starts && !is_part {
            return text;
        }
        self.crashed_file = true;
        rest
    }

    /// Reads a comment below the verdict of a test. Another line ends the comments; returns `false` for it.
    fn read_explanation(&mut self, text: &str, findings: &mut LogFailures) -> bool {
        let Some(NodeBlock { draft, .. }) = &mut self.block else { return false };
        self.below_verdict = read_comment(draft, text);
        if self.below_verdict {
            TAP.clone_into(&mut draft.failure.toolchain);
        } else if draft.failure.toolchain == TAP {
            self.end_block(findings);
        }
        self.below_verdict
    }

    /// Starts a failed test, or adds its name to the open one that shares its error.
    fn begin_test(
        &mut self,
        name: Option<String>,
        file: Option<String>,
        findings: &mut LogFailures,
    ) -> LineImportance {
        self.headline = None;
        if let Some(block) = &mut self.block
            && block.draft.has_no_message()
            && !block.in_frames
            && !block.tests.is_empty()
            // vitest prints one error under the names of all tests that it failed.
            && self.runner.shares_errors()
        {
            block.tests.extend(name);
            return LineImportance::Part;
        }
        self.end_block(findings);
        self.below_verdict = self.runner.is_tap();
        let kind = if name.is_some() { FailureKind::Test } else { FailureKind::Crash };
        let file = file.map(Location::file);
        self.block = Some(NodeBlock {
            file: name.as_deref().and_then(FileFindings::of_test),
            tests: name.into_iter().collect(),
            origin: self.runner.take_place().or(file),
            draft: FailureDraft::new(NAME, kind, ""),
            in_frames: false,
            is_crash: false,
        });
        LineImportance::Fault
    }

    /// Adds a frame; one without an open failure starts a crash or is a mention.
    fn add_frame(&mut self, frame: StackFrame, findings: &mut LogFailures) -> LineImportance {
        if self.block.is_none() {
            let Some(message) = self.headline.take() else {
                if let StackFrame::At(at) = frame {
                    findings.add_mention(at);
                }
                return LineImportance::Known;
            };
            self.begin_crash(&message);
        }
        let Some(block) = &mut self.block else { return LineImportance::None };
        block.in_frames = true;
        block.draft.add_locations(frame.location());
        LineImportance::Part
    }

    /// Starts a failure without a test.
    fn begin_crash(&mut self, message: &str) {
        let kind = if message.starts_with("SyntaxError") {
            FailureKind::Compile
        } else {
            FailureKind::Crash
        };
        self.headline = None;
        self.block = Some(NodeBlock {
            tests: Vec::new(),
            file: None,
            origin: self.hint.take().map(|(place, _)| place),
            draft: FailureDraft::new(NAME, kind, message),
            in_frames: false,
            is_crash: true,
        });
    }

    /// Reads a line of the open failure: message, source or frame.
    fn read_in_block(&mut self, trimmed: &str, findings: &mut LogFailures) -> LineImportance {
        let Some(block) = &mut self.block else { return LineImportance::None };
        block.file.iter_mut().for_each(|file| file.read_line(trimmed));
        if let Some(path) = trimmed.strip_prefix("- ").filter(|path| stack::is_script(path)) {
            // "Require stack:" names files without lines.
            block.draft.add_location(Location::file(path));
            return LineImportance::Part;
        }
        if !block.in_frames
            && let Some((at, message)) = stack::syntax_error(trimmed)
        {
            // The text above is advice about configuring the transformer.
            if let Some(message) = message {
                block.draft = FailureDraft::new(NAME, FailureKind::Compile, message);
            }
            block.draft.failure.kind = FailureKind::Compile;
            block.draft.add_location(at);
            return LineImportance::Part;
        }
        let source = quoted::strip_gutter(trimmed).or_else(|| self.runner.source_of_line(trimmed));
        if let Some(source) = source {
            block.draft.add_source(source);
        }
        if block.is_crash {
            if block.in_frames || trimmed.is_empty() {
                self.end_block(findings);
                return LineImportance::None;
            }
        } else if !block.in_frames && !stack::is_code_frame(trimmed) {
            match self.runner.message_line(trimmed) {
                Some(line) => block.draft.add_line(line),
                None => block.draft.read_values(trimmed),
            }
            if let Some(class) = self.runner.error_class(trimmed) {
                block.draft.failure.message.insert_str(0, &format!("{class}: "));
            }
        } else if stack::is_code_frame(trimmed) {
            block.in_frames |= !block.draft.has_no_message();
        }
        LineImportance::Part
    }

    /// Reads a line without an open failure: headlines and `path:line` above them.
    fn read_outside(&mut self, trimmed: &str) -> LineImportance {
        if let Some((_, age)) = &mut self.hint {
            *age += 1;
            if *age > MAX_HINT_AGE {
                self.hint = None;
            }
        }
        if stack::is_error_headline(trimmed) {
            if self.hint.is_some() || is_import(trimmed) {
                self.begin_crash(trimmed);
                return LineImportance::Fault;
            }
            self.headline = Some(trimmed.to_owned());
            return LineImportance::Vague;
        }
        if let Some(at) = stack::parse_hint(trimmed) {
            self.hint = Some((at, 0));
            return LineImportance::Part;
        }
        if !trimmed.is_empty() {
            match &mut self.headline {
                // `assert` prints the values between its message and the stack.
                Some(headline)
                    if headline.contains("[ERR_ASSERTION]")
                        && headline.lines().count() < MAX_ASSERTION_LINES =>
                {
                    headline.push('\n');
                    headline.push_str(trimmed);
                    return LineImportance::Part;
                }
                // It was followed by no stack: the words of another tool.
                _ => self.headline = None,
            }
        }
        LineImportance::None
    }

    /// Adds the open failure once per test.
    fn end_block(&mut self, findings: &mut LogFailures) {
        let Some(NodeBlock { tests, file, origin, draft, .. }) = self.block.take() else { return };
        let linted = file.map(FileFindings::finish).unwrap_or_default();
        if !linted.is_empty() {
            return linted.into_iter().for_each(|finding| findings.add(finding.finish()));
        }
        let failure = finish_failure(draft, origin);
        // The crash of the file is a failure already; that the file failed repeats it.
        if let [file] = tests.as_slice()
            && stack::is_script(file)
            && failure.message.lines().next() == Some(FILE_FAILED)
            && std::mem::take(&mut self.crashed_file)
        {
            return;
        }
        if tests.is_empty() {
            findings.add(failure);
            return;
        }
        for test in tests {
            let mut failure = failure.clone();
            failure.test = Some(test);
            findings.add(failure);
        }
    }
}

/// Returns `true` for a message about a missing module.
fn is_import(message: &str) -> bool {
    IMPORT_MESSAGES.iter().any(|known| message.contains(known))
}

/// Finishes a failure with the best location that is known.
fn finish_failure(mut draft: FailureDraft, origin: Option<Location>) -> Failure {
    if is_import(&draft.failure.message) {
        draft.failure.kind = FailureKind::Import;
    }
    if let Some((_, importer)) = draft.failure.message.split_once(" imported from ") {
        let path = importer.lines().next().unwrap_or_default().trim();
        let path = path.trim_matches(['\'', '"']).to_owned();
        draft.add_location(Location::file(path));
    }
    if draft.failure.locations.is_empty()
        && let Some(path) = path_at_end(&draft.failure.message)
    {
        draft.add_location(path);
    }
    let mut failure = draft.finish();
    let is_named = |origin: &Location| {
        failure.locations.iter().any(|at| {
            at.path.ends_with(&origin.path) && (origin.line.is_none() || at.line == origin.line)
        })
    };
    if let Some(origin) = origin.filter(|origin| !is_named(origin)) {
        // The stack of a syntax error begins at the file that imports the broken one.
        let is_syntax = failure.message.starts_with("SyntaxError");
        let at = if is_syntax { 0 } else { failure.locations.len() };
        failure.locations.insert(at, origin);
    }
    failure
}

/// Returns the file of a mocha timeout: `Timeout of 30ms exceeded. … (/abs/x.test.js)`.
fn path_at_end(message: &str) -> Option<Location> {
    let (_, path) = message.lines().next()?.strip_suffix(')')?.rsplit_once(" (")?;
    let path = path.to_owned();
    stack::is_script(&path).then_some(Location::file(path))
}
