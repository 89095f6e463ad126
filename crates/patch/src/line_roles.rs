//! Roles of a hunk's lines: decides which unmarked lines are context, gaps or prose.

use std::ops::Range;

use super::hunk::{Hunk, HunkRow, LineMark};
use super::similarity::{indentation, is_blank, is_gap};
use super::source::SourceText;

/// The role of one line of a hunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LineRole {
    /// Must be in the file and stays.
    Context,
    /// Must be in the file and is removed.
    Delete,
    /// Is added.
    Insert,
    /// An ellipsis in place of lines that the patch omits.
    Gap,
}

/// One line of a hunk with its role.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct HunkLine<'a> {
    pub(super) role: LineRole,
    /// Without the mark.
    pub(super) text: &'a str,
}

impl HunkLine<'_> {
    /// Returns `true` if the line must be in the file.
    pub(super) fn is_old(&self) -> bool {
        matches!(self.role, LineRole::Context | LineRole::Delete)
    }

    /// Returns `true` if the hunk adds or removes the line.
    pub(super) fn is_change(&self) -> bool {
        matches!(self.role, LineRole::Insert | LineRole::Delete)
    }
}

/// An interpretation of the first column of a hunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MarkReading {
    /// The first column has the marks. The counts of the header decide which empty lines at the
    /// end belong to the hunk.
    AsWritten,
    /// The same, but no unmarked line at the end belongs to the hunk.
    WithoutTail,
    /// Context lines lost their marks, so their first column is text.
    WithoutMarks,
}

/// A hunk under one interpretation of its marks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct HunkReading<'a> {
    pub(super) marks: MarkReading,
    pub(super) lines: Vec<HunkLine<'a>>,
}

impl<'a> HunkReading<'a> {
    /// Returns the lines that must be in the file: context and deleted lines.
    /// In the order of the hunk.
    pub(super) fn old_lines(&self) -> Vec<HunkLine<'a>> {
        self.lines.iter().filter(|line| line.is_old()).copied().collect()
    }

    /// Returns the text of the lines that must be in the file.
    pub(super) fn old_texts(&self) -> Vec<&'a str> {
        self.lines.iter().filter(|line| line.is_old()).map(|line| line.text).collect()
    }

    /// Returns the lines that the file has afterwards: context and inserted lines.
    pub(super) fn new_lines(&self) -> Vec<&'a str> {
        let new = |line: &&HunkLine<'_>| matches!(line.role, LineRole::Context | LineRole::Insert);
        self.lines.iter().filter(new).map(|line| line.text).collect()
    }

    /// Returns `true` if any line has this role.
    pub(super) fn has_role(&self, role: LineRole) -> bool {
        self.lines.iter().any(|line| line.role == role)
    }

    /// Returns `true` if the hunk adds or removes a line.
    pub(super) fn changes_text(&self) -> bool {
        self.lines.iter().any(HunkLine::is_change)
    }

    /// Returns a range of the lines as a hunk of its own.
    /// Ranges beyond the end give no lines.
    pub(super) fn sub_reading(&self, lines: Range<usize>) -> Self {
        self.with_lines(self.lines.get(lines).unwrap_or_default().to_vec())
    }

    /// Returns other lines under the same interpretation of the marks.
    pub(super) fn with_lines(&self, lines: Vec<HunkLine<'a>>) -> Self {
        Self { marks: self.marks, lines }
    }
}

/// A line with an unknown role: it has no mark, is not in the file, and changes follow it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct UnmarkedLine<'a>(pub(super) &'a str);

/// Interprets a hunk; `None` when the result would equal [`MarkReading::AsWritten`].
///
/// # Errors
///
/// [`UnmarkedLine`] with the first line of an unknown role.
pub(super) fn read_hunk<'a>(
    hunk: &Hunk<'a>,
    source: &SourceText<'_>,
    marks: MarkReading,
) -> Result<Option<HunkReading<'a>>, UnmarkedLine<'a>> {
    let rows = rows_before_prose(hunk, source)?;
    // Only unmarked rows at the end can be prose or stray empty lines.
    let tail = rows.iter().rev().take_while(|row| row.mark == LineMark::Missing).count();
    let kept = match marks {
        // Equal to `AsWritten`.
        MarkReading::WithoutTail if tail == 0 => return Ok(None),
        MarkReading::WithoutTail => rows.len() - tail,
        MarkReading::AsWritten | MarkReading::WithoutMarks => {
            rows.len() - count_surplus(hunk, rows, tail)
        }
    };
    let rows = rows.get(..kept).unwrap_or_default();
    // Without context there is nothing to read differently.
    if marks == MarkReading::WithoutMarks && !rows.iter().any(|row| row.mark == LineMark::Context) {
        return Ok(None);
    }
    let lines = rows.iter().map(|row| assign_role(row, source, marks)).collect();
    Ok(Some(HunkReading { marks, lines }))
}

