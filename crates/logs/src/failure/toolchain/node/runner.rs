//! Recognizes the lines with which each JavaScript test runner starts a failure.
//!
//! ```text
//! jest          ● suite › adds
//! vitest         FAIL  src/calc.test.ts > suite > adds
//! mocha           1) suite
//! node --test   ✖ adds (1.2ms)
//! TAP           not ok 1 - adds
//! ava             suite › adds
//! karma            ✖ adds
//! ```

use crate::failure::{location, quoted};
use papayu_base::domain::Location;

use super::stack::is_script;

/// Longest title of a mocha test, in lines.
const MAX_TITLE_LINES: usize = 12;

/// Errors that the language throws; those of assertions have a message that needs no class.
const LANGUAGE_ERRORS: [&str; 5] =
    ["RangeError", "ReferenceError", "SyntaxError", "TypeError", "URIError"];

/// The meaning of a runner's headline.
pub(super) enum RunnerHeadline {
    /// A failed test; without a name a file that could not be run.
    Test {
        /// The test's full name.
        name: Option<String>,
        /// The test's file as printed.
        file: Option<String>,
    },
    /// Part of a title that goes on.
    Continued,
    /// Nothing failed here, and what was being read is over.
    Known,
    /// The open failure only repeats another one.
    Drop,
}

/// Notices that jest prints with the mark of a failed test.
const NOTICES_OF_JEST: [&str; 4] = [
    "Console ",
    "process.exit called with",
    "Cannot log after tests are done",
    "Deprecation Warning",
];

/// State between lines.
#[derive(Default)]
pub(super) struct NodeTestParser {
    mode: RunnerMode,
    /// jest's file, for the tests that follow.
    file: Option<String>,
    /// A mocha title that has not ended.
    title: Option<Vec<String>>,
    place: Option<Location>,
    /// Blank lines in a row; two and a title come before each of ava's failures.
    blanks: u8,
}

/// The runner of the list of failures that is being read.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum RunnerMode {
    #[default]
    None,
    Jest,
    Vitest,
    Mocha,
    NodeTest,
    Tap,
    Ava,
    Karma,
}

impl NodeTestParser {
    /// Returns `true` if lines without a cue are needed too.
    pub(super) fn is_open(&self) -> bool {
        matches!(
            self.mode,
            RunnerMode::Mocha
                | RunnerMode::NodeTest
                | RunnerMode::Tap
                | RunnerMode::Ava
                | RunnerMode::Karma
        )
    }

    /// Returns `true` for the stacks of TAP, which have no `at`.
    pub(super) fn is_tap(&self) -> bool {
        self.mode == RunnerMode::Tap
    }

    /// Returns `true` if the runner lists several tests above their common error.
    pub(super) fn shares_errors(&self) -> bool {
        self.mode == RunnerMode::Vitest
    }

    /// Returns the place that was printed above the test's name, once; `None` without one.
    pub(super) fn take_place(&mut self) -> Option<Location> {
        self.place.take()
    }

