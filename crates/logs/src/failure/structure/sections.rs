//! Reads the lines and sections about failed tests: details, titles with the name of a test, and differences from what a test expects.

use papayu_base::domain::{FailureKind, Location};

use super::forms::{FormKind, find, fits};
use super::names::{is_end_of, strip_number};
use super::place::find_place;
use crate::failure::draft::FailureDraft;
use crate::failure::location::find_locations;
use crate::failure::toolchain::parse_stack_frame;

/// Most lines of a section that are read.
const MAX_LINES: usize = 40;
/// Most lines of a difference.
const MAX_DIFFERENCE: usize = 400;
/// Most changed lines that are shown of a file.
const MAX_CHANGED: usize = 6;
/// Fewest marks of a rule.
const MIN_MARKS: usize = 3;
/// The marks of rules and of titles.
const MARKS: [char; 19] =
    ['─', '━', '═', '=', '-', '*', '_', '~', '┌', '╭', '┐', '╮', '└', '╰', '❯', '●', '│', '#', '+'];

/// Reads the section of a test into its failure.
pub(super) fn add_section(lines: &[&str], draft: &mut FailureDraft) {
    let Some(name) = draft.failure.test.clone() else { return };
    let is_own = |at: &usize| {
        title_at(lines, *at).is_some_and(|title| is_end_of(title, &name) || is_end_of(&name, title))
    };
    let Some(at) = (0..lines.len()).find(is_own) else { return };
    let below = lines.get(at + 1..).unwrap_or_default();
    for (next, line) in below.iter().enumerate().take(MAX_LINES) {
        let is_other = title_at(lines, at + 1 + next).is_some_and(|title| !title.contains(' '))
            || fits(FormKind::List, line)
            || fits(FormKind::Pass, line)
            || find(FormKind::Count, line).is_some() && !fits(FormKind::Assertion, line);
        if is_other {
            break;
        }
        if line.contains(char::is_alphanumeric) {
            read_detail(draft, line.trim_start_matches(['│', ' ', '\t']));
        }
    }
}

/// Returns the title at a line: between marks, behind one, or above a rule.
fn title_at<'l>(lines: &[&'l str], at: usize) -> Option<&'l str> {
    let line = lines.get(at)?.trim();
    let marks = line.chars().filter(|c| MARKS.contains(c)).count();
    let is_underlined = || lines.get(at + 1).is_some_and(|next| is_rule(next));
    let has_mark = line.starts_with(['❯', '●']) || marks > MIN_MARKS && line.ends_with(MARKS);
    if !line.contains(char::is_alphanumeric) || !has_mark && !is_underlined() {
        return None;
    }
    let title = line.trim_matches(|c: char| MARKS.contains(&c) || c.is_whitespace());
    // `**** TEST 'a' FAILED ****`
    let quoted = title.strip_suffix("' FAILED").and_then(|title| title.split_once('\''));
    Some(quoted.map_or(title, |(_, name)| name))
}

fn is_rule(line: &str) -> bool {
    let line = line.trim();
    line.chars().count() > MIN_MARKS && line.chars().all(|c| MARKS.contains(&c))
}

/// Reads a line next to a verdict.
pub(super) fn read_detail(draft: &mut FailureDraft, line: &str) {
    let trimmed = line.trim();
    if let Some(frame) = parse_stack_frame(trimmed) {
        draft.add_locations(frame.location());
        return;
    }
    if let Some(place) = find_place(line) {
        draft.add_location(place.location);
        let is_mark = |c: char| !c.is_alphanumeric();
        let is_short = |part: &str| part.trim_matches(is_mark).chars().count() <= 3;
        let is_frame =
            ["at ", "In ", "(in ", "in ", "(from "].iter().any(|it| trimmed.starts_with(it));
        if is_frame || is_short(place.before) && is_short(place.after) {
            return;
        }
    } else {
        find_locations(trimmed, |at| draft.add_location(at));
    }
    let text = strip_number(trimmed);
    if text.chars().any(char::is_alphanumeric) && !fits(FormKind::Source, line) {
        draft.add_line(text);
    }
}

