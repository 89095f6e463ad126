//! `go test`, as text and as JSON.

use serde::Deserialize;

use papayu_base::domain::outcome::TestCounts;
use papayu_base::text::{Pattern, group};

use super::results::{TestResults, TestStatus};

/// `--- FAIL: TestAdd (0.00s)`, with any indentation for a subtest.
static TEST: Pattern =
    Pattern::new(r"^\s*--- (?<status>PASS|FAIL|SKIP): (?<name>\S+) \([\d.]+s\)$");
/// `ok     example.com/shop        0.003s`, the line after the tests of a package.
static PACKAGE: Pattern = Pattern::new(
    r"^(?<status>ok|FAIL)\s+(?<name>[^\s\[]+)(?:\s+(?:[\d.]+s|\(cached\)))(?<rest>.*)$",
);

/// `FAIL    example.com/shop [build failed]`, the line of a package that could not be built.
static UNBUILT: Pattern = Pattern::new(r"^FAIL\s+\S+ \[(?:build|setup) failed\]$");

/// A line of `go test -json`.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct GoTestEvent {
    /// `run`, `pass`, `fail`, `skip`, `output` and others.
    action: String,
    #[serde(default)]
    /// The import path of the package.
    package: String,
    #[serde(default)]
    /// Empty for the result of the package itself.
    test: String,
}

/// The tests of the package that is running, which is named after them.
#[derive(Debug, Default)]
pub(super) struct GoReader {
    /// The names and results since the last package line.
    tests: Vec<(String, TestStatus)>,
}

impl GoReader {
    /// Returns `true` if the line is one of this runner.
    pub(super) fn read_line(&mut self, line: &str, results: &mut TestResults) -> bool {
        if line.starts_with("{\"") && line.contains("\"Action\":") {
            return self.read_message(line, results);
        }
        if let Some(found) = TEST.captures(line) {
            let status = TestStatus::of_word(group(&found, "status").unwrap_or_default());
            self.tests.push((group(&found, "name").unwrap_or_default().to_owned(), status));
            return true;
        }
        if UNBUILT.is_match(line) {
            results.load_errors += 1;
            return true;
        }
        let Some(found) = PACKAGE.captures(line) else { return false };
        let is_empty = group(&found, "rest").is_some_and(|rest| rest.contains("no tests to run"));
        let status = TestStatus::of_word(group(&found, "status").unwrap_or_default());
        let package = group(&found, "name").unwrap_or_default();
        if is_empty {
            results.add_totals(TestCounts::default());
        } else {
            self.end_package(package, status, results);
        }
        true
    }

    /// Ends the output; tests without a package after them ran too.
    // A package that panics prints no line of its own.
    pub(super) fn finish(&mut self, results: &mut TestResults) {
        if !self.tests.is_empty() {
            self.end_package("", TestStatus::Failed, results);
        }
    }

    /// Adds the tests of a package under its name.
    fn end_package(&mut self, package: &str, status: TestStatus, results: &mut TestResults) {
        if self.tests.is_empty() {
            // Without `-v` only the package is named.
            self.tests.push(("(package)".to_owned(), status));
            results.is_coarse = true;
        }
        for (name, status) in std::mem::take(&mut self.tests) {
            results.add_counted(&format!("{package} {name}"), status);
        }
    }

    /// Reads one JSON object; returns `true` if it is one of the runner.
    fn read_message(&mut self, line: &str, results: &mut TestResults) -> bool {
        let Ok(message) = serde_json::from_str::<GoTestEvent>(line) else { return false };
        let status = match message.action.as_str() {
            "pass" => TestStatus::Passed,
            "fail" => TestStatus::Failed,
            "skip" => TestStatus::Skipped,
            _ => return true,
        };
        if !message.test.is_empty() {
            results.add_counted(&format!("{} {}", message.package, message.test), status);
        }
        self.tests.clear();
        true
    }
}
