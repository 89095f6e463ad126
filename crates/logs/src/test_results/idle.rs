//! Reads from the words of test runners, build tools and linters whether anything was tested or checked.

use papayu_base::text::Pattern;

use super::results::TestResults;

/// Longest line that is read, in bytes: these sentences are short.
const MAX_BYTES: usize = 400;

/// A sentence of a runner.
#[derive(Debug)]
struct Sentence {
    /// A text in every such line; most lines of an output lack it, and the pattern is not needed.
    cue: &'static str,
    pattern: Pattern,
}

impl Sentence {
    const fn new(cue: &'static str, pattern: &'static str) -> Self {
        Self { cue, pattern: Pattern::new(pattern) }
    }

    fn is_in(&self, line: &str) -> bool {
        line.contains(self.cue) && self.pattern.is_match(line)
    }
}

/// A runner ran no test. Totals of zero are in [`TestResults::totals`].
static IDLE: [Sentence; 30] = [
    // unittest, nose2, Django, trial: the line below differs, and may be missing in a mixed output.
    Sentence::new("Ran 0 tests", r"^Ran 0 tests in [\d.]+s$"),
    // jest and vitest with `passWithNoTests`, Playwright, Dart.
    Sentence::new(
        "No tests ",
        r"^\s*(?:Error: )?No tests (?:found|ran)(?:, exiting with code [01])?[.!]?$",
    ),
    Sentence::new("No test files found", r"^\s*No test files found, exiting with code [01]$"),
    // Deno, which fails then.
    Sentence::new("No test modules found", r"^error: No test modules found$"),
    // pre-commit, of which no hook had a file to check.
    Sentence::new("Skipped", r"^\S.*\.{3,}\((?:no files to check|unstaged changes)\)Skipped$"),
    // ava.
    Sentence::new("find any files to test", r"^\s*✘ Couldn.t find any files to test"),
    // Karma, XCTest.
    Sentence::new("Executed 0 ", r"Executed 0 (?:of 0\b|tests,)"),
    // Swift Testing.
    Sentence::new("Test run with 0 tests", r"Test run with 0 tests "),
    // Surefire, sbt, cargo-nextest.
    Sentence::new(
        "o tests to run",
        r"^(?:\[\w+\] |error: )?No tests to run(?: for \S+ / \S+)?\.?$",
    ),
    Sentence::new("o tests to run", r"^error: no tests to run$"),
    // ExUnit.
    Sentence::new("no tests to run", r"^There are no tests to run$"),
    // ScalaTest.
    Sentence::new("No tests were executed", r"^(?:\[\w+\] )?No tests were executed\.?$"),
    // Gradle.
    Sentence::new("NO-SOURCE", r"^> Task :(?:[\w.-]+:)*(?:test|\w+Test) NO-SOURCE$"),
    // VSTest.
    Sentence::new("No test ", r"^No test (?:is available in|matches the given testcase filter) "),
    // RSpec.
    Sentence::new("No examples found", r"^No examples found\.$"),
    // RSpec, Crystal, hspec.
    Sentence::new("0 examples", r"^0 examples, 0 failures"),
    // PHPUnit, Pest.
    Sentence::new("No tests ", r"^(?:\s*INFO\s+)?No tests (?:executed!|found\.)$"),
    // CTest.
    Sentence::new("No tests were found", r"^No tests were found!+$"),
    // prove.
    Sentence::new("NOTESTS", r"^Result: NOTESTS$"),
    // GoogleTest.
    Sentence::new("0 tests from 0", r"^\[=+\] 0 tests from 0 test (?:suites|cases) ran\."),
    // doctest of C++.
    Sentence::new("[doctest]", r"^\[doctest\] test cases:\s+0 \|"),
    // go test.
    Sentence::new("[no test files]", r"^\?\s+\S+\s+\[no test files\]$"),
    // Cucumber, behave.
    Sentence::new("0 scenarios", r"^0 scenarios(?: passed, 0 failed.*)?$"),
    // Robot Framework, busted.
    Sentence::new("0 tests, 0 passed", r"^0 tests, 0 passed, 0 failed"),
    Sentence::new("0 successes", r"^0 successes / 0 failures"),
    // Zig, tasty.
    Sentence::new("All 0 tests", r"^All 0 tests passed"),
    // Alcotest.
    Sentence::new(" 0 test", r"^Test Successful in [\d.]+s\. 0 tests? run"),
    // Bazel.
    Sentence::new(
        "No test targets",
        r"^(?:ERROR: )?No test targets were found, yet testing was requested",
    ),
    // Turborepo.
    Sentence::new("0 successful", r"^\s*Tasks:\s+0 successful, 0 total$"),
    // make, where a folder is called as the target.
    Sentence::new(
        "make: ",
        r"^make: (?:[`'](?:test|check)' is up to date\.|Nothing to be done for [`'](?:test|check)'\.)$",
    ),
];

