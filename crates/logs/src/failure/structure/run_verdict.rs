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

/// Reads the first or the last line of a run that passed.
pub(in crate::failure) fn read_passed(line: &str) -> Option<RunVerdict> {
    // Most lines have none of these.
    let has_one_of = |words: &[&str]| words.iter().any(|word| line.contains(word));
    if has_one_of(&PASSED_WORDS) && fits(FormKind::PassedTotal, line) {
        return Some(RunVerdict::Passed);
    }
    if !has_one_of(&START_WORDS) {
        return None;
    }
    if line.starts_with("=== RUN ") {
        return Some(RunVerdict::StartedTest);
    }
    fits(FormKind::RunStart, line).then_some(RunVerdict::Started)
}

/// Reads a line that may be about a failure; `is_after_run` is `true` if a run passed before.
pub(in crate::failure) fn read_failed(line: &str, is_after_run: bool) -> Option<RunVerdict> {
    if fits(FormKind::FailedTotal, line) {
        return Some(RunVerdict::Failed);
    }
    if line.bytes().any(|byte| byte.is_ascii_digit()) {
        // `a.py:3 FAILED to reach` has no count.
        if fits(FormKind::BadCount, line) && find_place(line).is_none() {
            return Some(RunVerdict::Failed);
        }
        if fits(FormKind::FailedExit, line) {
            return Some(RunVerdict::Exited);
        }
    }
    (is_after_run && is_bad(line)).then_some(RunVerdict::Ended)
}
