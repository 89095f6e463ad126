//! Replacements of parts of a text.

use std::ops::Range;

use papayu_base::text::is_word_char;

/// A part of a text and its new text.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct TextReplacement {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) text: String,
}

impl TextReplacement {
    pub(crate) fn new(range: Range<usize>, text: impl Into<String>) -> Self {
        Self { start: range.start, end: range.end, text: text.into() }
    }
}

/// Returns the text with all edits; one that overlaps an earlier one is left out.
pub(crate) fn apply_edits(text: &str, mut edits: Vec<TextReplacement>) -> String {
    edits.sort();
    edits.dedup();
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for edit in edits.into_iter().filter(|edit| edit.start <= edit.end) {
        if edit.start < at {
            continue;
        }
        out.push_str(text.get(at..edit.start).unwrap_or_default());
        out.push_str(&edit.text);
        at = edit.end;
    }
    out.push_str(text.get(at..).unwrap_or_default());
    out
}

/// Returns the text with a word replaced wherever it is not a part of another.
pub(crate) fn replace_word(text: &str, word: &str, with: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(word).filter(|_| !word.is_empty()) {
        let (before, found) = rest.split_at(at);
        let after = found.get(word.len()..).unwrap_or_default();
        let alone = !out.chars().chain(before.chars()).next_back().is_some_and(is_word_char)
            && !after.starts_with(is_word_char);
        out.push_str(before);
        out.push_str(if alone { with } else { word });
        rest = after;
    }
    out.push_str(rest);
    out
}
