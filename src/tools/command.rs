//! `run_command`: runs a program of the allow-list, without a shell, within limits.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::answer::TypedAnswer;
use super::error::ToolError;
use super::tool::{Access, Tool, ToolResult};
use super::workspace::{CommandRules, ToolSession};
use crate::verify::{self, Ran};
use papayu_system::End;

/// Characters kept of the start of an output.
const HEAD_CHARS: usize = 2_000;
/// Characters kept of the end, where failures and totals are.
const TAIL_CHARS: usize = 14_000;

/// The data of a command.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(super) struct CommandOutput {
    /// The command as it was run.
    pub command: String,
    /// True if it ended with exit code 0.
    pub passed: bool,
    /// The exit code; `null` if it was ended by a signal or a limit.
    pub exit_code: Option<i32>,
    /// The reason why there is no exit code.
    pub end: Option<String>,
    /// Its output; of a long one the start and the end.
    pub output: String,
    /// Wall time in milliseconds.
    pub ms: u64,
}

/// The parameters of `run_command`.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Params {
    /// A program and its arguments. No shell reads them.
    #[schemars(length(min = 1))]
    pub command: String,
}

/// The tool `run_command`.
pub(super) struct RunCommand;

impl Tool for RunCommand {
    type Params = Params;
    type Output<'w> = CommandOutput;
    const NAME: &'static str = "run_command";
    const DESCRIPTION: &'static str =
        "Runs a program of the allow-list (`tools.allow`, `tools.deny`) and returns its output.";
    const ACCESS: Access = Access::Changes;
    const USES_INDEX: bool = false;

    fn run<'w>(params: Params, workspace: &'w ToolSession<'w>) -> ToolResult<CommandOutput> {
        let words = split_words(&params.command)?;
        check_command(&words, workspace.commands)?;
        run_checked(workspace, &params.command, None)
    }
}

/// Checks the words of a command against the rules.
///
/// # Errors
///
/// `Blocked` with the rule, or because no rule allows it.
/// The rules of `tools.deny` come first, then the built-in lists, then `tools.allow`.
pub(super) fn check_command(words: &[String], rules: &CommandRules) -> Result<(), ToolError> {
    let begins = |rule: &String| {
        let rule: Vec<&str> = rule.split_whitespace().collect();
        !rule.is_empty()
            && words.iter().map(String::as_str).take(rule.len()).eq(rule.iter().copied())
    };
    if let Some(rule) = rules.deny.iter().find(|rule| begins(rule)) {
        let (command, rule) = (words.join(" "), rule.clone());
        return Err(ToolError::Denied { command, rule });
    }
    match verify::check_tool(words, &rules.builds) {
        Err(verify::Blocked::NotAllowed { .. }) if rules.allow.iter().any(begins) => Ok(()),
        result => result.map_err(ToolError::Blocked),
    }
}

/// Splits a command into words, as a shell would without expanding anything: `cargo test "a b"`
/// has three.
///
/// # Errors
///
/// `NeedsShell` for pipes, redirections, variables and other syntax of shells; `Parameter` if it is empty.
pub(super) fn split_words(command: &str) -> Result<Vec<String>, ToolError> {
    let empty = || ToolError::Parameter {
        name: "command".to_owned(),
        fault: "empty; expected a program and its arguments".to_owned(),
    };
    let words = verify::split_command(command).ok_or_else(empty)?;
    if words.first().is_some_and(|word| word == "sh") {
        return Err(ToolError::NeedsShell { command: command.to_owned() });
    }
    Ok(words)
}

/// Runs a command that was checked, for at most `seconds`.
///
/// # Errors
///
/// `NotStarted` if the program cannot be started. A failing command is not an error.
pub(super) fn run_checked(
    workspace: &ToolSession<'_>,
    command: &str,
    seconds: Option<u32>,
) -> ToolResult<CommandOutput> {
    let mut bytes = Vec::new();
    let ran = run_with(workspace, command, seconds, &mut |piece| bytes.extend_from_slice(piece))?;
    let (exit_code, end) = describe_end(ran.end);
    let output = shorten(&String::from_utf8_lossy(&bytes));
    let how =
        exit_code.map_or_else(|| end.clone().unwrap_or_default(), |it| format!("exit code {it}"));
    let text = format!("`{command}`: {how}\n{output}");
    let passed = ran.passed();
    let command = command.to_owned();
    let data = CommandOutput { command, passed, exit_code, end, output, ms: ran.ms };
    Ok(TypedAnswer::new(data, text, []))
}

/// Runs a command that was checked, for at most `seconds` and the limit of the settings, and passes its output to `take` as
/// it comes.
///
/// # Errors
///
/// `NotStarted` if the program cannot be started.
pub(super) fn run_with(
    workspace: &ToolSession<'_>,
    command: &str,
    seconds: Option<u32>,
    take: &mut dyn FnMut(&[u8]),
) -> Result<Ran, ToolError> {
    let mut limits = workspace.commands.limits.clone();
    if let Some(seconds) = seconds {
        limits.timeout = limits.timeout.min(Duration::from_secs(seconds.into()));
    }
    // `npx` and `npm exec` run what is installed and download no other program.
    limits.variables.push(("npm_config_yes".to_owned(), "false".to_owned()));
    verify::run_command(workspace.system, workspace.tree.root(), command, &limits, take)
        .map_err(ToolError::NotStarted)
}

/// Returns the exit code, or the reason why there is none.
pub(super) fn describe_end(end: End) -> (Option<i32>, Option<String>) {
    match end {
        End::Code(code) => (Some(code), None),
        End::Signal(signal) => (None, Some(format!("signal {signal}"))),
        End::TimedOut => (None, Some("time limit".to_owned())),
        End::TooMuchOutput => (None, Some("output limit".to_owned())),
        End::Interrupted => (None, Some("interrupted".to_owned())),
    }
}

/// Keeps the start and the end of a long output.
fn shorten(text: &str) -> String {
    let count = text.chars().count();
    if count <= HEAD_CHARS + TAIL_CHARS {
        return text.to_owned();
    }
    let head: String = text.chars().take(HEAD_CHARS).collect();
    let tail: String = text.chars().skip(count - TAIL_CHARS).collect();
    let left_out = count - HEAD_CHARS - TAIL_CHARS;
    format!("{head}\n...[{left_out} characters left out]...\n{tail}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_output_keeps_its_start_and_its_end() {
        let text = format!("first\n{}last\n", "x".repeat(20_000));
        let short = shorten(&text);
        assert!(short.starts_with("first\n") && short.ends_with("last\n"), "{short}");
        assert!(short.chars().count() < 16_100);
        assert_eq!(shorten("short"), "short");
    }
}
