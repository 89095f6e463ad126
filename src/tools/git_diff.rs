//! `git_diff`: the changes since the last commit.

use std::fmt::Write as _;

use schemars::JsonSchema;
use serde::Serialize;

use super::answer::Answer;
use super::error::ToolError;
use super::get_structure::BelowParams;
use super::git_output::shorten_diff;
use super::reading::parse_below;
use super::tool::Tool;
use super::workspace::Workspace;

/// The changes since the last commit.
#[derive(Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(super) struct Diff {
    /// A unified diff; empty if nothing changed.
    pub diff: String,
    /// Number of characters that are left out at the end.
    pub left_out: usize,
}

/// The tool `git_diff`.
pub(super) struct GitDiff;

impl Tool for GitDiff {
    type Params = BelowParams;
    type Output<'w> = Diff;
    const NAME: &'static str = "git_diff";
    const DESCRIPTION: &'static str =
        "Returns the changes of tracked files since the last commit as a unified diff.";
    const USES_INDEX: bool = false;

    fn run<'w>(
        params: BelowParams,
        workspace: &'w Workspace<'w>,
    ) -> Result<Answer<Diff>, ToolError> {
        let path = parse_below(params.path.as_deref())?;
        let whole = workspace.open_git()?.diff_worktree(path.as_ref())?;
        let (diff, left_out) = shorten_diff(&whole);
        let mut text = if diff.is_empty() { "nothing changed".to_owned() } else { diff.clone() };
        if left_out > 0 {
            let _ = write!(text, "\n({left_out} more characters; ask for one path)");
        }
        Ok(Answer::new(Diff { diff, left_out }, text, path.map(|path| path.to_string())))
    }
}
