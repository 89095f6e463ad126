//! Runs the project's own compiler where a test runner failed on files that it checks.

use super::super::checked_invocation::CheckedInvocation;
use super::super::diagnostic_context::{DiagnosticContext, ToolOutput, count_errors};
use super::super::tool_context::NoResult;
use super::super::tool_table::NODE_HOMES;
use papayu_base::domain::Failure;
use papayu_logs::failure::{LogReader, ReportLimits};

const TSC: &str = "node_modules/.bin/tsc";

/// The compiler's errors, and one sentence on how they were found.
pub(super) struct CompilerErrors {
    pub(super) errors: Vec<Failure>,
    pub(super) account: String,
}

/// Returns the compiler's errors, from the report or from a run of its own.
pub(super) fn compiler_errors(context: &DiagnosticContext<'_>) -> Result<CompilerErrors, NoResult> {
    let tools = context.tools;
    let errors = of_compiler(&tools.report.failures);
    if !errors.is_empty() {
        let account = count_errors("tsc", errors.len());
        return Ok(CompilerErrors { errors, account });
    }
    let is_script =
        |path: &str| [".ts", ".tsx", ".mts", ".cts"].iter().any(|it| path.ends_with(it));
    let node = tools.report.failures.iter().filter(|failure| failure.toolchain == "node");
    let in_script = node.flat_map(|failure| &failure.locations).any(|at| is_script(&at.path));
    if !in_script || !tools.is_own_file("tsconfig.json") || !context.is_file(TSC) {
        return Err(NoResult::Unconcerned);
    }
    run_compiler(context)
}

/// Returns the failures that the compiler reported.
fn of_compiler(failures: &[Failure]) -> Vec<Failure> {
    failures.iter().filter(|failure| failure.toolchain == "typescript").cloned().collect()
}

/// Runs the project's own compiler with `--noEmit`. `--incremental false` keeps it from writing a
/// build-info file.
fn run_compiler(context: &DiagnosticContext<'_>) -> Result<CompilerErrors, NoResult> {
    let words = ["--noEmit", "--pretty", "false", "--incremental", "false"];
    let tool = CheckedInvocation::find_or_path(context.tools, "tsc", NODE_HOMES);
    let tool = tool.with_arguments(&words);
    let ToolOutput { bytes, ended } = context.run_to_end(&tool);
    let mut reader = LogReader::new(ReportLimits { excerpt_chars: 0, ..ReportLimits::default() });
    reader.push(&bytes);
    let errors = of_compiler(&reader.finish().failures);
    let shown = format!("`{TSC} {}`", words.join(" "));
    let account = match ended {
        Ok(_) => count_errors(&shown, errors.len()),
        Err(NoResult::Silent(account)) => account,
        Err(other) => return Err(other),
    };
    Ok(CompilerErrors { errors, account })
}
