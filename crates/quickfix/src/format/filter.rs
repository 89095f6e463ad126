//! Runs formatters that read a file from standard input and write it formatted.

use super::super::checked_invocation::CheckedInvocation;
use super::super::diagnostic_context::{DiagnosticContext, ToolOutput};
use super::super::tool_context::{NoResult, unless_interrupted};
use super::super::tool_table::{NODE_HOMES, PYTHON_HOMES};
use papayu_base::domain::RepoPath;

/// A formatter that reads a file from standard input and writes it formatted.
pub(super) struct Filter {
    /// The name in the message of the failure.
    pub(super) name: &'static str,
    /// The name of the program.
    pub(super) program: &'static str,
    /// Folders of the project that are searched before `PATH`.
    pub(super) homes: &'static [&'static str],
    /// `{}` is replaced by the file's path, `{ending}` by what follows its last dot.
    arguments: &'static [&'static str],
}

/// The JavaScript formatter of Biome.
pub(super) const BIOME: Filter = Filter {
    name: "biome format",
    program: "biome",
    homes: NODE_HOMES,
    arguments: &["format", "--stdin-file-path={}"],
};

/// The Python formatter Black.
pub(super) const BLACK: Filter = Filter {
    name: "black",
    program: "black",
    homes: PYTHON_HOMES,
    arguments: &["--quiet", "--stdin-filename={}", "-"],
};

/// The formatter of Go's distribution.
pub(super) const GOFMT: Filter =
    Filter { name: "gofmt", program: "gofmt", homes: &[], arguments: &[] };

/// The formatter Prettier.
pub(super) const PRETTIER: Filter = Filter {
    name: "prettier --write",
    program: "prettier",
    homes: NODE_HOMES,
    arguments: &["--stdin-filepath={}"],
};

/// The Python formatter of ruff.
pub(super) const RUFF: Filter = Filter {
    name: "ruff format",
    program: "ruff",
    homes: PYTHON_HOMES,
    arguments: &["format", "--no-cache", "--stdin-filename={}", "-"],
};

/// The formatter of Deno.
pub(super) const DENO: Filter = Filter {
    name: "deno fmt",
    program: "deno",
    homes: NODE_HOMES,
    arguments: &["fmt", "--ext={ending}", "-"],
};

/// The formatter of LLVM, which is asked only for the files of a change.
pub(super) const CLANG_FORMAT: Filter = Filter {
    name: "clang-format",
    program: "clang-format",
    homes: &[],
    arguments: &["--assume-filename={}"],
};

/// The formatters that are recognized in a log, by name.
pub(super) const FILTERS: [Filter; 6] = [BIOME, BLACK, GOFMT, PRETTIER, RUFF, DENO];

impl Filter {
    /// Returns the command that formats a file, from the program alone.
    pub(super) fn with_arguments(
        &self,
        program: CheckedInvocation,
        path: &RepoPath,
    ) -> CheckedInvocation {
        self.arguments.iter().fold(program, |tool, word| tool.with_file_in(word, path))
    }
}

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
    let program = CheckedInvocation::find_or_path(context.tools, filter.program, filter.homes);
    print_from(context, filter.with_arguments(program, path), path)
}

/// Runs a command that reads a file from standard input and prints its formatted text.
///
/// Fails with [`NoResult::Silent`] if the formatter is not installed, fails, or prints no UTF-8, and with
/// [`NoResult::Interrupted`] after a signal.
pub(super) fn print_from(
    context: &DiagnosticContext<'_>,
    tool: CheckedInvocation,
    path: &RepoPath,
) -> Result<String, NoResult> {
    run_formatter(context, &tool.without_errors_reading(path))
}

/// Runs a command that prints the formatted text of files.
///
/// Fails as [`print_from`] does.
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
    let ToolOutput { bytes, ended } = context.run_to_end(tool);
    match unless_interrupted(ended)? {
        Some(0) => String::from_utf8(bytes).map_err(|_| silent("the formatter wrote no UTF-8")),
        // The shell's own code for a program that it cannot find.
        Some(127) => Err(silent("the formatter is not installed")),
        _ => Err(silent("the formatter failed")),
    }
}

/// Returns the result of a tool that gave no answer, with the reason.
fn silent(why: &str) -> NoResult {
    NoResult::Silent(why.to_owned())
}
