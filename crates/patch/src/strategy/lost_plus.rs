//! New lines that lost their `+`: lines inside a run of new lines that the file does not have.

use crate::hunk::{Hunk, LineMark};
use crate::line_roles::{HunkLine, HunkReading, LineRole};
use crate::similarity::{indentation, is_blank, is_misspelt};
use crate::source::SourceText;

/// The most such lines; each is compared with every line of the file.
const MAX_LOST: usize = 64;

/// Returns the hunk with such lines as new lines.
///
/// Returns `None` if there are none, if one could be a misquoted line of the file, or if one has an
/// indentation that no other line has.
pub(crate) fn restore_lost_plus<'a>(
    source: &SourceText<'_>,
    hunk: &Hunk<'a>,
    reading: &HunkReading<'a>,
) -> Option<HunkReading<'a>> {
    let mut lines = reading.lines.clone();
    let mut restored = 0;
    for index in 1..lines.len().saturating_sub(1) {
        let line = *lines.get(index)?;
        let previous = *lines.get(index - 1)?;
        if line.role != LineRole::Context
            || previous.role != LineRole::Insert
            || is_blank(line.text)
            || source.has_line(line.text)
        {
            continue;
        }
        // Several lines in a row may have lost their mark; a new line must follow them.
        let rest = lines.get(index + 1..).unwrap_or_default();
        let next = rest
            .iter()
            .find(|line| line.role != LineRole::Context || source.has_line(line.text))
            .filter(|line| line.role == LineRole::Insert);
        let Some(next) = next else { continue };
        let misquoted = || {
            source
                .lines()
                .iter()
                .any(|real| is_misspelt(line.text, real, |word| source.has_word(word)))
        };
        if restored == MAX_LOST || misquoted() {
            return None;
        }
        // Without the column of marks, the line is one column too far to the left.
        let raw = hunk.rows.get(index).filter(|row| row.mark == LineMark::Context);
        let neighbours = [previous.text, next.text];
        let text =
            if has_indent_of(&neighbours, line.text) || has_indent_of(source.lines(), line.text) {
                line.text
            } else {
                raw.map(|row| row.raw).filter(|raw| has_indent_of(&neighbours, raw))?
            };
        *lines.get_mut(index)? = HunkLine { role: LineRole::Insert, text };
        restored += 1;
    }
    (restored > 0).then_some(reading.with_lines(lines))
}

fn has_indent_of(lines: &[&str], text: &str) -> bool {
    lines.iter().any(|line| indentation(line) == indentation(text))
}
