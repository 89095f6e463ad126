//! The outline at the start of a request: signatures of the relevant files, then of their imports.

use std::fmt::Write as _;

use super::evidence::Library;
use crate::index::queries::{self, Definition};
use crate::index::{FileId, SymbolKind};
use crate::lang::FileRole;

/// Maximum characters of the outline.
const MAX_CHARS: usize = 6_000;

/// Maximum definitions listed of one file.
const MAX_ROWS: usize = 30;

/// Returns the outline of these files, best first, then of the files they import.
///
/// Empty if nothing is defined.
// Hubs and cycles of the whole repository are left out: they need every file parsed, and concern few failures.
pub(super) fn outline_repository(library: &Library<'_>, ranked: &[FileId]) -> String {
    let mut files = ranked.to_vec();
    let beside: Vec<FileId> =
        ranked.iter().flat_map(|id| library.links.dependencies(*id)).collect();
    for id in beside {
        if !files.contains(&id) && library.role(id) == FileRole::Source {
            files.push(id);
        }
    }
    let mut text = String::new();
    for id in files {
        let part = of_file(library, id);
        if text.chars().count() + part.chars().count() > MAX_CHARS {
            break;
        }
        text.push_str(&part);
    }
    text
}

fn of_file(library: &Library<'_>, id: FileId) -> String {
    let rows = queries::outline_file(library.index, id);
    let rows: Vec<&Definition<'_>> = rows.iter().filter(|row| is_shown(row)).collect();
    if rows.is_empty() {
        return String::new();
    }
    let mut text = format!("{}\n", library.path(id));
    let imports = library.links.imports_of(id).iter();
    let taken: Vec<&str> = imports
        .filter(|link| !link.target.files().is_empty())
        .map(|link| &*link.module)
        .take(MAX_ROWS)
        .collect();
    if !taken.is_empty() {
        let _ = writeln!(text, "  takes from {}", taken.join(", "));
    }
    for row in rows.iter().take(MAX_ROWS) {
        let head: String = row.head().chars().take(120).collect();
        let _ = writeln!(text, "  {}{}: {head}", "  ".repeat(row.depth.min(4)), row.line);
    }
    if rows.len() > MAX_ROWS {
        let _ = writeln!(text, "  and {} more", rows.len() - MAX_ROWS);
    }
    text
}

fn is_shown(row: &Definition<'_>) -> bool {
    row.depth <= 1
        && !matches!(row.kind, SymbolKind::Property | SymbolKind::Test | SymbolKind::Variable)
}
