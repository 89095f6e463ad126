//! Answers the context requests of a plan.

use super::gathered::{Context, FileRank, Reason, TextKind, Want};
use super::sources::ContextSources;
use crate::tools::{self, IndexedCode, ToolError};
use papayu_base::domain::{ContextRequest, FailureReport, RepoPath};
use papayu_logs::failure::paths;

/// Most characters of log lines in an answer.
const MAX_LOG_CHARS: usize = 16_000;

/// Adds the answer of one request to the context. If the request cannot be answered, the reason
/// is added instead, because the model must know that it will not get the text.
pub fn answer_request(
    context: &mut Context,
    request: &ContextRequest,
    sources: &ContextSources<'_>,
) {
    match request {
        ContextRequest::ReadFile { path, start_line, end_line } => {
            let want = match (start_line, end_line) {
                (None, None) => Want::Whole,
                (start, end) => Want::Lines((start.unwrap_or(1), end.unwrap_or(u32::MAX))),
            };
            if let Err(reason) = read_file(context, path, want, sources) {
                context.add_text(TextKind::Note, format!("FILE[{path}] cannot be shown"), reason);
            }
        }
        ContextRequest::Search { query, glob } => {
            let title = format!("SEARCH `{query}` in {}", glob.as_deref().unwrap_or("all files"));
            let code = IndexedCode::new(sources.tree, sources.known.index);
            let hits = tools::search_text(query, glob.as_deref(), sources.files, &code);
            context.add_text(TextKind::Search, title, text_of(hits));
        }
        ContextRequest::Logs { source, last_n } => {
            let text = match source.as_str() {
                "failure" | "verify" | "run" | "test" | "build" => {
                    last_lines(sources.report, last_n.unwrap_or(200))
                }
                _ => "there is no such log; the only source is `failure`".to_owned(),
            };
            context.add_text(TextKind::Logs, format!("LOGS {source}"), text);
        }
        ContextRequest::Env {} => {
            context.add_text(TextKind::Env, "ENV", (sources.environment)());
        }
        ContextRequest::GetFunction { path, name } => {
            add_definition(context, false, path, name, sources);
        }
        ContextRequest::GetClass { path, name } => {
            add_definition(context, true, path, name, sources);
        }
        ContextRequest::GitStatus { path } => answer_git(context, false, path.as_deref(), sources),
        ContextRequest::GitDiff { path } => answer_git(context, true, path.as_deref(), sources),
        _ => {
            // All other requests are answered by the tools that people and agents call too.
            let code = IndexedCode::new(sources.tree, sources.known.index);
            if let Some(found) = tools::answer_request(request, &code) {
                context.add_text(TextKind::Search, index_title(request), text_of(found));
            }
        }
    }
}

/// Returns the answer of a tool, or its error in words.
fn text_of(answer: Result<String, ToolError>) -> String {
    answer.unwrap_or_else(|error| error.to_string())
}

/// Returns the title of the answer to a request about the index.
fn index_title(request: &ContextRequest) -> String {
    let place = |path: &Option<String>| path.clone().unwrap_or_else(|| "the repository".to_owned());
    match request {
        ContextRequest::FindDefinition { symbol } => format!("DEFINITIONS `{symbol}`"),
        ContextRequest::FindReferences { symbol } => format!("REFERENCES `{symbol}`"),
        ContextRequest::GetStructure { path } => format!("STRUCTURE of {}", place(path)),
        ContextRequest::GetComplexity { path } => format!("COMPLEXITY of {}", place(path)),
        ContextRequest::GetTodos { path } => format!("NOTES in {}", place(path)),
        ContextRequest::GetDependencies { path } => format!("DEPENDENCIES of {path}"),
        ContextRequest::GetDependents { path } => format!("DEPENDENTS of {path}"),
        _ => String::new(),
    }
}

/// Adds the lines of the definitions of a name in a file.
fn add_definition(
    context: &mut Context,
    is_class: bool,
    path: &str,
    name: &str,
    sources: &ContextSources<'_>,
) {
    let title = format!("DEFINITION `{name}` in {path}");
    let note = |context: &mut Context, text| context.add_text(TextKind::Note, title.clone(), text);
    let code = IndexedCode::new(sources.tree, sources.known.index);
    let found = match tools::find_lines(path, name, is_class, &code) {
        Ok(found) => found,
        Err(error) => return note(context, error.to_string()),
    };
    let Ok(path) = RepoPath::parse(path.trim_start_matches("./")) else { return };
    for lines in found {
        let why = Reason::new(FileRank::Requested, "the plan asked for a definition in it");
        if let Err(fault) = context.add_file(sources.tree, &path, Want::Lines(lines), why) {
            note(context, fault);
        }
    }
}

/// Adds the output of `git status` or `git diff` for a path.
fn answer_git(context: &mut Context, diff: bool, path: Option<&str>, sources: &ContextSources<'_>) {
    let name = if diff { "GIT DIFF" } else { "GIT STATUS" };
    let output = super::git::git_arguments(diff, path).and_then(|words| (sources.git)(&words));
    let text =
        output.map_or_else(|fault| fault, |output| super::git::shorten_output(diff, &output));
    context.add_text(TextKind::Search, format!("{name} {}", path.unwrap_or(".")), text);
}

/// Adds a file or a part of it.
///
/// # Errors
///
/// Returns the reason as a sentence: an invalid path, a protected file, no text.
fn read_file(
    context: &mut Context,
    printed: &str,
    want: Want,
    sources: &ContextSources<'_>,
) -> Result<(), String> {
    let exists =
        |path: &str| sources.files.binary_search_by(|file| file.as_str().cmp(path)).is_ok();
    let path = match RepoPath::parse(printed) {
        Ok(path) => path,
        // Models repeat paths as a log prints them, which may be absolute and of another
        // machine.
        Err(fault) => {
            paths::map_to_repo(printed, &exists, Some(&sources.tree.root().to_string_lossy()))
                .and_then(|path| RepoPath::parse(&path).ok())
                .ok_or_else(|| fault.to_string())?
        }
    };
    let reason = Reason::new(FileRank::Requested, "the plan asked for it");
    context.add_file(sources.tree, &path, want, reason)
}

/// Returns the last lines of the log as it was printed. A report that was read from a file has only its excerpt.
fn last_lines(report: &FailureReport, count: u32) -> String {
    let text = if report.raw.is_empty() { &report.excerpt } else { &report.raw };
    let mut left = MAX_LOG_CHARS;
    let fits = |line: &&str| {
        let size = line.chars().count() + 1;
        let fits = size <= left;
        left = left.saturating_sub(size);
        fits
    };
    let mut lines: Vec<&str> = text.lines().rev().take(count as usize).take_while(fits).collect();
    lines.reverse();
    lines.join("\n")
}
