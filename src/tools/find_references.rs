//! `find_references`: where a name is used.

use schemars::JsonSchema;
use serde::Serialize;

use super::answer::{TypedAnswer, bounded, join_lines};
use super::find_definition::SymbolParams;
use super::reading::is_shown;
use super::tool::{Tool, ToolResult};
use super::workspace::{IndexedCode, ToolSession};
use papayu_index::references::{self, Reference, find_last_name};

/// The lines that contain a name.
#[derive(Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(super) struct ReferenceList {
    /// The lines, sorted by path and line.
    pub references: Vec<Reference>,
    /// Number of lines that are left out.
    pub left_out: usize,
}

/// The tool `find_references`.
pub(super) struct FindReferences;

impl Tool for FindReferences {
    type Params = SymbolParams;
    type Output<'w> = ReferenceList;
    const NAME: &'static str = "find_references";
    const DESCRIPTION: &'static str =
        "Returns the lines that define, import or use a name that the repository defines.";

    fn run<'w>(params: SymbolParams, workspace: &'w ToolSession<'w>) -> ToolResult<ReferenceList> {
        answer(&params, &workspace.code)
    }
}

/// Answers the tool's question from the index.
///
/// # Errors
///
/// `NotFound` with the name most like it.
pub(super) fn answer(params: &SymbolParams, code: &IndexedCode<'_>) -> ToolResult<ReferenceList> {
    // A file without the word cannot use the name, and reading words is much cheaper than
    // parsing.
    let word = [find_last_name(&params.symbol).to_owned()];
    let search = code.text_search();
    let mut read = |path: &str| search.read_if_contains(path, &word);
    let links = code.links();
    let mut found = references::find_references(links, &params.symbol, &mut read);
    found.retain(|row| is_shown(&row.path));
    if found.is_empty() {
        return Err(code.unknown_symbol(&params.symbol));
    }
    let (references, left_out) = bounded(found);
    let line = |row: &Reference| {
        let mark = if row.certain { "" } else { " (by name only)" };
        format!("{}:{}: {}{mark}", row.path, row.line, row.text)
    };
    let text = join_lines(references.iter().map(line), left_out);
    let files: Vec<String> = references.iter().map(|row| row.path.clone()).collect();
    Ok(TypedAnswer::new(ReferenceList { references, left_out }, text, files))
}
