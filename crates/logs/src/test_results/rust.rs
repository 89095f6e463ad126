//! `cargo test` and `cargo nextest`.

use papayu_base::domain::outcome::TestCounts;
use papayu_base::text::{Pattern, group};

use super::line::{TotalWords, read_amounts, totals_of};
use super::results::{TestResults, TestStatus};

static TEST: Pattern =
    Pattern::new(r"^test (?<name>.+?) \.\.\. (?<status>ok|FAILED|ignored)(?:,.*| \(.*\)| <.*>)?$");
static RESULT: Pattern = Pattern::new(
    r"^test result: \w+\. (?<passed>\d+) passed; (?<failed>\d+) failed; (?<ignored>\d+) ignored",
);
static NEXTEST: Pattern = Pattern::new(
    r"^\s+(?:TRY \d+ )?(?<status>PASS|LEAK|SLOW\+PASS|FAIL|FLAKY|ABORT|SIG\w+|TIMEOUT|EXECFAIL|XFAIL|SKIP)(?: \d+/\d+)? \[[^\]]*\] (?:\(\s*\d+/\d+\)\s+)?(?<name>\S.*)$",
);
static SUMMARY: Pattern =
    Pattern::new(r"^\s+Summary \[[^\]]*\]\s+(?:\d+/)?\d+ tests? run: (?<amounts>.*)$");

/// Words of nextest's summary; a flaky test is one that passed in the end.
const WORDS: TotalWords = TotalWords {
    passed: &["passed"],
    failed: &["failed", "timed out", "exec failed", "errored"],
    skipped: &["skipped"],
};

/// The binary under test, which cargo names before its tests.
#[derive(Debug, Default)]
pub(super) struct RustReader {
    binary: String,
}

impl RustReader {
    /// Returns `true` if the line is one of these runners.
    pub(super) fn read_line(&mut self, line: &str, results: &mut TestResults) -> bool {
        let text = line.trim_start();
        if let Some(binary) = text.strip_prefix("Running ").filter(|it| it.ends_with(')')) {
            binary.split(" (").next().unwrap_or_default().clone_into(&mut self.binary);
        } else if let Some(name) = text.strip_prefix("Doc-tests ") {
            self.binary = format!("doc-tests {name}");
        } else if line.starts_with("test ") {
            return self.read_test(line, results);
        } else if let Some(found) = NEXTEST.captures(line) {
            let status = match group(&found, "status") {
                Some("PASS" | "LEAK" | "SLOW+PASS" | "FLAKY") => TestStatus::Passed,
                Some("SKIP") => TestStatus::Skipped,
                _ => TestStatus::Failed,
            };
            results.set(group(&found, "name").unwrap_or_default(), status);
        } else if let Some(found) = SUMMARY.captures(line) {
            let amounts = group(&found, "amounts").unwrap_or_default();
            // A note in brackets follows an amount: `3 passed (1 slow)`.
            let plain = Self::without_brackets(amounts);
            results.add_totals(totals_of(&read_amounts(&plain, ",").unwrap_or_default(), &WORDS));
        } else {
            return false;
        }
        true
    }

    /// Reads a line about one test or the totals of a binary; `false` for any other line.
    fn read_test(&mut self, line: &str, results: &mut TestResults) -> bool {
        let number = |found: &regex::Captures<'_>, name| {
            group(found, name).and_then(|text| text.parse().ok()).unwrap_or_default()
        };
        if let Some(found) = RESULT.captures(line) {
            results.add_totals(TestCounts {
                passed: number(&found, "passed"),
                failed: number(&found, "failed"),
                skipped: number(&found, "ignored"),
            });
            return true;
        }
        let Some(found) = TEST.captures(line) else { return false };
        let status = TestStatus::of_word(group(&found, "status").unwrap_or_default());
        let name = group(&found, "name").unwrap_or_default();
        results.add(&format!("{} {name}", self.binary), status);
        true
    }

    /// Returns a text without what is in parentheses.
    fn without_brackets(text: &str) -> String {
        let mut depth = 0_u32;
        let outside = |c: &char| {
            match c {
                '(' => depth += 1,
                ')' => depth = depth.saturating_sub(1),
                _ => return depth == 0,
            }
            false
        };
        text.chars().filter(outside).collect()
    }
}
