//! `run_tests`: runs the project's tests, or some of them.

use schemars::JsonSchema;
use serde::Deserialize;

use super::command::{CommandOutput, check_command, run_checked, split_words};
use super::error::ToolError;
use super::reading::parse_path;
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
        run_checked(workspace, &test_command(&params, workspace)?)
    }
}

/// Returns the command that runs the tests.
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
    let mut words = split_words(command)?;
    let path = params.path.as_deref().map(|path| parse_path("path", path)).transpose()?;
    let path = path.as_ref().map(papayu_base::domain::RepoPath::as_str);
    words.extend(selection(&words, path, params.filter.as_deref())?);
    check_command(&words, workspace.commands)?;
    shlex::try_join(words.iter().map(String::as_str)).map_err(|error| ToolError::Parameter {
        name: "filter".to_owned(),
        fault: error.to_string(),
    })
}

/// Returns the arguments that limit a test command to a path and to names.
fn selection(
    words: &[String],
    path: Option<&str>,
    filter: Option<&str>,
) -> Result<Vec<String>, ToolError> {
    let has = |word: &str| words.iter().any(|it| it == word);
    let text = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
    let unknown = |name: &str| ToolError::Parameter {
        name: name.to_owned(),
        fault: format!("`{}` cannot be limited this way; leave it out", words.join(" ")),
    };
    // A name that begins with `-` would be read as an option.
    if filter.is_some_and(|filter| filter.starts_with('-')) {
        return Err(ToolError::Parameter {
            name: "filter".to_owned(),
            fault: "begins with `-`; expected a part of a test's name".to_owned(),
        });
    }
    let program = words.first().map_or("", String::as_str);
    Ok(match (program, path, filter) {
        _ if has("pytest") => {
            let mut more: Vec<String> = path.into_iter().map(str::to_owned).collect();
            more.extend(filter.into_iter().flat_map(|filter| ["-k".to_owned(), filter.to_owned()]));
            more
        }
        ("cargo", None, Some(filter)) => text(&[filter]),
        ("go", None, Some(filter)) => text(&["-run", filter]),
        ("go", Some(path), filter) => {
            let folder = path.rsplit_once('/').map_or(".", |(folder, file)| {
                if file.ends_with("_test.go") { folder } else { path }
            });
            let mut more = vec![format!("./{folder}")];
            more.extend(
                filter.into_iter().flat_map(|filter| ["-run".to_owned(), filter.to_owned()]),
            );
            more
        }
        ("python" | "python3", Some(path), None) if has("unittest") => text(&[path]),
        ("python" | "python3", None, Some(filter)) if has("unittest") => text(&["-k", filter]),
        ("npm" | "pnpm" | "yarn", path, filter) => {
            let mut more = vec!["--".to_owned()];
            more.extend(path.map(str::to_owned));
            more.extend(filter.into_iter().flat_map(|filter| ["-t".to_owned(), filter.to_owned()]));
            more
        }
        (_, Some(_), _) => return Err(unknown("path")),
        (_, None, _) => return Err(unknown("filter")),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn select(command: &str, path: Option<&str>, filter: Option<&str>) -> Result<String, String> {
        let words: Vec<String> = command.split(' ').map(str::to_owned).collect();
        selection(&words, path, filter)
            .map(|more| more.join(" "))
            .map_err(|error| error.to_string())
    }

    #[test]
    fn each_runner_is_limited_by_its_own_arguments() {
        for (command, path, filter, expected) in [
            ("python3 -m pytest -q", Some("tests/a.py"), Some("sum"), "tests/a.py -k sum"),
            ("cargo test", None, Some("sum"), "sum"),
            ("go test ./...", None, Some("Sum"), "-run Sum"),
            ("npm test", Some("a.test.js"), Some("sum"), "-- a.test.js -t sum"),
            ("python3 -m unittest", None, Some("sum"), "-k sum"),
        ] {
            assert_eq!(select(command, path, filter).as_deref(), Ok(expected), "{command}");
        }
    }

    #[test]
    fn an_unknown_runner_and_an_option_as_filter_are_refused_by_name() {
        let error = select("make check", Some("a"), None).unwrap_err();
        assert!(error.starts_with("parameter `path`: `make check`"), "{error}");
        let error = select("cargo test", None, Some("--nocapture")).unwrap_err();
        assert!(error.starts_with("parameter `filter`: begins with `-`"), "{error}");
    }
}
