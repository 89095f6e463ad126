//! A new line inside a run of new lines that lost its `+`: the file does not have it.

use crate::patch::line_roles::{HunkReading, LineRole};
use crate::patch::parse::{Hunk, LineMark};
use crate::patch::similarity::{indentation, is_blank, is_misspelt};
use crate::patch::source::SourceText;

/// Most such lines; each is compared with every line of the file.
const MOST_LOST: usize = 64;

/// Returns the hunk with such lines marked as new; `None` when there are none, or when one could be a
/// misquoted line of the file, or is indented as no other line.
pub(in crate::patch) fn restore_lost_plus<'a>(
    source: &SourceText<'_>,
    hunk: &Hunk<'a>,
    reading: &HunkReading<'a>,
) -> Option<HunkReading<'a>> {
    let mut lines = reading.lines.clone();
    let mut mended = 0;
    for index in 1..lines.len().saturating_sub(1) {
        let (tag, text) = *lines.get(index)?;
        let (before, last) = *lines.get(index - 1)?;
        if tag != LineRole::Context
            || before != LineRole::Insert
            || is_blank(text)
            || source.has_line(text)
        {
            continue;
        }
        let rest = lines.get(index + 1..).unwrap_or_default();
        let next =
            rest.iter().find(|(tag, text)| *tag != LineRole::Context || source.has_line(text));
        let Some((LineRole::Insert, next)) = next else { continue };
        if mended == MOST_LOST
            || source.lines().iter().any(|line| is_misspelt(text, line, source.text()))
        {
            return None;
        }
        // Without its column of marks the line is one column farther left than it is meant.
        let raw =
            hunk.rows.get(index).filter(|row| row.mark == LineMark::Context).map(|row| row.raw);
        let among = |lines: &[&str], text: &str| {
            lines.iter().any(|line| indentation(line) == indentation(text))
        };
        let beside = |text: &&str| among(&[last, *next], text);
        let known = |text: &&str| among(source.lines(), text);
        let marked = Some(text).filter(|text| beside(text) || known(text));
        let text = marked.or_else(|| raw.filter(beside))?;
        *lines.get_mut(index)? = (LineRole::Insert, text);
        mended += 1;
    }
    (mended > 0).then_some(HunkReading { how: reading.how, lines })
}
