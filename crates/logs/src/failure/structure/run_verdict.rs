//! Reads the first and the last lines of runs of tests, and the ends of commands.

use papayu_base::text::group;
use regex::Captures;

use super::forms::{FormKind, find, fits};
use super::last_words::is_bad;
use super::place::find_place;
use crate::failure::passing::is_passing;

/// A line about a run of tests, or about the end of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::failure) enum RunVerdict {
    /// The total of a run without failures.
    Passed,
    /// The total of a run with failures.
    Failed,
    /// A count of failures among other words, which a test that passes can print, too.
    PerhapsFailed,
    /// A command failed.
    Exited,
    /// Something failed.
    Ended,
    /// The first line of a run.
    Started,
    /// The first line of a test, which may be the first of its run.
    StartedTest,
    /// A test passed, which may be the first of its run.
    PassedTest,
}

/// The longest total of tests, in bytes.
const MAX_TOTAL: usize = 120;

/// Parts of which each first line of a run and each total of a run that passed has one; `OK` begins some totals.
pub(in crate::failure) const RUN_CUES: &[&str] = &[
    "session starts", "unning ", "Starting ", "RUN  v", "PHPUnit ", "Test project", "=== RUN ",
    "T E S T S", "passed", "ok ", "0 fail", "0 error", "ailures: 0", "ailed: 0", "ailed 0",
    "fail 0", "✔ ", "✓ ", "√ ", "passing", "PASSED", "tests successful", "Result: PASS", " flaky",
    "Flakes: ",
];

/// Reads the first or the last line of a run that passed, which has one of the cues.
pub(in crate::failure) fn read_passed(line: &str) -> Option<RunVerdict> {
    let has_passed = read_counts(line).is_some_and(TotalCounts::is_passed);
    if fits(FormKind::PassedTotal, line) || has_passed {
        return Some(RunVerdict::Passed);
    }
    if ["✔ ", "✓ ", "√ "].iter().any(|mark| line.trim_start().starts_with(mark)) {
        return Some(RunVerdict::PassedTest);
    }
    if ["=== RUN ", "[INFO] Running "].iter().any(|start| line.starts_with(start))
        || is_progress(line)
    {
        return Some(RunVerdict::StartedTest);
    }
    fits(FormKind::RunStart, line).then_some(RunVerdict::Started)
}

/// The words of totals of tests; those of the first list are counts of what must not be.
const BAD_COUNTS: [&str; 7] =
    ["failed", "failures", "failure", "fail", "errors", "error", "broken"];
const OTHER_COUNTS: [&str; 24] = [
    "tests", "test", "passed", "pass", "passes", "ok", "total", "ran", "run", "examples",
    "example", "assertions", "checks", "cases", "specs", "scenarios", "steps", "suites", "skipped",
    "pending", "ignored", "todo", "succeeded", "successful",
];

/// The sums of the counts in a total of tests.
#[derive(Clone, Copy, Debug, Default)]
struct TotalCounts {
    /// Tests that did what they must.
    good: u64,
    /// Tests that did not.
    bad: u64,
    /// Counts of tests that did not, which may be 0.
    bad_counts: u32,
}

impl TotalCounts {
    /// Returns `true` for the total of a run of which no test failed.
    fn is_passed(self) -> bool {
        self.bad_counts > 0 && self.bad == 0 && self.good > 0
    }
}

/// Returns the counts of a total of tests in any order and with any signs, as in `2 tests, 0 failures` and
/// `Passed: 3 | Failed: 0`. `None` for a line with other words.
fn read_counts(line: &str) -> Option<TotalCounts> {
    if line.len() > MAX_TOTAL {
        return None;
    }
    let mut counts = TotalCounts::default();
    let mut words = line.split(|c: char| !c.is_ascii_alphanumeric()).filter(|it| !it.is_empty());
    // The number is before each word, or after each.
    let is_first = line.trim_start().starts_with(|c: char| c.is_ascii_digit());
    while let Some(one) = words.next() {
        let two = words.next()?;
        let (number, word) = if is_first { (one, two) } else { (two, one) };
        let number = number.parse::<u64>().ok()?;
        let word = word.to_ascii_lowercase();
        if BAD_COUNTS.contains(&word.as_str()) {
            counts.bad += number;
            counts.bad_counts += 1;
        } else if OTHER_COUNTS.contains(&word.as_str()) {
            counts.good += number;
        } else {
            return None;
        }
    }
    Some(counts)
}

