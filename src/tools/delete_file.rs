//! `delete_file`: removes a file.

use schemars::JsonSchema;
use serde::Deserialize;

use super::answer::Answer;
use super::edit::{Edited, write_action};
use super::error::ToolError;
use super::reading::read_file;
use super::tool::{Access, Tool};
use super::workspace::Workspace;
use crate::domain::{Action, Op};

/// The parameters of `delete_file`.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Params {
    /// Path of the file, relative to the repository.
    pub path: String,
}

/// The tool `delete_file`.
pub(super) struct DeleteFile;

impl Tool for DeleteFile {
    type Params = Params;
    type Output<'w> = Edited;
    const NAME: &'static str = "delete_file";
    const DESCRIPTION: &'static str =
        "Removes a file, where `policy.allow_delete` is set. The change can be undone.";
    const ACCESS: Access = Access::Changes;
    const USES_INDEX: bool = false;

    fn run<'w>(params: Params, workspace: &'w Workspace<'w>) -> Result<Answer<Edited>, ToolError> {
        let file = read_file(workspace.tree, &params.path)?;
        let action = Action { path: file.path.to_string(), op: Op::DeleteFile };
        write_action(workspace, action, Some((file.path, file.sha256)))
    }
}
