//! Answers requests from the index: definitions, references, structure, complexity, notes,
//! dependencies.

use std::fmt::Write as _;

use super::gathered::{Context, Rank, Reason, TextKind, Want};
use super::sources::Sources;
use crate::domain::RepoPath;
use crate::index::queries::{self, Definition};
use crate::index::{FileId, Graph, ResolvedImports, SymbolKind, references};
use crate::text::encoding;
use crate::vet;

/// Maximum number of rows in an answer.
const MAX_ROWS: usize = 200;

/// Files over this many bytes are not read for references.
const READ_BYTES: u64 = 1024 * 1024;

/// Adds the lines of the definitions of a name in a file; only definitions of these `kinds` count.
pub(super) fn definition_in(
    context: &mut Context,
    path: &str,
    name: &str,
    kinds: &[SymbolKind],
    sources: &Sources<'_>,
) {
    let title = format!("DEFINITION `{name}` in {path}");
    let Some(id) = file(path, sources) else {
        context.add_text(TextKind::Note, title, describe_unknown(path, sources));
        return;
    };
    let found: Vec<Definition<'_>> = queries::outline_file(sources.known.index, id)
        .into_iter()
        .filter(|row| kinds.contains(&row.kind) && is_called(row, name))
        .collect();
    if found.is_empty() {
        let rows = queries::outline_file(sources.known.index, id);
        let nearest = queries::nearest_name(rows.iter().map(|row| row.name), name);
        let hint = nearest.map(|name| format!("; it defines `{name}`")).unwrap_or_default();
        context.add_text(TextKind::Note, title, format!("the file does not define it{hint}"));
    }
    for row in found {
        let Ok(path) = RepoPath::parse(row.path) else { continue };
        let why = Reason::new(Rank::Requested, "the plan asked for a definition in it");
        if let Err(fault) =
            context.add_file(sources.tree, &path, Want::Lines((row.start, row.end)), why)
        {
            context.add_text(TextKind::Note, format!("FILE[{path}] cannot be shown"), fault);
        }
    }
}

/// Returns true if a definition has this name. The name may include its parent: `Class.method`.
fn is_called(row: &Definition<'_>, name: &str) -> bool {
    let mut parts = name.rsplit(['.', ':', '#']).filter(|part| !part.is_empty());
    parts.next() == Some(row.name) && parts.next().is_none_or(|parent| row.parent == Some(parent))
}

/// Returns the definitions of a name, one on each line.
pub(super) fn show_definitions(symbol: &str, sources: &Sources<'_>) -> String {
    let rows = queries::find_definitions(sources.known.index, symbol);
    let rows = rows.iter().filter(|row| is_shown(row.path));
    join_rows(rows.map(|row| format!("{}:{}: {}", row.path, row.line, row.head())))
}

/// Returns the lines that contain a name.
pub(super) fn show_references(symbol: &str, sources: &Sources<'_>) -> String {
    let links = ResolvedImports::of(sources.known.index);
    let found = references::find_references(&links, symbol, &mut |path| text(path, sources));
    let found = found.into_iter().filter(|row| is_shown(&row.path));
    join_rows(found.map(|row| format!("{}:{}: {}", row.path, row.line, row.text)))
}

/// Returns the signatures of the definitions in files below a path.
pub(super) fn show_structure(path: Option<&str>, sources: &Sources<'_>) -> String {
    let below = path.unwrap_or_default().trim_matches('/').trim_start_matches("./");
    let files = sources.known.index.files().iter().zip((0..).map(FileId));
    let files =
        files.filter(|(file, _)| queries::is_below(&file.path, below) && is_shown(&file.path));
    join_rows(files.map(|(file, id)| {
        let mut lines = file.path.clone();
        for row in queries::outline_file(sources.known.index, id) {
            let is_part = matches!(row.kind, SymbolKind::Property | SymbolKind::Test);
            if !is_part && row.depth <= 1 {
                let _ = write!(lines, "\n  {}{}: {}", "  ".repeat(row.depth), row.line, row.head());
            }
        }
        lines
    }))
}

