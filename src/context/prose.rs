//! Finds long comments and documentation, which are shown in part.

use std::collections::BTreeSet;

use super::line_ranges::{LineRange, join_ranges};
use papayu_index::language::{Highlight, find_highlights};
use papayu_lang::Language;

/// Comments of up to this many lines are shown whole.
const SHORT: u32 = 6;

/// The number of lines at each end of a long comment that are shown: notes are added there.
const KEPT: u32 = 2;

/// Returns the lines of long comments and documentation strings that need not be shown, in order. None without
/// a grammar.
pub(super) fn find_prose(path: &str, text: &str) -> Vec<LineRange> {
    let mut long: Vec<LineRange> = Vec::new();
    for (start, end) in find_all_prose(path, text) {
        if end - start >= SHORT {
            long.push((start + KEPT, end - KEPT));
        }
    }
    long
}

/// Returns the lines that are only comments and documentation strings, in order. None without a grammar.
pub(super) fn find_all_prose(path: &str, text: &str) -> Vec<LineRange> {
    let Some(language) = Language::of_path(path) else { return Vec::new() };
    let starts: Vec<usize> = std::iter::once(0)
        .chain(memchr::memchr_iter(b'\n', text.as_bytes()).map(|at| at + 1))
        .collect();
    let line_of = |byte: usize| starts.partition_point(|start| *start <= byte).max(1) - 1;
    let mut prose: BTreeSet<usize> = BTreeSet::new();
    for (bytes, class) in find_highlights(language, text) {
        let last_byte = bytes.end.saturating_sub(1).max(bytes.start);
        let (first, last) = (line_of(bytes.start), line_of(last_byte));
        let begin = starts.get(first).copied().unwrap_or_default();
        let leads = text.get(begin..bytes.start).is_some_and(|before| before.trim().is_empty());
        match class {
            Highlight::Comment if leads => prose.extend(first..=last),
            Highlight::String if leads && last > first && is_docstring(language, text, begin) => {
                prose.extend(first..=last);
            }
            _ => {}
        }
    }
    let lines = prose.into_iter().filter_map(|line| u32::try_from(line + 1).ok());
    join_ranges(lines.map(|line| (line, line)).collect(), u32::MAX)
}

/// Returns `true` for a string at that byte that is the first statement of a Python module, class or function.
fn is_docstring(language: Language, text: &str, begin: usize) -> bool {
    let before = text.get(..begin).unwrap_or_default();
    let code = before.lines().rev().map(str::trim).find(|line| !line.is_empty());
    language == Language::Python
        && code.is_none_or(|line| line.ends_with(':') || line.starts_with('#'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_documentation_is_shortened_and_code_and_short_comments_stay() {
        let words = "    more words\n".repeat(8);
        let python = format!(
            "def f():\n    \"\"\"First.\n{words}    \"\"\"\n    return g(\n        \"\"\"\n{words}\"\"\")\n"
        );
        assert_eq!(find_prose("a.py", &python), [(4, 9)]);
        let rust = format!("{}fn f() {{\n    // one\n    g();\n}}\n", "/// Words.\n".repeat(9));
        assert_eq!(find_prose("a.rs", &rust), [(3, 7)]);
        assert_eq!(find_prose("a.unknown", &python), []);
        assert_eq!(find_prose("a.py", "x = 1 # why\n"), []);
    }
}
