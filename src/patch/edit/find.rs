//! Finds the one place where a text stands, or says why there is not one.

use std::ops::Range;

use unicode_normalization::char::is_combining_mark;

use super::EditStrategy;
use super::document::{Document, SearchView};

/// Lines above and below an anchor's own that still belong to its region: as many as are shown around
/// a failure.
pub(super) const REACH: usize = 80;

/// The most bytes that the search for one text compares; what stands so often is not one place.
const MAX_COMPARED: usize = 1 << 28;

/// Where a text stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TextSpan {
    /// First and last byte in the page, the last not counted.
    pub(super) start: usize,
    pub(super) end: usize,
    /// First and last line.
    pub(super) first: usize,
    pub(super) last: usize,
    /// Where it begins in the view it was found in.
    pub(super) seen_at: usize,
    pub(super) strategy: EditStrategy,
}

/// Why a text has no place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TextFault {
    Missing,
    /// It stands only where it begins or ends inside a word, as on this line.
    Inside(usize),
    /// Two of its places, as line indexes.
    Twice(usize, usize),
}

/// Returns a text with `\n` line ends and without a final one.
pub(super) fn strip_outer_newlines(text: &str) -> String {
    let mut text = text.replace("\r\n", "\n");
    if text.ends_with('\n') {
        text.pop();
    }
    text
}

/// Returns the one place of a text within some lines. A place that differs in white space at the ends of
/// lines is one, too: it may be the one that is meant.
pub(super) fn find_text(
    page: &Document,
    text: &str,
    lines: &Range<usize>,
) -> Result<TextSpan, TextFault> {
    let mut only: Option<TextSpan> = None;
    for view in page.views() {
        match (only, in_view(page, view, text, lines)) {
            (None, Ok(span)) => only = Some(span),
            (None, Err(TextFault::Missing)) => {}
            (None, lost) => return lost,
            (Some(one), Ok(other)) if !is_same_place(page, &one, &other) => {
                return Err(TextFault::Twice(
                    one.first.min(other.first),
                    one.first.max(other.first),
                ));
            }
            (Some(one), Err(TextFault::Twice(first, second))) => {
                let other = if first == one.first { second } else { first };
                return Err(TextFault::Twice(one.first.min(other), one.first.max(other)));
            }
            (Some(_), _) => {}
        }
    }
    only.ok_or(TextFault::Missing)
}

/// Tells whether two views show one place: they may differ in where blanks before it begin.
fn is_same_place(page: &Document, one: &TextSpan, other: &TextSpan) -> bool {
    let (start, end) = (one.start.min(other.start), one.start.max(other.start));
    (one.first, one.last) == (other.first, other.last)
        && page.text_between(start, end).trim().is_empty()
}

/// Returns the lines of the region that an anchor names.
pub(super) fn search_region(page: &Document, anchor: Option<&TextSpan>) -> Range<usize> {
    let all = page.lines.len();
    anchor.map_or(0..all, |anchor| {
        anchor.first.saturating_sub(REACH)..(anchor.last + 1 + REACH).min(all)
    })
}

/// A text made ready for a view.
struct Needle {
    text: String,
    /// Its first line is an empty one, and not the end of any.
    begins_line: bool,
    ends_line: bool,
}

fn build_needle(text: &str, strategy: EditStrategy) -> Needle {
    let ends_line = text.ends_with('\n');
    let text = strip_outer_newlines(text);
    if strategy == EditStrategy::Exact {
        let begins_line = text.starts_with('\n');
        return Needle { text, begins_line, ends_line };
    }
    let lines: Vec<&str> =
        text.split('\n').map(|line| line.trim_end_matches([' ', '\t'])).collect();
    let trimmed = lines.join("\n");
    // What was taken off the end was the end of a line, or else it would be missed now.
    let cut = text.ends_with([' ', '\t']);
    let begins_line = trimmed.starts_with('\n');
    Needle { text: trimmed, begins_line, ends_line: ends_line || cut }
}

fn in_view(
    page: &Document,
    view: &SearchView,
    text: &str,
    lines: &Range<usize>,
) -> Result<TextSpan, TextFault> {
    let needle = build_needle(text, view.strategy);
    let Some(width) = needle.text.chars().next().map(char::len_utf8) else {
        return Err(TextFault::Missing);
    };
    let mut at = view.starts.get(lines.start).copied().unwrap_or(view.text.len());
    // The last line's own ending belongs to no text.
    let to = view.starts.get(lines.end).copied().unwrap_or(view.text.len()).saturating_sub(1);
    let mut looks = MAX_COMPARED / needle.text.len();
    let (mut first, mut only_inside): (Option<TextSpan>, _) = (None, None);
    while let Some(found) = view.text.get(at..to).and_then(|rest| rest.find(&needle.text)) {
        let (start, end) = (at + found, at + found + needle.text.len());
        let (line, here) = view.in_page(start, page);
        let begins_inside = splits_word(&view.text, start);
        let next_to = |text: Option<&str>| text.is_some_and(|text| text.starts_with('\n'));
        let inside = begins_inside || splits_word(&view.text, end);
        let fits = (!needle.begins_line || start == 0 || next_to(view.text.get(start - 1..)))
            && (!needle.ends_line || next_to(view.text.get(end..)));
        if fits && inside {
            only_inside.get_or_insert(line);
        } else if fits {
            if let Some(first) = first {
                return Err(TextFault::Twice(first.first, line));
            }
            let (last, there) = view.in_page(end, page);
            let strategy = view.strategy;
            first = Some(TextSpan {
                start: here,
                end: there,
                first: line,
                last,
                seen_at: start,
                strategy,
            });
        }
        if looks == 0 {
            return Err(TextFault::Twice(first.map_or(line, |first| first.first), line));
        }
        looks -= 1;
        at = if begins_inside { word_end(&view.text, start) } else { start + width };
    }
    first.ok_or(only_inside.map_or(TextFault::Missing, TextFault::Inside))
}

pub(super) fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || is_combining_mark(c)
}

/// Tells whether a place has a word's characters on both sides.
pub(super) fn splits_word(text: &str, at: usize) -> bool {
    let before = text.get(..at).and_then(|text| text.chars().next_back());
    let after = text.get(at..).and_then(|text| text.chars().next());
    before.is_some_and(is_word) && after.is_some_and(is_word)
}

/// Returns where the word ends that holds a place.
fn word_end(text: &str, at: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    at + rest.find(|c| !is_word(c)).unwrap_or(rest.len()).max(1)
}
