//! `verify`: runs the project's tests and returns the failures.

use schemars::JsonSchema;
use serde::Serialize;

use super::answer::{TypedAnswer, join_lines};
use super::command::{describe_end, run_with};
use super::run_tests::{RunTestsParams, test_command};
use super::tool::{Access, Tool, ToolResult};
use super::workspace::ToolSession;
use papayu_base::domain::Failure;
use papayu_logs::failure::{LogReader, ReportLimits};

/// Longest excerpt of a failing output, in characters.
const MAX_EXCERPT: usize = 10_000;
/// Most failures of an answer.
const MAX_FAILURES: usize = 30;

/// The result of the tests.
#[derive(Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(super) struct Verified {
    /// The command as it was run.
    pub command: String,
    /// True if it ended with exit code 0.
    pub passed: bool,
    /// The exit code; `null` if it was ended by a signal or a limit.
    pub exit_code: Option<i32>,
    /// The failures that its output names, each with its place where there is one.
    pub failures: Vec<String>,
    /// Number of failures that are left out.
    pub left_out: usize,
    /// The part of the output about the failures; empty if the command passed.
    pub excerpt: String,
    /// Wall time in milliseconds.
    pub ms: u64,
}

/// The tool.
pub(super) struct Verify;

impl Tool for Verify {
    type Params = RunTestsParams;
    type Output<'w> = Verified;
    const NAME: &'static str = "verify";
    const DESCRIPTION: &'static str =
        "Runs the tests of the project, or some of them, and returns the failures of the output.";
    const ACCESS: Access = Access::Changes;
    const USES_INDEX: bool = false;

    fn run<'w>(params: RunTestsParams, workspace: &'w ToolSession<'w>) -> ToolResult<Verified> {
        let command = test_command(&params, workspace)?;
        let mut reader =
            LogReader::new(ReportLimits { excerpt_chars: MAX_EXCERPT, ..ReportLimits::default() });
        let ran =
            run_with(workspace, &command, params.timeout_sec, &mut |piece| reader.push(piece))?;
        let report = reader.finish();
        let passed = ran.passed();
        let (exit_code, end) = describe_end(ran.end);
        let left_out = report.failures.len().saturating_sub(MAX_FAILURES);
        // Some runners print absolute paths; tools take those of the repository.
        let root = format!("{}/", workspace.tree.root().display());
        let relative = |text: String| text.replace(&root, "");
        let failures = report.failures.iter().take(MAX_FAILURES).map(failure_line);
        let failures: Vec<String> = failures.map(relative).collect();
        let excerpt = if passed { String::new() } else { relative(report.excerpt) };
        let verdict = match end {
            Some(end) => format!("was ended: {end}"),
            None if passed => "passed".to_owned(),
            None if report.failures.len() == 1 => "failed; 1 failure".to_owned(),
            None => format!("failed; {} failures", report.failures.len()),
        };
        let rows = join_lines(failures.iter().cloned(), left_out);
        let text = if passed {
            format!("`{command}` {verdict}")
        } else {
            format!("`{command}` {verdict}\n{rows}\n\n{excerpt}")
        };
        let data = Verified { command, passed, exit_code, failures, left_out, excerpt, ms: ran.ms };
        Ok(TypedAnswer::new(data, text, []))
    }
}

/// Returns `PATH:LINE: TEST: MESSAGE` with the parts that are known.
fn failure_line(failure: &Failure) -> String {
    let place = failure.locations.first().map(|place| match place.line {
        Some(line) => format!("{}:{line}", place.path),
        None => place.path.clone(),
    });
    let message = failure.message.lines().next().unwrap_or_default().to_owned();
    let parts = [place, failure.test.clone(), Some(message)];
    let parts: Vec<String> = parts.into_iter().flatten().filter(|part| !part.is_empty()).collect();
    parts.join(": ")
}
