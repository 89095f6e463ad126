//! Why an edit does not land, with what a repair needs to see.

use std::cmp::{Ordering, Reverse};
use std::ops::Range;

use super::document::Document;
use super::find::strip_outer_newlines;
use crate::domain::hunk::HunkFault;
use crate::domain::{Edit, ErrorCode};
use crate::text::lines::truncation_mark;

/// An edit that did not land.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("edit {} does not apply: {}", fault.hunk, fault.reason)]
pub struct EditFault {
    /// One of the `ERR_EDIT_*` codes.
    pub code: ErrorCode,
    /// Its number, the rule it broke, itself, and the file's nearest lines.
    pub fault: HunkFault,
}

/// A rule that an edit breaks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct EditProblem {
    pub(super) code: ErrorCode,
    pub(super) reason: String,
    pub(super) look: FocusLines,
}

/// Which of the file's lines tell more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum FocusLines {
    /// Those most like a text, among these.
    Like(String, Range<usize>),
    /// Those around one.
    At(usize),
}

/// Lines shown above and below the nearest ones.
const AROUND: usize = 3;
/// At most this many lines of a text take part in the search for the nearest ones.
const NEAREST_LINES: usize = 30;
/// Longest quotation of one of an edit's texts, in characters.
const MAX_QUOTED: usize = 2_000;
/// What two equal lines are worth; what differs in part is worth its share.
const EQUAL: usize = 1_000;

/// Describes the edit of that index, which breaks a rule.
pub(super) fn describe_misfit(
    page: &Document,
    edits: &[Edit],
    index: usize,
    misfit: EditProblem,
) -> EditFault {
    let (at, count) = match &misfit.look {
        FocusLines::Like(text, lines) => nearest_lines(page, text, lines),
        FocusLines::At(line) => (*line, 1),
    };
    let first = at.saturating_sub(AROUND);
    let end = (at + count + AROUND).min(page.lines.len());
    let real = (first..end).map(|line| page.line_text(line).to_owned()).collect();
    let EditProblem { code, reason, .. } = misfit;
    let (hunk, body) = (index + 1, edits.get(index).map(quote_anchor).unwrap_or_default());
    EditFault { code, fault: HunkFault { hunk, reason, body, first_line: first + 1, real } }
}

fn quote_anchor(edit: &Edit) -> String {
    let mut out = format!("op: {}\n", edit.op.name());
    for (name, text) in ["anchor", "before", "after"].into_iter().zip(edit.texts()) {
        let gone = text.chars().count().saturating_sub(MAX_QUOTED);
        let kept: String = text.chars().take(MAX_QUOTED).collect();
        if !kept.is_empty() {
            out.extend([name, ":\n", strip_outer_newlines(&kept).as_str(), "\n"]);
        }
        if gone > 0 {
            out.extend([truncation_mark(gone).as_str(), "\n"]);
        }
    }
    out
}

/// Returns the first of the lines most like a text, and how many they are.
fn nearest_lines(page: &Document, text: &str, lines: &Range<usize>) -> (usize, usize) {
    let text = strip_outer_newlines(text);
    let wanted: Vec<_> =
        text.split('\n').take(NEAREST_LINES).map(|line| (line.trim(), split_words(line))).collect();
    let real: Vec<_> = lines
        .clone()
        .map(|line| (page.line_text(line).trim(), split_words(page.line_text(line))))
        .collect();
    let score = |at: usize| {
        let window = real.get(at..).unwrap_or_default().iter();
        wanted.iter().zip(window).map(|(wanted, real)| similarity(wanted, real)).sum::<usize>()
    };
    // Of equals the one nearest to the middle, where the anchor is.
    let middle = real.len() / 2;
    let best = (0..real.len())
        .map(|at| (score(at), Reverse(at.abs_diff(middle)), at))
        .max()
        .filter(|(score, ..)| *score > 0);
    (lines.start + best.map_or(middle, |(_, _, at)| at), wanted.len())
}

fn split_words(line: &str) -> Vec<&str> {
    let mut words: Vec<_> =
        line.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    words.sort_unstable();
    words
}

fn similarity(wanted: &(&str, Vec<&str>), real: &(&str, Vec<&str>)) -> usize {
    if wanted.0 == real.0 {
        return if wanted.0.is_empty() { 0 } else { EQUAL };
    }
    let (mut left, mut right) = (wanted.1.as_slice(), real.1.as_slice());
    let all = left.len() + right.len();
    let mut shared = 0;
    while let ([one, rest @ ..], [other, others @ ..]) = (left, right) {
        match one.cmp(other) {
            Ordering::Less => left = rest,
            Ordering::Greater => right = others,
            Ordering::Equal => {
                shared += 1;
                (left, right) = (rest, others);
            }
        }
    }
    EQUAL * 2 * shared / all.max(1)
}
