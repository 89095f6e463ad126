//! `read`: lines of a file, or one definition of it.

use schemars::JsonSchema;
use serde::Deserialize;

use super::get_function::{self, CLASSES, FUNCTIONS, find_in_file};
use super::get_lines::{self, GetLines, Lines};
use super::tool::{Tool, ToolResult};
use super::workspace::ToolSession;

/// The parameters of `read`.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct ReadParams {
    /// Path of the file, relative to the repository.
    pub path: String,
    /// A function, method, class or type of the file; its lines are returned.
    #[serde(default)]
    pub name: Option<String>,
    /// First line, from 1.
    #[serde(default)]
    #[schemars(range(min = 1))]
    pub start: Option<u32>,
    /// Last line.
    #[serde(default)]
    #[schemars(range(min = 1))]
    pub end: Option<u32>,
}

/// The tool `read`.
pub(super) struct ReadTool;

impl Tool for ReadTool {
    type Params = ReadParams;
    type Output<'w> = Lines;
    const NAME: &'static str = "read";
    const DESCRIPTION: &'static str =
        "Returns lines of a file, or the lines of one function or class of it.";

    fn run<'w>(params: ReadParams, workspace: &'w ToolSession<'w>) -> ToolResult<Lines> {
        let (mut start, mut end) = (params.start, params.end);
        if let Some(name) = params.name {
            let path = params.path.clone();
            let kinds = [FUNCTIONS, CLASSES].concat();
            let wanted = get_function::GetFunctionParams { path, name };
            let found = find_in_file(&wanted, &kinds, &workspace.code)?;
            let first = found.first();
            (start, end) = (first.map(|row| row.start), first.map(|row| row.end));
        }
        GetLines::run(get_lines::GetLinesParams { path: params.path, start, end }, workspace)
    }
}
