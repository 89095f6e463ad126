//! Places of a text, some of them inside of others.

use std::collections::BTreeMap;
use std::ops::Range;

use super::nodes::contains;
use super::text_edit::TextReplacement;

/// Returns the edits that have no other edit inside.
pub(crate) fn innermost(mut found: Vec<(Range<usize>, TextReplacement)>) -> Vec<TextReplacement> {
    // Of ranges that begin alike, the outer one comes first; what follows a range inside of it makes it an outer one.
    found.sort_by_key(|(range, _)| (range.start, std::cmp::Reverse(range.end)));
    let next: Vec<Option<Range<usize>>> =
        found.iter().skip(1).map(|(range, _)| Some(range.clone())).chain([None]).collect();
    let is_inner = |(range, after): (&Range<usize>, &Option<Range<usize>>)| {
        after.as_ref().is_none_or(|after| after == range || !contains(range.clone(), after))
    };
    let inner = found.iter().zip(&next).filter(|((range, _), after)| is_inner((range, after)));
    inner.map(|((_, edit), _)| edit.clone()).collect()
}

/// Returns the number of ranges that are one inside of the other, where they are most. They come in the order of their starts.
pub(crate) fn deepest(ranges: impl Iterator<Item = Range<usize>>) -> usize {
    let mut around: Vec<usize> = Vec::new();
    let mut most = 0;
    for range in ranges {
        while around.last().is_some_and(|end| *end <= range.start) {
            around.pop();
        }
        around.push(range.end);
        most = most.max(around.len());
    }
    most
}

/// The matches, each with `true` if it is one of the rule's APIs.
#[derive(Default)]
pub(crate) struct JudgedMatches(BTreeMap<(usize, usize), bool>);

impl JudgedMatches {
    /// Returns the answer that is known for a match, else the answer of the question.
    pub(crate) fn find(&mut self, range: &Range<usize>, ask: impl FnOnce() -> bool) -> bool {
        *self.0.entry((range.start, range.end)).or_insert_with(ask)
    }

    /// Moves the matches to where they are after edits, and forgets those that were edited.
    pub(crate) fn move_by(&mut self, edits: &[TextReplacement]) {
        let known = std::mem::take(&mut self.0).into_iter();
        let is_edited = |at: &(usize, usize)| {
            edits.iter().any(|edit| contains(edit.start..edit.end, &(at.0..at.1)))
        };
        self.0 = known
            .filter(|(at, _)| !is_edited(at))
            .map(|((start, end), it)| ((moved(edits, start, false), moved(edits, end, true)), it))
            .collect();
    }
}

/// Returns where a place of a text is after edits.
fn moved(edits: &[TextReplacement], at: usize, is_end: bool) -> usize {
    let mut to = at;
    for edit in edits {
        if edit.end < at || edit.end == at && (is_end || edit.start < edit.end) {
            to = to + edit.text.len() - (edit.end - edit.start);
        }
    }
    to
}

/// Moves ranges to where they are after edits, and adds the ranges of the new texts.
pub(crate) fn move_ranges(done: &mut Vec<Range<usize>>, edits: &[TextReplacement]) {
    let mut edits = edits.to_vec();
    edits.sort();
    for range in done.iter_mut() {
        *range = moved(&edits, range.start, false)..moved(&edits, range.end, true);
    }
    for edit in &edits {
        let start = moved(&edits, edit.start, false);
        done.push(start..start + edit.text.len());
    }
}
