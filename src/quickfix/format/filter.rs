//! Runs formatters that read a file from standard input and write it formatted.

use super::super::diagnostic_context::{DiagnosticContext, Tool};
use super::super::tool_context::Interrupted;
use crate::domain::RepoPath;

/// A formatter, and where projects keep it.
pub(super) struct Filter {
    /// As the failure's message names it.
    pub(super) name: &'static str,
    program: &'static str,
    /// Folders of the project that are looked in before the path.
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

/// A shell script for the words that follow: the first is the file to read. Warnings of the formatter are not
/// part of the text.
const READ_FILE: &str = "file=$1; shift; exec \"$@\" <\"$file\" 2>/dev/null";

/// The same for one that reads files itself.
const QUIETLY: &str = "exec \"$@\" 2>/dev/null";

/// Returns the file's text as the formatter writes it; the inner error is the reason why there is none.
pub(super) fn format_file(
    context: &DiagnosticContext<'_>,
    filter: &Filter,
    path: &RepoPath,
) -> Result<Result<String, String>, Interrupted> {
    let mut argv =
        vec!["sh".to_owned(), "-c".into(), READ_FILE.into(), "sh".into(), path.to_string()];
    argv.push(find_program(context, filter));
    argv.extend(filter.arguments.iter().map(|word| word.replace("{}", path.as_str())));
    run_formatter(context, argv, "")
}

/// Runs a command that prints what files should be, in a folder of the repository.
pub(super) fn print_formatted(
    context: &DiagnosticContext<'_>,
    words: &[String],
    folder: &str,
) -> Result<Result<String, String>, Interrupted> {
    let mut argv = ["sh", "-c", QUIETLY, "sh"].map(str::to_owned).to_vec();
    argv.extend(words.iter().cloned());
    run_formatter(context, argv, folder)
}

fn run_formatter(
    context: &DiagnosticContext<'_>,
    argv: Vec<String>,
    folder: &str,
) -> Result<Result<String, String>, Interrupted> {
    let tool = Tool { folder: folder.to_owned(), env: Vec::new(), argv };
    let mut output = Vec::new();
    let ended = context.stream_tool(&tool, &mut |bytes| output.extend_from_slice(bytes))?;
    Ok(match ended {
        Ok(0) => String::from_utf8(output).map_err(|_| "the formatter wrote no UTF-8".to_owned()),
        // The shell's own code for a program that it cannot find.
        Ok(127) => Err("the formatter is not installed".to_owned()),
        Ok(_) | Err(_) => Err("the formatter failed".to_owned()),
    })
}

fn find_program(context: &DiagnosticContext<'_>, filter: &Filter) -> String {
    let places = filter.folders.iter().map(|folder| format!("{folder}/{}", filter.program));
    let found = { places }.find(|place| context.is_file(place));
    found.map_or_else(
        || filter.program.to_owned(),
        |place| context.tools.tree.root().join(place).to_string_lossy().into_owned(),
    )
}
