//! `create_file`: writes a new file.

use schemars::JsonSchema;
use serde::Deserialize;

use super::answer::Answer;
use super::edit::{Edited, write_action};
use super::error::ToolError;
use super::reading::parse_path;
use super::tool::{Access, Tool};
use super::workspace::Workspace;
use crate::domain::{Action, Op};

/// The parameters of `create_file`.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Params {
    /// Path of the new file, relative to the repository.
    pub path: String,
    /// The whole text.
    pub content: String,
}

/// The tool `create_file`.
pub(super) struct CreateFile;

impl Tool for CreateFile {
    type Params = Params;
    type Output<'w> = Edited;
    const NAME: &'static str = "create_file";
    const DESCRIPTION: &'static str =
        "Writes a new file. The change passes all gates and can be undone.";
    const ACCESS: Access = Access::Adds;
    const USES_INDEX: bool = false;

    fn run<'w>(params: Params, workspace: &'w Workspace<'w>) -> Result<Answer<Edited>, ToolError> {
        let path = parse_path("path", &params.path)?.to_string();
        let action = Action { path, op: Op::CreateFile { content: Some(params.content) } };
        write_action(workspace, action, None)
    }
}
