//! Differences between two texts by lines, in time that is bounded whatever the texts are.

use std::collections::HashMap;
use std::ops::Range;

use imara_diff::{Algorithm, Diff, InternedInput, Token};

/// Unchanged lines shown around a change.
const CONTEXT: usize = 3;

/// The work above which the shortest difference is not searched: lines, times those that differ.
const MAX_WORK: usize = 8_000_000;

/// A run of lines that differ: those of the old text, and those of the new text in their place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangedLines {
    /// Lines of the old text, from 0.
    pub before: Range<usize>,
    /// Lines of the new text, from 0.
    pub after: Range<usize>,
}

/// Returns the runs of lines that differ. There can be shorter ones: a search for the shortest takes time with the
/// square of the length, so it is made only between lines that occur once in both texts.
pub fn changed_lines(before: &[u8], after: &[u8]) -> Vec<ChangedLines> {
    // Equal lines become equal numbers, so that the comparison does not depend on their length.
    let mut input = InternedInput::default();
    input.update_before(before.split_inclusive(|byte| *byte == b'\n'));
    input.update_after(after.split_inclusive(|byte| *byte == b'\n'));
    let (old, new) = (&input.before, &input.after);
    let mut changes = Vec::new();
    let mut work = MAX_WORK;
    let mut done = (0, 0);
    // The end of both texts is the last anchor.
    for (at, other) in anchors(old, new).into_iter().chain([(old.len(), new.len())]) {
        let between = ChangedLines { before: done.0..at, after: done.1..other };
        compare(&input, between, &mut work, &mut changes);
        done = (at + 1, other + 1);
    }
    changes
}

/// A line that occurs once in both texts, by its numbers in both, and the line before it in its row.
struct Link {
    pair: (usize, usize),
    previous: Option<usize>,
}

/// Returns the longest rising row of lines that occur once in both texts, as their numbers in both.
// A patience diff: unique lines divide the texts into parts that are compared alone.
fn anchors(old: &[Token], new: &[Token]) -> Vec<(usize, usize)> {
    let once = |tokens: &[Token]| {
        let mut places: HashMap<u32, Option<usize>> = HashMap::new();
        for (at, token) in tokens.iter().enumerate() {
            // A second occurrence removes the line from the unique ones.
            places.entry(token.0).and_modify(|place| *place = None).or_insert(Some(at));
        }
        places
    };
    let (in_old, in_new) = (once(old), once(new));
    let pairs = old.iter().enumerate().filter_map(|(at, token)| {
        in_old.get(&token.0)?.as_ref()?;
        Some((at, (*in_new.get(&token.0)?)?))
    });
    // The pairs that end the rising rows of each length, and the pair before each pair.
    let (mut ends, mut chain): (Vec<usize>, Vec<Link>) = (Vec::new(), Vec::new());
    for pair in pairs {
        let length =
            // Patience sorting: each pair extends the longest row that ends before it.
            ends.partition_point(|end| chain.get(*end).is_some_and(|it| it.pair.1 < pair.1));
        let previous = length.checked_sub(1).and_then(|shorter| ends.get(shorter).copied());
        chain.push(Link { pair, previous });
        match ends.get_mut(length) {
            Some(end) => *end = chain.len() - 1,
            None => ends.push(chain.len() - 1),
        }
    }
    let mut row = Vec::with_capacity(ends.len());
    // Followed backwards from the last pair of the longest row.
    let mut next = ends.last().copied();
    while let Some(link) = next.and_then(|at| chain.get(at)) {
        row.push(link.pair);
        next = link.previous;
    }
    row.reverse();
    row
}

