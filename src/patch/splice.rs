//! What a placed hunk does to the file's lines, and the text that comes of it.

use std::borrow::Cow;
use std::ops::Range;

use super::line_roles::{HunkReading, LineRole};
use super::source::SourceText;
use super::strategy::indent::IndentShift;

/// Lines of the file that go, and the lines that come in their place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Splice<'a> {
    /// Empty where lines are only inserted.
    pub(super) at: Range<usize>,
    /// Without line ends.
    pub(super) lines: Vec<Cow<'a, str>>,
}

/// Returns what a hunk does when its old lines stand at `map`, new lines indented by `shift`.
/// `None` when it cannot be told where a new line goes, or how it is indented.
pub(super) fn build_splices<'a>(
    reading: &HunkReading<'a>,
    map: &[usize],
    shift: &IndentShift,
) -> Option<Vec<Splice<'a>>> {
    let mut out: Vec<Splice<'a>> = Vec::new();
    let mut open = false;
    let mut old = 0;
    for (index, (tag, text)) in reading.lines.iter().enumerate() {
        match tag {
            LineRole::Context => (old, open) = (old + 1, false),
            LineRole::Gap => open = false,
            LineRole::Delete => {
                let line = *map.get(old)?;
                old += 1;
                match out.last_mut().filter(|splice| open && splice.at.end == line) {
                    Some(splice) => splice.at.end = line + 1,
                    None => out.push(Splice { at: line..line + 1, lines: Vec::new() }),
                }
                open = true;
            }
            LineRole::Insert => {
                if !open {
                    let at = insertion_point(reading, index, old, map)?;
                    out.push(Splice { at: at..at, lines: Vec::new() });
                    open = true;
                }
                out.last_mut()?.lines.push(shift.shift_line(text)?);
            }
        }
    }
    Some(out)
}

/// Returns the line before which new lines go that begin a block.
fn insertion_point(
    reading: &HunkReading<'_>,
    index: usize,
    old: usize,
    map: &[usize],
) -> Option<usize> {
    let tag = |index: usize| reading.lines.get(index).map(|(tag, _)| *tag);
    let before = index.checked_sub(1).and_then(tag);
    let after = (index..).map_while(tag).find(|tag| *tag != LineRole::Insert);
    let below = old.checked_sub(1).and_then(|old| map.get(old)).map(|line| line + 1);
    let above = map.get(old).copied();
    match (
        below.filter(|_| before != Some(LineRole::Gap)),
        above.filter(|_| after != Some(LineRole::Gap)),
    ) {
        (Some(below), Some(above)) if below == above || after == Some(LineRole::Delete) => {
            Some(above)
        }
        (Some(_), Some(_)) | (None, None) => None,
        (one, other) => one.or(other),
    }
}

/// Writes the text with all splices made; they are sorted and do not overlap. Line ends of new lines
/// are those of the lines they replace, or of the line above.
pub(super) fn render_splices(source: &SourceText<'_>, splices: &[Splice<'_>]) -> String {
    let new: usize =
        splices.iter().flat_map(|splice| &splice.lines).map(|line| line.len() + 2).sum();
    let mut out = String::with_capacity(source.text().len() + new);
    let mut next = 0;
    for splice in splices {
        end_line(&mut out, source);
        out.push_str(source.raw_lines(next..splice.at.start));
        for (index, line) in splice.lines.iter().enumerate() {
            end_line(&mut out, source);
            out.push_str(line);
            out.push_str(line_ending(source, splice, index));
        }
        next = splice.at.end;
    }
    if next < source.len() {
        end_line(&mut out, source);
        out.push_str(source.raw_lines(next..source.len()));
    }
    out
}

fn line_ending<'a>(source: &SourceText<'a>, splice: &Splice<'_>, index: usize) -> &'a str {
    let replaced = splice.at.clone().nth(index).or(splice.at.end.checked_sub(1));
    let near = [replaced, Some(splice.at.end)].into_iter().flatten();
    near.map(|line| source.ending(line))
        .find(|ending| !ending.is_empty())
        .unwrap_or_else(|| source.dominant_ending())
}

/// Gives the new text the end that is wanted, where `last` put a new line there: a line that stays
/// keeps its own.
pub(super) fn end_as(
    after: &mut String,
    source: &SourceText<'_>,
    last: Option<&Splice<'_>>,
    wanted: bool,
) {
    let new = last.is_some_and(|last| last.at.end >= source.len() && !last.lines.is_empty());
    if new && !wanted && after.ends_with('\n') {
        after.pop();
        if after.ends_with('\r') {
            after.pop();
        }
    } else if new && wanted {
        end_line(after, source);
    }
}

/// A last line without an end gets one when lines follow it.
fn end_line(out: &mut String, source: &SourceText<'_>) {
    if !out.is_empty() && !out.ends_with('\n') {
        out.push_str(source.dominant_ending());
    }
}
