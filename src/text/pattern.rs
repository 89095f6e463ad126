//! A regular expression that is compiled when it is first held against a text.
//!
//! The tables of this program hold some hundreds of them, and one run needs a few: compiling all would
//! take longer than everything else that a run does by itself.

use std::borrow::Cow;
use std::sync::OnceLock;

use regex::Regex;

/// The source of an expression, and the expression once it was needed.
#[derive(Debug)]
pub struct Pattern {
    source: Cow<'static, str>,
    built: OnceLock<Option<Regex>>,
}

impl Pattern {
    /// Takes the source of a table's row.
    pub const fn new(source: &'static str) -> Self {
        Self { source: Cow::Borrowed(source), built: OnceLock::new() }
    }

    /// Takes a source that was read.
    pub const fn of(source: String) -> Self {
        Self { source: Cow::Owned(source), built: OnceLock::new() }
    }

    /// Returns the expression; `None` where the source is none, which a test of each table excludes.
    pub fn get(&self) -> Option<&Regex> {
        self.built.get_or_init(|| Regex::new(&self.source).ok()).as_ref()
    }

    /// Tells whether the text has a match.
    pub fn is_match(&self, text: &str) -> bool {
        self.get().is_some_and(|it| it.is_match(text))
    }

    /// Returns the first match with its groups.
    pub fn captures<'t>(&self, text: &'t str) -> Option<regex::Captures<'t>> {
        self.get()?.captures(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_compiled_before_it_is_needed_and_what_is_no_pattern_matches_nothing() {
        let (word, broken) = (Pattern::new(r"^\w+$"), Pattern::of("(".to_owned()));
        assert!(word.built.get().is_none());
        assert_eq!([word.is_match("one"), word.is_match("one two")], [true, false]);
        assert!(word.built.get().is_some());
        assert!(broken.get().is_none() && !broken.is_match("(") && broken.captures("(").is_none());
    }
}