    /// Returns the source that ava prints after its number: `  12:   t.is(add(1, 2), 3);`. `None` for any other
    /// line, and for another runner.
    pub(super) fn source_of_line<'t>(&self, trimmed: &'t str) -> Option<&'t str> {
        let (_, rest) =
            location::leading_number(trimmed).filter(|_| self.mode == RunnerMode::Ava)?;
        quoted::source_text(rest.strip_prefix(':')?)
    }

    /// Returns the text of a failure's line without the runner's decoration.
    pub(super) fn message_line<'t>(&self, trimmed: &'t str) -> Option<&'t str> {
        if self.mode == RunnerMode::Ava && is_ava_source(trimmed) {
            return None;
        }
        if self.mode != RunnerMode::Tap {
            let is_noise = trimmed.starts_with("⎯⎯")
                || trimmed.starts_with("Process completed with exit code");
            return (!is_noise).then_some(trimmed);
        }
        let (key, value) = trimmed.split_once(':').unwrap_or(("", trimmed));
        match key {
            "error" => {
                Some(value.trim().trim_matches(['\'', '"'])).filter(|value| !value.starts_with('|'))
            }
            "duration_ms" | "type" | "location" | "failureType" | "code" | "name" | "stack"
            | "expected" | "actual" | "operator" | "exitCode" | "signal" => None,
            _ if trimmed == "---" || trimmed == "..." => None,
            _ => Some(trimmed),
        }
    }

    /// Returns the class of an error of the language, which TAP prints apart from its message:
    /// `name: 'TypeError'`. `None` for any other line, and for a class of the project.
    pub(super) fn error_class<'t>(&self, trimmed: &'t str) -> Option<&'t str> {
        let name = trimmed.strip_prefix("name: ").filter(|_| self.is_tap())?;
        let name = name.trim_matches(['\'', '"']);
        LANGUAGE_ERRORS.contains(&name).then_some(name)
    }

    /// Reads a line that may begin a failure. `None` for any other line.
    pub(super) fn read_header(&mut self, text: &str) -> Option<RunnerHeadline> {
        // A hook without details is followed by the next one, or by a rule.
        let is_next = text.starts_with("===") || starts_item(text);
        if let Some(title) = self.title.take().filter(|_| !is_next) {
            return Some(self.read_title_line(title, text));
        }
        let trimmed = text.trim();
        if trimmed.starts_with("FAIL ") {
            return self.read_fail_line(trimmed);
        }
        if let Some(name) = trimmed.strip_prefix("● ") {
            return Some(self.read_jest_test(name));
        }
        if trimmed.starts_with("Test Suites:") || trimmed.starts_with("Test Files ") {
            self.mode = RunnerMode::None;
            return Some(RunnerHeadline::Known);
        }
        if trimmed.ends_with(" failing")
            && location::leading_number(trimmed).is_some_and(|(_, rest)| rest == " failing")
        {
            self.mode = RunnerMode::Mocha;
            return Some(RunnerHeadline::Known);
        }
        if trimmed == "FAILED TESTS:" {
            self.mode = RunnerMode::Karma;
            return Some(RunnerHeadline::Known);
        }
        if trimmed.ends_with("failing tests:") {
            self.mode = RunnerMode::NodeTest;
            return Some(RunnerHeadline::Known);
        }
        if let Some(rest) = trimmed.strip_prefix("not ok ") {
            return self.read_tap_test(rest);
        }
        if trimmed == "─" {
            // One line of it begins ava's details, one ends them.
            let ends = self.mode == RunnerMode::Ava;
            self.mode = if ends { RunnerMode::None } else { RunnerMode::Ava };
            self.blanks = 2;
            return Some(RunnerHeadline::Known);
        }
        match self.mode {
            RunnerMode::Mocha => self.read_mocha_line(text),
            RunnerMode::NodeTest | RunnerMode::Karma => self.read_node_test_line(trimmed),
            RunnerMode::Tap => read_tap_line(trimmed),
            RunnerMode::Ava => self.read_ava_line(text),
            _ => None,
        }
    }

    /// vitest's `FAIL  |project| a.test.ts > suite > test`, jest's `FAIL a.test.js (5.1 s)`.
    fn read_fail_line(&mut self, trimmed: &str) -> Option<RunnerHeadline> {
        let rest = trimmed.strip_prefix("FAIL ")?.trim_start();
        let rest = match rest.strip_prefix('|').and_then(|rest| rest.split_once("| ")) {
            Some((_, rest)) => rest.trim_start(),
            None => rest,
        };
        if let Some((before, names)) = rest.split_once(" > ") {
            // A coloured log has the project's name without bars.
            let file = before.rsplit(' ').next()?;
            self.mode = RunnerMode::Vitest;
            let name = Some(format!("{file} > {names}"));
            return Some(RunnerHeadline::Test { name, file: Some(file.to_owned()) });
        }
        let file = rest.split_whitespace().find(|word| is_script(word))?.to_owned();
        if rest.contains(" [ ") {
            self.mode = RunnerMode::Vitest;
            return Some(RunnerHeadline::Test { name: None, file: Some(file) });
        }
        self.mode = RunnerMode::Jest;
        self.file = Some(file);
        Some(RunnerHeadline::Known)
    }

    /// Reads jest's `● suite › test`.
    fn read_jest_test(&mut self, name: &str) -> RunnerHeadline {
        let name = name.trim();
        let is_notice = NOTICES_OF_JEST.iter().any(|notice| name.starts_with(notice));
        if name == "Console" || is_notice {
            return RunnerHeadline::Known;
        }
        self.mode = RunnerMode::Jest;
        let file = self.file.clone();
        if name == "Test suite failed to run" {
            return RunnerHeadline::Test { name: None, file };
        }
        // Two files may have tests of one name.
        let name = file.as_ref().map_or_else(|| name.to_owned(), |file| format!("{file} › {name}"));
        RunnerHeadline::Test { name: Some(name), file }
    }

    /// `  1) suite`, its title going on over lines until one ends with a colon.
    fn read_mocha_line(&mut self, text: &str) -> Option<RunnerHeadline> {
        let (_, rest) = location::leading_number(text.trim_start())?;
        let title = rest.strip_prefix(") ")?;
        Some(self.read_title_line(Vec::new(), title))
    }

    /// Reads one line of a mocha title, which can have several.
    fn read_title_line(&mut self, mut title: Vec<String>, text: &str) -> RunnerHeadline {
        let part = text.trim();
        // WebdriverIO's title is one line, and mocha's next lines are indented.
        if !title.is_empty() && !part.is_empty() && !text.starts_with(' ') {
            return RunnerHeadline::Test { name: Some(title.join(" > ")), file: None };
        }
        // mocha ends a title with a colon; the limit stops at a title that never ends.
        let ends = part.ends_with(':') || part.is_empty() || title.len() == MAX_TITLE_LINES;
        title.push(part.trim_end_matches(':').to_owned());
        if !ends {
            self.title = Some(title);
            return RunnerHeadline::Continued;
        }
        title.retain(|part| !part.is_empty());
        RunnerHeadline::Test { name: Some(title.join(" > ")), file: None }
    }

    /// `test at x.test.js:1:2`, then `✖ name (1.2ms)`.
    fn read_node_test_line(&mut self, trimmed: &str) -> Option<RunnerHeadline> {
        if let Some(at) = trimmed.strip_prefix("test at ") {
            self.place = location::parse_location(at);
            return Some(RunnerHeadline::Known);
        }
        let name = trimmed.strip_prefix("✖ ")?;
        Some(RunnerHeadline::Test { name: Some(without_duration(name).to_owned()), file: None })
    }

    /// ava's `  suite › name`, alone after two blank lines.
    fn read_ava_line(&mut self, text: &str) -> Option<RunnerHeadline> {
        let blanks = std::mem::take(&mut self.blanks);
        if text.trim().is_empty() {
            self.blanks = blanks.saturating_add(1);
            return None;
        }
        let title = text.strip_prefix("  ").filter(|title| !title.starts_with(' '));
        let name = title.filter(|_| blanks >= 2)?.to_owned();
        Some(RunnerHeadline::Test { name: Some(name), file: None })
    }

    /// `not ok 1 - name`, its details in YAML.
    fn read_tap_test(&mut self, rest: &str) -> Option<RunnerHeadline> {
        let (_, rest) = location::leading_number(rest)?;
        let name = rest.trim_start().strip_prefix("- ").unwrap_or(rest.trim_start());
        self.mode = RunnerMode::Tap;
        if name.contains(" # TODO") || name.contains(" # SKIP") {
            return Some(RunnerHeadline::Known);
        }
        Some(RunnerHeadline::Test { name: Some(name.to_owned()), file: None })
    }
}

/// Returns `true` for a line of a numbered list: `  4) "after each" hook`.
fn starts_item(text: &str) -> bool {
    location::leading_number(text.trim_start()).is_some_and(|(_, rest)| rest.starts_with(") "))
}

/// The test's file and line, and its source under them; the frames say the same more exactly.
fn is_ava_source(trimmed: &str) -> bool {
    location::leading_number(trimmed).is_some_and(|(_, rest)| rest.starts_with(':'))
        || location::parse_location(trimmed)
            .is_some_and(|at| at.column.is_none() && is_script(&at.path))
}

/// Reads the lines that end a failure in TAP.
fn read_tap_line(trimmed: &str) -> Option<RunnerHeadline> {
    if trimmed.starts_with("failureType: 'subtestsFailed'") {
        return Some(RunnerHeadline::Drop);
    }
    let is_over = trimmed.starts_with("ok ") || trimmed.starts_with("# ");
    is_over.then_some(RunnerHeadline::Known)
}

/// Takes ` (1.2ms)` off a name.
fn without_duration(name: &str) -> &str {
    match name.rsplit_once(" (") {
        Some((before, after)) if after.ends_with("ms)") => before,
        _ => name,
    }
}
