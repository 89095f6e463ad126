//! Finds out which formatter complained about which files, and asks it for their text.

use std::collections::BTreeSet;

use super::super::checked_invocation::CheckedInvocation;
use super::super::diagnostic_context::{DiagnosticContext, RuleDecision};
use super::super::findings::ToolFindings;
use super::super::tool_context::{NoResult, ToolContext, unless_interrupted};
use super::filter::{FILTERS, Filter, GOFMT, format_file, print_formatted};
use super::{lines, rustfmt};
use papayu_base::domain::{Failure, Location, RepoPath};

/// Most files that one formatter is asked about.
const MAX_FILES: usize = 100;

/// The name of the formatter in messages about Rust.
const RUSTFMT: &str = "cargo fmt";

/// Returns fixes that give files the text of their formatter, for at most [`MAX_FILES`] files of each.
///
/// Fails with [`NoResult::Unconcerned`] if neither a failure nor the command names a formatter, and with
/// [`NoResult::Interrupted`].
pub(crate) fn find_fixes(tools: &ToolContext<'_>) -> Result<ToolFindings, NoResult> {
    let complaints: Vec<(&str, &Failure)> = tools
        .report
        .failures
        .iter()
        .filter_map(|failure| Some((complained(&failure.message)?, failure)))
        .collect();
    let run = tools.config.run.as_deref().unwrap_or_default();
    // `gofmt -l` prints names of files and nothing else, so that no failure names the formatter.
    let names_gofmt = run.contains("gofmt ");
    if complaints.is_empty() && !names_gofmt {
        return Err(NoResult::Unconcerned);
    }
    let mut context = DiagnosticContext::new(tools);
    let mut asked = BTreeSet::new();
    if complaints.iter().any(|(tool, _)| *tool == RUSTFMT) {
        asked.insert(RUSTFMT);
        rust(&mut context, run)?;
    }
    for filter in &FILTERS {
        let mut files: BTreeSet<RepoPath> = complaints
            .iter()
            .filter(|(tool, _)| *tool == filter.name)
            .flat_map(|(_, failure)| &failure.locations)
            .filter_map(|at| context.find_file(&at.path))
            .collect();
        if filter.name == GOFMT.name && names_gofmt && files.is_empty() {
            files = listed(&context)?;
        }
        if !files.is_empty() {
            asked.insert(filter.name);
        }
        for path in files.into_iter().take(MAX_FILES) {
            through(&mut context, filter, &path)?;
        }
    }
    if asked.is_empty() {
        return Err(NoResult::Unconcerned);
    }
    let tools: Vec<&str> = asked.into_iter().collect();
    Ok(context.into_findings(format!("asked for formatted files: {}", tools.join(", "))))
}

/// Returns the tool of a message `` not formatted as `tool` would format it ``.
fn complained(message: &str) -> Option<&str> {
    message.strip_prefix("not formatted as `")?.split_once('`').map(|(tool, _)| tool)
}

/// Formats a file with a formatter that reads standard input.
fn through(
    context: &mut DiagnosticContext<'_>,
    filter: &Filter,
    path: &RepoPath,
) -> Result<(), NoResult> {
    let after = match format_file(context, filter, path) {
        Err(NoResult::Silent(why)) => Err(why),
        after => Ok(after?),
    };
    // A formatter that fails is a hint for its file; the other files are still formatted.
    write(context, filter.name, path, after);
    Ok(())
}

/// Formats files with rustfmt, which prints all files of a crate at once.
fn rust(context: &mut DiagnosticContext<'_>, run: &str) -> Result<(), NoResult> {
    let root = context.tools.tree.root().to_string_lossy().into_owned();
    for command in rustfmt::commands(run) {
        let Some(tool) = command.checked(context.tools) else { continue };
        let Some(text) = unless_interrupted(print_formatted(context, tool))? else { continue };
        for (path, after) in rustfmt::files(&text, &root) {
            if let Some(path) = context.find_file(&path) {
                write(context, RUSTFMT, &path, Ok(after));
            }
        }
    }
    Ok(())
}

/// Runs `gofmt -l` and returns the files that it lists. Its output cannot be recognised in a
/// log, because it consists of file names alone.
fn listed(context: &DiagnosticContext<'_>) -> Result<BTreeSet<RepoPath>, NoResult> {
    let tool = CheckedInvocation::find_or_path(context.tools, "gofmt", &[]);
    let printed = print_formatted(context, tool.with_arguments(&["-l", "."]));
    let text = unless_interrupted(printed)?.unwrap_or_default();
    Ok(text.lines().filter_map(|path| context.find_file(path)).collect())
}

/// Adds the fix of one file, or a hint with the reason why there is none.
fn write(
    context: &mut DiagnosticContext<'_>,
    tool: &str,
    path: &RepoPath,
    after: Result<String, String>,
) {
    let verdict = match (context.read(path), after) {
        (Ok(source), Ok(after)) if source.text == after => return,
        // A formatter that failed without an exit code must not empty the file.
        (Ok(source), Ok(after)) if after.is_empty() && !source.text.trim().is_empty() => {
            RuleDecision::hint("the formatter wrote nothing")
        }
        (Ok(source), Ok(after)) => RuleDecision::Fix(lines::edits(path, &source, &after)),
        (Ok(_), Err(why)) => RuleDecision::Hint(why),
        (Err(why), _) => RuleDecision::hint(why),
    };
    let at = Location { path: path.to_string(), line: None, column: None };
    let message = format!("not formatted as `{tool}` would format it");
    let failure = Failure { message, ..Failure::default() };
    context.add_verdict(tool, &failure, &at, verdict);
}
