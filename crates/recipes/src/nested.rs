//! Places of a text, some of them inside of others.

use std::ops::Range;

use super::source_tree::contains;
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
