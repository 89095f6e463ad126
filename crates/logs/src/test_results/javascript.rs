//! Runners that mark each test with a tick or a cross: node:test, mocha, jest, vitest, ava, bun, bats.

use papayu_base::domain::outcome::TestCounts;
use papayu_base::text::{Pattern, group};

use super::line::{
    TotalWords, indentation, leading_number, read_amounts, totals_of, without_duration,
};
use super::results::{TestResults, TestStatus, count};

/// A failure of mocha: `  1) adds two numbers`.
static NUMBERED: Pattern = Pattern::new(r"^\s+\d+\) (?<name>\S.*)$");
/// The line of a file with its number of tests, as vitest prints it.
static FILE: Pattern = Pattern::new(r"\(\d+ tests?(?: \|[^)]*)?\)(?: \d+ ?m?s)?$|^\d+ problems?\b");
/// `  3 passing (12ms)`.
static MOCHA: Pattern =
    Pattern::new(r"^\s+(?<count>\d+) (?<word>passing|failing|pending)(?: \(.*\))?$");
/// `  3 tests passed`.
static AVA: Pattern = Pattern::new(
    r"^\s+(?<count>\d+) (?:known failure|tests?) ?(?<word>passed|failed|skipped|todo)?$",
);
/// ` 3 pass`.
static BUN: Pattern = Pattern::new(r"^\s*(?<count>\d+) (?<word>pass|fail|skip|todo)$");
/// `(pass) adds`.
static BUN_TEST: Pattern = Pattern::new(r"^\((?<status>pass|fail|skip|todo)\) (?<name>.+)$");
/// `adds ... ok (2ms)`.
static DENO_TEST: Pattern =
    Pattern::new(r"^(?<name>\S.*) \.\.\. (?<status>ok|FAILED|ignored) \([\d.]+m?s\)$");
/// `ok | 3 passed | 0 failed (5ms)`.
static DENO: Pattern =
    Pattern::new(r"^(?:ok|FAILED) \| (?<amounts>\d+ passed .*?)(?: \([\d.]+m?s\))?$");
/// `Tests:       1 failed, 2 passed, 3 total`.
static JEST: Pattern = Pattern::new(r"^Tests:\s+(?<amounts>.*\d+ total)$");
/// `      Tests  1 failed | 2 passed (3)`.
static VITEST: Pattern = Pattern::new(r"^\s+Tests\s+(?<amounts>\d+ .*?)(?: \(\d+\))?$");

/// Marks of passed tests; the runners use different characters.
const PASS: &[char] = &['✓', '✔', '√'];
/// Marks of failed tests.
const FAIL: &[char] = &['✕', '✖', '×', '✗', '✘'];
/// Marks of skipped tests.
const SKIP: &[char] = &['○', '﹣', '↓', '↷'];

/// Words of the totals of jest, vitest and deno, of mocha, ava and bun.
const WORDS: TotalWords = TotalWords {
    passed: &["passed", "passing", "pass"],
    failed: &["failed", "failing", "fail"],
    skipped: &["skipped", "pending", "todo", "ignored", "skip"],
};

/// The totals that node:test prints a line each.
#[derive(Debug, Default)]
pub(super) struct NodeTotals {
    /// The number of `describe` groups.
    pub(super) suites: Option<u64>,
    totals: Option<TestCounts>,
}

impl NodeTotals {
    /// Returns `true` if the text is one of the totals: `pass 3`.
    pub(super) fn read_line(&mut self, summary: &str) -> bool {
        let Some((word, number)) = summary.split_once(' ') else { return false };
        let Ok(number) = number.trim().parse::<u64>() else { return false };
        if word == "suites" {
            self.suites = Some(self.suites.unwrap_or_default() + number);
            return true;
        }
        let totals = self.totals.unwrap_or_default();
        let totals = match word {
            "pass" => TestCounts { passed: totals.passed + number, ..totals },
            "fail" | "cancelled" => TestCounts { failed: totals.failed + number, ..totals },
            "skipped" | "skip" | "todo" => {
                TestCounts { skipped: totals.skipped + number, ..totals }
            }
            _ => return matches!(word, "tests" | "duration_ms"),
        };
        self.totals = Some(totals);
        true
    }

