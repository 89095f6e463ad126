//! `get_structure`: the files below a path with the signatures of their definitions.

use std::fmt::Write as _;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::answer::{MAX_ROWS, TypedAnswer, join_lines};
use super::reading::{is_shown, read_text};
use super::tool::{Tool, ToolResult};
use super::workspace::{IndexedCode, ToolSession};
use papayu_base::domain::RepoPath;
use papayu_index::mark::FileKind;
use papayu_index::queries::{self, Definition};
use papayu_index::{Complexity, FileId, IndexedFile, SymbolKind, add_declarations};
use papayu_system::{Entry, Tree};

/// The parameters of tools that look at a part of the repository.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct BelowParams {
    /// A file or folder; the whole repository if it is left out.
    #[serde(default)]
    pub path: Option<String>,
}

/// The files below a path.
#[derive(Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(super) struct Structure<'w> {
    /// The files, sorted by path.
    pub files: Vec<FileOutline<'w>>,
    /// Number of files that are left out.
    pub left_out: usize,
}

/// A file with its definitions.
#[derive(Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(super) struct FileOutline<'w> {
    /// Path of the file.
    pub path: &'w str,
    /// The kind of the file; `null` if it is not known.
    pub kind: Option<FileKind>,
    /// Its size in bytes.
    pub bytes: Option<u64>,
    /// Measures of how difficult the file is to read; `null` for a file without a grammar.
    pub complexity: Option<Complexity>,
    /// The definitions at the top of the file and one level below, in order; those of a single file have their
    /// `declaration`.
    pub symbols: Vec<Definition<'w>>,
}

/// The tool `get_structure`.
pub(super) struct GetStructure;

impl Tool for GetStructure {
    type Params = BelowParams;
    type Output<'w> = Structure<'w>;
    const NAME: &'static str = "get_structure";
    const DESCRIPTION: &'static str =
        "Lists the files below a path with the signatures of what they define.";

    fn run<'w>(params: BelowParams, workspace: &'w ToolSession<'w>) -> ToolResult<Structure<'w>> {
        answer(&params, &workspace.code)
    }
}

/// Answers the tool's question from the index.
///
/// # Errors
///
/// `NotFound` with the name most like it.
pub(super) fn answer<'w>(
    params: &BelowParams,
    code: &'w IndexedCode<'w>,
) -> ToolResult<Structure<'w>> {
    let below = code.resolve_below(params.path.as_deref())?;
    let index = code.index();
    let files = index.files().iter().zip((0..).map(FileId));
    let all: Vec<(&str, FileId)> = files
        .filter(|(file, _)| queries::is_below(&file.path, &below) && is_shown(&file.path))
        .map(|(file, id)| (file.path.as_str(), id))
        .collect();
    let left_out = all.len().saturating_sub(MAX_ROWS);
    // The parts of all heads of a folder would be longer than its outline.
    let is_file = all.len() == 1;
    let outline = |(path, id): &(&'w str, FileId)| FileOutline {
        path,
        kind: code.mark(*id).map(|mark| mark.kind),
        bytes: code.mark(*id).map(|mark| mark.stamp.len),
        complexity: index.file(*id).and_then(IndexedFile::facts).map(|facts| facts.complexity),
        symbols: list_symbols(code, *id, is_file),
    };
    let files: Vec<FileOutline<'w>> = all.iter().take(MAX_ROWS).map(outline).collect();
    let text = join_lines(files.iter().map(|file| outline_text(file, code)), left_out);
    let named: Vec<String> = files.iter().map(|file| file.path.to_owned()).collect();
    Ok(TypedAnswer::new(Structure { files, left_out }, text, named))
}

/// Returns the listed definitions of a file, for a single file with the parts of their heads.
fn list_symbols<'w>(code: &IndexedCode<'w>, id: FileId, is_file: bool) -> Vec<Definition<'w>> {
    let mut symbols = queries::outline_file(code.index(), id);
    symbols.retain(is_listed);
    if is_file {
        add_declarations(&mut symbols, &mut |path| read_text(code.tree(), path));
    }
    symbols
}

/// Returns `true` if an outline lists a definition. Properties and tests would outnumber
/// everything else.
fn is_listed(row: &Definition<'_>) -> bool {
    !matches!(row.kind, SymbolKind::Property | SymbolKind::Test) && row.depth <= 1
}

/// Returns where a link leads: the path in the repository, or the target as the link has it.
/// `None` for what is no link.
pub(crate) fn describe_link(path: &str, tree: &dyn Tree) -> Option<String> {
    let path = RepoPath::parse(path).ok()?;
    let Ok(Entry::Link { target }) = tree.entry(&path) else { return None };
    Some(match tree.resolve(&path) {
        Ok(target) => format!("link to {target}"),
        Err(_) => format!("link to {}, outside the repository", target.display()),
    })
}

/// Returns the lines of a file: its path and measures, then a line for each definition, and one for the exports.
fn outline_text(file: &FileOutline<'_>, code: &IndexedCode<'_>) -> String {
    let mut lines = file.path.to_owned();
    match (file.kind, file.bytes) {
        (None | Some(FileKind::Text), _) => {}
        (Some(FileKind::Link), _) => {
            let link = describe_link(file.path, code.tree());
            let _ = write!(lines, " ({})", link.as_deref().unwrap_or("link that cannot be read"));
        }
        (Some(kind), bytes) => {
            let _ = write!(lines, " ({}, {} bytes)", kind.as_str(), bytes.unwrap_or_default());
        }
    }
    if let Some(complexity) = file.complexity {
        let _ = write!(lines, " (complexity {})", complexity.score);
    }
    for row in &file.symbols {
        let _ = write!(lines, "\n  {}{}: {}", "  ".repeat(row.depth), row.line, row.head());
    }
    let facts = code.index().find_path(file.path).and_then(|id| code.index().file(id)?.facts());
    if let Some(exports) = facts.and_then(queries::describe_exports) {
        let _ = write!(lines, "\n  exports: {exports}");
    }
    lines
}
