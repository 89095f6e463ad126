//! Finds the likely failure in the output of tools that no row and no parser knows, by the form of its lines.
//!
//! `kept` keeps the lines around those that may say that something failed. When the log has ended, nothing else is known,
//! and its end is that of a failed command, `verdicts` looks for the verdicts of test runners among them, and `errors` for
//! errors with a place, for other errors, and for the place of an error in the lines around it; `table` and `sections` read what
//! they have in common. What a line can look like is
//! data: `forms.toml`, and `place` finds the place in it.

mod errors;
mod forms;
mod kept;
mod names;
mod near;
mod place;
mod run_verdict;
mod sections;
mod table;
mod verdicts;

pub(super) use kept::{CUES, KeptLines};
pub(super) use place::find_place;
pub(crate) use run_verdict::is_expected_failure;
pub(super) use run_verdict::{
    BARE_VERDICTS, RUN_CUES, RunVerdict, TestOutput, read_failed, read_passed, read_test,
};
pub(super) use sections::read_comment;

use crate::failure::draft::FailureDraft;
use forms::{FormKind, fits};
use papayu_base::domain::{Failure, FailureKind};

/// Lines at the end of a log that are searched for the words of a failure.
const END_LINES: usize = 60;
/// Most of those lines that are failures themselves, where nothing else is known.
const MAX_LAST_WORDS: usize = 3;

/// Returns the tests that failed, as their verdicts name them.
pub(super) fn find_tests(kept: &KeptLines) -> Vec<Failure> {
    // Nearly all logs without a failure end here.
    if !kept.has_cue() {
        return Vec::new();
    }
    verdicts::find_tests(&kept.lines().collect::<Vec<_>>())
}

/// Returns the errors in the lines of a log; `is_failed` is `true` if a CI system reports that the command failed.
pub(super) fn find_errors(kept: &KeptLines, is_failed: bool) -> Vec<Failure> {
    let lines: Vec<&str> = kept.lines().collect();
    let end = lines.get(lines.len().saturating_sub(END_LINES)..).unwrap_or_default();
    let is_strict = |line: &&str| fits(FormKind::StrictEnd, line);
    let is_reported = is_failed || end.iter().any(is_strict);
    let is_failed = is_failed || end.iter().any(|line| is_bad(line));
    if !is_failed && !kept.has_cue() {
        return Vec::new();
    }
    let errors = errors::find_errors(&lines);
    // A severity and a place together are enough where no line is about a success.
    let is_failed = is_failed || errors.is_explicit && !end.iter().any(|line| is_good(line));
    // A warning fails a build only if the command fails.
    if !is_failed || errors.is_mild && !is_reported {
        return Vec::new();
    }
    if errors.failures.is_empty() { last_words(end) } else { errors.failures }
}

/// Returns `true` for a line about a success.
fn is_good(line: &str) -> bool {
    fits(FormKind::GoodEnd, line) && !fits(FormKind::BadCount, line)
}

/// Returns `true` for a line about a failure.
fn is_bad(line: &str) -> bool {
    fits(FormKind::FailedEnd, line) && !is_good(line)
}

/// Returns the last lines about a failure, which are all that is known of it.
fn last_words(end: &[&str]) -> Vec<Failure> {
    let says_more = |line: &&&str| {
        is_bad(line)
            && !["exit code", "exit status", "xited with", "*** ["]
                .iter()
                .any(|end| line.contains(end))
    };
    let lines: Vec<&&str> = end.iter().rev().filter(says_more).take(MAX_LAST_WORDS).collect();
    let text = |line: &str| {
        line.trim_matches(|c: char| !c.is_alphanumeric() && !"()[]\"'%.!".contains(c)).to_owned()
    };
    lines
        .into_iter()
        .rev()
        .map(|line| FailureDraft::new("generic", FailureKind::Unknown, &text(line)).finish())
        .collect()
}
