//! A list of words that is written as one text.

use std::sync::OnceLock;

/// A set of words, separated by white space, such as the modules of a standard library.
///
/// The words are sorted at the first look-up, so their order in the source is free.
///
/// # Examples
///
/// ```
/// use papayu_base::text::WordList;
///
/// static KEYWORDS: WordList = WordList::new("if else while for");
///
/// assert!(KEYWORDS.contains("while"));
/// assert!(!KEYWORDS.contains("whil") && !KEYWORDS.contains(""));
/// ```
#[derive(Debug)]
pub struct WordList {
    text: &'static str,
    sorted: OnceLock<Vec<&'static str>>,
}

impl WordList {
    /// Returns the list of the words in a text.
    pub const fn new(text: &'static str) -> Self {
        Self { text, sorted: OnceLock::new() }
    }

    /// Returns `true` if the word is in the list, in time logarithmic in its length.
    pub fn contains(&self, word: &str) -> bool {
        let sorted = self.sorted.get_or_init(|| {
            let mut words: Vec<&str> = self.text.split_ascii_whitespace().collect();
            words.sort_unstable();
            words
        });
        sorted.binary_search(&word).is_ok()
    }
}