/// Reads a comment of TAP below the verdict of a test that failed. Returns `false` for a comment about something else.
pub(in crate::failure) fn read_comment(draft: &mut FailureDraft, line: &str) -> bool {
    let Some(text) = line.trim_start().strip_prefix('#').map(str::trim) else { return false };
    let is_other = text.starts_with("Subtest")
        || fits(FormKind::Pass, text)
        || find(FormKind::Count, text).is_some();
    if text.starts_with("Failed test") {
        draft.add_locations(find_place(text).map(|place| place.location));
    } else if !is_other {
        read_detail(draft, text);
    }
    !is_other
}

/// Reads the difference between the file of a test and what it printed, and returns the number of its lines.
///
/// ```text
/// --- tests/adds.t
/// +++ tests/adds.t.err
/// ```
pub(super) fn read_difference(lines: &[&str]) -> Option<(FailureDraft, usize)> {
    let (head, other) = (lines.first()?, lines.get(1)?);
    let path = head.strip_prefix("--- ")?.split('\t').next()?.trim();
    let printed = other.strip_prefix("+++ ")?.split('\t').next()?.trim();
    let is_printed = printed.strip_prefix(path).is_some_and(|rest| rest.starts_with('.'));
    let mut draft = FailureDraft::test("generic", path);
    let is_part = |line: &&&str| line.is_empty() || line.starts_with(['@', ' ', '-', '+']);
    let body = lines.get(2..).unwrap_or_default();
    let used = body.iter().take(MAX_DIFFERENCE).take_while(is_part).count();
    let changed = body.iter().take(used).filter(|line| line.starts_with(['-', '+']));
    changed.for_each(|line| draft.add_line(line));
    is_printed.then_some((draft, used + 2))
}

/// Reads the difference of a file from the committed one, which `git diff --exit-code` prints, and returns the number of the lines
/// below the first.
pub(super) fn read_changed_file(line: &str, rest: &[&str]) -> Option<(FailureDraft, usize)> {
    let (_, path) = line.strip_prefix("diff --git a/")?.split_once(" b/")?;
    let heads = ["index ", "new file", "deleted file", "old mode", "new mode", "@@ "];
    let is_part = |line: &&&str| {
        line.is_empty()
            || line.starts_with([' ', '+', '-', '\\'])
            || heads.iter().any(|start| line.starts_with(start))
    };
    let used = rest.iter().take_while(is_part).count();
    let message = "the file differs from the committed one";
    let mut draft = FailureDraft::new("generic", FailureKind::Unknown, message);
    draft.add_location(Location::file(path));
    let changed = rest.iter().take(used).filter(|line| {
        line.starts_with(['+', '-']) && !line.starts_with("+++ ") && !line.starts_with("--- ")
    });
    changed.take(MAX_CHANGED).for_each(|line| draft.add_line(line));
    Some((draft, used))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_stand_between_marks_behind_one_or_above_a_rule() {
        for (lines, title) in [
            (["──── adds two ────", ""], Some("adds two")),
            (["┌── adds ──────", ""], Some("adds")),
            (["❯ Calc / adds", ""], Some("Calc / adds")),
            (["*** TEST 'a :: adds' FAILED ***", ""], Some("a :: adds")),
            (["tests.A.adds", "------------"], Some("tests.A.adds")),
            (["adds", "two"], None),
            (["a - b - c", ""], None),
        ] {
            assert_eq!(title_at(&lines, 0), title, "{lines:?}");
        }
    }

    #[test]
    fn a_difference_from_the_file_of_a_test_is_its_message() {
        let lines = ["--- a.t", "+++ a.t.err", "@@ -1 +1 @@", "   $ echo 2", "-  3", "+  2", "."];
        let (draft, used) = read_difference(&lines).unwrap();
        let failure = draft.finish();
        assert_eq!(
            (failure.test.as_deref(), failure.message.as_str()),
            (Some("a.t"), "-  3\n+  2")
        );
        assert_eq!(used, 6);
        assert!(read_difference(&["--- a/x.c", "+++ b/x.c"]).is_none());
    }
}
