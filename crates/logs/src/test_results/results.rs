//! The tests of one run of a command.

use std::collections::{BTreeMap, BTreeSet};

use papayu_base::domain::normalize_identity;
use papayu_base::domain::outcome::TestCounts;

/// Most tests kept by name; further ones are counted only.
const MAX_NAMES: usize = 200_000;

/// The result of one test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TestStatus {
    /// It ran and passed.
    Passed,
    /// It ran and failed, or could not be set up.
    Failed,
    /// It did not run, or its failure was expected.
    Skipped,
}

impl TestStatus {
    /// Returns the result that a runner calls by a word; an unknown word is a failure.
    pub(super) fn of_word(word: &str) -> Self {
        match word {
            "PASS" | "PASSED" | "Passed" | "XPASS" | "ok" | "pass" | "." => Self::Passed,
            "SKIP" | "SKIPPED" | "Skipped" | "***Skipped" | "XFAIL" | "S" | "ignored" | "skip"
            | "todo" => Self::Skipped,
            _ => Self::Failed,
        }
    }
}

/// The tests that a command ran, as its output shows them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TestResults {
    /// The tests seen by name. Names are without durations, line numbers and temporary folders; a
    /// name that occurs again gets a number.
    pub tests: BTreeMap<String, TestStatus>,
    /// Tests that could not be set up, by name; runners do not count them among the failed.
    pub errors: BTreeSet<String>,
    /// The sum of the runners' own totals; `None` if no runner printed any.
    pub totals: Option<TestCounts>,
    /// The number of files that linters, type checkers and compilers report as checked without a
    /// finding; a tool that names no number counts as one. `None` if no tool reports it.
    pub checked: Option<u64>,
    /// The number of files and packages that a runner could not load or build, and so ran no test of.
    pub load_errors: u64,
    /// `true` if a runner prints in words that it ran no test.
    pub(super) is_idle: bool,
    /// `true` if a runner prints in words that it ran a test, or a linter, a type checker or a compiler, apart from the
    /// build of the tests, reports no finding.
    pub(super) has_checked: bool,
    /// `true` if a name is that of a whole package, or if names were left out.
    pub(super) is_coarse: bool,
}

impl TestResults {
    /// Returns `true` if every test that ran is known by name.
    pub fn is_complete(&self) -> bool {
        let Some(totals) = self.totals else { return false };
        let seen = |status| count(self.tests.values().filter(|it| **it == status).count());
        !self.is_coarse
            && seen(TestStatus::Passed) == totals.passed
            && seen(TestStatus::Failed) == totals.failed
    }

    /// Returns `true` if at least one test ran by the runners' totals.
    pub fn has_run(&self) -> bool {
        self.totals.is_some_and(|totals| totals.ran() > 0)
    }

    /// Returns `true` if the runners ran no test, by their totals or by their words, and no other tool checked
    /// anything. `false` if no runner is known by its output.
    pub fn ran_nothing(&self) -> bool {
        let ran = self.totals.map(TestCounts::ran);
        let is_idle = ran == Some(0) || ran.is_none() && self.is_idle;
        is_idle && self.load_errors == 0 && !self.has_checked
    }

    /// Returns the results with the names of a runner's report, if both agree on the totals or the output has none.
    #[must_use]
    pub fn with_report(self, report: Option<Self>) -> Self {
        match report {
            Some(report) if !self.is_complete() && self.agrees_with(&report) => {
                let Self { checked, load_errors, is_idle, has_checked, .. } = self;
                Self { checked, load_errors, is_idle, has_checked, ..report }
            }
            _ => self,
        }
    }

    /// Returns `true` if a report has the same totals, or the output has none.
    fn agrees_with(&self, report: &Self) -> bool {
        let (Some(own), Some(theirs)) = (self.totals, report.totals) else {
            return self.totals.is_none();
        };
        own.passed == theirs.passed && own.failed == theirs.failed
    }

    /// Records a test's result. A runner that names a test again corrects its earlier result.
    pub(super) fn set(&mut self, name: &str, status: TestStatus) {
        let name = normalize_identity(name.trim());
        self.insert(name, status);
    }

    /// Records a test; another test may have the same name.
    pub(super) fn add(&mut self, name: &str, status: TestStatus) {
        let name = normalize_identity(name.trim());
        if !self.tests.contains_key(&name) {
            return self.insert(name, status);
        }
        let free = (2..MAX_NAMES)
            .map(|number| format!("{name} #{number}"))
            .find(|numbered| !self.tests.contains_key(numbered));
        if let Some(free) = free {
            self.insert(free, status);
        }
    }

    /// Records a test of a runner without totals, so that every test that is named counts.
    pub(super) fn add_counted(&mut self, name: &str, status: TestStatus) {
        self.add(name, status);
        let one = |wanted| u64::from(status == wanted);
        self.add_totals(TestCounts {
            passed: one(TestStatus::Passed),
            failed: one(TestStatus::Failed),
            skipped: one(TestStatus::Skipped),
        });
    }

    /// Records a test that could not be set up.
    pub(super) fn add_error(&mut self, name: &str) {
        if self.errors.len() < MAX_NAMES {
            self.errors.insert(normalize_identity(name.trim()));
        }
    }

    /// Adds a runner's totals.
    pub(super) fn add_totals(&mut self, more: TestCounts) {
        let totals = self.totals.get_or_insert_default();
        totals.passed += more.passed;
        totals.failed += more.failed;
        totals.skipped += more.skipped;
    }

    /// Adds a number of files that a tool checked without a finding.
    pub(super) fn add_checked(&mut self, files: u64) {
        *self.checked.get_or_insert_default() += files;
    }

    /// Adds a test; one without a name, or over [`MAX_NAMES`], makes the names incomplete.
    fn insert(&mut self, name: String, status: TestStatus) {
        if name.is_empty() || self.tests.len() >= MAX_NAMES {
            self.is_coarse = true;
        } else {
            self.tests.insert(name, status);
        }
    }
}

/// Returns a number as the type of the records.
pub(super) fn count(number: usize) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}
