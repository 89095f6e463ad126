//! Replacements of line ranges, built from a placed hunk and rendered into the new text.

use std::borrow::Cow;
use std::ops::Range;

use super::line_roles::{HunkReading, LineRole};
use super::source::SourceText;
use super::strategy::indent::IndentShift;

/// A range of lines to remove and the lines to insert in its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Splice<'a> {
    /// Removed lines, from 0; empty for a pure insertion before `at.start`.
    pub(super) at: Range<usize>,
    /// Inserted lines without endings.
    pub(super) lines: Vec<Cow<'a, str>>,
}

/// Returns the splices of a hunk whose old lines are at the file lines `map`; `shift` indents the
/// new lines.
///
/// Returns `None` when the position or the indentation of a new line is uncertain.
pub(super) fn build_splices<'a>(
    reading: &HunkReading<'a>,
    map: &[usize],
    shift: &IndentShift,
) -> Option<Vec<Splice<'a>>> {
    let mut splices: Vec<Splice<'a>> = Vec::new();
    // True while a changed line continues the last splice.
    let mut open = false;
    let mut old = 0;
    for (index, line) in reading.lines.iter().enumerate() {
        match line.role {
            LineRole::Context => (old, open) = (old + 1, false),
            LineRole::Gap => open = false,
            LineRole::Delete => {
                let at = *map.get(old)?;
                old += 1;
                match splices.last_mut().filter(|splice| open && splice.at.end == at) {
                    Some(splice) => splice.at.end = at + 1,
                    None => splices.push(Splice { at: at..at + 1, lines: Vec::new() }),
                }
                open = true;
            }
            LineRole::Insert => {
                if !open {
                    let at = insertion_point(reading, index, old, map)?;
                    splices.push(Splice { at: at..at, lines: Vec::new() });
                    open = true;
                }
                splices.last_mut()?.lines.push(shift.shift_line(line.text)?);
            }
        }
    }
    Some(splices)
}

/// Returns the file line before which the new lines that begin at `index` are inserted; `old` old
/// lines precede them.
fn insertion_point(
    reading: &HunkReading<'_>,
    index: usize,
    old: usize,
    map: &[usize],
) -> Option<usize> {
    let previous = index.checked_sub(1).and_then(|index| reading.lines.get(index));
    let next = reading.lines.iter().skip(index).find(|line| line.role != LineRole::Insert);
    let previous_role = previous.map(|line| line.role);
    let next_role = next.map(|line| line.role);
    // A neighbour behind an ellipsis is not adjacent, so it does not fix the position.
    let below = old
        .checked_sub(1)
        .and_then(|old| map.get(old))
        .map(|line| line + 1)
        .filter(|_| previous_role != Some(LineRole::Gap));
    let above = map.get(old).copied().filter(|_| next_role != Some(LineRole::Gap));
    match (below, above) {
        (Some(below), Some(above)) if below == above || next_role == Some(LineRole::Delete) => {
            Some(above)
        }
        // Lines of the file lie between the two neighbours, so there are several positions.
        (Some(_), Some(_)) => None,
        (below, above) => below.or(above),
    }
}

/// Returns the text with all splices applied. They must be sorted and must not overlap.
///
/// New lines get the endings of the lines they replace, or of the line before.
pub(super) fn render_splices(source: &SourceText<'_>, splices: &[Splice<'_>]) -> String {
    let added: usize =
        splices.iter().flat_map(|splice| &splice.lines).map(|line| line.len() + 2).sum();
    let mut out = String::with_capacity(source.text().len() + added);
    let mut next = 0;
    for splice in splices {
        complete_last_line(&mut out, source);
        out.push_str(source.raw_lines(next..splice.at.start));
        for (index, line) in splice.lines.iter().enumerate() {
            complete_last_line(&mut out, source);
            out.push_str(line);
            out.push_str(new_line_ending(source, splice, index));
        }
        next = splice.at.end;
    }
    if next < source.len() {
        complete_last_line(&mut out, source);
        out.push_str(source.raw_lines(next..source.len()));
    }
    out
}

/// Returns the ending of an inserted line: that of the line it replaces, else of the next line,
/// else the one that most lines of the file have. A mixed file keeps its mix.
fn new_line_ending<'a>(source: &SourceText<'a>, splice: &Splice<'_>, index: usize) -> &'a str {
    let replaced = splice.at.clone().nth(index).or(splice.at.end.checked_sub(1));
    [replaced, Some(splice.at.end)]
        .into_iter()
        .flatten()
        .map(|line| source.ending(line))
        .find(|ending| !ending.is_empty())
        .unwrap_or_else(|| source.dominant_ending())
}

/// Adds or removes the final newline of a new text, if its last line comes from `last`.
///
/// A last line that the patch keeps is not changed.
pub(super) fn set_final_newline(
    after: &mut String,
    source: &SourceText<'_>,
    last: Option<&Splice<'_>>,
    wanted: bool,
) {
    let ends_new = last.is_some_and(|last| last.at.end >= source.len() && !last.lines.is_empty());
    if ends_new && !wanted && after.ends_with('\n') {
        after.pop();
        if after.ends_with('\r') {
            after.pop();
        }
    } else if ends_new && wanted {
        complete_last_line(after, source);
    }
}

/// Ends an unfinished last line, so that another line can follow.
fn complete_last_line(out: &mut String, source: &SourceText<'_>) {
    if !out.is_empty() && !out.ends_with('\n') {
        out.push_str(source.dominant_ending());
    }
}
