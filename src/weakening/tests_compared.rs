//! Which tests are gone, and which say less than before.

use std::collections::HashMap;
use std::ops::Range;

use super::judge::Weakening;
use super::pairs::{self, Words};
use super::test_items::{self, TestItem};
use super::token::Token;
use crate::lang::Family;

/// New tests that a lost one is held against.
const MAX_TRIES: usize = 100;

/// One file's tests.
pub(super) struct Tests<'a> {
    path: &'a str,
    tokens: &'a [Token],
    pub(super) items: Vec<TestItem>,
    modules: Vec<Range<usize>>,
    words: Words<'a>,
}

impl<'a> Tests<'a> {
    /// Finds them.
    pub(super) fn of(path: &'a str, tokens: &'a [Token], language: Family) -> Self {
        let (items, modules) = test_items::find(tokens, language);
        Self { path, tokens, items, modules, words: pairs::words(tokens) }
    }

    fn body(&self, item: &TestItem) -> &'a [Token] {
        self.tokens.get(item.body.clone()).unwrap_or_default()
    }

    /// Returns what test modules hold beside their tests.
    fn helpers(&self) -> Vec<Token> {
        let mut inside = vec![false; self.tokens.len()];
        let mut set = |range: &Range<usize>, value: bool| {
            for flag in
                inside.get_mut(range.start..range.end.min(self.tokens.len())).into_iter().flatten()
            {
                *flag = value;
            }
        };
        self.modules.iter().for_each(|module| set(module, true));
        self.items.iter().for_each(|item| set(&item.body, false));
        let kept = self.tokens.iter().zip(inside).filter(|(_, inside)| *inside);
        kept.map(|(token, _)| token.clone()).collect()
    }
}

/// Adds what a change takes from tests; `before` and `after` are the same files in the same order.
pub(super) fn compare(before: &[Tests<'_>], after: &[Tests<'_>], found: &mut Vec<Weakening>) {
    let mut free: HashMap<&str, Vec<(usize, usize)>> = HashMap::new();
    for (file, tests) in after.iter().enumerate() {
        for (at, item) in tests.items.iter().enumerate().rev() {
            free.entry(item.name.as_str()).or_default().push((file, at));
        }
    }
    let mut orphans = Vec::new();
    for (file, tests) in before.iter().enumerate() {
        for item in &tests.items {
            let named = free.get_mut(item.name.as_str()).filter(|list| !list.is_empty());
            let Some(list) = named else {
                orphans.push((file, item));
                continue;
            };
            let own = list.iter().rposition(|(there, _)| *there == file);
            let (there, at) = list.remove(own.unwrap_or(list.len() - 1));
            if let Some((other, new)) =
                after.get(there).and_then(|it| Some((it, it.items.get(at)?)))
            {
                found.extend(compare_one((tests, item), (other, new)));
            }
        }
    }
    let mut left: Vec<(usize, usize)> = free.into_values().flatten().collect();
    left.sort_unstable();
    for (file, item) in orphans {
        let Some(tests) = before.get(file) else { continue };
        found.extend(renamed(tests, item, after, &mut left));
    }
    for (tests, other) in before.iter().zip(after) {
        found.extend(compare_helpers(tests, other));
    }
}

/// A test under another name is the same when it says the same.
fn renamed(
    tests: &Tests<'_>,
    item: &TestItem,
    after: &[Tests<'_>],
    left: &mut Vec<(usize, usize)>,
) -> Option<Weakening> {
    let place = left.iter().take(MAX_TRIES).position(|(file, at)| {
        let other = after.get(*file).and_then(|it| Some((it, it.items.get(*at)?)));
        other.is_some_and(|other| compare_one((tests, item), other).is_none())
    });
    match place {
        Some(place) => {
            left.remove(place);
            None
        }
        None => Some(Weakening {
            path: tests.path.to_owned(),
            line: item.line,
            rule: format!("takes the test `{}` away", item.name),
            is_before: true,
        }),
    }
}

fn compare_one(
    before: (&Tests<'_>, &TestItem),
    after: (&Tests<'_>, &TestItem),
) -> Option<Weakening> {
    let (old, new) = (before.0.body(before.1), after.0.body(after.1));
    let at = |line: usize, rule: String, is_before: bool| {
        let path = if is_before { before.0.path } else { after.0.path };
        Some(Weakening { path: path.to_owned(), line, rule, is_before })
    };
    let name = &before.1.name;
    let fresh = |attribute: &&String| {
        let matters =
            ["should_panic", "cfg", "ignore"].iter().any(|word| attribute.starts_with(word));
        matters && !before.1.attributes.contains(attribute)
    };
    if let Some(attribute) = after.1.attributes.iter().find(fresh) {
        return at(
            after.1.line,
            format!("adds `#[{}]` to the test `{name}`", attribute.replace(' ', "")),
            false,
        );
    }
    if texts(old).eq(texts(new)) {
        return None;
    }
    let words = &after.0.words;
    if let Some(assertion) = pairs::lost_assertion(old, new, words) {
        let line = assertion.first().map_or(before.1.line, |token| token.line);
        return at(line, format!("takes away or changes an assertion of the test `{name}`"), true);
    }
    if let Some(lost) = pairs::lost(old, new, words) {
        let lost: String = lost.chars().take(40).collect();
        return at(before.1.line, format!("takes `{lost}` out of the test `{name}`"), true);
    }
    let defused = pairs::defused(old, new)?;
    at(after.1.line, format!("puts `{defused}` into the test `{name}`"), false)
}

fn texts(tokens: &[Token]) -> impl Iterator<Item = &str> {
    tokens.iter().map(|token| token.text.as_str())
}

fn compare_helpers(before: &Tests<'_>, after: &Tests<'_>) -> Option<Weakening> {
    let (old, new) = (before.helpers(), after.helpers());
    let lost = pairs::lost_assertion(&old, &new, &after.words)?;
    let line = lost.first().map_or(1, |token| token.line);
    Some(Weakening {
        path: before.path.to_owned(),
        line,
        rule: "takes away or changes an assertion that tests share".to_owned(),
        is_before: true,
    })
}
