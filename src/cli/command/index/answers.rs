//! Questions about names, texts and single files.

use std::fmt::Write as _;

use serde_json::json;

use super::open::{FreshIndex, IndexAnswer};
use crate::cli::CliError;
use crate::tools::describe_link;
use papayu_base::text::spelling;
use papayu_index::queries::{self, Definition};
use papayu_index::{
    Complexity, Graph, Index, IndexedFile, ResolvedImports, SymbolKind, add_declarations,
    references as used,
};

/// Lists definitions by a part of their names, at most `limit`.
///
/// Fails with [`CliError::NotIndexed`] and the most similar name if there is none.
pub(super) fn find_symbols(
    code: &FreshIndex<'_>,
    query: &str,
    limit: usize,
) -> Result<IndexAnswer, CliError> {
    let mut found = queries::find_symbols(code.index, query, limit);
    if found.is_empty() && !query.is_empty() {
        return Err(unknown_name(code.index, query));
    }
    Ok(list_definitions(code, &mut found))
}

/// Shows where a name is defined.
///
/// Fails with [`CliError::NotIndexed`] and the most similar name if there is none.
pub(super) fn find_definition(code: &FreshIndex<'_>, name: &str) -> Result<IndexAnswer, CliError> {
    let mut found = queries::find_definitions(code.index, name);
    if found.is_empty() {
        return Err(unknown_name(code.index, name));
    }
    Ok(list_definitions(code, &mut found))
}

/// Returns definitions as an answer, each with its declaration.
fn list_definitions(code: &FreshIndex<'_>, found: &mut [Definition<'_>]) -> IndexAnswer {
    add_declarations(found, &mut |path| code.text(path));
    let mut text = String::new();
    for row in &*found {
        let place = format!("{}:{}", row.path, row.line);
        let _ = writeln!(text, "{place}  {}  {}", kind_name(row.kind), row.head());
    }
    IndexAnswer::new(text, json!({ "symbols": found }))
}

/// Lists the uses of a name.
///
/// Uses that may mean another definition are marked with `?`. Fails with [`CliError::NotIndexed`] if there is
/// none.
pub(super) fn find_references(code: &FreshIndex<'_>, name: &str) -> Result<IndexAnswer, CliError> {
    let links = ResolvedImports::of(code.index);
    let found = used::find_references(&links, name, &mut |path| code.text(path));
    if found.is_empty() {
        return Err(unknown_name(code.index, name));
    }
    let mut text = String::new();
    for row in &found {
        let (role, mark) = (json!(row.role), if row.certain { ' ' } else { '?' });
        let role = role.as_str().unwrap_or_default();
        let _ = writeln!(text, "{}:{}  {role:10}{mark} {}", row.path, row.line, row.text);
    }
    Ok(IndexAnswer::new(text, json!({ "name": name, "references": found })))
}

/// Shows what a file defines.
///
/// Fails with [`CliError::NotIndexed`] if the index has no such file.
pub(super) fn outline_file(code: &FreshIndex<'_>, path: &str) -> Result<IndexAnswer, CliError> {
    let (id, path) = code.find_file(path)?;
    let mut rows = queries::outline_file(code.index, id);
    add_declarations(&mut rows, &mut |path| code.text(path));
    let facts = code.index.file(id).and_then(IndexedFile::facts);
    let mut text = format!("{path}\n");
    let link = describe_link(path, &code.place.tree);
    if let Some(link) = &link {
        let _ = writeln!(text, "  ({link})");
    }
    if facts.is_some_and(|facts| facts.parse_error) {
        text.push_str("  (its syntax has errors)\n");
    }
    if let Some(Complexity { loc, nesting, imports, score }) = facts.map(|facts| facts.complexity) {
        let _ = writeln!(
            text,
            "  (complexity {score}: {loc} lines of code, nesting {nesting}, {imports} imports)"
        );
    }
    for row in &rows {
        let lines = format!("{}-{}", row.start, row.end);
        let indent = "  ".repeat(row.depth.min(20));
        let _ = writeln!(text, "{lines:>11}  {indent}{}  {}", kind_name(row.kind), row.head());
    }
    if let Some(line) = facts.and_then(queries::describe_exports) {
        let _ = writeln!(text, "  exports: {line}");
    }
    let exports = facts.map(|facts| facts.exports.as_slice()).unwrap_or_default();
    let exports: Vec<_> = exports
        .iter()
        .map(|export| {
            json!({ "name": export.name, "local": export.local, "from": export.from, "line": export.line })
        })
        .collect();
    let json = json!({
        "path": path,
        "link": link,
        "exports": exports,
        "language": facts.map(|facts| facts.language),
        "complexity": facts.map(|facts| facts.complexity),
        "parse_error": facts.is_some_and(|facts| facts.parse_error),
        "symbols": rows,
    });
    Ok(IndexAnswer::new(text, json))
}

/// Lists at most `limit` files by how hard they are to read, below a folder or in the whole repository.
///
/// Fails with [`CliError::NotIndexed`] if there is no such file or folder.
pub(super) fn list_complexity(
    code: &FreshIndex<'_>,
    path: Option<&str>,
    limit: usize,
) -> Result<IndexAnswer, CliError> {
    let place = code.resolve_below(path)?;
    let graph = Graph::of(&ResolvedImports::of(code.index));
    let mut rows = queries::file_complexity(code.index, &graph, &place);
    rows.truncate(limit);
    let mut text = String::from("score    loc  nesting  imports  dependents  file\n");
    for row in &rows {
        let numbers = &row.complexity;
        let (score, loc, nesting) = (numbers.score, numbers.loc, numbers.nesting);
        let (imports, dependents) = (numbers.imports, row.dependents);
        let mark = if row.parse_error { "  (its syntax has errors)" } else { "" };
        let numbers = format!("{score:5}  {loc:5}  {nesting:7}  {imports:7}  {dependents:10}");
        let _ = writeln!(text, "{numbers}  {}{mark}", row.path);
    }
    Ok(IndexAnswer::new(text, json!({ "files": rows })))
}

/// Lists the notes that comments left, below a folder or in the whole repository.
///
/// Fails with [`CliError::NotIndexed`] if there is no such file or folder.
pub(super) fn list_todos(
    code: &FreshIndex<'_>,
    path: Option<&str>,
) -> Result<IndexAnswer, CliError> {
    let place = code.resolve_below(path)?;
    let rows = queries::list_todos(code.index, &place);
    let lines =
        rows.iter().map(|row| format!("{}:{}  {} {}\n", row.path, row.line, row.tag, row.text));
    Ok(IndexAnswer::new(lines.collect(), json!({ "todos": rows })))
}

/// Returns the error of a name that is not defined, with the one that is most like it.
pub(super) fn unknown_name(index: &Index, name: &str) -> CliError {
    let files = index.files().iter().filter_map(IndexedFile::facts);
    let names = files.flat_map(|facts| &facts.symbols).map(|symbol| &*symbol.name);
    let nearest = spelling::find_most_similar(names, name).map(str::to_owned);
    CliError::NotIndexed { kind: "definition", name: name.to_owned(), nearest }
}

/// Returns the kind of a symbol as JSON has it.
fn kind_name(kind: SymbolKind) -> String {
    json!(kind).as_str().unwrap_or_default().to_owned()
}
