//! Whether new lines follow an old line whose indentation is misquoted: then nobody knows theirs.

use crate::patch::line_roles::{HunkReading, LineRole};
use crate::patch::similarity::{indentation, is_blank};
use crate::patch::source::SourceText;

/// A line of the hunk with its depth, and the depth that the file has there.
struct Line<'a> {
    tag: LineRole,
    own: &'a str,
    file: Option<&'a str>,
}

/// Tells whether a new line beside an old one is as deep as that one is quoted, and the file has it at
/// another depth, where no deleted line, quoted right, shows that the depth is meant. In Python or YAML
/// the new line would mean something else there.
pub(super) fn is_astray(source: &SourceText<'_>, reading: &HunkReading<'_>, map: &[usize]) -> bool {
    let mut places = map.iter();
    let mut lines = Vec::with_capacity(reading.lines.len());
    for (tag, text) in &reading.lines {
        let old = matches!(tag, LineRole::Context | LineRole::Delete);
        let place = if old { places.next() } else { None };
        if !is_blank(text) {
            let file = place.map(|line| indentation(source.line(*line)));
            lines.push(Line { tag: *tag, own: indentation(text), file });
        }
    }
    let changed = |line: &Line<'_>| matches!(line.tag, LineRole::Insert | LineRole::Delete);
    let mut above: Option<&Line<'_>> = None;
    let mut runs = lines.chunk_by(|one, other| changed(one) == changed(other)).peekable();
    while let Some(run) = runs.next() {
        let below = runs.peek().and_then(|next| next.first());
        if run.first().is_some_and(changed) && is_indent_mismatch(run, (above, below)) {
            return true;
        }
        above = run.last();
    }
    false
}

/// Tells whether the new lines of a run of changes do, between the context lines at its edges.
fn is_indent_mismatch(
    run: &[Line<'_>],
    (above, below): (Option<&Line<'_>>, Option<&Line<'_>>),
) -> bool {
    let mut new = run.iter().filter(|line| line.tag == LineRole::Insert).map(|line| line.own);
    let Some(first) = new.next() else { return false };
    let last = new.next_back().unwrap_or(first);
    let meant = |depth: &str| run.iter().any(|line| line.file == Some(depth));
    let misquoted = |line: &Line<'_>, depth: &str| {
        line.own == depth && line.file.is_some_and(|file| file != depth)
    };
    // Context quoted too deep may open the block that the new line is in.
    let shallow = |line: Option<&Line<'_>>, depth: &str| {
        let file = |line: &&Line<'_>| line.file.is_some_and(|file| line.own.len() < file.len());
        line.filter(file).is_some_and(|line| misquoted(line, depth))
    };
    let replaced = run.iter().any(|line| misquoted(line, first));
    (!meant(first) && (replaced || shallow(above, first))) || (!meant(last) && shallow(below, last))
}
