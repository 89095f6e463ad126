//! Replacement of a line range in a text; the caller has checked its hash.

use super::source::SourceText;
use super::splice::{Splice, render_splices, set_final_newline};

/// Replaces the lines `start..=end` (1-based) by `content`.
///
/// `end == start - 1` inserts before `start`, which may be one past the last line. The text keeps
/// its line endings and its final newline, or the lack of one.
///
/// Returns `None` when the range is not within the text.
///
/// ```
/// use papayu_patch::range::replace_range;
///
/// assert_eq!(replace_range("a\nb\nc\n", 2, 3, "B\n").as_deref(), Some("a\nB\n"));
/// assert_eq!(replace_range("a\n", 2, 1, "b\n").as_deref(), Some("a\nb\n"));
/// assert_eq!(replace_range("a\n", 3, 3, "b\n"), None);
/// ```
pub fn replace_range(before: &str, start: u64, end: u64, content: &str) -> Option<String> {
    let source = SourceText::new(before);
    let start = usize::try_from(start).ok()?.checked_sub(1)?;
    let end = usize::try_from(end).ok()?;
    if end < start || end > source.len() {
        return None;
    }
    let new = SourceText::new(content);
    let lines = new.lines().iter().map(|line| (*line).into()).collect();
    let splice = Splice { at: start..end, lines };
    let mut after = render_splices(&source, std::slice::from_ref(&splice));
    set_final_newline(&mut after, &source, Some(&splice), source.ends_with_newline());
    Some(after)
}

#[cfg(test)]
mod tests {
    use super::replace_range;

    #[test]
    fn the_range_goes_and_the_content_comes() {
        for (before, start, end, content, after) in [
            ("a\nb\nc\n", 2, 2, "B\n", Some("a\nB\nc\n")),
            ("a\nb\nc\n", 2, 2, "B", Some("a\nB\nc\n")),
            ("a\nb\nc\n", 2, 3, "", Some("a\n")),
            ("a\nb\nc\n", 2, 1, "x\ny\n", Some("a\nx\ny\nb\nc\n")),
            ("a\nb", 3, 2, "c\n", Some("a\nb\nc")),
            ("a\nb", 2, 2, "", Some("a\n")),
            ("a\nb", 1, 1, "", Some("b")),
            ("a\r\nb\nc\n", 2, 2, "B\nC\n", Some("a\r\nB\nC\nc\n")),
            ("a\r\nb\r\n", 1, 1, "A\n", Some("A\r\nb\r\n")),
            ("", 1, 0, "new\n", Some("new\n")),
            ("a\n", 0, 0, "x", None),
            ("a\n", 1, 2, "x", None),
            ("a\n", 3, 2, "x", None),
            ("a\nb\n", 2, 0, "x", None),
            ("a\n", u64::MAX, u64::MAX, "x", None),
        ] {
            assert_eq!(
                replace_range(before, start, end, content).as_deref(),
                after,
                "{before:?} {start}..={end}"
            );
        }
    }
}