/// Returns the files below a path, the most difficult to read first.
pub(super) fn show_complexity(path: Option<&str>, sources: &Sources<'_>) -> String {
    sources.known.index.parse_all();
    let graph = Graph::of(&ResolvedImports::of(sources.known.index));
    let rows = queries::file_complexity(sources.known.index, &graph, path.unwrap_or_default());
    join_rows(rows.iter().map(|row| {
        let numbers = &row.complexity;
        let (score, loc, nesting) = (numbers.score, numbers.loc, numbers.nesting);
        format!("{}: score {score}, {loc} lines of code, nesting {nesting}", row.path)
    }))
}

/// Returns the notes left in comments below a path.
pub(super) fn show_todos(path: Option<&str>, sources: &Sources<'_>) -> String {
    sources.known.index.parse_all();
    let rows = queries::list_todos(sources.known.index, path.unwrap_or_default());
    let rows = rows.iter().filter(|row| is_shown(row.path));
    join_rows(rows.map(|row| format!("{}:{}: {} {}", row.path, row.line, row.tag, row.text)))
}

/// Returns the imports of a file with their targets.
pub(super) fn show_dependencies(path: &str, sources: &Sources<'_>) -> String {
    let Some(id) = file(path, sources) else { return describe_unknown(path, sources) };
    let links = ResolvedImports::of(sources.known.index);
    join_rows(links.imports_of(id).iter().map(|link| {
        let files = queries::file_paths(sources.known.index, link.target.files());
        let target =
            if files.is_empty() { "outside the repository".to_owned() } else { files.join(", ") };
        format!("line {}: {} -> {target}", link.line, link.module)
    }))
}

/// Returns the files that import a file.
pub(super) fn show_dependents(path: &str, sources: &Sources<'_>) -> String {
    let Some(id) = file(path, sources) else { return describe_unknown(path, sources) };
    sources.known.index.parse_all();
    let graph = Graph::of(&ResolvedImports::of(sources.known.index));
    let files = queries::file_paths(sources.known.index, graph.dependents(id));
    join_rows(files.into_iter().map(str::to_owned))
}

fn file(path: &str, sources: &Sources<'_>) -> Option<FileId> {
    let path = path.trim_start_matches("./");
    sources.known.index.find_path(path).filter(|_| is_shown(path))
}

/// Returns the answer for an unknown file, with the nearest name.
fn describe_unknown(path: &str, sources: &Sources<'_>) -> String {
    let names = sources.known.index.files().iter().map(|file| file.path.as_str());
    let nearest = queries::nearest_name(names.filter(|path| is_shown(path)), path);
    let hint = nearest.map(|path| format!("; there is {path}")).unwrap_or_default();
    format!("there is no such file{hint}")
}

/// Returns false for files with secrets, which are treated as missing.
fn is_shown(path: &str) -> bool {
    RepoPath::parse(path).is_ok_and(|path| !vet::is_hidden(&path))
}

fn text(path: &str, sources: &Sources<'_>) -> Option<String> {
    read_shown(path, sources, READ_BYTES)
}

/// Returns the text of a file that may be shown; a link counts as the file that it leads to.
pub(super) fn read_shown(path: &str, sources: &Sources<'_>, limit: u64) -> Option<String> {
    let path = sources.tree.resolve(&RepoPath::parse(path).ok()?).ok()?;
    if vet::is_hidden(&path) {
        return None;
    }
    let text = encoding::decode(&sources.tree.read(&path, limit).ok()?).ok()?.text;
    (!vet::holds_credentials(&path, &text)).then_some(text)
}

/// Returns rows as text, cut with a note.
fn join_rows(rows: impl Iterator<Item = String>) -> String {
    let mut rows = rows.peekable();
    let mut shown: Vec<String> = rows.by_ref().take(MAX_ROWS).collect();
    if rows.peek().is_some() {
        shown.push(format!("(the first {MAX_ROWS}; narrow the request)"));
    }
    if shown.is_empty() { "none".to_owned() } else { shown.join("\n") }
}
