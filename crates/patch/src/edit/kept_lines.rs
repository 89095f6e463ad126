//! Replacement of a text so that unchanged lines keep their bytes.

use super::EditStrategy;
use super::document::Document;
use super::find::TextSpan;
use papayu_base::text::line_diff::{ChangedLines, changed_lines};

/// A line of the old text and an equal line of the new text.
/// The numbers are 0-based within the span and the new text.
#[derive(Clone, Copy)]
struct EqualLines {
    old: usize,
    new: usize,
}

/// Returns a new text, with lines that end with `\n`, in the form in which it replaces a span.
/// Lines that are equal in both keep their own ending and, in the looser view, the blanks at
/// their end.
pub(super) fn replace_changed_lines(document: &Document, span: &TextSpan, new: &str) -> String {
    let raw: Vec<&str> = document.text_between(span.start, span.end).split('\n').collect();
    let new: Vec<&str> = new.split('\n').collect();
    // `split` returns at least one line.
    let (last_old, last_new) = (raw.len().saturating_sub(1), new.len().saturating_sub(1));
    let mut old_lines = Vec::with_capacity(raw.len());
    for (index, line) in raw.iter().enumerate() {
        // The carriage return before the split belongs to the line ending.
        let line = if index < last_old { line.strip_suffix('\r').unwrap_or(line) } else { line };
        old_lines.push(comparable(line, span.strategy));
    }
    let new_lines: Vec<&str> = new.iter().map(|line| comparable(line, span.strategy)).collect();
    let mut pairs = find_common_lines(
        old_lines.get(..last_old).unwrap_or_default(),
        new_lines.get(..last_new).unwrap_or_default(),
    );
    // The endings of the last lines are outside the span, so they pair only with each other.
    if old_lines.last() == new_lines.last() {
        pairs.push(EqualLines { old: last_old, new: last_new });
    }
    // An end mark, so that the loop also writes what follows the last equal line.
    pairs.push(EqualLines { old: raw.len(), new: new.len() });
    let mut out = String::new();
    let (mut next_old, mut next_new) = (0, 0);
    for pair in pairs {
        // New lines end as the first line they replace, or else as the first line of the span.
        let ending =
            document.line_ending(span.first + if next_old < pair.old { next_old } else { 0 });
        for line in next_new..pair.new {
            // A new line between two kept ones follows the ending of its neighbourhood.
            out.push_str(new.get(line).unwrap_or(&""));
            out.push_str(if line == last_new { "" } else { ending });
        }
        if let Some(kept) = raw.get(pair.old) {
            out.push_str(kept);
            // The carriage return is part of `kept`.
            out.push_str(if pair.old == last_old { "" } else { "\n" });
        }
        (next_old, next_new) = (pair.old + 1, pair.new + 1);
    }
    out
}

/// Returns a line as a strategy compares it.
/// Blanks at the end count only in the exact view.
fn comparable(line: &str, strategy: EditStrategy) -> &str {
    match strategy {
        EditStrategy::Exact => line,
        EditStrategy::TrailingSpace => line.trim_end_matches([' ', '\t']),
    }
}

/// Returns the equal lines of two texts, in order.
fn find_common_lines(old: &[&str], new: &[&str]) -> Vec<EqualLines> {
    // The diff works on bytes with line ends.
    let join = |lines: &[&str]| lines.iter().flat_map(|line| [*line, "\n"]).collect::<String>();
    let changes = changed_lines(join(old).as_bytes(), join(new).as_bytes());
    // A change of no lines at the end, for the equal lines after the last real change.
    let end = ChangedLines { before: old.len()..old.len(), after: new.len()..new.len() };
    let mut pairs = Vec::new();
    let (mut next_old, mut next_new) = (0, 0);
    for change in changes.into_iter().chain([end]) {
        // The lines before a change are equal.
        let equal = (next_old..change.before.start).zip(next_new..);
        pairs.extend(equal.map(|(old, new)| EqualLines { old, new }));
        (next_old, next_new) = (change.before.end, change.after.end);
    }
    pairs
}
