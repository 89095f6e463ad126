//! Finds many words at once: without delay in short texts, fast in long ones.

use std::borrow::Cow;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use aho_corasick::{AhoCorasick, AhoCorasickKind};

/// Bytes after which the fast form is worth its making, which takes longer than reading them.
const MANY: usize = 256 * 1024;

/// The words, and the automata that find them.
/// A search in a short text builds only the form that is built quickly.
#[derive(Debug)]
pub struct WordFinder {
    words: Vec<Cow<'static, str>>,
    any_case: bool,
    /// The bytes searched so far.
    searched: AtomicUsize,
    /// Built at the first search.
    soon: OnceLock<Option<AhoCorasick>>,
    /// Built after [`MANY`] bytes.
    fast: OnceLock<Option<AhoCorasick>>,
}

impl WordFinder {
    /// Takes the words; a match names the place of its word among them.
    pub fn new(words: impl IntoIterator<Item: Into<Cow<'static, str>>>) -> Self {
        let words = words.into_iter().map(Into::into).collect();
        // Nothing is built here, so that a static list of words costs nothing until it is used.
        let (soon, fast) = (OnceLock::new(), OnceLock::new());
        Self { words, any_case: false, searched: AtomicUsize::new(0), soon, fast }
    }

    /// Finds them in whatever case their ASCII letters are.
    #[must_use]
    // Must be called before the first search: the automata are built for one case rule.
    pub fn in_any_case(mut self) -> Self {
        self.any_case = true;
        self
    }

    /// Returns the automaton for the next text, whichever it is; `None` where there can be none.
    pub fn for_text(&self, text: &str) -> Option<&AhoCorasick> {
        if let Some(fast) = self.fast.get() {
            return fast.as_ref();
        }
        // The fast form takes longer to build than a short log takes to read.
        // Several threads may count at once; a wrong sum costs only time.
        let searched = self.searched.fetch_add(text.len(), Ordering::Relaxed);
        let (built, kind) = if searched.saturating_add(text.len()) > MANY {
            (&self.fast, AhoCorasickKind::DFA)
        } else {
            (&self.soon, AhoCorasickKind::ContiguousNFA)
        };
        let build = || {
            // Tables for the root alone: others are more to fill than a short text is to read.
            let mut builder = AhoCorasick::builder();
            // `dense_depth(1)` limits the tables of the small automaton.
            builder.ascii_case_insensitive(self.any_case).kind(Some(kind)).dense_depth(1);
            builder.build(self.words.iter().map(Cow::as_ref)).ok()
        };
        built.get_or_init(build).as_ref()
    }

    /// Returns `true` if the text contains one of the words.
    pub fn is_in(&self, text: &str) -> bool {
        // Without an automaton nothing is found.
        self.for_text(text).is_some_and(|finder| finder.is_match(text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_is_read_as_a_short_one() {
        let finder = WordFinder::new(vec!["error", "rror:"]);
        let found = |finder: &WordFinder, text: &str| -> Vec<(usize, usize)> {
            let matches = finder.for_text(text).unwrap().find_overlapping_iter(text);
            matches.map(|it| (it.pattern().as_usize(), it.start())).collect()
        };
        assert_eq!(found(&finder, "an error: e"), [(0, 3), (1, 4)]);
        assert!(finder.fast.get().is_none());
        let long = " ".repeat(MANY) + "an error: e";
        assert_eq!(found(&finder, &long), [(0, MANY + 3), (1, MANY + 4)]);
        assert!(finder.fast.get().is_some());
        assert!(!finder.is_in("AN ERROR"));
        assert!(WordFinder::new(vec!["error"]).in_any_case().is_in("AN ERROR"));
    }
}
