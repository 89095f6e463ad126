//! Answers requests from the index: definitions, structure, complexity, notes, who takes from whom.

use std::fmt::Write as _;

use super::answer::Sources;
use super::gathered::{Context, Rank, TextKind};
use crate::domain::RepoPath;
use crate::index::queries::{self, Definition};
use crate::index::{FileId, Graph, Links, SymbolKind, references};
use crate::text::encoding;
use crate::vet;

/// Rows shown of one answer.
const MAX_ROWS: usize = 200;

/// Files over this many bytes are not read for references.
const READ_BYTES: u64 = 1024 * 1024;

/// Adds the lines of the definitions of a name in a file; `kinds` says of which sorts.
pub(super) fn definition_in(
    context: &mut Context,
    (path, name): (&str, &str),
    kinds: &[SymbolKind],
    sources: &Sources<'_>,
) {
    let title = format!("DEFINITION `{name}` in {path}");
    let Some(id) = file(path, sources) else {
        context.add_text(TextKind::Note, title, unknown(path, sources));
        return;
    };
    let found: Vec<Definition<'_>> = queries::outline(sources.known.index, id)
        .into_iter()
        .filter(|row| kinds.contains(&row.kind) && is_called(row, name))
        .collect();
    if found.is_empty() {
        let rows = queries::outline(sources.known.index, id);
        let nearest = queries::nearest(rows.iter().map(|row| row.name), name);
        let hint = nearest.map(|name| format!("; it defines `{name}`")).unwrap_or_default();
        context.add_text(TextKind::Note, title, format!("the file does not define it{hint}"));
    }
    for row in found {
        let Ok(path) = RepoPath::parse(row.path) else { continue };
        let why = (Rank::Requested, "the plan asked for a definition in it");
        if let Err(fault) = context.add_file(sources.tree, &path, Some((row.start, row.end)), why) {
            context.add_text(TextKind::Note, format!("FILE[{path}] cannot be shown"), fault);
        }
    }
}

/// A name may be asked for with what it stands in: `Class.method`.
fn is_called(row: &Definition<'_>, name: &str) -> bool {
    let mut parts = name.rsplit(['.', ':', '#']).filter(|part| !part.is_empty());
    parts.next() == Some(row.name) && parts.next().is_none_or(|parent| row.parent == Some(parent))
}

/// Returns where a name is defined, a line each.
pub(super) fn definitions(symbol: &str, sources: &Sources<'_>) -> String {
    let rows = queries::definition(sources.known.index, symbol);
    let rows = rows.iter().filter(|row| is_shown(row.path));
    listed(rows.map(|row| format!("{}:{}: {}", row.path, row.line, row.head())))
}

/// Returns the lines that bear a name, a line each.
pub(super) fn references_of(symbol: &str, sources: &Sources<'_>) -> String {
    let links = Links::of(sources.known.index);
    let found = references::references(&links, symbol, &mut |path| text(path, sources));
    let found = found.into_iter().filter(|row| is_shown(&row.path));
    listed(found.map(|row| format!("{}:{}: {}", row.path, row.line, row.text)))
}

/// Returns what the files below a path define, heads without bodies.
pub(super) fn structure(path: Option<&str>, sources: &Sources<'_>) -> String {
    let below = path.unwrap_or_default().trim_matches('/').trim_start_matches("./");
    let files = sources.known.index.files().iter().zip((0..).map(FileId));
    let files =
        files.filter(|(file, _)| queries::is_below(&file.path, below) && is_shown(&file.path));
    listed(files.map(|(file, id)| {
        let mut lines = file.path.clone();
        for row in queries::outline(sources.known.index, id) {
            let is_part = matches!(row.kind, SymbolKind::Property | SymbolKind::Test);
            if !is_part && row.depth <= 1 {
                let _ = write!(lines, "\n  {}{}: {}", "  ".repeat(row.depth), row.line, row.head());
            }
        }
        lines
    }))
}

/// Returns the files below a path by how hard they are to read, the hardest first.
pub(super) fn complexity(path: Option<&str>, sources: &Sources<'_>) -> String {
    let graph = Graph::of(&Links::of(sources.known.index));
    let rows = queries::complexity(sources.known.index, &graph, path.unwrap_or_default());
    listed(rows.iter().map(|row| {
        let numbers = &row.complexity;
        let (score, loc, nesting) = (numbers.score, numbers.loc, numbers.nesting);
        format!("{}: score {score}, {loc} lines of code, nesting {nesting}", row.path)
    }))
}

/// Returns the notes left in comments below a path.
pub(super) fn todos(path: Option<&str>, sources: &Sources<'_>) -> String {
    let rows = queries::todos(sources.known.index, path.unwrap_or_default());
    let rows = rows.iter().filter(|row| is_shown(row.path));
    listed(rows.map(|row| format!("{}:{}: {} {}", row.path, row.line, row.tag, row.text)))
}

/// Returns what a file takes from others, as its source spells it and where it leads.
pub(super) fn dependencies(path: &str, sources: &Sources<'_>) -> String {
    let Some(id) = file(path, sources) else { return unknown(path, sources) };
    let links = Links::of(sources.known.index);
    listed(links.imports_of(id).iter().map(|link| {
        let files = queries::paths(sources.known.index, link.target.files());
        let target =
            if files.is_empty() { "outside the repository".to_owned() } else { files.join(", ") };
        format!("line {}: {} -> {target}", link.line, link.module)
    }))
}

/// Returns the files that take something from a file.
pub(super) fn dependents(path: &str, sources: &Sources<'_>) -> String {
    let Some(id) = file(path, sources) else { return unknown(path, sources) };
    let graph = Graph::of(&Links::of(sources.known.index));
    let files = queries::paths(sources.known.index, graph.dependents(id));
    listed(files.into_iter().map(str::to_owned))
}

fn file(path: &str, sources: &Sources<'_>) -> Option<FileId> {
    let path = path.trim_start_matches("./");
    sources.known.index.find(path).filter(|_| is_shown(path))
}

fn unknown(path: &str, sources: &Sources<'_>) -> String {
    let names = sources.known.index.files().iter().map(|file| file.path.as_str());
    let nearest = queries::nearest(names.filter(|path| is_shown(path)), path);
    let hint = nearest.map(|path| format!("; there is {path}")).unwrap_or_default();
    format!("there is no such file{hint}")
}

/// Files with secrets are as if they were not there.
fn is_shown(path: &str) -> bool {
    RepoPath::parse(path).is_ok_and(|path| !vet::is_protected(&path))
}

fn text(path: &str, sources: &Sources<'_>) -> Option<String> {
    let path = RepoPath::parse(path).ok().filter(|path| !vet::is_protected(path))?;
    let bytes = sources.tree.read(&path, READ_BYTES).ok()?;
    Some(encoding::decode(&bytes).ok()?.text)
}

fn listed(rows: impl Iterator<Item = String>) -> String {
    let mut rows = rows.peekable();
    let mut shown: Vec<String> = rows.by_ref().take(MAX_ROWS).collect();
    if rows.peek().is_some() {
        shown.push(format!("(the first {MAX_ROWS}; narrow the request)"));
    }
    if shown.is_empty() { "none".to_owned() } else { shown.join("\n") }
}