/// Adds the changes between two runs of lines; the whole runs where they are long.
fn compare(
    input: &InternedInput<&[u8]>,
    lines: ChangedLines,
    work: &mut usize,
    changes: &mut Vec<ChangedLines>,
) {
    let ChangedLines { before: old, after: new } = lines;
    let before = input.before.get(old.clone()).unwrap_or_default();
    let after = input.after.get(new.clone()).unwrap_or_default();
    let same = before.iter().zip(after).take_while(|(one, other)| one == other).count();
    // The common start and end need no comparison.
    let (before, after) =
        (before.get(same..).unwrap_or_default(), after.get(same..).unwrap_or_default());
    let ends = before.iter().rev().zip(after.iter().rev());
    let same_end = ends.take_while(|(one, other)| one == other).count();
    let (old, new) = (old.start + same..old.end - same_end, new.start + same..new.end - same_end);
    if old.is_empty() && new.is_empty() {
        return;
    }
    let cost = old.len().saturating_mul(new.len());
    // One side is empty, or the work is used up: all lines count as changed.
    if cost == 0 || cost > *work {
        changes.push(ChangedLines { before: old, after: new });
        return;
    }
    *work -= cost;
    let before = before.get(..old.len()).unwrap_or_default();
    let after = after.get(..new.len()).unwrap_or_default();
    // The tables of a difference are as long as its input has words.
    let mut gap = InternedInput::default();
    gap.update_before(before.iter().map(|token| token.0));
    gap.update_after(after.iter().map(|token| token.0));
    let diff = Diff::compute(Algorithm::Histogram, &gap);
    // Positions in the part become positions in the text.
    let moved = |range: Range<u32>, by: usize| range.start as usize + by..range.end as usize + by;
    changes.extend(diff.hunks().map(|hunk| ChangedLines {
        before: moved(hunk.before, old.start),
        after: moved(hunk.after, new.start),
    }));
}

/// Returns the hunks of a unified diff, the shortest where that is found soon.
///
/// # Examples
///
/// ```
/// let hunks = papayu_base::text::line_diff::unified_hunks(b"a\nb\n", b"a\nc\n");
/// assert_eq!(hunks, b"@@ -1,2 +1,2 @@\n a\n-b\n+c\n");
/// ```
pub fn unified_hunks(before: &[u8], after: &[u8]) -> Vec<u8> {
    let changes = changed_lines(before, after);
    if is_short(before, after, &changes) {
        return shortest_hunks(before, after);
    }
    let old: Vec<&[u8]> = before.split_inclusive(|byte| *byte == b'\n').collect();
    let new: Vec<&[u8]> = after.split_inclusive(|byte| *byte == b'\n').collect();
    let mut out = Vec::new();
    // Changes with a common context share one hunk.
    for group in changes.chunk_by(|one, next| next.before.start - one.before.end <= 2 * CONTEXT) {
        write_hunk(&mut out, &old, &new, group);
    }
    out
}

/// Returns `true` if the shortest difference is found soon.
fn is_short(before: &[u8], after: &[u8], changes: &[ChangedLines]) -> bool {
    let count = |text: &[u8]| memchr::memchr_iter(b'\n', text).count();
    let differing: usize = changes.iter().map(|it| it.before.len() + it.after.len()).sum();
    (count(before) + count(after)).saturating_mul(differing) <= MAX_WORK
}

/// Returns the hunks of the shortest diff (Myers), which takes quadratic time for very different
/// texts.
fn shortest_hunks(before: &[u8], after: &[u8]) -> Vec<u8> {
    let patch = diffy::create_patch_bytes(before, after);
    let mut text = Vec::new();
    // Writing to a vector cannot fail.
    let written = diffy::PatchFormatter::new()
        .suppress_blank_empty(false)
        .write_patch_into(&patch, &mut text);
    debug_assert!(written.is_ok(), "{written:?}");
    // The lines before the first hunk name the files, which the caller writes itself.
    let hunks = text.windows(3).position(|window| window == b"@@ ").unwrap_or(text.len());
    text.split_off(hunks)
}

/// Writes the changes as one hunk, with the lines around them.
fn write_hunk(out: &mut Vec<u8>, old: &[&[u8]], new: &[&[u8]], changes: &[ChangedLines]) {
    let (Some(first), Some(last)) = (changes.first(), changes.last()) else { return };
    // Less context at the start and the end of the file.
    let lead = first.before.start.min(CONTEXT);
    let trail = (old.len() - last.before.end).min(CONTEXT);
    let from = first.before.start - lead..last.before.end + trail;
    let to = first.after.start - lead..last.after.end + trail;
    // The number of an empty range is that of the line before it.
    let place = |lines: &Range<usize>| {
        format!("{},{}", lines.start + usize::from(!lines.is_empty()), lines.len())
    };
    out.extend_from_slice(format!("@@ -{} +{} @@\n", place(&from), place(&to)).as_bytes());
    let mut at = from.start;
    for change in changes {
        write_lines(out, b' ', old.get(at..change.before.start));
        write_lines(out, b'-', old.get(change.before.clone()));
        write_lines(out, b'+', new.get(change.after.clone()));
        at = change.before.end;
    }
    write_lines(out, b' ', old.get(at..from.end));
}

