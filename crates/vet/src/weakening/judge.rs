//! Judges a change as a whole: what moves from one file to another is neither added nor removed.

use std::collections::HashMap;

use super::finding::Weakening;
use super::measure::{CountedMark, find_surplus};
use super::tests_compared::{Tests, compare_tests};
use super::{comments, limits, lines, settings, settings_table, skip_markers};
use papayu_lang::{ChangedText, Family, Tokens, concerns_tests, cut_tokens};

/// A file before or after the change.
struct FileSide<'a> {
    path: &'a str,
    text: &'a str,
    family: Family,
    tokens: Tokens,
}

/// Returns every weakening, files in the order given; empty for a change that weakens nothing.
///
/// ```
/// use papayu_lang::ChangedText;
/// use papayu_vet::weakening::judge;
///
/// let change = ChangedText { path: "a.py", before: "x = 1\n", after: "x = 1  # noqa\n" };
/// assert_eq!(judge(&[change])[0].rule, "adds a comment that silences a checker: `noqa`");
/// ```
pub fn judge(changes: &[ChangedText<'_>]) -> Vec<Weakening> {
    let before: Vec<FileSide<'_>> =
        changes.iter().map(|it| FileSide::new(it.path, it.before)).collect();
    let after: Vec<FileSide<'_>> =
        changes.iter().map(|it| FileSide::new(it.path, it.after)).collect();
    let tests_before: Vec<Tests<'_>> = before.iter().map(FileSide::find_tests).collect();
    let tests_after: Vec<Tests<'_>> = after.iter().map(FileSide::find_tests).collect();
    let mut found = compare_tests(&tests_before, &tests_after);

    let (mut marks_before, mut marks_after) = (Vec::new(), Vec::new());
    let tests = tests_before.iter().zip(&tests_after);
    for ((old, new), (old_tests, new_tests)) in before.iter().zip(&after).zip(tests) {
        let has_items = !old_tests.items.is_empty() || !new_tests.items.is_empty();
        let has_tests = has_items || concerns_tests(old.path);
        marks_before.push(old.find_marks(has_tests));
        marks_after.push(new.find_marks(has_tests));
    }
    add_new_marks(changes, &marks_before, &marks_after, &mut found);
    for (old, new) in before.iter().zip(&after) {
        judge_settings(old, new, &mut found);
    }
    found
}

impl<'a> FileSide<'a> {
    /// Cuts the text of one side into tokens.
    fn new(path: &'a str, text: &'a str) -> Self {
        Self { path, text, family: Family::of_path(path), tokens: cut_tokens(path, text) }
    }

    /// Returns the tests of this side.
    fn find_tests(&self) -> Tests<'_> {
        Tests::find(self.path, &self.tokens.code, self.family)
    }

    /// Returns the marks of this side, which may not become more.
    fn find_marks(&self, has_tests: bool) -> Vec<CountedMark> {
        let mut found = Vec::new();
        if self.text.is_empty() {
            return found;
        }
        comments::find_silencing(&self.tokens.comments, self.family == Family::Rust, &mut found);
        let searched = skip_markers::Searched {
            path: self.path,
            family: self.family,
            tokens: &self.tokens.code,
            has_tests,
        };
        skip_markers::find_markers(&searched, &mut found);
        lines::find_lines(self.path, self.text, &mut found);
        found
    }
}

/// Adds the marks that are more than before in the whole change, with the files that have more
/// of them.
fn add_new_marks(
    changes: &[ChangedText<'_>],
    before: &[Vec<CountedMark>],
    after: &[Vec<CountedMark>],
    found: &mut Vec<Weakening>,
) {
    // First the balance of the whole change, then the files: a mark that moved is no surplus.
    let mut left: HashMap<(&str, &str), usize> = HashMap::new();
    for mark in find_surplus(after.iter().flatten(), before.iter().flatten()) {
        *left.entry((mark.rule, &mark.key)).or_default() += 1;
    }
    for ((change, old), new) in changes.iter().zip(before).zip(after) {
        for mark in find_surplus(new, old) {
            let count = left.get_mut(&(mark.rule, mark.key.as_str()));
            // Each surplus of the whole change is reported once, at the first file that has it.
            if let Some(count) = count.filter(|count| **count > 0) {
                *count -= 1;
                found.push(mark.weakens(change.path, false));
            }
        }
    }
}

/// Adds settings that became laxer, recipe lines that were removed, and time limits of tests
/// that rose.
fn judge_settings(old: &FileSide<'_>, new: &FileSide<'_>, found: &mut Vec<Weakening>) {
    let path = old.path;
    if settings_table::is_known(path) {
        let was = settings::read_settings(path, old.text, &old.tokens.code);
        let is = settings::read_settings(path, new.text, &new.tokens.code);
        // Exclusions of unreadable settings are unknown. A new template of YAML is never readable.
        let is_template = old.text.is_empty() && settings_table::is_any_yaml(path);
        if let Some(line) = is.broken_at.filter(|_| was.broken_at.is_none() && !is_template) {
            found.push(
                CountedMark::new("writes settings that cannot be read", "", line)
                    .weakens(path, false),
            );
        }
        for laxer in settings_table::compare_settings(path, &was, &is) {
            found.push(laxer.mark.weakens(path, laxer.is_before));
        }
    }
    let (was, is) = (lines::find_recipes(path, old.text), lines::find_recipes(path, new.text));
    // Recipe lines are compared in the other direction: fewer of them weaken the check.
    for mark in find_surplus(&was, &is) {
        found.push(mark.weakens(path, true));
    }
    let was = limits::find_limits(old.text, old.family);
    let is = limits::find_limits(new.text, new.family);
    if let Some(limit) = limits::find_raised(&was, &is) {
        let mark = CountedMark::new("lengthens a time limit of tests", limit.what, limit.line);
        found.push(mark.weakens(path, false));
    }
}