/// A runner ran a test and prints no totals that the other readers know. A run with several runners, of which one
/// found nothing, has tested.
static BUSY: [Sentence; 12] = [
    Sentence::new("Ran ", r"^Ran [1-9]\d* tests? in [\d.]+s$"),
    Sentence::new("Executed ", r"Executed [1-9]\d* (?:of \d|tests?,)"),
    Sentence::new("Test run with ", r"Test run with [1-9]\d* tests? "),
    Sentence::new(
        "> Task :",
        r"^> Task :(?:[\w.-]+:)*(?:test|\w+Test)(?: UP-TO-DATE| FROM-CACHE)?$",
    ),
    Sentence::new("Total ", r"^(?:\[\w+\] )?Passed: Total [1-9]"),
    Sentence::new("succeeded ", r"^(?:\[\w+\] )?Tests: succeeded [1-9]"),
    Sentence::new(" ran.", r"^\[=+\] [1-9]\d* tests? from \d+ test (?:suites?|cases?) ran\."),
    Sentence::new("tests passed", r"^All (?:[1-9]\d* )?tests passed"),
    Sentence::new("[doctest]", r"^\[doctest\] test cases:\s+[1-9]"),
    Sentence::new(" ", r"^[1-9]\d* (?:scenarios?|tests?|examples?|successes)\b"),
    Sentence::new("# TOTAL:", r"^# TOTAL:\s+[1-9]"),
    Sentence::new(" successful", r"^\s*Tasks:\s+[1-9]\d* successful, "),
];

/// The last lines of linters and type checkers without findings.
static LINTED: [Sentence; 9] = [
    Sentence::new("Success: ", r"^Success: no issues found in \d"),
    Sentence::new("All checks passed", r"^All checks passed!$"),
    Sentence::new("Prettier", r"^All matched files use Prettier code style!$"),
    Sentence::new("0 issues", r"^0 issues\.$"),
    Sentence::new("0 errors", r"^(?:Found 0 errors|0 errors, \d+ warnings?,)"),
    Sentence::new("[OK]", r"^\s*\[OK\] No errors$"),
    Sentence::new(
        " file",
        r"^\d+ files? (?:already formatted|would be left unchanged|inspected, no offenses)",
    ),
    Sentence::new("Checked ", r"^Checked \d+ files? in "),
    // A hook of pre-commit.
    Sentence::new("Passed", r"^\S.*\.{3,}Passed$"),
];

/// The last line of each build by cargo, that of its tests included.
static BUILT: Sentence = Sentence::new("Finished ", r"^\s+Finished (?:`|\w+ \[|\w+ target)");

/// The sentences so far.
#[derive(Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a sentence that was read")]
pub(super) struct IdleReader {
    is_idle: bool,
    is_busy: bool,
    is_linted: bool,
    /// `true` after a build by cargo that no test run has followed yet.
    is_built: bool,
}

impl IdleReader {
    /// Reads one line; lines of other programs are ignored.
    pub(super) fn read_line(&mut self, line: &str) {
        if line.len() > MAX_BYTES {
            return;
        }
        if BUILT.is_in(line) {
            // A build after which cargo runs no test is a check of its own: `cargo clippy && cargo test`.
            self.is_linted |= self.is_built;
            self.is_built = true;
        } else if line.trim_start().starts_with("Running ") || line.contains("Doc-tests ") {
            self.is_built = false;
        }
        let is_any = |rows: &[Sentence]| rows.iter().any(|row| row.is_in(line));
        self.is_linted = self.is_linted || is_any(&LINTED);
        self.is_busy = self.is_busy || is_any(&BUSY);
        self.is_idle = self.is_idle || is_any(&IDLE);
    }

    /// Ends the output.
    pub(super) fn finish(&mut self, results: &mut TestResults) {
        results.is_idle |= self.is_idle;
        results.has_checked = self.is_busy || self.is_linted || self.is_built;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_results::ResultReader;

    #[test]
    fn every_sentence_is_a_pattern() {
        let rows = IDLE.iter().chain(&BUSY).chain(&LINTED).chain([&BUILT]);
        let broken: Vec<_> = rows.filter(|row| !row.pattern.is_valid()).collect();
        assert!(broken.is_empty(), "{broken:?}");
    }

    fn ran_nothing(output: &str) -> bool {
        let mut reader = ResultReader::default();
        reader.push(output.as_bytes());
        reader.finish().ran_nothing()
    }

    #[test]
    fn a_runner_that_says_that_it_ran_no_test_is_believed() {
        for output in include_str!("idle_outputs.txt").split("\n----\n") {
            assert!(ran_nothing(output), "{output}");
        }
    }

    #[test]
    fn one_runner_without_tests_beside_one_with_tests_or_a_linter_is_no_empty_run() {
        for output in include_str!("busy_outputs.txt").split("\n----\n") {
            assert!(!ran_nothing(output), "{output}");
        }
    }
}
