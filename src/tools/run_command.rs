//! `run_command`: runs an allowed program in the repository.

use schemars::JsonSchema;
use serde::Deserialize;

use super::answer::Answer;
use super::command::{CommandOutput, check_command, run_checked, split_words};
use super::error::ToolError;
use super::tool::{Access, Tool};
use super::workspace::Workspace;

/// The parameters of `run_command`.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Params {
    /// A program and its arguments. No shell reads them.
    #[schemars(length(min = 1))]
    pub command: String,
}

/// The tool.
pub(super) struct RunCommand;

impl Tool for RunCommand {
    type Params = Params;
    type Output<'w> = CommandOutput;
    const NAME: &'static str = "run_command";
    const DESCRIPTION: &'static str =
        "Runs a program of the allow-list (`tools.allow`, `tools.deny`) and returns its output.";
    const ACCESS: Access = Access::Changes;
    const USES_INDEX: bool = false;

    fn run<'w>(
        params: Params,
        workspace: &'w Workspace<'w>,
    ) -> Result<Answer<CommandOutput>, ToolError> {
        let words = split_words(&params.command)?;
        check_command(&words, workspace.commands)?;
        run_checked(workspace, &params.command)
    }
}
