//! Distills a note from a proved fix, without a model: the failure, the summary and the changed lines.

use std::fmt::Write as _;

use super::note::{Note, NoteDraft, NoteOrigin};
use papayu_base::domain::{Outcome, OutcomeKind};
use papayu_base::text::{Masker, first_chars};

/// Failures, files and changed lines that a note names, at most.
const MAX_FAILURES: usize = 3;
const MAX_FILES: usize = 5;
const MAX_LINES: usize = 8;
/// Longest failure and longest changed line, in characters.
const MAX_FAILURE: usize = 160;
const MAX_LINE: usize = 100;

/// The results of a run that a note is made of.
#[derive(Clone, Copy, Debug)]
pub struct FixFacts<'a> {
    /// The outcome.
    pub outcome: &'a Outcome,
    /// The description of the change by its author; may be empty.
    pub summary: &'a str,
    /// The change as a git patch.
    pub patch: &'a str,
    /// Days after which the note is no longer shown.
    pub ttl_days: u64,
}

/// Returns the note of a fix; `None` for a run without a proved fix, or one that needed no model: the tools fix the
/// same again at no cost.
pub fn distill_fix(facts: FixFacts<'_>, now: &str, masker: &Masker) -> Option<Note> {
    let FixFacts { outcome, summary, patch, ttl_days } = facts;
    let is_proved = matches!(outcome.outcome, OutcomeKind::Fixed | OutcomeKind::PublishFailed)
        && outcome.verified
        && outcome.review_flags.is_empty();
    if !is_proved || outcome.requests == 0 || outcome.provider.as_deref() == Some("suggestions") {
        return None;
    }
    let failures = outcome.verify.before.iter().flat_map(|check| &check.failures);
    let failures: Vec<&str> =
        failures.take(MAX_FAILURES).map(|line| first_chars(line, MAX_FAILURE)).collect();
    let summary = summary.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    let title = failures.first().copied().unwrap_or(summary);
    let mut text = String::new();
    // Writing to a string cannot fail.
    if let Some(class) = &outcome.failure_class {
        let _ = writeln!(text, "class: {class}");
    }
    for failure in failures.iter().skip(1) {
        let _ = writeln!(text, "failure: {failure}");
    }
    if !summary.is_empty() {
        let _ = writeln!(text, "fix: {summary}");
    }
    let files: Vec<&str> =
        outcome.changed_files.iter().take(MAX_FILES).map(String::as_str).collect();
    let _ = writeln!(text, "changed: {}", files.join(", "));
    for line in changed_lines(patch) {
        let _ = writeln!(text, "{line}");
    }
    let identity = outcome.fingerprint.as_deref().unwrap_or(title);
    let draft = NoteDraft { origin: NoteOrigin::Fix, identity, title, text: &text, ttl_days };
    Note::new(draft, now, masker)
}

/// Returns the first deleted and added lines of a patch that have words.
fn changed_lines(patch: &str) -> impl Iterator<Item = &str> {
    let is_change = |line: &&str| {
        let is_header = line.starts_with("--- ") || line.starts_with("+++ ");
        line.starts_with(['-', '+']) && !is_header && line.chars().any(char::is_alphanumeric)
    };
    patch.lines().filter(is_change).take(MAX_LINES).map(|line| first_chars(line, MAX_LINE))
}

#[cfg(test)]
mod tests {
    use super::*;
    use papayu_base::domain::RunId;
    use papayu_base::domain::outcome::{CheckRecord, ReviewFlag};

    const NOW: &str = "2026-03-01T12:00:00Z";
    const PATCH: &str = "diff --git a/src/money.py b/src/money.py\n--- a/src/money.py\n+++ b/src/money.py\n\
        @@ -1,2 +1,2 @@\n def total(coins):\n-    return sum(coins) + 1\n+    return sum(coins)\n-\n+\n";

    fn fixed() -> Outcome {
        let mut outcome = Outcome::new(RunId::new("r".into()), OutcomeKind::Fixed, "fixed");
        let failures = vec!["tests/test_money.py: 4 != 3".to_owned(), "second".to_owned()];
        outcome.verify.before = Some(CheckRecord { failures, ..CheckRecord::default() });
        outcome.failure_class = Some("code".to_owned());
        outcome.changed_files = vec!["src/money.py".to_owned()];
        outcome.fingerprint = Some("0123456789ab".to_owned());
        (outcome.verified, outcome.requests) = (true, 2);
        outcome
    }

    fn distill(outcome: &Outcome) -> Option<Note> {
        let facts =
            FixFacts { outcome, summary: "\nOff by one.\nMore.", patch: PATCH, ttl_days: 90 };
        distill_fix(facts, NOW, &Masker::new([]))
    }

    #[test]
    fn only_a_proved_fix_of_a_model_gives_a_note() {
        let flag = ReviewFlag { path: "a".into(), line: 1, reason: "odd".into() };
        for outcome in [
            Outcome { outcome: OutcomeKind::NotFixed, ..fixed() },
            Outcome { outcome: OutcomeKind::Planned, ..fixed() },
            Outcome { verified: false, ..fixed() },
            Outcome { review_flags: vec![flag], ..fixed() },
            Outcome { requests: 0, ..fixed() },
        ] {
            assert_eq!(distill(&outcome), None);
        }
    }

    #[test]
    fn a_note_has_the_failure_the_summary_and_the_changed_lines() {
        let note = distill(&fixed()).unwrap();
        assert_eq!(note.title, "tests/test_money.py: 4 != 3");
        assert_eq!(
            note.text,
            "class: code\nfailure: second\nfix: Off by one.\nchanged: src/money.py\n\
            -    return sum(coins) + 1\n+    return sum(coins)"
        );
        let later = Outcome { failure_class: None, ..fixed() };
        assert_eq!(distill(&later).unwrap().id, note.id, "the same failure has one note");
    }
}
