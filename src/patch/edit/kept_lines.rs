//! Replacement of a text so that unchanged lines keep their bytes.

use super::EditStrategy;
use super::document::Document;
use super::find::TextSpan;

/// The most pairs of lines compared. Of longer texts, only the common head and tail are kept.
const MAX_PAIRS: usize = 1 << 23;

/// A line of the old text and an equal line of the new text.
#[derive(Clone, Copy)]
struct EqualLines {
    old: usize,
    new: usize,
}

/// Returns a new text, whose lines end with `\n`, in the form in which it replaces a span.
pub(super) fn replace_changed_lines(document: &Document, span: &TextSpan, new: &str) -> String {
    let raw: Vec<&str> = document.text_between(span.start, span.end).split('\n').collect();
    let new: Vec<&str> = new.split('\n').collect();
    // `split` returns at least one line.
    let (last_old, last_new) = (raw.len().saturating_sub(1), new.len().saturating_sub(1));
    let mut old_lines = Vec::with_capacity(raw.len());
    for (index, line) in raw.iter().enumerate() {
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
    pairs.push(EqualLines { old: raw.len(), new: new.len() });
    let mut out = String::new();
    let (mut next_old, mut next_new) = (0, 0);
    for pair in pairs {
        // New lines end as the first line they replace, or else as the first line of the span.
        let ending =
            document.line_ending(span.first + if next_old < pair.old { next_old } else { 0 });
        for line in next_new..pair.new {
            out.push_str(new.get(line).unwrap_or(&""));
            out.push_str(if line == last_new { "" } else { ending });
        }
        if let Some(kept) = raw.get(pair.old) {
            out.push_str(kept);
            out.push_str(if pair.old == last_old { "" } else { "\n" });
        }
        (next_old, next_new) = (pair.old + 1, pair.new + 1);
    }
    out
}

/// Returns a line as a strategy compares it.
fn comparable(line: &str, strategy: EditStrategy) -> &str {
    match strategy {
        EditStrategy::Exact => line,
        EditStrategy::TrailingSpace => line.trim_end_matches([' ', '\t']),
    }
}

/// Returns the equal lines of a longest common subsequence, in order.
fn find_common_lines(old: &[&str], new: &[&str]) -> Vec<EqualLines> {
    let head = old.iter().zip(new).take_while(|(old, new)| old == new).count();
    let ends = old.iter().skip(head).rev().zip(new.iter().skip(head).rev());
    let tail = ends.take_while(|(old, new)| old == new).count();
    let (rows, columns) = (head..old.len() - tail, head..new.len() - tail);
    let mut pairs: Vec<EqualLines> = (0..head).map(|at| EqualLines { old: at, new: at }).collect();
    if rows.len().saturating_mul(columns.len()) <= MAX_PAIRS {
        let middle_old = old.get(rows.clone()).unwrap_or_default();
        let middle_new = new.get(columns.clone()).unwrap_or_default();
        for pair in longest_common_subsequence(middle_old, middle_new) {
            pairs.push(EqualLines { old: pair.old + head, new: pair.new + head });
        }
    }
    pairs.extend((0..tail).map(|at| EqualLines { old: rows.end + at, new: columns.end + at }));
    pairs
}

/// The length of a longest common subsequence from each pair of positions on.
struct LengthTable {
    lengths: Vec<u32>,
    width: usize,
}

impl LengthTable {
    /// Returns the length of the longest common subsequence of the rests from here.
    fn length_at(&self, row: usize, column: usize) -> u32 {
        self.lengths.get(row * self.width + column).copied().unwrap_or_default()
    }
}

/// Returns the pairs of equal lines by dynamic programming, O(n·m) in time and memory; both sides
/// are one edit, so they are short.
fn longest_common_subsequence(old: &[&str], new: &[&str]) -> Vec<EqualLines> {
    let width = new.len() + 1;
    let mut table = LengthTable { lengths: vec![0; (old.len() + 1) * width], width };
    for (row, line) in old.iter().enumerate().rev() {
        for (column, other) in new.iter().enumerate().rev() {
            let best = if line == other {
                table.length_at(row + 1, column + 1) + 1
            } else {
                table.length_at(row + 1, column).max(table.length_at(row, column + 1))
            };
            if let Some(cell) = table.lengths.get_mut(row * width + column) {
                *cell = best;
            }
        }
    }
    let (mut row, mut column) = (0, 0);
    let mut pairs = Vec::new();
    while let (Some(line), Some(other)) = (old.get(row), new.get(column)) {
        if line == other {
            pairs.push(EqualLines { old: row, new: column });
            (row, column) = (row + 1, column + 1);
        } else if table.length_at(row + 1, column) >= table.length_at(row, column + 1) {
            row += 1;
        } else {
            column += 1;
        }
    }
    pairs
}
