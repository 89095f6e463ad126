//! One hunk of a unified diff as written, and its header.

/// The mark in the first column of a hunk line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LineMark {
    /// A space.
    Context,
    /// `-`.
    Delete,
    /// `+`.
    Insert,
    /// None of these: an empty line, context that lost its mark, or prose.
    Missing,
}

/// One line of a hunk as written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct HunkRow<'a> {
    pub(super) mark: LineMark,
    /// Includes the mark.
    pub(super) raw: &'a str,
}

impl<'a> HunkRow<'a> {
    /// Returns the line without its mark.
    pub(super) fn text(&self) -> &'a str {
        match self.mark {
            // Without a mark the first column is text.
            LineMark::Missing => self.raw,
            _ => self.raw.strip_prefix(MARKS).unwrap_or_default(),
        }
    }
}

/// The marks. Web pages turn a space into a no-break space.
const MARKS: [char; 4] = [' ', '\u{a0}', '-', '+'];

/// The certainty that the patch ends before its last hunk is complete.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Truncation {
    /// The hunk is complete.
    #[default]
    None,
    /// The last line is a change and both sides are shorter than stated, so the hunk is cut off
    /// unless the file ends there too.
    IfFileContinues,
    /// The patch ends in the middle of a new line.
    Certain,
}

/// The number of lines on both sides of a hunk.
/// A side is the file before or after the change.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct SideCounts {
    /// Lines of the old side: context and deleted lines.
    pub(super) old: usize,
    /// Lines of the new side: context and inserted lines.
    pub(super) new: usize,
}

/// One hunk as written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Hunk<'a> {
    /// The first line of the old side in the header, 1-based.
    pub(super) stated: Option<usize>,
    /// The line counts in the header.
    pub(super) counts: Option<SideCounts>,
    /// Both sides state the same first line. For a pure insertion that means above this line,
    /// while the old side alone means below it.
    pub(super) goes_above: bool,
    /// The text after the numbers: the line of the enclosing definition.
    pub(super) section: &'a str,
    /// The lines in the order of the patch.
    pub(super) rows: Vec<HunkRow<'a>>,
    /// `\ No newline at end of file` follows the last old line.
    pub(super) old_no_newline: bool,
    /// `\ No newline at end of file` follows the last new line.
    pub(super) new_no_newline: bool,
    /// The evidence that the patch ends within the hunk.
    pub(super) truncation: Truncation,
}

impl Hunk<'_> {
    /// Returns the number of lines that the hunk really has on each side.
    pub(super) fn count_sides(&self) -> SideCounts {
        // A row without a mark counts as context on both sides.
        let inserted = self.rows.iter().filter(|row| row.mark == LineMark::Insert).count();
        let deleted = self.rows.iter().filter(|row| row.mark == LineMark::Delete).count();
        SideCounts { old: self.rows.len() - inserted, new: self.rows.len() - deleted }
    }
}

/// The range of one side in a hunk header.
#[derive(Clone, Copy)]
struct HeaderRange {
    /// The first line of the range, from 1; 0 for an empty side.
    start: usize,
    /// The number of lines, where the header has one.
    count: Option<usize>,
}

/// Parses `@@ -a,b +c,d @@ section`; any part may be missing.
/// It never fails: a header that cannot be understood has neither place nor counts.
pub(super) fn parse_hunk_header(line: &str) -> Hunk<'_> {
    let rest = line.trim_start_matches('@');
    let (ranges, section) = rest.split_once("@@").unwrap_or((rest, ""));
    let (old, new) = (parse_range(ranges, '-'), parse_range(ranges, '+'));
    // Some models write `@@ fn main() {` without numbers.
    let section = if old.is_none() && section.trim().is_empty() { ranges } else { section };
    let counts = old
        .and_then(|old| old.count)
        .zip(new.and_then(|new| new.count))
        .map(|(old, new)| SideCounts { old, new });
    // Line 0 is the old side of a new file.
    let goes_above = old.zip(new).is_some_and(|(old, new)| old.start > 0 && old.start == new.start);
    Hunk {
        stated: old.map(|old| old.start),
        counts,
        goes_above,
        section: section.trim(),
        ..Hunk::default()
    }
}

/// Parses one side of a header, `-12,5` or `+12`. A missing count means one line (POSIX diff,
/// unified format); a count that is no number is ignored, as models often write `...`.
fn parse_range(ranges: &str, mark: char) -> Option<HeaderRange> {
    let range = ranges.split_whitespace().find_map(|word| word.strip_prefix(mark))?;
    let (start, count) = range.split_once(',').unwrap_or((range, "1"));
    Some(HeaderRange { start: start.parse().ok()?, count: count.parse().ok() })
}
