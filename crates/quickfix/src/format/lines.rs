//! Turns a file's new text into edits of the lines that differ.

use super::super::findings::TextEdit;
use super::super::line_index::LineIndex;
use papayu_base::domain::RepoPath;
use papayu_base::text::line_diff::changed_lines;

/// Returns an edit for each run of lines that differ, so that unchanged lines stay byte for
/// byte.
pub(super) fn edits(path: &RepoPath, source: &LineIndex, after: &str) -> Vec<TextEdit> {
    let new: Vec<&str> = after.split_inclusive('\n').collect();
    let edits = changed_lines(source.text.as_bytes(), after.as_bytes()).into_iter().map(|change| {
        // Lines of the index begin with 1.
        let start = |index: usize| source.line_start(u32::try_from(index + 1).unwrap_or(u32::MAX));
        let range = start(change.before.start)..start(change.before.end);
        let text = new.get(change.after).unwrap_or_default().concat();
        TextEdit { path: path.clone(), range, text }
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
        let edit =
            |range, text: &str| TextEdit { path: path.clone(), range, text: text.to_owned() };
        assert_eq!(edits(&path, &source, after), [edit(2..4, "B\n"), edit(8..8, "e\n")]);
    }

    proptest! {
        #[test]
        fn the_edits_make_the_new_text(before in "[ab\n]{0,12}", after in "[ab\n]{0,12}") {
            assert_eq!(applied(&before, &after), after);
        }
    }
}
