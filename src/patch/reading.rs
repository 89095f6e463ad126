//! What a hunk's lines mean for the file at hand: which unmarked lines are context, gaps, or prose.

use super::likeness::{indentation, is_blank, is_gap};
use super::parse::{Hunk, Mark, Row};
use super::source::Source;

/// What a line of a hunk does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tag {
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
pub(super) enum How {
    /// The first column holds marks; counts say which empty lines at the end belong to it.
    AsWritten,
    /// The same without unmarked lines at the end.
    WithoutTail,
    /// Context lines lost their marks, so their first column is text.
    WithoutMarks,
}

/// A hunk read in one way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Reading<'a> {
    pub(super) how: How,
    pub(super) lines: Vec<(Tag, &'a str)>,
}

impl<'a> Reading<'a> {
    /// Returns the lines that must be in the file, with what becomes of them.
    pub(super) fn old_lines(&self) -> Vec<(Tag, &'a str)> {
        let old = |(tag, _): &&(Tag, &str)| matches!(tag, Tag::Context | Tag::Delete);
        self.lines.iter().filter(old).copied().collect()
    }

    /// Returns the lines that will be in the file.
    pub(super) fn new_side(&self) -> Vec<&'a str> {
        let new = |(tag, _): &&(Tag, &str)| matches!(tag, Tag::Context | Tag::Insert);
        self.lines.iter().filter(new).map(|(_, text)| *text).collect()
    }

    /// Tells whether any line does this.
    pub(super) fn has_tag(&self, wanted: Tag) -> bool {
        self.lines.iter().any(|(tag, _)| *tag == wanted)
    }

    /// Tells whether the hunk changes anything.
    pub(super) fn changes_text(&self) -> bool {
        self.has_tag(Tag::Insert) || self.has_tag(Tag::Delete)
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
    source: &Source<'_>,
    how: How,
) -> Result<Option<Reading<'a>>, Unmarked<'a>> {
    let rows = rows_of_hunk(hunk, source)?;
    let bare = |row: &&Row<'_>| row.mark == Mark::Missing;
    let tail = rows.iter().rev().take_while(bare).count();
    let keep = match how {
        How::WithoutTail if tail == 0 => return Ok(None),
        How::WithoutTail => rows.len() - tail,
        How::AsWritten | How::WithoutMarks => rows.len() - count_surplus(hunk, rows, tail),
    };
    let rows = rows.get(..keep).unwrap_or_default();
    if how == How::WithoutMarks && !rows.iter().any(|row| row.mark == Mark::Context) {
        return Ok(None);
    }
    let line = |row: &Row<'a>| {
        let text = if how == How::WithoutMarks && row.mark == Mark::Context {
            row.raw
        } else {
            row.text()
        };
        let tag = match row.mark {
            Mark::Delete => Tag::Delete,
            Mark::Insert => Tag::Insert,
            Mark::Context | Mark::Missing if is_gap(text) && !source.has_folded(text) => Tag::Gap,
            Mark::Context | Mark::Missing => Tag::Context,
        };
        (tag, text)
    };
    Ok(Some(Reading { how, lines: rows.iter().map(line).collect() }))
}

/// Returns a `-` line that is no deleted one, as far as the file tells, but context without its mark: a
/// comment `-- x` or an item `- x`. It may also be a deleted one without its own mark.
pub(super) fn find_doubtful<'a>(hunk: &Hunk<'a>, source: &Source<'_>) -> Option<Unmarked<'a>> {
    let mut deleted = hunk.rows.iter().filter(|row| row.mark == Mark::Delete);
    let doubtful = |row: &&Row<'_>| source.has_line(row.raw) && !source.has_folded(row.text());
    deleted.find(doubtful).map(|row| Unmarked(row.raw))
}

/// Tells whether a reading without marks is wrong, because marks were written over the first column of
/// every line: then new lines lack one blank as context does. Their depth is one that the file has
/// only with that blank.
pub(super) fn is_overlaid(reading: &Reading<'_>, source: &Source<'_>) -> bool {
    if reading.how != How::WithoutMarks || reading.has_tag(Tag::Delete) {
        return false;
    }
    let new = || {
        let new = reading.lines.iter().filter(|(tag, text)| *tag == Tag::Insert && !is_blank(text));
        new.map(|(_, text)| indentation(text))
    };
    let with = new().filter(|depth| source.has_depth(&format!(" {depth}"))).count();
    with > new().filter(|depth| source.has_depth(depth)).count()
}

/// Returns how many empty lines at the end the counts do not ask for.
fn count_surplus(hunk: &Hunk<'_>, rows: &[Row<'_>], tail: usize) -> usize {
    let without = |mark| rows.iter().filter(|row| row.mark != mark).count();
    let (old, new) = (without(Mark::Insert), without(Mark::Delete));
    let Some((stated_old, stated_new)) = hunk.counts else { return 0 };
    old.saturating_sub(stated_old).min(new.saturating_sub(stated_new)).min(tail)
}

/// Returns the rows up to the first one that is prose: unmarked, not in the file, and after an empty
/// line or a fence, with nothing behind it that could belong to the hunk.
fn rows_of_hunk<'h, 'a>(
    hunk: &'h Hunk<'a>,
    source: &Source<'_>,
) -> Result<&'h [Row<'a>], Unmarked<'a>> {
    let prose = |row: &Row<'_>| {
        let bare = row.mark == Mark::Missing && !is_blank(row.raw);
        bare && !is_gap(row.raw) && !source.has_folded(row.raw)
    };
    let Some(end) = hunk.rows.iter().position(prose) else { return Ok(&hunk.rows) };
    let (rows, rest) = hunk.rows.split_at(end);
    let bare = |row: &&Row<'_>| row.mark == Mark::Missing && is_blank(row.raw);
    let blank = rows.iter().rev().take_while(bare).count();
    let fence = rest.first().is_some_and(|row| row.raw.starts_with("```"));
    let apart = blank > 0 || fence || rows.is_empty();
    let belongs = |row: &Row<'_>| match row.mark {
        Mark::Insert => true,
        // A list or an indented example in the prose has the same mark.
        Mark::Delete | Mark::Context => !is_blank(row.text()) && source.has_folded(row.text()),
        Mark::Missing => false,
    };
    if !apart || rest.iter().any(belongs) {
        return Err(Unmarked(rest.first().map_or("", |row| row.raw)));
    }
    Ok(rows.get(..rows.len() - blank).unwrap_or_default())
}
