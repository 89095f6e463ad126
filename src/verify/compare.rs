//! Compares what failed before a change with what fails after it.

use std::collections::{BTreeSet, HashSet};

use papayu_base::domain::{Failure, FailureKind, FailureReport, Severity};
use papayu_base::text::is_word_char;

/// Failures listed in an outcome.
const MAX_LINES: usize = 50;

/// The result of a command after a change.
#[derive(Clone, Debug, PartialEq, Eq)]
/// The names of the failures are their identities, which are equal across runs.
pub enum Verdict {
    /// It passed.
    Green,
    /// It did not; failures by identity, in the order of the log.
    Red {
        /// Those that were not there before.
        new: Vec<String>,
        /// Those that were there before, too.
        still: Vec<String>,
        /// Those that are there no more.
        gone: Vec<String>,
    },
}

/// Returns what the command's exit and its failures mean. Only exit code 0 is green: a log without
/// a failure that we can read may still be that of a failing command. And exit code 0 is not green
/// while the very tests or compiler errors of before are still reported: then it hides them.
pub fn compare_reports(before: &FailureReport, after: &FailureReport, passed: bool) -> Verdict {
    // Asked first, because a passing run may report failures that are allowed.
    let (was, is) = (certain_identities(before), certain_identities(after));
    if passed && !is.iter().any(|failure| was.contains(failure)) {
        return Verdict::Green;
    }
    let (old, now) = (failure_identities(before), failure_identities(after));
    let (new, gone) = (not_in(&now, &old), not_in(&old, &now));
    Verdict::Red { still: not_in(&now, &new), new, gone }
}

/// Returns true when a command that is still red has fewer failures than before and none that is
/// new.
///
/// Where all failures kept the code from running or from being read to its end (a compiler stops
/// after a phase, a test at the first name that is not defined), failures that appear once all of them are fixed
/// count as old. `written` are the words that the change adds: a name of the same line that is not defined is no
/// progress if the change wrote it.
pub fn is_progress(
    before: &FailureReport,
    after: &FailureReport,
    written: &BTreeSet<String>,
) -> bool {
    let (old, now) = (failure_identities(before), failure_identities(after));
    let is_replaced = before.failures.iter().all(stops)
        // New failures may have been hidden until now.
        && after.failures.iter().all(|failure| is_elsewhere(failure, before, written));
    let is_less = not_in(&now, &old).is_empty() && !not_in(&old, &now).is_empty();
    !now.is_empty() && (is_less || is_replaced)
}

/// Words of runtime errors about names that are not defined.
const UNDEFINED: [&str; 10] = [
    "NameError: ", "ReferenceError: ", "NoMethodError: ", "AttributeError: ", "ImportError: ",
    "is not a function", "Call to undefined ", "Undefined variable", "Undefined property",
    "\" not found",
];

/// Returns `true` for a failure behind which nothing ran.
fn stops(failure: &Failure) -> bool {
    matches!(failure.kind, FailureKind::Compile | FailureKind::Import) || is_undefined(failure)
}

/// Returns `true` for a runtime error about a name that is not defined.
fn is_undefined(failure: &Failure) -> bool {
    // Later lines of a message quote code that may contain these words.
    let first = failure.message.lines().next().unwrap_or_default();
    UNDEFINED.iter().any(|words| first.contains(words))
}

/// Returns `true` if a failure differs from each earlier one in its identity, or, where it is that of the same
/// test, in its message and its place: the test got further. In the same place, it is about another name of the old line.
fn is_elsewhere(failure: &Failure, before: &FailureReport, written: &BTreeSet<String>) -> bool {
    let identity = failure.identity();
    let mut words = failure.message.split(|c: char| !is_word_char(c));
    let is_old_name = is_undefined(failure) && !words.any(|word| written.contains(word));
    // A test that got further is progress, although its name is the same.
    before.failures.iter().filter(|old| old.identity() == identity).all(|old| {
        let place = |failure: &Failure| failure.locations.first().cloned();
        old.message != failure.message && (is_old_name || place(old) != place(failure))
    })
}

/// Returns the number of earlier failures that no longer appear.
pub fn count_fixed(before: &FailureReport, after: &FailureReport) -> usize {
    not_in(&failure_identities(before), &failure_identities(after)).len()
}

