//! Detects files that nest deeper than the grammar can record.

use std::collections::HashSet;

/// Widths of indentation that a file may have: the scanner notes down about 500 levels, Python allows 100.
const MAX_INDENTS: usize = 300;

/// Returns `true` if a file may nest deeper than the scanner can record: levels differ in their
/// indentation.
pub(super) fn is_too_deep(text: &str) -> bool {
    let blank = |c| matches!(c, ' ' | '\t' | '\u{c}');
    let mut widths = HashSet::new();
    text.split(['\n', '\r']).any(|line| {
        let indent = line.len() - line.trim_start_matches(blank).len();
        widths.insert(line.split_at(indent).0) && widths.len() > MAX_INDENTS
    })
}
