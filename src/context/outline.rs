//! The outline at the start of a request: the definitions of relevant files that are not shown.

use std::fmt::Write as _;

use super::evidence::Library;
use super::select::Chosen;
use papayu_index::queries::{self, Definition};
use papayu_index::{Complexity, SymbolKind};

/// Maximum characters of the outline.
const MAX_CHARS: usize = 1_000;

/// Maximum definitions listed of one file.
const MAX_ROWS: usize = 12;

/// Maximum characters of the head of a definition.
const MAX_HEAD: usize = 70;

/// Returns the definitions that are not among the chosen lines, best files first, so that they can be asked for.
///
/// Empty if the files are shown whole.
pub(super) fn outline_files(library: &Library<'_>, chosen: &[Chosen]) -> String {
    let mut text = String::new();
    for file in chosen {
        let part = outline_file(library, file);
        if text.chars().count() + part.chars().count() > MAX_CHARS {
            break;
        }
        text.push_str(&part);
    }
    text
}

/// Returns the definitions of a file that are outside of its shown lines, a line each, at most [`MAX_ROWS`];
/// empty if there are none.
fn outline_file(library: &Library<'_>, chosen: &Chosen) -> String {
    let rows = queries::outline_file(library.index, chosen.ranked.file);
    let is_missing = |row: &&Definition<'_>| {
        !chosen.lines.iter().any(|(start, end)| *start <= row.line && row.line <= *end)
    };
    let rows: Vec<&Definition<'_>> =
        rows.iter().filter(|row| is_listed(row)).filter(is_missing).collect();
    if rows.is_empty() {
        return String::new();
    }
    let file = chosen.ranked.file;
    let size = library.facts(file).map_or_else(String::new, |facts| {
        let Complexity { loc, score, .. } = facts.complexity;
        format!(" ({loc} lines of code, complexity {score} of 100)")
    });
    let mut text = format!("{}{size} also has:\n", library.path(file));
    for row in rows.iter().take(MAX_ROWS) {
        let head: String = row.head().chars().take(MAX_HEAD).collect();
        let _ = writeln!(text, "  {}{}: {head}", "  ".repeat(row.depth.min(4)), row.line);
    }
    if rows.len() > MAX_ROWS {
        let _ = writeln!(text, "  and {} more", rows.len() - MAX_ROWS);
    }
    text
}

fn is_listed(row: &Definition<'_>) -> bool {
    row.depth <= 1
        && !matches!(row.kind, SymbolKind::Property | SymbolKind::Test | SymbolKind::Variable)
}
