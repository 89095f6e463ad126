//! Occurrences that are counted in a file before and after a change.

use std::collections::HashMap;

use super::finding::Weakening;

/// Most characters of a key that a message shows.
const MAX_SHOWN: usize = 60;

/// An occurrence of something that may not become more, or fewer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CountedMark {
    /// A predicate about the change.
    pub(super) rule: &'static str,
    /// The text that is counted; equal ones net out.
    pub(super) key: String,
    /// From 1.
    pub(super) line: usize,
}

impl CountedMark {
    /// Returns a mark of a rule at a line, from 1.
    pub(super) fn new(rule: &'static str, key: impl Into<String>, line: usize) -> Self {
        Self { rule, key: key.into(), line }
    }

    /// Returns the mark as a weakening of a file, with the start of its key.
    pub(super) fn weakens(&self, path: &str, is_before: bool) -> Weakening {
        let key: String = self.key.chars().take(MAX_SHOWN).collect();
        let rule =
            if key.is_empty() { self.rule.to_owned() } else { format!("{}: `{key}`", self.rule) };
        Weakening { path: path.to_owned(), line: self.line, rule, is_before }
    }
}

/// Returns the marks of `these` that occur more often than in `those`, compared by rule and
/// key. Of equal marks the last ones are returned, because new ones are often added at the end.
pub(super) fn find_surplus<'a, 'b>(
    these: impl IntoIterator<Item = &'a CountedMark>,
    those: impl IntoIterator<Item = &'b CountedMark>,
) -> Vec<&'a CountedMark> {
    let mut known: HashMap<(&str, &str), usize> = HashMap::new();
    for mark in those {
        *known.entry((mark.rule, mark.key.as_str())).or_default() += 1;
    }
    let mut more = Vec::new();
    for mark in these {
        match known.get_mut(&(mark.rule, mark.key.as_str())) {
            Some(left) if *left > 0 => *left -= 1,
            _ => more.push(mark),
        }
    }
    more
}
