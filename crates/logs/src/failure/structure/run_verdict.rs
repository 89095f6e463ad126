//! Reads the first and the last lines of runs of tests, and the ends of commands.

use super::forms::{FormKind, fits};
use super::is_bad;
use super::place::find_place;

/// A line about a run of tests, or about the end of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::failure) enum RunVerdict {
    /// The total of a run without failures.
    Passed,
    /// The total of a run with failures.
    Failed,
    /// A command failed.
    Exited,
    /// Something failed.
    Ended,
    /// The first line of a run.
    Started,
    /// The first line of a test, which may be the first of its run.
    StartedTest,
}

/// Words in the first lines of runs.
const START_WORDS: [&str; 7] =
    ["session starts", "unning ", "Starting ", "RUN  v", "PHPUnit ", "Test project", "=== RUN "];

/// Words in the totals of runs that passed.
const PASSED_WORDS: [&str; 7] =
    ["passed", "ok ", "OK", "0 failures", "Failures: 0", "passing", "PASSED"];

/// Reads a line about a run; `is_cued` is `true` if it may be about a failure.
pub(in crate::failure) fn read_verdict(line: &str, is_cued: bool) -> Option<RunVerdict> {
    // Most lines have none of these.
    let is_passed = PASSED_WORDS.iter().any(|word| line.contains(word));
    if is_passed && fits(FormKind::PassedTotal, line) {
        return Some(RunVerdict::Passed);
    }
    if START_WORDS.iter().any(|word| line.contains(word)) {
        if line.starts_with("=== RUN ") {
            return Some(RunVerdict::StartedTest);
        }
        if fits(FormKind::RunStart, line) {
            return Some(RunVerdict::Started);
        }
    }
    if !is_cued {
        return None;
    }
    // `a.py:3 FAILED to reach` has no count.
    let has_count = || fits(FormKind::BadCount, line) && find_place(line).is_none();
    if fits(FormKind::FailedTotal, line) || has_count() {
        return Some(RunVerdict::Failed);
    }
    if fits(FormKind::FailedExit, line) {
        return Some(RunVerdict::Exited);
    }
    is_bad(line).then_some(RunVerdict::Ended)
}
