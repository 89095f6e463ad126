//! Which lines of a replaced text stay: those that the new text has too keep their bytes.

use super::EditStrategy;
use super::document::Document;
use super::find::TextSpan;

/// The most pairs of lines that are compared; of longer texts only the common head and tail stay.
const MAX_PAIRS: usize = 1 << 23;

/// Returns a new text, whose lines end with `\n`, as it will stand in the place of a span.
pub(super) fn replace_changed_lines(page: &Document, span: &TextSpan, new: &str) -> String {
    let raw: Vec<&str> = page.text_between(span.start, span.end).split('\n').collect();
    let mut old = raw.clone();
    if let [lines @ .., _] = old.as_mut_slice() {
        for line in lines {
            *line = line.strip_suffix('\r').unwrap_or(line);
        }
    }
    let old: Vec<&str> = old.into_iter().map(|line| blank_cut(line, span.strategy)).collect();
    let new: Vec<&str> = new.split('\n').collect();
    let seen: Vec<&str> = new.iter().map(|line| blank_cut(line, span.strategy)).collect();
    // The last lines have their endings outside the span, so they are a pair of their own.
    let (Some(last_old), Some(last_new)) = (raw.len().checked_sub(1), new.len().checked_sub(1))
    else {
        return String::new();
    };
    let mut pairs = common_lines(
        old.get(..last_old).unwrap_or_default(),
        seen.get(..last_new).unwrap_or_default(),
    );
    if old.last() == seen.last() {
        pairs.push((last_old, last_new));
    }
    let mut out = String::new();
    let (mut from, mut to) = (0, 0);
    for (old, written) in pairs.into_iter().chain([(raw.len(), new.len())]) {
        // New lines end as the first of those they take the place of, or else as the span's first.
        let ending = page.line_ending(span.first + if from < old { from } else { 0 });
        for line in to..written {
            out.push_str(new.get(line).unwrap_or(&""));
            out.push_str(if line == last_new { "" } else { ending });
        }
        if let Some(kept) = raw.get(old) {
            out.push_str(kept);
            out.push_str(if old == last_old { "" } else { "\n" });
        }
        (from, to) = (old + 1, written + 1);
    }
    out
}

fn blank_cut(line: &str, strategy: EditStrategy) -> &str {
    match strategy {
        EditStrategy::Exact => line,
        EditStrategy::TrailingSpace => line.trim_end_matches([' ', '\t']),
    }
}

/// Returns the pairs of equal lines, in order, of a longest common run of both.
fn common_lines(old: &[&str], new: &[&str]) -> Vec<(usize, usize)> {
    let head = old.iter().zip(new).take_while(|(old, new)| old == new).count();
    let ends = old.iter().skip(head).rev().zip(new.iter().skip(head).rev());
    let tail = ends.take_while(|(old, new)| old == new).count();
    let middle = |lines: usize| head..lines - tail;
    let (rows, columns) = (middle(old.len()), middle(new.len()));
    let mut pairs: Vec<(usize, usize)> = (0..head).map(|at| (at, at)).collect();
    if rows.len().saturating_mul(columns.len()) <= MAX_PAIRS {
        let inner = longest_common(
            old.get(rows.clone()).unwrap_or_default(),
            new.get(columns.clone()).unwrap_or_default(),
        );
        pairs.extend(inner.into_iter().map(|(old, new)| (old + head, new + head)));
    }
    pairs.extend((0..tail).map(|at| (rows.end + at, columns.end + at)));
    pairs
}

/// The same for lines of which neither the first nor the last are equal.
fn longest_common(old: &[&str], new: &[&str]) -> Vec<(usize, usize)> {
    let width = new.len() + 1;
    // The length of a longest common run from each pair of places on.
    let mut runs = vec![0_u32; (old.len() + 1) * width];
    let run = |runs: &[u32], row: usize, column: usize| {
        runs.get(row * width + column).copied().unwrap_or_default()
    };
    for (row, line) in old.iter().enumerate().rev() {
        for (column, other) in new.iter().enumerate().rev() {
            let best = if line == other {
                run(&runs, row + 1, column + 1) + 1
            } else {
                run(&runs, row + 1, column).max(run(&runs, row, column + 1))
            };
            if let Some(cell) = runs.get_mut(row * width + column) {
                *cell = best;
            }
        }
    }
    let (mut row, mut column) = (0, 0);
    let mut pairs = Vec::new();
    while let (Some(line), Some(other)) = (old.get(row), new.get(column)) {
        if line == other {
            pairs.push((row, column));
            (row, column) = (row + 1, column + 1);
        } else if run(&runs, row + 1, column) >= run(&runs, row, column + 1) {
            row += 1;
        } else {
            column += 1;
        }
    }
    pairs
}
