//! Descriptions of edits that do not apply, with the most similar lines of the file.

use std::cmp::{Ordering, Reverse};
use std::ops::Range;

use super::document::Document;
use super::find::{TextSpan, strip_outer_newlines};
use papayu_base::domain::hunk::HunkFault;
use papayu_base::domain::{Edit, ErrorCode};
use papayu_base::text::lines::truncation_mark;

/// An edit that does not apply.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("edit {} does not apply: {}", fault.hunk, fault.reason)]
pub struct EditFault {
    /// One of the `ERR_EDIT_*` codes.
    /// It decides the remedy of the engine: a repair request or an older protocol.
    pub code: ErrorCode,
    /// The number of the edit, the reason, the edit itself, and the most similar lines of the file.
    pub fault: HunkFault,
    /// The other edits of the file that do not apply.
    pub others: Vec<HunkFault>,
}

/// The reason why an edit does not apply.
#[derive(Clone, Debug, PartialEq, Eq)]
/// Becomes an [`EditFault`] as soon as the number of the edit is known.
pub(super) struct EditProblem {
    pub(super) code: ErrorCode,
    pub(super) reason: String,
    /// The lines of the file that a repair request shows.
    pub(super) focus: FocusLines,
}

impl EditProblem {
    /// An edit with texts that can be understood in more than one way.
    /// `reason` completes the line "edit 1 does not apply: …".
    pub(super) fn ambiguous(reason: &str, target: &TextSpan) -> Self {
        let focus = FocusLines::At(target.first);
        Self { code: ErrorCode::EditAmbiguous, reason: reason.to_owned(), focus }
    }
}

/// The lines of the file that help to correct an edit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum FocusLines {
    /// The lines most similar to a text, within a range.
    SimilarTo(String, Range<usize>),
    /// The lines around this one.
    At(usize),
}

/// Lines shown above and below.
/// As many as a unified diff shows.
const MARGIN: usize = 3;
/// The most lines of a text that are compared with the file.
// Bounds the comparison of a long `before` with a long file.
const MAX_COMPARED: usize = 30;
/// The longest quotation of one of an edit's texts, in characters.
const MAX_QUOTED: usize = 2_000;
/// The score of two equal lines; similar lines score less.
// An integer scale, so that the order of candidates never depends on rounding.
const EQUAL_SCORE: usize = 1_000;

/// Describes a problem of the edit with the 0-based index `index`.
pub(super) fn describe_problem(
    document: &Document,
    edits: &[Edit],
    index: usize,
    problem: EditProblem,
) -> EditFault {
    let EditProblem { code, reason, focus } = problem;
    // Similar lines show a typing error, the lines around a place show what else is there.
    let focus = match &focus {
        FocusLines::SimilarTo(text, lines) => most_similar_lines(document, text, lines),
        FocusLines::At(line) => *line..line + 1,
    };
    let first = focus.start.saturating_sub(MARGIN);
    let end = (focus.end + MARGIN).min(document.lines.len());
    // The lines are 0-based here and 1-based in the request.
    let real = (first..end).map(|line| document.line_text(line).to_owned()).collect();
    let body = edits.get(index).map(quote_edit).unwrap_or_default();
    let fault = HunkFault { hunk: index + 1, reason, body, first_line: first + 1, real };
    EditFault { code, fault, others: Vec::new() }
}

/// Returns an edit for the repair request, long texts cut with the number of omitted characters.
fn quote_edit(edit: &Edit) -> String {
    let mut out = format!("op: {}\n", edit.op.name());
    // The order of the names is that of `texts`.
    for (name, text) in ["anchor", "before", "after"].into_iter().zip(edit.texts()) {
        let omitted = text.chars().count().saturating_sub(MAX_QUOTED);
        let kept: String = text.chars().take(MAX_QUOTED).collect();
        if !kept.is_empty() {
            out.extend([name, ":\n", strip_outer_newlines(&kept).as_str(), "\n"]);
        }
        if omitted > 0 {
            // The model sees that its text is cut only in this message.
            out.extend([truncation_mark(omitted).as_str(), "\n"]);
        }
    }
    out
}

/// A line prepared for comparison.
struct ComparedLine<'a> {
    text: &'a str,
    /// Sorted.
    words: Vec<&'a str>,
}

/// Splits at everything that is no letter and no digit, so that punctuation does not count.
impl<'a> ComparedLine<'a> {
    /// Returns a line with its words, sorted for comparisons.
    fn new(line: &'a str) -> Self {
        let words = line.split(|c: char| !c.is_alphanumeric());
        let mut words: Vec<_> = words.filter(|word| !word.is_empty()).collect();
        // Sorted, so that two lines are compared in one pass.
        words.sort_unstable();
        Self { text: line.trim(), words }
    }

    /// Returns a score from 0 to [`EQUAL_SCORE`] by the share of common words.
    fn similarity(&self, other: &Self) -> usize {
        if self.text == other.text {
            // Two empty lines are no sign of a place.
            return if self.text.is_empty() { 0 } else { EQUAL_SCORE };
        }
        // The Dice coefficient: twice the common words by all words.
        let all = self.words.len() + other.words.len();
        EQUAL_SCORE * 2 * count_common(&self.words, &other.words) / all.max(1)
    }
}

/// Counts the words that two sorted lists share.
/// A word that occurs twice in both counts twice.
fn count_common(mut left: &[&str], mut right: &[&str]) -> usize {
    let mut common = 0;
    while let ([one, rest @ ..], [other, others @ ..]) = (left, right) {
        match one.cmp(other) {
            Ordering::Less => left = rest,
            Ordering::Greater => right = others,
            Ordering::Equal => {
                common += 1;
                (left, right) = (rest, others);
            }
        }
    }
    common
}

/// Returns the lines within a range that are most similar to a text.
fn most_similar_lines(document: &Document, text: &str, lines: &Range<usize>) -> Range<usize> {
    let text = strip_outer_newlines(text);
    let wanted: Vec<ComparedLine<'_>> =
        text.split('\n').take(MAX_COMPARED).map(ComparedLine::new).collect();
    let real: Vec<ComparedLine<'_>> =
        // Each line is prepared once, although it is compared with every line of the text.
        lines.clone().map(|line| ComparedLine::new(document.line_text(line))).collect();
    // Of equals, the one nearest to the middle wins, because the anchor is there.
    let middle = real.len() / 2;
    let mut best = middle;
    let mut best_rank = (0, Reverse(0));
    for at in 0..real.len() {
        let window = real.get(at..).unwrap_or_default();
        let score: usize =
            wanted.iter().zip(window).map(|(one, other)| one.similarity(other)).sum();
        let rank = (score, Reverse(at.abs_diff(middle)));
        // A later candidate wins only if it is as good and as near.
        if score > 0 && (best_rank.0 == 0 || rank >= best_rank) {
            (best, best_rank) = (at, rank);
        }
    }
    let first = lines.start + best;
    // The range may end after the file; the caller cuts it.
    first..first + wanted.len()
}
