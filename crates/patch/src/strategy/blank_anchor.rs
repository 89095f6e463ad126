//! A check that the position of a change among blank lines is certain.

use std::ops::Range;

use crate::line_roles::{HunkLine, HunkReading, LineRole};
use crate::similarity::is_blank;
use crate::source::SourceText;

/// The old lines of a hunk and their lines in the file.
struct MappedLines<'m, 'a> {
    source: &'m SourceText<'m>,
    old: Vec<HunkLine<'a>>,
    map: &'m [Option<usize>],
}

/// Returns `true` if every change without a non-blank deleted line has as many blank lines above and
/// below in the file as in the hunk.
///
/// Otherwise blank lines were left out of the hunk, and the change could go between any of them. At the
/// edges of the hunk the file may have more.
pub(crate) fn has_certain_blanks(
    source: &SourceText<'_>,
    reading: &HunkReading<'_>,
    map: &[Option<usize>],
) -> bool {
    let mapped = MappedLines { source, old: reading.old_lines(), map };
    let mut old = 0;
    for run in reading.lines.chunk_by(|one, other| one.is_change() == other.is_change()) {
        let begin = old;
        old += run.iter().filter(|line| line.is_old()).count();
        let changes = run.first().is_some_and(HunkLine::is_change);
        let anchored = run.iter().any(|line| line.role == LineRole::Delete && !is_blank(line.text));
        if changes && !anchored && !mapped.has_certain_position(&(begin..old)) {
            return false;
        }
    }
    true
}

impl MappedLines<'_, '_> {
    fn file_line(&self, index: usize) -> Option<usize> {
        self.map.get(index).copied().flatten()
    }

    fn is_blank_old(&self, index: usize) -> bool {
        self.old.get(index).is_some_and(|line| is_blank(line.text))
    }

    /// Compares the blank lines around a change that removes the old lines `change`.
    fn has_certain_position(&self, change: &Range<usize>) -> bool {
        let Some(start) = self.start_of(change) else { return false };
        let end = start + change.len();
        if self.lacks_near_blank(change) {
            return false;
        }
        let above = BlankRun {
            own: (0..change.start)
                .rev()
                .take_while(|index| {
                    let line = self.file_line(*index).map(|line| line + change.start - index);
                    self.is_blank_old(*index) && line == Some(start)
                })
                .count(),
            file: (0..start).rev().take_while(|line| is_blank(self.source.line(*line))).count(),
            hunk: change.start,
        };
        let below = BlankRun {
            own: (change.end..self.old.len())
                .take_while(|index| {
                    let line = Some(end + index - change.end);
                    self.is_blank_old(*index) && self.file_line(*index) == line
                })
                .count(),
            file: (end..self.source.len())
                .take_while(|line| is_blank(self.source.line(*line)))
                .count(),
            hunk: self.old.len() - change.end,
        };
        (change.is_empty() && (above.is_adjacent() || below.is_adjacent()))
            || (above.agrees() && below.agrees())
    }

    /// Returns the file line at which a change begins.
    fn start_of(&self, change: &Range<usize>) -> Option<usize> {
        let deleted = if change.is_empty() { None } else { self.file_line(change.start) };
        let previous = change.start.checked_sub(1).and_then(|index| self.file_line(index));
        deleted.or(previous.map(|line| line + 1)).or_else(|| self.file_line(change.end))
    }

    /// Returns `true` if a blank line of the hunk next to the change is not in the file.
    ///
    /// It could be the deleted line, and nothing can be inserted between it and the next line.
    fn lacks_near_blank(&self, change: &Range<usize>) -> bool {
        // An insertion goes between two lines, so that only the nearest blank line on each side matters.
        let reach = if change.is_empty() { 1 } else { self.old.len() };
        let above = (0..change.start).rev().take_while(|index| self.is_blank_old(*index));
        let below = (change.end..self.old.len()).take_while(|index| self.is_blank_old(*index));
        above.take(reach).chain(below.take(reach)).any(|index| self.file_line(index).is_none())
    }
}

/// The blank lines on one side of a change.
struct BlankRun {
    /// Blank lines of the hunk that are at their place in the file.
    own: usize,
    /// Blank lines of the file.
    file: usize,
    /// All lines of the hunk on this side.
    hunk: usize,
}

impl BlankRun {
    /// Returns `true` if the change is next to a non-blank line, which fixes its position.
    fn is_adjacent(&self) -> bool {
        self.own == 0 && self.file == 0 && self.hunk > 0
    }

    fn agrees(&self) -> bool {
        self.own == self.file || (self.own == self.hunk && self.own < self.file)
    }
}