/// Returns the texts of `those` that are not in `known`.
fn not_in(those: &[String], known: &[String]) -> Vec<String> {
    // A set, because a broken build can have thousands of failures.
    let known: HashSet<_> = known.iter().collect();
    those.iter().filter(|one| !known.contains(one)).cloned().collect()
}

/// Returns `true` if a report has a failure of any kind. Warnings alone are none: a command that passes may
/// print them.
pub fn has_failure(report: &FailureReport) -> bool {
    report.failures.iter().any(|failure| failure.severity == Severity::Error)
}

/// Returns `true` if a report has an error of a compiler or type checker that is known by its form.
pub fn has_build_failure(report: &FailureReport) -> bool {
    report.failures.iter().any(|failure| {
        let is_build = failure.kind == FailureKind::Compile && failure.toolchain != "generic";
        is_build && failure.severity == Severity::Error
    })
}

/// Returns the identities of the failures that no passing run reports.
fn certain_identities(report: &FailureReport) -> Vec<String> {
    report.failures.iter().filter(|failure| is_certain(failure)).map(Failure::identity).collect()
}

/// Returns `true` for failures that no passing run reports: named tests and coded compiler errors.
fn is_certain(failure: &Failure) -> bool {
    // Linters and crash reports also occur in runs that pass.
    match failure.kind {
        FailureKind::Test => failure.test.is_some(),
        FailureKind::Compile => failure.code.is_some() && failure.severity == Severity::Error,
        _ => false,
    }
}

/// Returns what failed, one line each, at most 50 (`CheckRecord::failures`).
pub fn failures_line_list(report: &FailureReport) -> Vec<String> {
    let mut lines = failure_identities(report);
    lines.truncate(MAX_LINES);
    lines
}

/// Returns every identity once, as one line.
fn failure_identities(report: &FailureReport) -> Vec<String> {
    let mut seen = HashSet::new();
    report
        .failures
        .iter()
        // An identity may have line breaks; a line in the outcome has none.
        .map(|failure| failure.identity().split_whitespace().collect::<Vec<_>>().join(" "))
        .filter(|line| seen.insert(line.clone()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verify::Ran;
    use papayu_system::End;

    fn report(tests: &[&str]) -> FailureReport {
        let failure = |test: &&str| Failure {
            kind: FailureKind::Test,
            toolchain: "rust".into(),
            test: Some((*test).into()),
            message: "failed".into(),
            ..Failure::default()
        };
        FailureReport { failures: tests.iter().map(failure).collect(), ..FailureReport::default() }
    }

    #[test]
    fn only_exit_code_0_is_green_and_not_while_the_same_tests_are_reported() {
        let (none, one) = (report(&[]), report(&["a"]));
        for after in [&none, &report(&["b"])] {
            assert_eq!(compare_reports(&one, after, true), Verdict::Green);
        }
        let hidden = Verdict::Red { new: vec![], still: vec!["a".into()], gone: vec![] };
        assert_eq!(compare_reports(&one, &one, true), hidden);
        let red = Verdict::Red { new: vec![], still: vec![], gone: vec!["a".into()] };
        assert_eq!(compare_reports(&one, &none, false), red);
        for end in [End::Code(1), End::Signal(9), End::TimedOut, End::TooMuchOutput] {
            assert!(!Ran { end, ms: 1 }.passed());
        }
    }

    #[test]
    fn failures_are_sorted_into_new_still_and_gone() {
        let red = Verdict::Red {
            new: vec!["d".into(), "e".into()],
            still: vec!["b".into()],
            gone: vec!["a".into(), "c".into()],
        };
        let (before, after) = (report(&["a", "b", "c"]), report(&["d", "b", "e", "d"]));
        assert_eq!(compare_reports(&before, &after, false), red);
    }

    #[test]
    fn an_outcome_lists_at_most_50_failures_of_one_line_each() {
        let names: Vec<_> = (0..60).map(|number| format!("test\n{number}")).collect();
        let names: Vec<_> = names.iter().map(String::as_str).collect();
        let ran = Ran { end: End::TimedOut, ms: 1 };
        let record = ran.check_record("make", &report(&names), None);
        assert_eq!((record.failures.len(), record.exit_code, record.timed_out), (50, None, true));
        assert_eq!(record.failures.last().unwrap(), "test 49");
    }
}
