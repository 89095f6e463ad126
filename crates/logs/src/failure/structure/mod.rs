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
mod last_words;
mod names;
mod near;
mod place;
mod run_verdict;
mod sections;
mod table;
mod verdicts;

pub(super) use kept::{CUES, KeptLines};
pub(super) use last_words::{find_ending, last_block};
pub(super) use place::find_place;
pub(crate) use run_verdict::is_expected_failure;
pub(super) use run_verdict::{
    BARE_VERDICTS, RUN_CUES, RunVerdict, TestOutput, read_failed, read_passed, read_test,
};
pub(super) use sections::read_comment;

use forms::{FormKind, fits};
use last_words::{END_LINES, is_bad, is_good, last_words};
use papayu_base::domain::Failure;

/// Returns the tests that failed, as their verdicts name them.
pub(super) fn find_tests(kept: &KeptLines) -> Vec<Failure> {
    // Nearly all logs without a failure end here.
    if !kept.has_cue() {
        return Vec::new();
    }
    verdicts::find_tests(&kept.lines().collect::<Vec<_>>())
}

/// Returns the errors in the lines of a log; `is_failed` is `true` if a CI system reports that the command failed, and `block` is what it
/// printed last.
pub(super) fn find_errors(
    kept: &KeptLines,
    is_failed: bool,
    block: Option<Failure>,
) -> Vec<Failure> {
    let lines: Vec<&str> = kept.lines().collect();
    let end = lines.get(lines.len().saturating_sub(END_LINES)..).unwrap_or_default();
    let is_strict = |line: &&str| fits(FormKind::StrictEnd, line);
    let is_reported =
        is_failed || end.iter().any(|line| is_strict(line) || fits(FormKind::FailedExit, line));
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
    // The end of a command is no reason for it.
    let is_end = |error: &Failure| fits(FormKind::FailedExit, &error.message);
    if !errors.failures.is_empty() && (block.is_none() || !errors.failures.iter().all(is_end)) {
        return errors.failures;
    }
    let words = last_words(end);
    if !words.is_empty() || !is_reported {
        return words;
    }
    block.or_else(|| last_block(end)).into_iter().collect()
}
