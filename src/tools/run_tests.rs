//! `run_tests`: runs the project's tests, or some of them.

use schemars::JsonSchema;
use serde::Deserialize;

use super::command::{CommandOutput, check_command, run_checked};
use super::error::ToolError;
use super::reading::parse_path;
use super::test_runner::{RunnerCommand, limit_command};
use super::tool::{Access, Tool, ToolResult};
use super::workspace::ToolSession;

/// The parameters of `run_tests`.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct RunTestsParams {
    /// A test file or folder; all tests if it is left out.
    #[serde(default)]
    pub path: Option<String>,
    /// A part of the names of the tests to run.
    #[serde(default)]
    #[schemars(length(min = 1))]
    pub filter: Option<String>,
    /// Most seconds; the limit of the settings if it is left out or lower.
    #[serde(default)]
    #[schemars(range(min = 1))]
    pub timeout_sec: Option<u32>,
}

/// The tool.
pub(super) struct RunTests;

impl Tool for RunTests {
    type Params = RunTestsParams;
    type Output<'w> = CommandOutput;
    const NAME: &'static str = "run_tests";
    const DESCRIPTION: &'static str =
        "Runs the command that tests the project, optionally for one path or name.";
    const ACCESS: Access = Access::Changes;
    const USES_INDEX: bool = false;

    fn run<'w>(
        params: RunTestsParams,
        workspace: &'w ToolSession<'w>,
    ) -> ToolResult<CommandOutput> {
        run_checked(workspace, &test_command(&params, workspace)?, params.timeout_sec)
    }
}

/// Returns the command that runs the tests. A runner that is a part of the command, or of a script of `package.json` that it calls, is
/// run alone for a path or a name.
///
/// # Errors
///
/// `NoTests`; `Parameter` if the command cannot be limited to the path or the names.
pub(super) fn test_command(
    params: &RunTestsParams,
    workspace: &ToolSession<'_>,
) -> Result<String, ToolError> {
    let command = workspace.commands.tests.as_deref().ok_or(ToolError::NoTests)?;
    if params.path.is_none() && params.filter.is_none() {
        // The user's own command may need a shell, and needs no rule.
        return Ok(command.to_owned());
    }
    // A name that begins with `-` would be read as an option.
    if params.filter.as_ref().is_some_and(|filter| filter.starts_with('-')) {
        return Err(ToolError::Parameter {
            name: "filter".to_owned(),
            fault: "begins with `-`; expected a part of a test's name".to_owned(),
        });
    }
    let path = params.path.as_deref().map(|path| parse_path("path", path)).transpose()?;
    let path = path.as_ref().map(papayu_base::domain::RepoPath::as_str);
    let RunnerCommand { variables, words, .. } =
        limit_command(workspace.tree, command, path, params.filter.as_deref()).ok_or_else(
            || ToolError::Parameter {
                name: if path.is_some() { "path" } else { "filter" }.to_owned(),
                fault: format!("`{command}` cannot be limited this way; leave it out"),
            },
        )?;
    check_command(&words, workspace.commands)?;
    let all = variables.iter().chain(&words).map(String::as_str);
    shlex::try_join(all).map_err(|error| ToolError::Parameter {
        name: "filter".to_owned(),
        fault: error.to_string(),
    })
}
