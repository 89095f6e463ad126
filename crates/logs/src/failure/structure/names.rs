//! Takes marks, numbers and times off the names of tests, and compares them.

use super::forms::{FormKind, find};
use crate::failure::draft::FailureDraft;

/// Takes marks, quotes, the time and the columns before it off a name.
pub(super) fn clean_name(name: &str) -> &str {
    let mut name = name.trim_matches(['│', '|', ' ', '\t']);
    while let Some(time) = find(FormKind::Time, name) {
        name = name.get(..time.get(0).map_or(0, |time| time.start())).unwrap_or_default();
    }
    let name = name.rsplit("  ").next().unwrap_or_default();
    let name = name.trim_end_matches(['.', ':', '=', '-', ' ', '*', '…']);
    let name =
        name.trim_start_matches(['=', '*', '%', '#', '•', '-', '>', ' ', '✗', '✘', '✖', '❌']);
    let quote = ['"', '\'', '`'].into_iter().find(|quote| name.starts_with(*quote));
    let inside = quote.and_then(|quote| name.strip_prefix(quote)?.strip_suffix(quote));
    inside.unwrap_or(name).trim()
}

/// Takes what a logger puts before a line off it.
pub(super) fn without_logger(line: &str) -> &str {
    let found = find(FormKind::Logger, line).and_then(|found| found.get(0));
    found.map_or(line, |found| line.get(found.end()..).unwrap_or_default())
}

/// Takes `1) ` off a line.
pub(super) fn strip_number(text: &str) -> &str {
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let is_number = rest.len() < text.len() && text.len() - rest.len() < 5;
    rest.strip_prefix(") ").filter(|_| is_number).map_or(text, str::trim_start)
}

/// Returns the number of blanks at the start of a line.
pub(super) fn indent_of(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// Returns `true` if the name of one is the end of the other's, as with and without the suite.
pub(super) fn is_same_test(one: &FailureDraft, other: &FailureDraft) -> bool {
    let names = (one.failure.test.as_deref(), other.failure.test.as_deref());
    let (Some(one), Some(other)) = names else { return false };
    is_end_of(one, other) || is_end_of(other, one)
}

/// Returns `true` if a name ends with another whole name.
pub(super) fn is_end_of(end: &str, name: &str) -> bool {
    let before = name.strip_suffix(end);
    before.is_some_and(|before| !end.is_empty() && !before.ends_with(char::is_alphanumeric))
}

/// Returns `true` for `[FAILED] [0.001 seconds]` and the like.
pub(super) fn is_bare_verdict(trimmed: &str) -> bool {
    let words = trimmed.trim_start_matches(|c: char| !c.is_alphabetic());
    let word = words.split([']', ' ', ':']).next().unwrap_or_default();
    let rest =
        words.get(word.len()..).unwrap_or_default().trim_matches([']', '[', ' ', ':', '=', '-']);
    let is_time =
        rest.is_empty() || rest.starts_with(|c: char| c.is_ascii_digit()) && rest.len() < 20;
    let is_word = ["FAIL", "FAILED", "Failed", "FAILURE"].contains(&word);
    is_word && is_time || trimmed == "*failed*"
}
