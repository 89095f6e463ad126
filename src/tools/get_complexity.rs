//! `get_complexity`: how difficult files are to read.

use schemars::JsonSchema;
use serde::Serialize;

use super::answer::{TypedAnswer, bounded, join_lines};
use super::get_structure::BelowParams;
use super::tool::{Tool, ToolResult};
use super::workspace::{IndexedCode, ToolSession};
use papayu_index::queries::{self, FileRow};

/// Files by their complexity.
#[derive(Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(super) struct ComplexityList<'w> {
    /// The files, the most difficult first.
    pub files: Vec<FileRow<'w>>,
    /// Number of files that are left out.
    pub left_out: usize,
}

/// The tool `get_complexity`.
pub(super) struct GetComplexity;

impl Tool for GetComplexity {
    type Params = BelowParams;
    type Output<'w> = ComplexityList<'w>;
    const NAME: &'static str = "get_complexity";
    const DESCRIPTION: &'static str =
        "Lists files by complexity (0 to 100), with lines of code, nesting and dependents.";

    fn run<'w>(
        params: BelowParams,
        workspace: &'w ToolSession<'w>,
    ) -> ToolResult<ComplexityList<'w>> {
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
) -> ToolResult<ComplexityList<'w>> {
    let below = code.resolve_below(params.path.as_deref())?;
    let rows = queries::file_complexity(code.index(), code.graph(), &below);
    let (files, left_out) = bounded(rows);
    let line = |row: &FileRow<'_>| {
        let numbers = &row.complexity;
        let (score, loc, nesting) = (numbers.score, numbers.loc, numbers.nesting);
        format!("{}: score {score}, {loc} lines of code, nesting {nesting}", row.path)
    };
    let text = join_lines(files.iter().map(line), left_out);
    let named: Vec<String> = files.iter().map(|row| row.path.to_owned()).collect();
    Ok(TypedAnswer::new(ComplexityList { files, left_out }, text, named))
}
