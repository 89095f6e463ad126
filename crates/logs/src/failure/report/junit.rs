//! Reads the XML of JUnit, which most test runners can write.
//!
//! ```text
//! <testcase name="adds" classname="CalcTest" file="tests/CalcTest.php" line="12">
//!   <failure message="expected 3">CalcTest.php:14</failure>
//! </testcase>
//! ```
//!
//! An incomplete report is read up to the first error, because a killed job leaves one.

use std::collections::{HashMap, HashSet};

use super::failed_test::FailedTest;
use super::xml::Element;
use crate::failure::location::parse_location;
use papayu_base::domain::{Failure, Location};

/// The values of `status` and `result` by which a test without an element of its failure failed.
const FAILED: &[&str] = &["fail", "failed", "failure", "error"];

/// A test with the suites around it.
struct TestCase<'e> {
    element: &'e Element,
    suite: &'e str,
    /// The file of the innermost suite that names one.
    file: Option<&'e str>,
}

/// Returns the failures of the tests below an element.
pub(super) fn read_junit(roots: &[Element]) -> Vec<Failure> {
    let mut cases = Vec::new();
    for root in roots {
        root.walk(&mut Vec::new(), &mut |element, around| {
            let suites = || around.iter().rev().filter(|outer| outer.name == "testsuite");
            let case = TestCase {
                element,
                suite: suites().find_map(|suite| suite.attribute("name")).unwrap_or_default(),
                file: suites().find_map(|suite| suite.attribute("file")),
            };
            // A suite that could not be set up has an error of its own.
            let is_suite = element.name == "testsuite" && failure_of(element).is_some();
            if element.name == "testcase" || is_suite {
                cases.push(case);
            }
        });
    }
    let shared = find_shared_names(&cases);
    cases.iter().filter_map(|case| case.read_failure(&shared)).collect()
}

/// Returns the names without a class that tests of several suites have.
fn find_shared_names<'e>(cases: &[TestCase<'e>]) -> HashSet<String> {
    let mut suites: HashMap<String, &'e str> = HashMap::new();
    let mut shared = HashSet::new();
    for case in cases {
        let name = case.own_name();
        if *suites.entry(name.clone()).or_insert(case.suite) != case.suite {
            shared.insert(name);
        }
    }
    shared
}

/// Returns the element with the failure of a test. `flakyFailure` and `flakyError` are of a test that passed later.
fn failure_of(element: &Element) -> Option<&Element> {
    element.children.iter().find(|child| matches!(child.name.as_str(), "failure" | "error"))
}

impl TestCase<'_> {
    /// Returns the name of the test, with its class if that differs.
    fn own_name(&self) -> String {
        let name = self.element.attribute("name").unwrap_or_default();
        let class = self.element.attribute("classname").unwrap_or_default();
        // node's runner has the same class for every test.
        if class.is_empty() || class == "test" || name.starts_with(class) {
            return name.to_owned();
        }
        if name.is_empty() { class.to_owned() } else { format!("{class} > {name}") }
    }

    /// Returns the failure of a test; `None` if it did not fail.
    fn read_failure(&self, shared: &HashSet<String>) -> Option<Failure> {
        let is_failed = |name| {
            let value = self.element.attribute(name).unwrap_or_default();
            FAILED.iter().any(|failed| failed.eq_ignore_ascii_case(value))
        };
        let failure = failure_of(self.element);
        if failure.is_none() && !is_failed("status") && !is_failed("result") {
            return None;
        }
        let own = self.own_name();
        let has_suite = shared.contains(&own) && !self.suite.is_empty();
        let name = if has_suite { format!("{} > {own}", self.suite) } else { own };
        let message = failure.and_then(|failure| failure.attribute("message")).unwrap_or_default();
        let text = failure.map_or("", |failure| failure.text.as_str());
        let mut test = FailedTest::new("junit", &name);
        test.own_name = self.element.attribute("name").unwrap_or_default();
        test.place = self.place(failure);
        Some(test.finish(message, text))
    }

    /// Returns the place in the attributes of the failure, the test or its suite.
    fn place(&self, failure: Option<&Element>) -> Option<Location> {
        let line_of =
            |element: &Element| element.number("line").or_else(|| element.number("lineno"));
        let at = |element: &Element| {
            let path = ["file", "filepath"].iter().find_map(|name| element.attribute(name))?;
            Some(Location { path: path.to_owned(), line: line_of(element), column: None })
        };
        let named = failure.and_then(at).or_else(|| at(self.element));
        named.or_else(|| {
            // The suites of linters are files, and the line of a finding is in its text.
            let is_file = |suite: &&str| {
                suite.contains('.') && parse_location(&format!("{suite}:1")).is_some()
            };
            let path = self.file.or(Some(self.suite).filter(is_file))?;
            let text = failure.map_or("", |failure| failure.text.trim_start());
            let written = text.strip_prefix("line ").map(|rest| rest.trim_start_matches(' '));
            let digits = written.and_then(|rest| rest.split(|c: char| !c.is_ascii_digit()).next());
            let line = line_of(self.element).or_else(|| digits?.parse().ok());
            Some(Location { path: path.to_owned(), line, column: None })
        })
    }
}
