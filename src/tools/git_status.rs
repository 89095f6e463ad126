//! `git_status`: the files that differ from the last commit.

use schemars::JsonSchema;
use serde::Serialize;

use super::answer::{TypedAnswer, bounded, join_lines};
use super::get_structure::BelowParams;
use super::reading::{is_shown, parse_below};
use super::tool::{Tool, ToolResult};
use super::workspace::ToolSession;

/// The state of the working tree.
#[derive(Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(super) struct TreeStatus {
    /// The branch that is checked out.
    pub branch: Option<String>,
    /// The files that differ from the last commit.
    pub files: Vec<StatusRow>,
    /// Number of files that are left out.
    pub left_out: usize,
}

/// A file that differs from the last commit.
#[derive(Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(super) struct StatusRow {
    /// Path from the top of the repository.
    pub path: String,
    /// The two letters of `git status --porcelain`: the index, then the working tree.
    pub state: String,
}

/// The tool `git_status`.
pub(super) struct GitStatus;

impl Tool for GitStatus {
    type Params = BelowParams;
    type Output<'w> = TreeStatus;
    const NAME: &'static str = "git_status";
    const DESCRIPTION: &'static str = "Lists the files that differ from the last commit.";
    const USES_INDEX: bool = false;

    fn run<'w>(params: BelowParams, workspace: &'w ToolSession<'w>) -> ToolResult<TreeStatus> {
        let path = parse_below(params.path.as_deref())?;
        let git = workspace.open_git()?;
        let rows = git.list_changes(path.as_ref())?.into_iter().filter(|row| is_shown(&row.path));
        let rows = rows.map(|row| StatusRow { path: row.path, state: row.state }).collect();
        let (files, left_out) = bounded(rows);
        let line = |row: &StatusRow| format!("{} {}", row.state, row.path);
        let branch = git.current_branch();
        let name = branch.as_deref().unwrap_or("(no branch)");
        let text = format!("{name}\n{}", join_lines(files.iter().map(line), left_out));
        let named: Vec<String> = files.iter().map(|row| row.path.clone()).collect();
        Ok(TypedAnswer::new(TreeStatus { branch, files, left_out }, text, named))
    }
}