/// Returns `true` for the dots of tests that pass, with a percentage.
fn is_progress(line: &str) -> bool {
    line.starts_with('.') && line.ends_with("%]") && is_passing(line)
}

/// Returns `true` for the verdict of a test that TAP expects to fail.
pub(crate) fn is_expected_failure(line: &str) -> bool {
    let marks = ["# todo", "# skip"];
    line.starts_with("not ok") && marks.iter().any(|it| line.to_ascii_lowercase().contains(it))
}

/// Reads a line that may be about a failure; `is_after_run` is `true` if a run passed before.
pub(in crate::failure) fn read_failed(line: &str, is_after_run: bool) -> Option<RunVerdict> {
    if is_expected_failure(line) {
        return None;
    }
    if fits(FormKind::FailedTotal, line) {
        return Some(RunVerdict::Failed);
    }
    if line.bytes().any(|byte| byte.is_ascii_digit()) {
        // `a.py:3 FAILED to reach` has no count.
        if fits(FormKind::BadCount, line) && find_place(line).is_none() {
            let is_total = read_counts(line).is_some();
            return Some(if is_total { RunVerdict::Failed } else { RunVerdict::PerhapsFailed });
        }
        if fits(FormKind::FailedExit, line) {
            return Some(RunVerdict::Exited);
        }
    }
    (is_after_run && is_bad(line)).then_some(RunVerdict::Ended)
}

/// A line about the output of tests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::failure) enum TestOutput {
    /// That of this test follows.
    Begins(String),
    /// That of a test begins in this line, and a verdict without a name ends it.
    BeginsHere,
    /// That of tests that passed follows.
    BeginsPassed,
    /// That of a test ends, which passed.
    Passed(PassedName),
    /// This test passed, which printed something before.
    PassedLate(String),
    /// The tests in the lines that follow passed on a later try.
    BeginsFlaky,
    /// A test failed, or goes on while others run.
    Failed,
}

/// The name in a verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::failure) enum PassedName {
    Test(String),
    /// The verdict is a word without a name.
    Bare,
    /// The next verdict ends the output of tests that passed.
    Next,
    /// The heading of another section ends it, and tests that failed before wait for their names.
    Heading,
}

impl TestOutput {
    /// Returns `true` if failures that are still open belong to the tests before it.
    pub(in crate::failure) fn ends_failures(&self) -> bool {
        !matches!(
            self,
            Self::BeginsHere
                | Self::BeginsPassed
                | Self::Passed(PassedName::Heading)
                | Self::Failed
        )
    }

    /// Returns `true` for the verdict of this output.
    pub(in crate::failure) fn is_ended_by(&self, passed: &PassedName) -> bool {
        match (self, passed) {
            (Self::Begins(own), PassedName::Test(passed)) => own == passed,
            (Self::BeginsHere, PassedName::Bare)
            | (Self::BeginsPassed, PassedName::Next | PassedName::Heading) => true,
            _ => false,
        }
    }

    /// Returns `true` for the output of a test that this one runs.
    pub(in crate::failure) fn has_part(&self, other: &Self) -> bool {
        let (Self::Begins(own), Self::Begins(other)) = (self, other) else { return false };
        other.strip_prefix(own.as_str()).is_some_and(|rest| rest.starts_with('/'))
    }
}

/// Verdicts of the test above that are all of their line.
pub(in crate::failure) const BARE_VERDICTS: [&str; 5] = ["ok", "PASSED", "FAIL", "FAILED", "ERROR"];

