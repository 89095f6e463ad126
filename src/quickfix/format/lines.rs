//! Turns a file's new text into edits of the lines that differ.

use std::ops::Range;

use diffy::{DiffOptions, Line};

use super::super::findings::Edit;
use super::super::line_index::LineIndex;
use crate::domain::RepoPath;

/// Returns an edit for each run of lines that differ.
pub(super) fn edits(path: &RepoPath, source: &LineIndex, after: &str) -> Vec<Edit> {
    let mut options = DiffOptions::new();
    options.set_context_len(0);
    let patch = options.create_patch(&source.text, after);
    let edits = patch.hunks().iter().map(|hunk| {
        let old = hunk.old_range();
        let start = |number: usize| {
            let line = u32::try_from(number).ok().and_then(|number| source.line(number));
            line.map_or(source.text.len(), |line| line.start)
        };
        // For an insertion, the range names the line before it.
        let first = if old.is_empty() { old.start() + 1 } else { old.start() };
        let range: Range<usize> = start(first)..start(first + old.len());
        let text = hunk.lines().iter().filter_map(|line| match line {
            Line::Insert(text) => Some(*text),
            Line::Context(_) | Line::Delete(_) => None,
        });
        Edit { path: path.clone(), range, text: text.collect() }
    });
    edits.collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::proptest;

    use super::*;

    fn applied(before: &str, after: &str) -> String {
        let source = LineIndex::new("a", before.to_owned());
        let path = RepoPath::parse("a").unwrap();
        let mut text = before.to_owned();
        for edit in edits(&path, &source, after).into_iter().rev() {
            text.replace_range(edit.range, &edit.text);
        }
        text
    }

    #[test]
    fn lines_that_stay_are_not_edited() {
        let (before, after) = ("a\nb\nc\nd\n", "a\nB\nc\nd\ne\n");
        let source = LineIndex::new("a", before.to_owned());
        let path = RepoPath::parse("a").unwrap();
        let edit = |range, text: &str| Edit { path: path.clone(), range, text: text.to_owned() };
        assert_eq!(edits(&path, &source, after), [edit(2..4, "B\n"), edit(8..8, "e\n")]);
    }

    proptest! {
        #[test]
        fn the_edits_make_the_new_text(before in "[ab\n]{0,12}", after in "[ab\n]{0,12}") {
            assert_eq!(applied(&before, &after), after);
        }
    }
}
