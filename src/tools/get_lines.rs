//! `get_lines`: lines of a file.

use std::fmt::Write as _;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::answer::TypedAnswer;
use super::error::ToolError;
use super::reading::{cut_lines, number_lines, read_file};
use super::tool::{Tool, ToolResult};
use super::workspace::ToolSession;

/// Most lines of one answer; more would fill the window of a model.
const MAX_LINES: u32 = 600;

/// The parameters of `get_lines`.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct GetLinesParams {
    /// Path of the file, relative to the repository.
    pub path: String,
    /// First line, from 1; the first line of the file if it is left out.
    #[serde(default)]
    #[schemars(range(min = 1))]
    pub start: Option<u32>,
    /// Last line; the last line of the file if it is left out.
    #[serde(default)]
    #[schemars(range(min = 1))]
    pub end: Option<u32>,
}

/// Lines of a file.
#[derive(Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(super) struct Lines {
    /// Path of the file.
    pub path: String,
    /// SHA-256 of the whole file.
    pub sha256: String,
    /// First line of `content`, from 1.
    pub start: u32,
    /// Last line of `content`.
    pub end: u32,
    /// Number of lines of the file.
    pub total: u32,
    /// Number of requested lines that are left out after `end`.
    pub left_out: u32,
    /// The lines.
    pub content: String,
}

/// The tool `get_lines`.
pub(super) struct GetLines;

impl Tool for GetLines {
    type Params = GetLinesParams;
    type Output<'w> = Lines;
    const NAME: &'static str = "get_lines";
    const DESCRIPTION: &'static str = "Returns lines of a file with their numbers.";
    const USES_INDEX: bool = false;

    fn run<'w>(params: GetLinesParams, workspace: &'w ToolSession<'w>) -> ToolResult<Lines> {
        let file = read_file(workspace.tree, &params.path)?;
        let total = u32::try_from(file.text.lines().count()).unwrap_or(u32::MAX);
        let start = params.start.unwrap_or(1);
        let wanted = params.end.unwrap_or(total).min(total);
        if start > total.max(1) || wanted < start && total > 0 {
            return Err(ToolError::Parameter {
                name: if start > total { "start" } else { "end" }.to_owned(),
                fault: format!("the file has {total} lines; expected `start` to `end` in it"),
            });
        }
        let end = wanted.min(start.saturating_add(MAX_LINES - 1));
        let left_out = wanted - end.min(wanted);
        let mut text = number_lines(&file.text, start, end);
        if left_out > 0 {
            let _ = writeln!(text, "({left_out} more lines up to {wanted}; ask for a range)");
        }
        let path = file.path.to_string();
        let output = Lines {
            path: path.clone(),
            sha256: file.sha256.to_string(),
            start,
            end,
            total,
            left_out,
            content: cut_lines(&file.text, start, end),
        };
        Ok(TypedAnswer::new(output, text, [path]))
    }
}