/// Writes lines with a sign; a last one without an ending gets the note of git.
fn write_lines(out: &mut Vec<u8>, sign: u8, lines: Option<&[&[u8]]>) {
    for line in lines.unwrap_or_default() {
        out.push(sign);
        out.extend_from_slice(line);
        if !line.ends_with(b"\n") {
            // The format of GNU diff and git.
            out.extend_from_slice(b"\n\\ No newline at end of file\n");
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{prop, proptest};

    use super::*;

    /// Returns the long form, which only texts with much work get.
    fn long_form(before: &str, after: &str) -> String {
        let (old, new): (Vec<&[u8]>, Vec<&[u8]>) = (
            before.as_bytes().split_inclusive(|byte| *byte == b'\n').collect(),
            after.as_bytes().split_inclusive(|byte| *byte == b'\n').collect(),
        );
        let changes = changed_lines(before.as_bytes(), after.as_bytes());
        let mut out = Vec::new();
        for group in changes.chunk_by(|one, next| next.before.start - one.before.end <= 2 * CONTEXT)
        {
            write_hunk(&mut out, &old, &new, group);
        }
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn a_text_without_a_common_line_is_replaced_without_a_search() {
        let lines = |word| (0..60_000).map(|n| format!("{word}{n}\n")).collect::<Vec<_>>().concat();
        let (before, after) = (lines("a"), lines("b"));
        let changes = changed_lines(before.as_bytes(), after.as_bytes());
        assert_eq!(changes, [ChangedLines { before: 0..60_000, after: 0..60_000 }]);
        assert!(!is_short(before.as_bytes(), after.as_bytes(), &changes));
        let hunks = unified_hunks(before.as_bytes(), after.as_bytes());
        assert!(hunks.starts_with(b"@@ -1,60000 +1,60000 @@\n-a0\n-a1\n"));
    }

    #[test]
    fn two_lines_far_apart_in_a_long_text_are_two_hunks() {
        let before = (0..60_000).map(|n| format!("{n}\n")).collect::<Vec<_>>().concat();
        let after = before.replace("\n7\n", "\nx\n").replace("\n59990\n", "\n");
        let hunks = String::from_utf8(unified_hunks(before.as_bytes(), after.as_bytes())).unwrap();
        assert_eq!(hunks.matches("@@ -").count(), 2, "{hunks}");
        assert!(hunks.lines().count() < 20);
    }

    #[test]
    fn lines_in_any_order_are_bounded_too() {
        let mut state = 1_u32;
        let mut line = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            format!("{}\n", state >> 30)
        };
        let before: String = (0..100_000).map(|_| line()).collect();
        let after: String = (0..100_000).map(|_| line()).collect();
        let all = [ChangedLines { before: 2..100_000, after: 2..100_000 }];
        assert_eq!(changed_lines(before.as_bytes(), after.as_bytes()), all);
    }

    proptest! {
        #[test]
        fn hunks_of_either_form_make_the_new_text(
            before in prop::collection::vec("[ab]?", 0..20),
            after in prop::collection::vec("[ab]?", 0..20),
            ends in prop::collection::vec(proptest::bool::ANY, 2),
        ) {
            let text = |lines: &[String], ends: bool| lines.join("\n") + if ends { "\n" } else { "" };
            let (before, after) = (text(&before, ends[0]), text(&after, ends[1]));
            let short = unified_hunks(before.as_bytes(), after.as_bytes());
            for hunks in [long_form(&before, &after), String::from_utf8(short).unwrap()] {
                let patch = format!("--- a\n+++ b\n{hunks}");
                let patch = diffy::Patch::from_str(&patch).unwrap();
                assert_eq!(diffy::apply(&before, &patch).unwrap(), after);
            }
        }
    }
}