/// Returns a row as a line with its role under an interpretation of the marks.
fn assign_role<'a>(row: &HunkRow<'a>, source: &SourceText<'_>, marks: MarkReading) -> HunkLine<'a> {
    // Deleted and new lines have a mark in every reading.
    let unmarked = marks == MarkReading::WithoutMarks && row.mark == LineMark::Context;
    let text = if unmarked { row.raw } else { row.text() };
    let role = match row.mark {
        LineMark::Delete => LineRole::Delete,
        LineMark::Insert => LineRole::Insert,
        // An ellipsis that the file itself has is ordinary context.
        _ if is_gap(text) && !source.has_folded(text) => LineRole::Gap,
        LineMark::Context | LineMark::Missing => LineRole::Context,
    };
    HunkLine { role, text }
}

/// Returns a `-` line that is probably context without a mark, such as a comment `-- x` or a list
/// item `- x`: the file has it with the `-` and not without.
///
/// It may still be a deleted line without a mark of its own, so its role is unknown.
pub(super) fn find_doubtful<'a>(
    hunk: &Hunk<'a>,
    source: &SourceText<'_>,
) -> Option<UnmarkedLine<'a>> {
    let mut deleted = hunk.rows.iter().filter(|row| row.mark == LineMark::Delete);
    deleted
        .find(|row| source.has_line(row.raw) && !source.has_folded(row.text()))
        .map(|row| UnmarkedLine(row.raw))
}

/// Returns `true` if [`MarkReading::WithoutMarks`] is wrong because the marks were written over the
/// first column of every line, so that new lines lack one blank as context lines do.
///
/// That is the case when more new lines have an indentation of the file with the blank than without.
pub(super) fn is_overlaid(reading: &HunkReading<'_>, source: &SourceText<'_>) -> bool {
    if reading.marks != MarkReading::WithoutMarks || reading.has_role(LineRole::Delete) {
        return false;
    }
    let (mut with_blank, mut without) = (0, 0);
    for line in &reading.lines {
        if line.role == LineRole::Insert && !is_blank(line.text) {
            let indent = indentation(line.text);
            // The blank that the mark took away is put back.
            with_blank += usize::from(source.has_indentation(&format!(" {indent}")));
            without += usize::from(source.has_indentation(indent));
        }
    }
    with_blank > without
}

/// Returns the number of unmarked lines at the end that exceed the counts of the header.
fn count_surplus(hunk: &Hunk<'_>, rows: &[HunkRow<'_>], tail: usize) -> usize {
    let Some(stated) = hunk.counts else { return 0 };
    let inserted = rows.iter().filter(|row| row.mark == LineMark::Insert).count();
    let deleted = rows.iter().filter(|row| row.mark == LineMark::Delete).count();
    let surplus_old = (rows.len() - inserted).saturating_sub(stated.old);
    let surplus_new = (rows.len() - deleted).saturating_sub(stated.new);
    // Both counts must be exceeded: a surplus on one side only is a wrong count.
    surplus_old.min(surplus_new).min(tail)
}

/// Returns the rows before the prose that follows the patch, if any.
///
/// Prose is an unmarked line that is not in the file, after an empty line or at a fence, with
/// nothing behind it that could belong to the hunk. An unmarked line that is not prose is an error.
fn rows_before_prose<'h, 'a>(
    hunk: &'h Hunk<'a>,
    source: &SourceText<'_>,
) -> Result<&'h [HunkRow<'a>], UnmarkedLine<'a>> {
    let Some(end) = hunk.rows.iter().position(|row| is_unknown_row(row, source)) else {
        return Ok(&hunk.rows);
    };
    let (rows, rest) = hunk.rows.split_at(end);
    // Empty lines before prose are not part of the hunk.
    let blank = rows
        .iter()
        .rev()
        .take_while(|row| row.mark == LineMark::Missing && is_blank(row.raw))
        .count();
    // The end of a fenced block in a reply.
    let fence = rest.first().is_some_and(|row| row.raw.starts_with("```"));
    let separated = blank > 0 || fence || rows.is_empty();
    if !separated || rest.iter().any(|row| may_belong_to_hunk(row, source)) {
        return Err(UnmarkedLine(rest.first().map_or("", |row| row.raw)));
    }
    Ok(rows.get(..rows.len() - blank).unwrap_or_default())
}

/// Returns `true` for a row without a mark that the file does not have: prose, or a new line without its `+`.
fn is_unknown_row(row: &HunkRow<'_>, source: &SourceText<'_>) -> bool {
    row.mark == LineMark::Missing
        && !is_blank(row.raw)
        && !is_gap(row.raw)
        && !source.has_folded(row.raw)
}

/// Returns `true` if a row behind unknown ones could be part of the hunk, so that the rows before
/// it are no prose.
fn may_belong_to_hunk(row: &HunkRow<'_>, source: &SourceText<'_>) -> bool {
    match row.mark {
        LineMark::Insert => true,
        // A list or an indented example in prose has the same marks, but the file lacks its text.
        LineMark::Delete | LineMark::Context => {
            !is_blank(row.text()) && source.has_folded(row.text())
        }
        LineMark::Missing => false,
    }
}
