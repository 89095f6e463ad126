//! Compares the tests of a change: which are removed, and which check less than before.

use std::collections::HashMap;
use std::ops::Range;

use super::finding::Weakening;
use super::test_diff::{self, WordSet};
use super::test_items::{TestItem, TestItems, find_tests};
use papayu_lang::{Family, Token};

/// New tests that a removed one is compared with.
const MAX_TRIES: usize = 100;

/// One file's tests.
pub(super) struct Tests<'a> {
    path: &'a str,
    tokens: &'a [Token],
    pub(super) items: Vec<TestItem>,
    modules: Vec<Range<usize>>,
    words: WordSet<'a>,
}

/// One test of a file.
#[derive(Clone, Copy)]
struct TestOf<'t> {
    tests: &'t Tests<'t>,
    item: &'t TestItem,
}

impl<'a> Tests<'a> {
    /// Finds the tests of a file.
    pub(super) fn find(path: &'a str, tokens: &'a [Token], family: Family) -> Self {
        let TestItems { items, modules } = find_tests(tokens, family);
        Self { path, tokens, items, modules, words: test_diff::collect_words(tokens) }
    }

    /// Returns a test by its position.
    fn test(&self, at: usize) -> Option<TestOf<'_>> {
        self.items.get(at).map(|item| TestOf { tests: self, item })
    }

    /// Returns the tokens of test modules outside their tests.
    fn helper_tokens(&self) -> Vec<Token> {
        let mut is_inside = vec![false; self.tokens.len()];
        for module in &self.modules {
            fill_range(&mut is_inside, module, true);
        }
        for item in &self.items {
            fill_range(&mut is_inside, &item.body, false);
        }
        let kept = self.tokens.iter().zip(is_inside).filter(|(_, is_inside)| *is_inside);
        kept.map(|(token, _)| token.clone()).collect()
    }
}

/// Sets a range of flags; what is behind the last flag is ignored.
fn fill_range(flags: &mut [bool], range: &Range<usize>, value: bool) {
    let end = range.end.min(flags.len());
    if let Some(flags) = flags.get_mut(range.start..end) {
        flags.fill(value);
    }
}

impl TestOf<'_> {
    /// Returns the tokens of the test's body.
    fn body(&self) -> &[Token] {
        self.tests.tokens.get(self.item.body.clone()).unwrap_or_default()
    }

    /// Returns a weakening at a line of this test.
    fn weakening(&self, line: usize, rule: String, is_before: bool) -> Weakening {
        Weakening { path: self.tests.path.to_owned(), line, rule, is_before }
    }
}

/// Returns what a change takes from tests; `before` and `after` are the same files in the same order.
pub(super) fn compare_tests(before: &[Tests<'_>], after: &[Tests<'_>]) -> Vec<Weakening> {
    let mut found = Vec::new();
    // The tests after the change by name, each as its file and its place there.
    let mut free: HashMap<&str, Vec<(usize, usize)>> = HashMap::new();
    for (file, tests) in after.iter().enumerate() {
        for (at, item) in tests.items.iter().enumerate().rev() {
            free.entry(item.name.as_str()).or_default().push((file, at));
        }
    }
    let mut orphans = Vec::new();
    for (file, tests) in before.iter().enumerate() {
        for item in &tests.items {
            let old = TestOf { tests, item };
            let named = free.get_mut(item.name.as_str()).filter(|list| !list.is_empty());
            let Some(list) = named else {
                orphans.push(old);
                continue;
            };
            let own = list.iter().rposition(|(other, _)| *other == file);
            let (other, at) = list.remove(own.unwrap_or(list.len() - 1));
            if let Some(new) = after.get(other).and_then(|tests| tests.test(at)) {
                found.extend(compare_test(old, new));
            }
        }
    }
    let mut left: Vec<(usize, usize)> = free.into_values().flatten().collect();
    left.sort_unstable();
    for old in orphans {
        found.extend(match_renamed(old, after, &mut left));
    }
    for (tests, other) in before.iter().zip(after) {
        found.extend(compare_helpers(tests, other));
    }
    found
}

/// Returns the loss of a test, unless a new one under another name checks the same.
fn match_renamed(
    old: TestOf<'_>,
    after: &[Tests<'_>],
    left: &mut Vec<(usize, usize)>,
) -> Option<Weakening> {
    let place = left.iter().take(MAX_TRIES).position(|(file, at)| {
        let new = after.get(*file).and_then(|tests| tests.test(*at));
        new.is_some_and(|new| compare_test(old, new).is_none())
    });
    if let Some(place) = place {
        left.remove(place);
        return None;
    }
    let rule = format!("takes the test `{}` away", old.item.name);
    Some(old.weakening(old.item.line, rule, true))
}

/// Returns the first thing that a test checks less than before.
fn compare_test(old: TestOf<'_>, new: TestOf<'_>) -> Option<Weakening> {
    let name = &old.item.name;
    if let Some(attribute) = find_new_attribute(old.item, new.item) {
        let rule = format!("adds `#[{}]` to the test `{name}`", attribute.replace(' ', ""));
        return Some(new.weakening(new.item.line, rule, false));
    }
    let (was, is) = (old.body(), new.body());
    if was.iter().map(|token| &token.text).eq(is.iter().map(|token| &token.text)) {
        return None;
    }
    let words = &new.tests.words;
    if let Some(assertion) = test_diff::find_lost_assertion(was, is, words) {
        let line = assertion.first().map_or(old.item.line, |token| token.line);
        let rule = format!("takes away or changes an assertion of the test `{name}`");
        return Some(old.weakening(line, rule, true));
    }
    if let Some(lost) = test_diff::find_lost(was, is, words) {
        let lost: String = lost.chars().take(40).collect();
        let rule = format!("takes `{lost}` out of the test `{name}`");
        return Some(old.weakening(old.item.line, rule, true));
    }
    let defusing = test_diff::find_defusing(was, is)?;
    let rule = format!("puts `{defusing}` into the test `{name}`");
    Some(new.weakening(new.item.line, rule, false))
}

/// Returns an attribute of Rust that is new and changes when a test runs or passes.
fn find_new_attribute<'n>(old: &TestItem, new: &'n TestItem) -> Option<&'n String> {
    new.attributes.iter().find(|attribute| {
        let words = ["should_panic", "cfg", "ignore"];
        words.iter().any(|word| attribute.starts_with(word)) && !old.attributes.contains(attribute)
    })
}

/// Returns an assertion that was removed from the code around the tests: helpers and fixtures
/// assert for them.
fn compare_helpers(before: &Tests<'_>, after: &Tests<'_>) -> Option<Weakening> {
    let (old, new) = (before.helper_tokens(), after.helper_tokens());
    let lost = test_diff::find_lost_assertion(&old, &new, &after.words)?;
    let line = lost.first().map_or(1, |token| token.line);
    Some(Weakening {
        path: before.path.to_owned(),
        line,
        rule: "takes away or changes an assertion that tests share".to_owned(),
        is_before: true,
    })
}
