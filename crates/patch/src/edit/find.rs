//! Search for the one place of a text.

use std::ops::Range;

use unicode_normalization::char::is_combining_mark;

use super::EditStrategy;
use super::document::{Document, SearchView};

/// Lines above and below an anchor that belong to its region; a failure is shown with as many.
// Part of protocol v3: the prompt names the number.
pub(super) const REACH: usize = 80;

/// The most bytes compared in one search. A text that exceeds it occurs far more than once.
const MAX_COMPARED: usize = 1 << 28;

/// The place of a text.
/// The byte range has no line ending after its last line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TextSpan {
    /// The byte range in the document, without its end.
    pub(super) start: usize,
    pub(super) end: usize,
    /// The first and the last line, 0-based.
    pub(super) first: usize,
    pub(super) last: usize,
    /// The byte offset in the view in which the text was found.
    pub(super) view_start: usize,
    pub(super) strategy: EditStrategy,
}

/// The reason why a text has no place. Lines are 0-based.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TextFault {
    Missing,
    /// It matches only where it begins or ends inside a word, first on this line.
    InsideWord(usize),
    /// It matches on both of these lines.
    Twice(usize, usize),
}

/// Returns a text with `\n` line endings and without a final newline.
/// A model writes a final newline or leaves it out, which means the same place.
pub(super) fn strip_outer_newlines(text: &str) -> String {
    let mut text = text.replace("\r\n", "\n");
    if text.ends_with('\n') {
        text.pop();
    }
    text
}

/// Returns the one place of a text within some lines.
///
/// A place that differs in white space at line ends counts as another place: it may be the intended one.
///
/// # Errors
///
/// [`TextFault`] with the lines that the model should look at.
pub(super) fn find_text(
    document: &Document,
    text: &str,
    lines: &Range<usize>,
) -> Result<TextSpan, TextFault> {
    let mut only: Option<TextSpan> = None;
    // Each view is searched, even after a match: the other one may match elsewhere.
    for view in document.views() {
        match (only, find_in_view(document, view, text, lines)) {
            (None, Ok(span)) => only = Some(span),
            // Not in this view; the looser one may have it.
            (None, Err(TextFault::Missing)) => {}
            (None, fault) => return fault,
            (Some(one), Ok(other)) if !is_same_place(document, &one, &other) => {
                let (first, second) = (one.first.min(other.first), one.first.max(other.first));
                return Err(TextFault::Twice(first, second));
            }
            (Some(one), Err(TextFault::Twice(first, second))) => {
                let other = if first == one.first { second } else { first };
                return Err(TextFault::Twice(one.first.min(other), one.first.max(other)));
            }
            // The same place again, or none in this view.
            (Some(_), _) => {}
        }
    }
    // No view has the text.
    only.ok_or(TextFault::Missing)
}

/// Returns `true` if two views show the same place: only blanks before it may differ.
fn is_same_place(document: &Document, one: &TextSpan, other: &TextSpan) -> bool {
    // A leading blank may belong to the match in one view only.
    let (start, end) = (one.start.min(other.start), one.start.max(other.start));
    (one.first, one.last) == (other.first, other.last)
        && document.text_between(start, end).trim().is_empty()
}

/// Returns the lines of the region of an anchor; all lines without one.
pub(super) fn search_region(document: &Document, anchor: Option<&TextSpan>) -> Range<usize> {
    // The ranges are of line numbers, 0-based with an exclusive end.
    let all = document.lines.len();
    anchor.map_or(0..all, |anchor| {
        anchor.first.saturating_sub(REACH)..(anchor.last + 1 + REACH).min(all)
    })
}

/// A text prepared for a view.
struct Needle {
    text: String,
    /// The first line is empty, and must be an empty line of the file.
    begins_line: bool,
    /// The text ends at the end of a line.
    ends_line: bool,
}

