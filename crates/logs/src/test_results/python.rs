//! pytest and unittest.

use papayu_base::domain::outcome::TestCounts;
use papayu_base::text::{Pattern, group};

use super::line::{TotalWords, read_amounts, totals_of};
use super::results::{TestResults, TestStatus};

/// A line of the short summary (`-r`): `FAILED tests/test_a.py::test_b - assert 1 == 2`.
static PYTEST_SUMMARY: Pattern =
    Pattern::new(r"^(?<status>PASSED|FAILED|ERROR|XFAIL|XPASS) (?<name>\S+?\.\w+::.+)$");
/// A line of the verbose progress (`-v`).
static PYTEST_PROGRESS: Pattern = Pattern::new(
    r"^(?:\[gw\d+\] (?:\[ *\d+%\] )?)?(?<name>\S+?\.\w+::.+?) (?<status>PASSED|FAILED|ERROR|SKIPPED|XFAIL|XPASS)(?: .*)?$",
);
/// A line of the verbose progress with pytest-xdist, which names the worker first.
static PYTEST_XDIST: Pattern = Pattern::new(
    r"^\[gw\d+\] (?:\[ *\d+%\] )?(?<status>PASSED|FAILED|ERROR|SKIPPED|XFAIL|XPASS) (?<name>\S+?\.\w+::.+)$",
);
/// The last line: `=== 1 failed, 2 passed in 0.12s ===`.
static PYTEST_TOTALS: Pattern = Pattern::new(
    r"^(?:=+ )?(?<amounts>\d+ \w+(?:, \d+ \w+)*|no tests ran) in [\d.]+ ?s(?:econds)?(?: \([^)]*\))?(?: =+)?$",
);
/// A line of the progress, with a letter for each test: `test_a.py ..F  [100%]`. It is all that `-qq` shows of the totals.
static PYTEST_LETTERS: Pattern = Pattern::new(r"^(?:\S+ )?(?<letters>[.FEsxX]+)\s+\[ *\d+%\]$");
/// A line of `unittest -v`: `test_b (tests.test_a.A) ... ok`.
static UNITTEST: Pattern = Pattern::new(r"^(?<name>\w+ \([\w.<>]+\))(?: \.\.\. (?<status>.*))?$");
/// The line before the last one of unittest.
static RAN: Pattern = Pattern::new(r"^Ran (?<ran>\d+) tests? in [\d.]+s$");
/// The last line of unittest, which names only the exceptions.
static END: Pattern = Pattern::new(r"^(?:OK|FAILED|NO TESTS RAN)(?: \((?<amounts>[^)]*)\))?$");

/// Words of pytest's last line. An error is no test: it is a file that could not be collected, or
/// belongs to a test that is counted, too.
const WORDS: TotalWords = TotalWords {
    passed: &["passed", "xpassed"],
    failed: &["failed"],
    skipped: &["skipped", "xfailed"],
};

/// A test of unittest without a result yet, and the number of tests before the last line.
#[derive(Debug, Default)]
pub(super) struct PythonReader {
    /// The test that has printed no result yet.
    open: Option<String>,
    /// The number of the line `Ran 3 tests in 0.1s`.
    ran: Option<u64>,
    /// The results in the letters of pytest's progress, and the errors; `None` before the first of them.
    letters: Option<(TestCounts, u64)>,
    /// `true` after totals of pytest.
    has_totals: bool,
}

impl PythonReader {
    /// Returns `true` if the line is one of these runners.
    pub(super) fn read_line(&mut self, line: &str, results: &mut TestResults) -> bool {
        if let Some(ran) = self.ran.take()
            && let Some(found) = END.captures(line)
        {
            results.add_totals(unittest_totals(ran, group(&found, "amounts").unwrap_or_default()));
            return true;
        }
        if let Some(found) = RAN.captures(line) {
            self.ran = group(&found, "ran").and_then(|text| text.parse().ok());
            return true;
        }
        if line.contains("::") && read_pytest(line, results) {
            return true;
        }
        if let Some(found) = PYTEST_TOTALS.captures(line) {
            let amounts = read_amounts(group(&found, "amounts").unwrap_or_default(), ",");
            let amounts = amounts.unwrap_or_default();
            let errors = amounts.iter().filter(|(_, word)| word.starts_with("error"));
            results.load_errors += errors.map(|(number, _)| number).sum::<u64>();
            results.add_totals(totals_of(&amounts, &WORDS));
            self.has_totals = true;
            return true;
        }
        if let Some(found) = PYTEST_LETTERS.captures(line) {
            self.count_letters(group(&found, "letters").unwrap_or_default());
            return true;
        }
        self.read_unittest(line, results)
    }

