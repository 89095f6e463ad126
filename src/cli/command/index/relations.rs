//! Questions about how files depend on each other.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::open::{FreshIndex, IndexAnswer};
use crate::cli::CliError;
use papayu_index::queries::{self, ImportRow, ModuleOrigin, file_paths};
use papayu_index::{FileId, Graph, HUB_DEPENDENTS, ResolvedImports};

/// Lists a file's imports with where they lead.
///
/// Fails with [`CliError::NotIndexed`] if the index has no such file.
pub(super) fn list_dependencies(
    code: &FreshIndex<'_>,
    path: &str,
) -> Result<IndexAnswer, CliError> {
    let (id, path) = code.find_file(path)?;
    let links = ResolvedImports::of(code.index);
    let graph = Graph::of(&links);
    let rows = queries::list_imports(&links, id);
    let mut text = String::new();
    for row in &rows {
        let _ = writeln!(text, "{path}:{}  {}  {}", row.line, row.module, describe_target(row));
    }
    let all = graph.all_dependencies(id).len();
    let _ = writeln!(text, "{} files directly, {all} in all", graph.dependencies(id).len());
    let json = json!({
        "path": path,
        "imports": rows,
        "dependencies": file_paths(code.index, graph.dependencies(id)),
        "transitive_dependencies": all,
    });
    Ok(IndexAnswer::new(text, json))
}

/// Returns what an import leads to: paths of the repository, or the package.
fn describe_target(row: &ImportRow<'_>) -> String {
    match row.origin {
        ModuleOrigin::Internal => row.paths.join(" "),
        ModuleOrigin::External => format!("(external {})", row.package.unwrap_or_default()),
        ModuleOrigin::Builtin => format!("(builtin {})", row.package.unwrap_or_default()),
        ModuleOrigin::Unresolved => "(unresolved)".to_owned(),
    }
}

/// Lists what depends on a file.
///
/// Fails with [`CliError::NotIndexed`] if the index has no such file.
pub(super) fn list_dependents(code: &FreshIndex<'_>, path: &str) -> Result<IndexAnswer, CliError> {
    let (id, path) = code.find_file(path)?;
    let graph = Graph::of(&ResolvedImports::of(code.index));
    let impact = graph.impact(code.index, id);
    let direct = file_paths(code.index, &impact.direct);
    let mut text = direct.iter().fold(String::new(), |text, path| text + path + "\n");
    let (near, all, tests) = (direct.len(), impact.all.len(), impact.tests.len());
    let _ = writeln!(text, "{near} files directly, {all} in all, {tests} of them tests");
    let json = json!({
        "path": path,
        "dependents": direct,
        "transitive_dependents": all,
        "tests": file_paths(code.index, &impact.tests),
        "is_hub": near > HUB_DEPENDENTS,
    });
    Ok(IndexAnswer::new(text, json))
}

/// Lists files that need each other to run.
pub(super) fn list_cycles(code: &FreshIndex<'_>) -> IndexAnswer {
    let cycles = Graph::of(&ResolvedImports::of(code.index)).cycles();
    let mut text = String::new();
    let mut rows: Vec<Value> = Vec::new();
    for cycle in &cycles {
        let (files, ring) =
            (file_paths(code.index, &cycle.files), file_paths(code.index, &cycle.ring));
        let first = ring.first().copied().unwrap_or_default();
        let _ = writeln!(text, "{} files: {} -> {first}", files.len(), ring.join(" -> "));
        rows.push(json!({ "files": files, "ring": ring }));
    }
    if cycles.is_empty() {
        text.push_str("no cycles\n");
    }
    IndexAnswer::new(text, json!({ "cycles": rows }))
}

/// Most entry points of a kind in the text; the JSON has all.
const MAX_ENTRIES: usize = 20;

/// Lists the files that most depend on, and where programs begin.
pub(super) fn list_hubs(code: &FreshIndex<'_>) -> IndexAnswer {
    let links = ResolvedImports::of(code.index);
    let graph = Graph::of(&links);
    let mut text = String::new();
    let mut rows: Vec<Value> = Vec::new();
    for id in graph.hubs() {
        let (near, all) = (graph.dependents(id).len(), graph.all_dependents(id).len());
        let path = file_paths(code.index, &[id]).concat();
        let _ = writeln!(text, "{near:5} direct  {all:5} in all  {path}");
        rows.push(json!({ "path": path, "dependents": near, "transitive_dependents": all }));
    }
    if rows.is_empty() {
        let _ = writeln!(text, "no file has more than {HUB_DEPENDENTS} dependents");
    }
    let entries = graph.entry_points(&links);
    let list = |files: &[FileId]| file_paths(code.index, files).join(" ");
    for (reason, files) in entries.by_reason() {
        let shown = files.get(..MAX_ENTRIES).unwrap_or(files);
        let more = files.len() - shown.len();
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        if !files.is_empty() {
            let _ = writeln!(text, "entry points {reason}: {}{more}", list(shown));
        }
    }
    let json = json!({
        "hubs": rows,
        "entry_points": {
            "named": file_paths(code.index, &entries.named),
            "mains": file_paths(code.index, &entries.mains),
            "unused": file_paths(code.index, &entries.unused),
            "tests": file_paths(code.index, &entries.tests),
        },
    });
    IndexAnswer::new(text, json)
}
