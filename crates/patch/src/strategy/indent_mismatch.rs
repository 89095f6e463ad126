//! Detection of new lines that follow an old line with a misquoted indentation, so that the intended
//! indentation is unknown.

use crate::line_roles::{HunkReading, LineRole};
use crate::similarity::{indentation, is_blank};
use crate::source::SourceText;

/// The indentation of a line in the hunk, and of its match in the file.
struct IndentedLine<'a> {
    role: LineRole,
    own: &'a str,
    file: Option<&'a str>,
}

impl IndentedLine<'_> {
    fn is_change(&self) -> bool {
        matches!(self.role, LineRole::Insert | LineRole::Delete)
    }

    /// Returns `true` if the hunk quotes this indentation and the file has another one.
    fn misquotes(&self, indent: &str) -> bool {
        self.own == indent && self.file.is_some_and(|file| file != indent)
    }
}

/// Returns `true` if a new line has the indentation of an adjacent old line that the file indents
/// differently, and no correctly quoted deleted line confirms that indentation.
///
/// In Python or YAML such a line would have another meaning.
pub(super) fn has_indent_mismatch(
    source: &SourceText<'_>,
    reading: &HunkReading<'_>,
    map: &[usize],
) -> bool {
    let mut places = map.iter();
    let mut lines = Vec::with_capacity(reading.lines.len());
    for line in &reading.lines {
        let place = if line.is_old() { places.next() } else { None };
        if !is_blank(line.text) {
            let file = place.map(|place| indentation(source.line(*place)));
            lines.push(IndentedLine { role: line.role, own: indentation(line.text), file });
        }
    }
    let runs: Vec<&[IndentedLine<'_>]> =
        lines.chunk_by(|one, other| one.is_change() == other.is_change()).collect();
    runs.iter().enumerate().any(|(index, run)| {
        let above = index.checked_sub(1).and_then(|index| runs.get(index)?.last());
        let below = runs.get(index + 1).and_then(|next| next.first());
        run.first().is_some_and(IndentedLine::is_change) && is_mismatched_run(run, above, below)
    })
}

/// Checks the new lines of a run of changes between the context lines `above` and `below`.
fn is_mismatched_run(
    run: &[IndentedLine<'_>],
    above: Option<&IndentedLine<'_>>,
    below: Option<&IndentedLine<'_>>,
) -> bool {
    let mut new = run.iter().filter(|line| line.role == LineRole::Insert).map(|line| line.own);
    let Some(first) = new.next() else { return false };
    let last = new.next_back().unwrap_or(first);
    let replaces_misquoted = run.iter().any(|line| line.misquotes(first));
    (!is_confirmed(run, first) && (replaces_misquoted || is_too_shallow(above, first)))
        || (!is_confirmed(run, last) && is_too_shallow(below, last))
}

fn is_confirmed(run: &[IndentedLine<'_>], indent: &str) -> bool {
    run.iter().any(|line| line.file == Some(indent))
}

/// Returns `true` if a context line is quoted with less indentation than the file has. A context line
/// quoted with more may open the block of the new line, so it is no mismatch.
fn is_too_shallow(context: Option<&IndentedLine<'_>>, indent: &str) -> bool {
    context.is_some_and(|line| {
        line.misquotes(indent) && line.file.is_some_and(|file| line.own.len() < file.len())
    })
}
