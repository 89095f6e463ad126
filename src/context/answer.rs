//! Answers the context requests of a plan.

use globset::Glob;

use super::gathered::{Context, Rank, Reason, TextKind, Want};
use super::lookup;
use super::sources::Sources;
use crate::domain::{ContextRequest, FailureReport, RepoPath};
use crate::failure::paths;
use crate::index::SymbolKind;

/// Maximum number of search hits shown.
const MAX_HITS: usize = 40;

/// Maximum characters of log lines in an answer.
const MAX_LOG_CHARS: usize = 16_000;

/// Files over this many bytes are not searched.
const SEARCHED_BYTES: u64 = 1024 * 1024;

/// Adds the answer of one request to the context. A request that cannot be answered gets the reason
/// instead.
pub fn answer_request(context: &mut Context, request: &ContextRequest, sources: &Sources<'_>) {
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
            let hits = search_files(query, glob.as_deref(), sources);
            context.add_text(TextKind::Search, title, hits);
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
            let kinds = [SymbolKind::Function, SymbolKind::Method, SymbolKind::Macro];
            lookup::definition_in(context, path, name, &kinds, sources);
        }
        ContextRequest::GetClass { path, name } => {
            let kinds =
                [SymbolKind::Class, SymbolKind::Interface, SymbolKind::Enum, SymbolKind::Type];
            lookup::definition_in(context, path, name, &kinds, sources);
        }
        ContextRequest::GitStatus { path } => answer_git(context, false, path.as_deref(), sources),
        ContextRequest::GitDiff { path } => answer_git(context, true, path.as_deref(), sources),
        _ => {
            let (title, text) = look_up(request, sources);
            context.add_text(TextKind::Search, title, text);
        }
    }
}

/// Returns title and text of the answer to a request about the index.
fn look_up(request: &ContextRequest, sources: &Sources<'_>) -> (String, String) {
    let place = |path: &Option<String>| path.clone().unwrap_or_else(|| "the repository".to_owned());
    match request {
        ContextRequest::FindDefinition { symbol } => {
            (format!("DEFINITIONS `{symbol}`"), lookup::show_definitions(symbol, sources))
        }
        ContextRequest::FindReferences { symbol } => {
            (format!("REFERENCES `{symbol}`"), lookup::show_references(symbol, sources))
        }
        ContextRequest::GetStructure { path } => (
            format!("STRUCTURE of {}", place(path)),
            lookup::show_structure(path.as_deref(), sources),
        ),
        ContextRequest::GetComplexity { path } => (
            format!("COMPLEXITY of {}", place(path)),
            lookup::show_complexity(path.as_deref(), sources),
        ),
        ContextRequest::GetTodos { path } => {
            (format!("NOTES in {}", place(path)), lookup::show_todos(path.as_deref(), sources))
        }
        ContextRequest::GetDependencies { path } => {
            (format!("DEPENDENCIES of {path}"), lookup::show_dependencies(path, sources))
        }
        ContextRequest::GetDependents { path } => {
            (format!("DEPENDENTS of {path}"), lookup::show_dependents(path, sources))
        }
        _ => (String::new(), String::new()),
    }
}

fn answer_git(context: &mut Context, diff: bool, path: Option<&str>, sources: &Sources<'_>) {
    let name = if diff { "GIT DIFF" } else { "GIT STATUS" };
    let said = super::git::git_arguments(diff, path).and_then(|words| (sources.git)(&words));
    let text = said.map_or_else(|fault| fault, |said| super::git::shorten_output(diff, &said));
    context.add_text(TextKind::Search, format!("{name} {}", path.unwrap_or(".")), text);
}

fn read_file(
    context: &mut Context,
    printed: &str,
    want: Want,
    sources: &Sources<'_>,
) -> Result<(), String> {
    let exists =
        |path: &str| sources.files.binary_search_by(|file| file.as_str().cmp(path)).is_ok();
    let path = match RepoPath::parse(printed) {
        Ok(path) => path,
        Err(fault) => {
            paths::map_to_repo(printed, &exists, Some(&sources.tree.root().to_string_lossy()))
                .and_then(|path| RepoPath::parse(&path).ok())
                .ok_or_else(|| fault.to_string())?
        }
    };
    let reason = Reason::new(Rank::Requested, "the plan asked for it");
    context.add_file(sources.tree, &path, want, reason)
}

fn search_files(query: &str, glob: Option<&str>, sources: &Sources<'_>) -> String {
    let matcher = match glob.map(Glob::new).transpose() {
        Ok(glob) => glob.map(|glob| glob.compile_matcher()),
        Err(error) => return format!("the glob cannot be read: {error}"),
    };
    if query.is_empty() {
        return "the query is empty".to_owned();
    }
    let mut hits = Vec::new();
    for file in sources.files {
        if matcher.as_ref().is_some_and(|matcher| !matcher.is_match(file)) {
            continue;
        }
        let Some(text) = lookup::read_shown(file, sources, SEARCHED_BYTES) else { continue };
        for (line, number) in text.lines().zip(1..).filter(|(line, _)| line.contains(query)) {
            let cut: String = line.trim().chars().take(200).collect();
            hits.push(format!("{file}:{number}: {cut}"));
            if hits.len() == MAX_HITS {
                // The model can narrow the query when it knows that hits are missing.
                hits.push(format!("(the first {MAX_HITS} hits; narrow the query)"));
                return hits.join("\n");
            }
        }
    }
    if hits.is_empty() { "no hits".to_owned() } else { hits.join("\n") }
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