    /// Returns the totals, if any were printed.
    pub(super) fn finish(&mut self) -> Option<TestCounts> {
        self.totals.take()
    }
}

/// The marked lines so far.
#[derive(Debug, Default)]
pub(super) struct TickReader {
    /// Names of groups of node:test that are open, with their indentation.
    open: Vec<(usize, String)>,
    /// Closed groups with their results.
    groups: Vec<(String, TestStatus)>,
    /// `true` while failures are listed again after the tests.
    is_repeating: bool,
    node: NodeTotals,
}

impl TickReader {
    /// Returns `true` if the line is one of these runners.
    pub(super) fn read_line(&mut self, line: &str, results: &mut TestResults) -> bool {
        let text = line.trim_start();
        if let Some(summary) = text.strip_prefix("ℹ ") {
            return self.node.read_line(summary);
        }
        if self.read_totals(line, results) {
            return true;
        }
        if text.starts_with("✖ failing tests:") {
            self.is_repeating = true;
        }
        // The failures are listed a second time below the tests and would be counted twice.
        if self.is_repeating {
            return false;
        }
        if let Some(name) = text.strip_prefix("▶ ") {
            self.open.push((indentation(line), without_duration(name).to_owned()));
            return true;
        }
        let Some((name, status)) = read_mark(line) else { return false };
        let name = without_duration(name);
        let group = (indentation(line), name.to_owned());
        if self.open.last() == Some(&group) {
            self.open.pop();
            self.groups.push((group.1, status));
        } else {
            results.add(name, status);
        }
        true
    }

    /// Reads a line with totals.
    fn read_totals(&mut self, line: &str, results: &mut TestResults) -> bool {
        for pattern in [&MOCHA, &AVA, &BUN] {
            let Some(found) = pattern.captures(line) else { continue };
            let number = group(&found, "count").and_then(leading_number).unwrap_or_default();
            let word = group(&found, "word").unwrap_or("skipped").to_owned();
            results.add_totals(totals_of(&[(number, word)], &WORDS));
            // mocha and ava describe the failures after the totals.
            self.is_repeating = true;
            return true;
        }
        for (pattern, separator) in [(&JEST, ","), (&VITEST, "|"), (&DENO, "|")] {
            let Some(found) = pattern.captures(line) else { continue };
            let amounts = group(&found, "amounts").unwrap_or_default();
            let Some(amounts) = read_amounts(amounts, separator) else { continue };
            results.add_totals(totals_of(&amounts, &WORDS));
            return true;
        }
        false
    }

    /// Ends the output.
    pub(super) fn finish(&mut self, results: &mut TestResults) {
        let suites = self.node.suites.unwrap_or(count(self.groups.len()));
        if let Some(totals) = self.node.finish() {
            results.add_totals(totals);
        }
        // Without suites, a group of node:test is a test with tests inside it.
        if suites == 0 {
            for (name, status) in std::mem::take(&mut self.groups) {
                results.add(&name, status);
            }
        }
    }
}

/// Returns the name and result of a marked line.
fn read_mark(line: &str) -> Option<(&str, TestStatus)> {
    for pattern in [&BUN_TEST, &DENO_TEST] {
        if let Some(found) = pattern.captures(line) {
            let status = TestStatus::of_word(group(&found, "status")?);
            return Some((found.name("name")?.as_str(), status));
        }
    }
    if let Some(found) = NUMBERED.captures(line) {
        return Some((found.name("name")?.as_str(), TestStatus::Failed));
    }
    let text = line.trim_start();
    let (mark, name) = text.split_once(' ')?;
    let mut marks = mark.chars();
    let (Some(mark), None) = (marks.next(), marks.next()) else { return None };
    let name = name.trim();
    let status = match mark {
        _ if FILE.is_match(name) => return None,
        _ if name.contains(" # SKIP") || name.contains(" # TODO") => TestStatus::Skipped,
        mark if PASS.contains(&mark) => TestStatus::Passed,
        mark if FAIL.contains(&mark) => TestStatus::Failed,
        mark if SKIP.contains(&mark) => TestStatus::Skipped,
        _ => return None,
    };
    Some((name.strip_prefix("[fail]: ").unwrap_or(name), status))
}