impl Needle {
    /// Returns the text to search for, with the white space removed that the strategy ignores.
    fn new(text: &str, strategy: EditStrategy) -> Self {
        let ends_line = text.ends_with('\n');
        // White space removed from the end was at the end of a line.
        let trimmed_end = strategy == EditStrategy::TrailingSpace && text.ends_with([' ', '\t']);
        let mut text = strip_outer_newlines(text);
        if strategy == EditStrategy::TrailingSpace {
            // Only the ends of lines are trimmed: the indentation must be the file's.
            let lines: Vec<&str> =
                text.split('\n').map(|line| line.trim_end_matches([' ', '\t'])).collect();
            text = lines.join("\n");
        }
        let begins_line = text.starts_with('\n');
        Self { text, begins_line, ends_line: ends_line || trimmed_end }
    }

    /// Returns `true` if a match has the required line begin and end.
    fn fits_lines(&self, view: &SearchView, start: usize, end: usize) -> bool {
        // Outside of the text there is no newline.
        let newline_at = |at: usize| view.text.as_bytes().get(at) == Some(&b'\n');
        (!self.begins_line || start == 0 || newline_at(start - 1))
            && (!self.ends_line || newline_at(end))
    }
}

/// Finds a text in a view of the document; it must occur exactly once in the lines.
fn find_in_view(
    document: &Document,
    view: &SearchView,
    text: &str,
    lines: &Range<usize>,
) -> Result<TextSpan, TextFault> {
    // The needle is prepared for each view, since each trims differently.
    let needle = Needle::new(text, view.strategy);
    // An empty text matches everywhere and identifies nothing.
    let Some(width) = needle.text.chars().next().map(char::len_utf8) else {
        return Err(TextFault::Missing);
    };
    let mut at = view.start_of(lines.start);
    // The ending of the last line belongs to no text.
    let to = view.start_of(lines.end).saturating_sub(1);
    // The product of both factors is the number of compared bytes.
    let mut attempts = MAX_COMPARED / needle.text.len();
    let (mut only, mut inside_word): (Option<TextSpan>, _) = (None, None);
    while let Some(found) = view.text.get(at..to).and_then(|rest| rest.find(&needle.text)) {
        let (start, end) = (at + found, at + found + needle.text.len());
        let begin = view.to_document(start, document);
        // `add` must not match inside of `address`.
        let begins_inside = splits_word(&view.text, start);
        if !needle.fits_lines(view, start, end) {
            // Not a match.
        } else if begins_inside || splits_word(&view.text, end) {
            inside_word.get_or_insert(begin.line);
        } else if let Some(other) = only {
            // Two matches end the search: no later one makes it certain.
            return Err(TextFault::Twice(other.first, begin.line));
        } else {
            let end = view.to_document(end, document);
            only = Some(TextSpan {
                start: begin.offset,
                end: end.offset,
                first: begin.line,
                last: end.line,
                view_start: start,
                strategy: view.strategy,
            });
        }
        if attempts == 0 {
            return Err(TextFault::Twice(only.map_or(begin.line, |only| only.first), begin.line));
        }
        attempts -= 1;
        // Skipping the rest of the word keeps a long run of one letter linear.
        // Overlapping matches count too, so that the search continues one character later.
        at = if begins_inside { word_end(&view.text, start) } else { start + width };
    }
    only.ok_or(inside_word.map_or(TextFault::Missing, TextFault::InsideWord))
}

/// Returns `true` for letters, digits, `_` and combining marks.
pub(super) fn is_word_char(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || is_combining_mark(c)
}

/// Returns `true` if a position has word characters on both sides.
/// An offset at an end of the text splits no word.
pub(super) fn splits_word(text: &str, at: usize) -> bool {
    let before = text.get(..at).and_then(|text| text.chars().next_back());
    let after = text.get(at..).and_then(|text| text.chars().next());
    before.is_some_and(is_word_char) && after.is_some_and(is_word_char)
}

/// Returns the end of the word around a position.
fn word_end(text: &str, at: usize) -> usize {
    // At least one byte, so that the search always advances.
    let rest = text.get(at..).unwrap_or_default();
    at + rest.find(|c| !is_word_char(c)).unwrap_or(rest.len()).max(1)
}
