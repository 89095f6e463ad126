//! Runs formatters that read a file from standard input and write it formatted.

use super::super::checked_invocation::CheckedInvocation;
use super::super::diagnostic_context::DiagnosticContext;
use super::super::tool_context::{NoResult, unless_interrupted};
use crate::domain::RepoPath;

/// A formatter, and the folders in which projects have it.
pub(super) struct Filter {
    /// The name in the message of the failure.
    pub(super) name: &'static str,
    /// The name of the program.
    program: &'static str,
    /// Folders of the project that are searched before `PATH`.
    folders: &'static [&'static str],
    /// `{}` is replaced by the file's path.
    arguments: &'static [&'static str],
}

/// Sorted by name.
pub(super) const FILTERS: &[Filter] = &[
    Filter {
        name: "biome format",
        program: "biome",
        folders: &["node_modules/.bin"],
        arguments: &["format", "--stdin-file-path={}"],
    },
    Filter {
        name: "black",
        program: "black",
        folders: &[".venv/bin", "venv/bin"],
        arguments: &["--quiet", "--stdin-filename", "{}", "-"],
    },
    Filter { name: "gofmt", program: "gofmt", folders: &[], arguments: &[] },
    Filter {
        name: "prettier --write",
        program: "prettier",
        folders: &["node_modules/.bin"],
        arguments: &["--stdin-filepath", "{}"],
    },
    Filter {
        name: "ruff format",
        program: "ruff",
        folders: &[".venv/bin", "venv/bin"],
        arguments: &["format", "--no-cache", "--stdin-filename", "{}", "-"],
    },
];

/// Returns the text of a file as the formatter writes it.
///
/// # Errors
///
/// Returns [`NoResult::Silent`] if the formatter is missing, fails or prints no UTF-8.
pub(super) fn format_file(
    context: &DiagnosticContext<'_>,
    filter: &Filter,
    path: &RepoPath,
) -> Result<String, NoResult> {
    if path.as_str().starts_with('-') {
        return Err(silent("the formatter would read the file's name as an option"));
    }
    let start = CheckedInvocation::find_or_path(context.tools, filter.program, filter.folders);
    let tool = filter.arguments.iter().fold(start, |tool, word| tool.with_file_in(word, path));
    print_from(context, tool, path)
}

/// Runs a command that reads a file from standard input and prints its formatted text.
pub(super) fn print_from(
    context: &DiagnosticContext<'_>,
    tool: CheckedInvocation,
    path: &RepoPath,
) -> Result<String, NoResult> {
    run_formatter(context, &tool.without_errors_reading(path))
}

/// Runs a command that prints the formatted text of files.
pub(super) fn print_formatted(
    context: &DiagnosticContext<'_>,
    tool: CheckedInvocation,
) -> Result<String, NoResult> {
    run_formatter(context, &tool.without_errors())
}

/// Runs a formatter and returns its standard output. Warnings on standard error must not get
/// into the file.
fn run_formatter(
    context: &DiagnosticContext<'_>,
    tool: &CheckedInvocation,
) -> Result<String, NoResult> {
    let mut output = Vec::new();
    let ended = context.stream_tool(tool, &mut |bytes| output.extend_from_slice(bytes));
    match unless_interrupted(ended)? {
        Some(0) => String::from_utf8(output).map_err(|_| silent("the formatter wrote no UTF-8")),
        // The shell's own code for a program that it cannot find.
        Some(127) => Err(silent("the formatter is not installed")),
        _ => Err(silent("the formatter failed")),
    }
}

/// Returns the result of a tool that gave no answer, with the reason.
fn silent(why: &str) -> NoResult {
    NoResult::Silent(why.to_owned())
}
