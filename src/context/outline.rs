//! The outline at the start of a request: signatures of the relevant files first, then hubs and
//! cycles.

use std::fmt::Write as _;

use super::evidence::Library;
use crate::index::queries::{self, Definition};
use crate::index::{Cycle, FileId, Graph, SymbolKind};
use crate::lang::FileRole;

/// Maximum characters of the outline.
const MAX_CHARS: usize = 6_000;

/// Maximum definitions listed of one file.
const MAX_ROWS: usize = 30;

/// Maximum hubs and cycles listed.
const MAX_LISTED: usize = 5;

/// Returns the outline of these files, best first, then of the files they import, then the hubs and
/// cycles of the repository.
///
/// Empty if nothing is defined.
pub(super) fn outline_repository(
    library: &Library<'_>,
    graph: &Graph,
    cycles: &[Cycle],
    ranked: &[FileId],
) -> String {
    let mut files = ranked.to_vec();
    let beside: Vec<FileId> =
        ranked.iter().flat_map(|id| graph.dependencies(*id)).copied().collect();
    for id in beside {
        if !files.contains(&id) && library.role(id) == FileRole::Source {
            files.push(id);
        }
    }
    let end = describe_relations(library, graph, cycles);
    let mut text = String::new();
    for id in files {
        let part = of_file(library, id);
        if text.chars().count() + part.chars().count() + end.chars().count() > MAX_CHARS {
            break;
        }
        text.push_str(&part);
    }
    text + &end
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

fn describe_relations(library: &Library<'_>, graph: &Graph, cycles: &[Cycle]) -> String {
    let mut text = String::new();
    for id in graph.hubs().into_iter().take(MAX_LISTED) {
        let count = graph.dependents(id).len();
        let _ = writeln!(text, "hub: {} ({count} files take from it)", library.path(id));
    }
    for cycle in cycles.iter().take(MAX_LISTED) {
        let ring: Vec<&str> = cycle.ring.iter().take(8).map(|id| library.path(*id)).collect();
        let _ = writeln!(text, "cycle: {}", ring.join(" -> "));
    }
    text
}
