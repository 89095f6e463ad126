//! Reads the last lines of a log, where nothing else is known of the failure.

use papayu_base::domain::{Failure, FailureKind};
use papayu_base::text::group;

use super::forms::{FormKind, find, fits};
use super::place::has_word;
use crate::failure::draft::FailureDraft;
use crate::failure::toolchain::generic::is_consequence;

/// Lines at the end of a log that are searched for the words of a failure.
pub(super) const END_LINES: usize = 60;
/// Most of those lines that are failures themselves, where nothing else is known.
const MAX_LAST_WORDS: usize = 3;
/// Most lines at the end of the output that are shown as a failure.
const MAX_BLOCK: usize = 6;

/// Returns the reason for which a CI system ended a job, in the last lines of its log.
pub(in crate::failure) fn find_ending(log: &str) -> Option<Failure> {
    let found = log.lines().rev().take(END_LINES).find_map(|line| {
        let message = group(&find(FormKind::Ending, line)?, "message")?.to_owned();
        Some(message).filter(|_| !is_consequence(line))
    })?;
    Some(FailureDraft::new("generic", FailureKind::Unknown, &found).finish())
}

/// Returns `true` for a line about a success.
pub(super) fn is_good(line: &str) -> bool {
    fits(FormKind::GoodEnd, line) && !fits(FormKind::BadCount, line)
}

/// Returns `true` for a line about a failure.
pub(super) fn is_bad(line: &str) -> bool {
    fits(FormKind::FailedEnd, line) && !is_good(line)
}

/// Returns the last lines about a failure, which are all that is known of it.
pub(super) fn last_words(end: &[&str]) -> Vec<Failure> {
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

/// Returns the last lines that a failed command printed, where no line is about a failure.
pub(in crate::failure) fn last_block(lines: &[&str]) -> Option<Failure> {
    let is_frame = |line: &&&str| {
        !has_word(line)
            || is_consequence(line)
            || fits(FormKind::FailedExit, line)
            || is_bad(line)
            || line.starts_with("[Pipeline] ")
    };
    let is_part = |line: &&str| {
        let is_head =
            ["$ ", "+ ", "##[", "[Pipeline] ", "Run "].iter().any(|it| line.starts_with(it));
        !line.trim().is_empty() && !is_head
    };
    let block = lines.iter().rev().skip_while(is_frame).copied();
    let block: Vec<&str> = block.take_while(is_part).take(MAX_BLOCK).collect();
    let mut draft = FailureDraft::new("generic", FailureKind::Unknown, "");
    block.iter().rev().for_each(|line| draft.add_line(line.trim_end()));
    (!draft.has_no_message()).then(|| draft.finish())
}
