//! `edit_lines`: replaces lines of a file.

use schemars::JsonSchema;
use serde::Deserialize;

use super::answer::Answer;
use super::edit::{Edited, write_action};
use super::error::ToolError;
use super::reading::read_file;
use super::tool::{Access, Tool};
use super::workspace::Workspace;
use crate::domain::{Action, Op};

/// The parameters of `edit_lines`.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Params {
    /// Path of the file, relative to the repository.
    pub path: String,
    /// First line to replace, from 1.
    #[schemars(range(min = 1))]
    pub start: u32,
    /// Last line to replace; `start - 1` inserts before `start`.
    pub end: u32,
    /// The lines that take their place; empty removes the lines.
    pub content: String,
}

/// The tool `edit_lines`.
pub(super) struct EditLines;

impl Tool for EditLines {
    type Params = Params;
    type Output<'w> = Edited;
    const NAME: &'static str = "edit_lines";
    const DESCRIPTION: &'static str =
        "Replaces lines of a file. The change passes all gates and can be undone.";
    const ACCESS: Access = Access::Changes;
    const USES_INDEX: bool = false;

    // The digest is of the file as it is now; the gates compare it again, in case it changes in
    // between.
    fn run<'w>(params: Params, workspace: &'w Workspace<'w>) -> Result<Answer<Edited>, ToolError> {
        let file = read_file(workspace.tree, &params.path)?;
        let action = Action {
            path: file.path.to_string(),
            op: Op::ReplaceRange {
                base_sha256: Some(file.sha256.to_string()),
                start_line: params.start.into(),
                end_line: params.end.into(),
                content: Some(params.content),
            },
        };
        write_action(workspace, action, Some((file.path, file.sha256)))
    }
}