    /// Ends the output: without totals, the letters of the progress count.
    pub(super) fn finish(&mut self, results: &mut TestResults) {
        if let Some((totals, errors)) = self.letters.take().filter(|_| !self.has_totals) {
            results.load_errors += errors;
            results.add_totals(totals);
        }
    }

    fn count_letters(&mut self, letters: &str) {
        let (totals, errors) = self.letters.get_or_insert_default();
        for letter in letters.chars() {
            let count = match letter {
                '.' | 'X' => &mut totals.passed,
                'F' => &mut totals.failed,
                'E' => &mut *errors,
                _ => &mut totals.skipped,
            };
            *count += 1;
        }
    }

    /// Reads a line of `python -m unittest -v`; `false` for any other line.
    fn read_unittest(&mut self, line: &str, results: &mut TestResults) -> bool {
        if let Some(found) = UNITTEST.captures(line) {
            let name = group(&found, "name").unwrap_or_default();
            match group(&found, "status").map(unittest_status) {
                Some(Some(status)) => results.add(name, status),
                // A doc line or the test's own output comes between the name and the result.
                _ => self.open = Some(name.to_owned()),
            }
            return true;
        }
        let Some(name) = &self.open else { return false };
        let status_text = line.rsplit_once(" ... ").map_or(line, |(_, status_text)| status_text);
        let Some(status) = unittest_status(status_text) else { return false };
        results.add(name, status);
        self.open = None;
        true
    }
}

/// Returns `true` if the line names a test by its node id and result.
fn read_pytest(line: &str, results: &mut TestResults) -> bool {
    let (found, has_message) = match PYTEST_SUMMARY.captures(line) {
        Some(found) => (Some(found), true),
        None => (PYTEST_XDIST.captures(line).or_else(|| PYTEST_PROGRESS.captures(line)), false),
    };
    let Some(found) = found else { return false };
    let status = TestStatus::of_word(group(&found, "status").unwrap_or_default());
    let name = group(&found, "name").unwrap_or_default();
    let name = if has_message { without_message(name) } else { name };
    // An error is one of set-up or clean-up; the test itself did not run or has a result already.
    if group(&found, "status") == Some("ERROR") {
        results.add_error(name);
    } else {
        results.set(name, status);
    }
    true
}

/// Returns the node id before ` - message`; a parameter in brackets may contain the same characters.
fn without_message(text: &str) -> &str {
    let is_balanced = |id: &str| id.matches('[').count() <= id.matches(']').count();
    text.match_indices(" - ")
        .filter_map(|(at, _)| text.get(..at))
        .find(|id| is_balanced(id))
        .unwrap_or(text)
}

/// Returns the status that unittest prints at the end of a line; `None` for other text.
fn unittest_status(status_text: &str) -> Option<TestStatus> {
    match status_text {
        "ok" | "unexpected success" => Some(TestStatus::Passed),
        "FAIL" | "ERROR" => Some(TestStatus::Failed),
        "expected failure" => Some(TestStatus::Skipped),
        _ => status_text.starts_with("skipped ").then_some(TestStatus::Skipped),
    }
}

/// Returns the totals of `Ran 5 tests` and the amounts of the line below it.
fn unittest_totals(ran: u64, amounts: &str) -> TestCounts {
    let sum = |names: &[&str]| {
        let value = |part: &str| {
            let (name, value) = part.trim().split_once('=')?;
            names.contains(&name).then(|| value.parse::<u64>().ok()).flatten()
        };
        amounts.split(',').filter_map(value).sum::<u64>()
    };
    let failed = sum(&["failures", "errors"]);
    let skipped = sum(&["skipped", "expected failures"]);
    TestCounts { passed: ran.saturating_sub(failed + skipped), failed, skipped }
}
