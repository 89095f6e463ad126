//! What a hunk's lines mean for the file at hand: which unmarked lines are context, gaps, or prose.

use super::parse::{Hunk, HunkRow, LineMark};
use super::similarity::{indentation, is_blank, is_gap};
use super::source::SourceText;

/// What a line of a hunk does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LineRole {
    /// Must be there and stays.
    Context,
    /// Must be there and goes.
    Delete,
    /// Comes.
    Insert,
    /// Stands for lines that were left out.
    Gap,
}

/// A way to read a hunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MarkReading {
    /// The first column holds marks; counts say which empty lines at the end belong to it.
    AsWritten,
    /// The same without unmarked lines at the end.
    WithoutTail,
    /// Context lines lost their marks, so their first column is text.
    WithoutMarks,
}

/// A hunk read in one way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct HunkReading<'a> {
    pub(super) how: MarkReading,
    pub(super) lines: Vec<(LineRole, &'a str)>,
}

impl<'a> HunkReading<'a> {
    /// Returns the lines that must be in the file, with what becomes of them.
    pub(super) fn old_lines(&self) -> Vec<(LineRole, &'a str)> {
        let old =
            |(tag, _): &&(LineRole, &str)| matches!(tag, LineRole::Context | LineRole::Delete);
        self.lines.iter().filter(old).copied().collect()
    }

    /// Returns the lines that will be in the file.
    pub(super) fn new_side(&self) -> Vec<&'a str> {
        let new =
            |(tag, _): &&(LineRole, &str)| matches!(tag, LineRole::Context | LineRole::Insert);
        self.lines.iter().filter(new).map(|(_, text)| *text).collect()
    }

    /// Tells whether any line does this.
    pub(super) fn has_tag(&self, wanted: LineRole) -> bool {
        self.lines.iter().any(|(tag, _)| *tag == wanted)
    }

    /// Tells whether the hunk changes anything.
    pub(super) fn changes_text(&self) -> bool {
        self.has_tag(LineRole::Insert) || self.has_tag(LineRole::Delete)
    }

    /// Returns a part of the hunk as one of its own.
    pub(super) fn sub_reading(&self, lines: std::ops::Range<usize>) -> Self {
        Self { how: self.how, lines: self.lines.get(lines).unwrap_or_default().to_vec() }
    }
}

/// A line without a mark that is not in the file, with changes after it: neither context nor prose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Unmarked<'a>(pub(super) &'a str);

/// Reads a hunk as written, or in another way when that is another one.
pub(super) fn read_hunk<'a>(
    hunk: &Hunk<'a>,
    source: &SourceText<'_>,
    how: MarkReading,
) -> Result<Option<HunkReading<'a>>, Unmarked<'a>> {
    let rows = rows_of_hunk(hunk, source)?;
    let bare = |row: &&HunkRow<'_>| row.mark == LineMark::Missing;
    let tail = rows.iter().rev().take_while(bare).count();
    let keep = match how {
        MarkReading::WithoutTail if tail == 0 => return Ok(None),
        MarkReading::WithoutTail => rows.len() - tail,
        MarkReading::AsWritten | MarkReading::WithoutMarks => {
            rows.len() - count_surplus(hunk, rows, tail)
        }
    };
    let rows = rows.get(..keep).unwrap_or_default();
    if how == MarkReading::WithoutMarks && !rows.iter().any(|row| row.mark == LineMark::Context) {
        return Ok(None);
    }
    let line = |row: &HunkRow<'a>| {
        let text = if how == MarkReading::WithoutMarks && row.mark == LineMark::Context {
            row.raw
        } else {
            row.text()
        };
        let tag = match row.mark {
            LineMark::Delete => LineRole::Delete,
            LineMark::Insert => LineRole::Insert,
            LineMark::Context | LineMark::Missing if is_gap(text) && !source.has_folded(text) => {
                LineRole::Gap
            }
            LineMark::Context | LineMark::Missing => LineRole::Context,
        };
        (tag, text)
    };
    Ok(Some(HunkReading { how, lines: rows.iter().map(line).collect() }))
}

/// Returns a `-` line that is no deleted one, as far as the file tells, but context without its mark: a
/// comment `-- x` or an item `- x`. It may also be a deleted one without its own mark.
pub(super) fn find_doubtful<'a>(hunk: &Hunk<'a>, source: &SourceText<'_>) -> Option<Unmarked<'a>> {
    let mut deleted = hunk.rows.iter().filter(|row| row.mark == LineMark::Delete);
    let doubtful = |row: &&HunkRow<'_>| source.has_line(row.raw) && !source.has_folded(row.text());
    deleted.find(doubtful).map(|row| Unmarked(row.raw))
}

/// Tells whether a reading without marks is wrong, because marks were written over the first column of
/// every line: then new lines lack one blank as context does. Their depth is one that the file has
/// only with that blank.
pub(super) fn is_overlaid(reading: &HunkReading<'_>, source: &SourceText<'_>) -> bool {
    if reading.how != MarkReading::WithoutMarks || reading.has_tag(LineRole::Delete) {
        return false;
    }
    let new = || {
        let new =
            reading.lines.iter().filter(|(tag, text)| *tag == LineRole::Insert && !is_blank(text));
        new.map(|(_, text)| indentation(text))
    };
    let with = new().filter(|depth| source.has_depth(&format!(" {depth}"))).count();
    with > new().filter(|depth| source.has_depth(depth)).count()
}

/// Returns how many empty lines at the end the counts do not ask for.
fn count_surplus(hunk: &Hunk<'_>, rows: &[HunkRow<'_>], tail: usize) -> usize {
    let without = |mark| rows.iter().filter(|row| row.mark != mark).count();
    let (old, new) = (without(LineMark::Insert), without(LineMark::Delete));
    let Some((stated_old, stated_new)) = hunk.counts else { return 0 };
    old.saturating_sub(stated_old).min(new.saturating_sub(stated_new)).min(tail)
}

/// Returns the rows up to the first one that is prose: unmarked, not in the file, and after an empty
/// line or a fence, with nothing behind it that could belong to the hunk.
fn rows_of_hunk<'h, 'a>(
    hunk: &'h Hunk<'a>,
    source: &SourceText<'_>,
) -> Result<&'h [HunkRow<'a>], Unmarked<'a>> {
    let prose = |row: &HunkRow<'_>| {
        let bare = row.mark == LineMark::Missing && !is_blank(row.raw);
        bare && !is_gap(row.raw) && !source.has_folded(row.raw)
    };
    let Some(end) = hunk.rows.iter().position(prose) else { return Ok(&hunk.rows) };
    let (rows, rest) = hunk.rows.split_at(end);
    let bare = |row: &&HunkRow<'_>| row.mark == LineMark::Missing && is_blank(row.raw);
    let blank = rows.iter().rev().take_while(bare).count();
    let fence = rest.first().is_some_and(|row| row.raw.starts_with("```"));
    let apart = blank > 0 || fence || rows.is_empty();
    let belongs = |row: &HunkRow<'_>| match row.mark {
        LineMark::Insert => true,
        // A list or an indented example in the prose has the same mark.
        LineMark::Delete | LineMark::Context => {
            !is_blank(row.text()) && source.has_folded(row.text())
        }
        LineMark::Missing => false,
    };
    if !apart || rest.iter().any(belongs) {
        return Err(Unmarked(rest.first().map_or("", |row| row.raw)));
    }
    Ok(rows.get(..rows.len() - blank).unwrap_or_default())
}
