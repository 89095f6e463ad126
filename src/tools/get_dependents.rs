//! `get_dependents`: the files that depend on a file.

use schemars::JsonSchema;
use serde::Serialize;

use super::answer::{TypedAnswer, bounded, join_lines};
use super::get_dependencies::FileParams;
use super::tool::{Tool, ToolResult};
use super::workspace::{IndexedCode, ToolSession};
use papayu_index::queries::file_paths;

/// The files that depend on a file.
#[derive(Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(super) struct Dependents<'w> {
    /// Path of the file.
    pub path: &'w str,
    /// The files that import it, sorted.
    pub direct: Vec<&'w str>,
    /// Number of files that are left out of `direct`.
    pub left_out: usize,
    /// Number of files that depend on it, directly and through others.
    pub transitive: usize,
    /// The tests among all of them, at most 200.
    pub tests: Vec<&'w str>,
}

/// The tool `get_dependents`.
pub(super) struct GetDependents;

impl Tool for GetDependents {
    type Params = FileParams;
    type Output<'w> = Dependents<'w>;
    const NAME: &'static str = "get_dependents";
    const DESCRIPTION: &'static str =
        "Returns the files that depend on a file, and the tests that a change of it reaches.";

    fn run<'w>(params: FileParams, workspace: &'w ToolSession<'w>) -> ToolResult<Dependents<'w>> {
        answer(&params, &workspace.code)
    }
}

/// Answers the tool's question from the index.
///
/// # Errors
///
/// `NotFound` with the name most like it.
pub(super) fn answer<'w>(
    params: &FileParams,
    code: &'w IndexedCode<'w>,
) -> ToolResult<Dependents<'w>> {
    let id = code.find_file(&params.path)?;
    let index = code.index();
    let path = index.file(id).map_or("", |file| file.path.as_str());
    let impact = code.graph().impact(index, id);
    let (direct, left_out) = bounded(file_paths(index, &impact.direct));
    let (tests, _) = bounded(file_paths(index, &impact.tests));
    let (near, all, count) = (impact.direct.len(), impact.all.len(), impact.tests.len());
    let list = join_lines(direct.iter().map(|path| (*path).to_owned()), left_out);
    let text = format!("{list}\n{near} files directly, {all} in all, {count} of them tests");
    let files: Vec<String> = direct.iter().map(|path| (*path).to_owned()).collect();
    let data = Dependents { path, direct, left_out, transitive: all, tests };
    Ok(TypedAnswer::new(data, text, files))
}