/// Reads a line that may be about the output of tests; it can end one output and begin another.
pub(in crate::failure) fn read_test(line: &str) -> [Option<TestOutput>; 2] {
    let named = |name: &str| PassedName::Test(name.to_owned());
    let first = |rest: &str| rest.split_whitespace().next().unwrap_or_default().to_owned();
    let one = |output| [Some(output), None];
    match line.as_bytes() {
        b"ok" | b"PASSED" => one(TestOutput::Passed(PassedName::Bare)),
        b"FAIL" | b"FAILED" | b"ERROR" => one(TestOutput::Failed),
        [b't', b'e', b's', b't', b' ', ..] => {
            let name = line.strip_prefix("test ").and_then(|rest| rest.strip_suffix(" ... ok"));
            let name = name.map(|name| name.strip_suffix(" - should panic").unwrap_or(name));
            [name.map(|name| TestOutput::PassedLate(name.to_owned())), None]
        }
        [b'[', ..] => match line.split_once("] ") {
            Some((start, name)) if start.starts_with("[ RUN") => {
                one(TestOutput::Begins(name.to_owned()))
            }
            Some(("[       OK ", rest)) => one(TestOutput::Passed(named(&first(rest)))),
            Some(("[  FAILED  ", _)) => one(TestOutput::Failed),
            _ => [None, None],
        },
        [b'=' | b'-', ..] => read_go_or_heading(line),
        [b'o', b'k', b' ', ..]
        | [b'n', b'o', b't', b' ', b'o', b'k', ..]
        | [b'1', b'.', b'.', ..] => {
            let next = Some(TestOutput::Passed(PassedName::Next));
            let name = line.split_once(" - ").map_or("", |(_, name)| name);
            match line.starts_with("not ok") {
                true if is_expected_failure(line) => [next, Some(TestOutput::BeginsPassed)],
                true => [next, Some(TestOutput::Failed)],
                false => [next, Some(TestOutput::Passed(named(name)))],
            }
        }
        [b'#', ..] => {
            let name = line.strip_prefix("# Subtest: ");
            [name.map(|name| TestOutput::Begins(name.to_owned())), None]
        }
        _ if fits(FormKind::FlakyList, line) => one(TestOutput::BeginsFlaky),
        _ if line.trim_start().starts_with("PASS [") => {
            [Some(TestOutput::Passed(PassedName::Next)), Some(TestOutput::BeginsPassed)]
        }
        _ => read_other_test(line),
    }
}

/// Reads the lines of Go's tests, and the headings of pytest.
fn read_go_or_heading(line: &str) -> [Option<TestOutput>; 2] {
    let first = |rest: &str| rest.split_whitespace().next().unwrap_or_default().to_owned();
    let passed = ["--- PASS: ", "--- SKIP: "].iter().find_map(|start| line.strip_prefix(start));
    if let Some(rest) = passed {
        return [Some(TestOutput::Passed(PassedName::Test(first(rest)))), None];
    }
    if let Some(rest) = line.strip_prefix("=== RUN ") {
        return [Some(TestOutput::Begins(first(rest))), None];
    }
    if ["=== PAUSE", "=== CONT", "--- FAIL"].iter().any(|start| line.starts_with(start)) {
        return [Some(TestOutput::Failed), None];
    }
    let heading = line.trim_matches('=');
    let is_heading = heading.len() + 1 < line.len() && heading.starts_with(' ');
    let ended = is_heading.then_some(TestOutput::Passed(PassedName::Heading));
    [ended, (is_heading && heading == " PASSES ").then_some(TestOutput::BeginsPassed)]
}

/// Reads the line of a runner that few logs have.
fn read_other_test(line: &str) -> [Option<TestOutput>; 2] {
    let verdicts = ["PASS", "FAIL", "ERROR", "SKIP", "XFAIL", "XPASS", "ok", "skipped"];
    let text = |found: &Captures<'_>, name| group(found, name).map(str::to_owned);
    let ended = find(FormKind::TestPass, line).map(|found| {
        TestOutput::Passed(text(&found, "test").map_or(PassedName::Next, PassedName::Test))
    });
    let begun = find(FormKind::TestStart, line).map(|found| match group(&found, "open") {
        None => TestOutput::Begins(text(&found, "test").unwrap_or_default()),
        Some(rest) if verdicts.iter().any(|it| rest.starts_with(it)) => TestOutput::Failed,
        Some(_) => TestOutput::BeginsHere,
    });
    [ended, begun]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn totals_of_any_runner_are_read_by_their_counts() {
        for line in [
            "2 tests, 0 failures",
            "Passed: 3 | Failed: 0",
            "  7 assertions, 0 failures, 0 errors, 1 skipped",
            "Tests: 5, Passed: 5, Failed: 0, Errors: 0",
            "3 passed, 0 failed",
        ] {
            assert_eq!(read_passed(line), Some(RunVerdict::Passed), "{line}");
        }
        for line in [
            "2 tests, 1 failure", "0 tests, 0 failures", "0 errors", "3 passed",
            "0 warnings, 0 errors", "compiled 3 files, 0 errors", "5 tests, 5 failed",
            "line 3, 0 errors",
        ] {
            assert_eq!(read_passed(line), None, "{line}");
        }
    }
}
