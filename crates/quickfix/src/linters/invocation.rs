//! Finds out how the project itself calls a tool: from the user's command, the log's, and the scripts they name.

use serde::Deserialize;
use std::collections::BTreeMap;

use super::super::checked_invocation::{
    CheckedInvocation, InvocationSource, RawInvocation, ScriptPart, is_literal, split_script,
};
use super::super::diagnostic_context::DiagnosticContext;
use super::super::tool_context::NoResult;
use super::super::tool_table::{ToolRow, ToolSubject};
use papayu_base::domain::{FailureKind, RepoPath};
use papayu_base::text::WordList;

/// A `package.json` longer than this is not read.
const MAX_MANIFEST_BYTES: u64 = 1 << 20;

/// Scripts that call scripts are followed this far.
const MAX_DEPTH: usize = 4;

/// Files given to a tool by name; more are asked for as the whole folder.
const MAX_FILES: usize = 50;

/// Words that may precede a tool's name without changing the tool.
static WRAPPERS: WordList = WordList::new(
    "bun bunx command cross-env env exec hatch nice npm npx pdm pipenv pnpm poetry python python3 \
    run rye time uv uvx yarn",
);

/// A project's own call of a tool, or the plain form of the call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Invocation {
    /// The command with the project's arguments; in its plain form where the table does not permit them.
    pub(super) tool: CheckedInvocation,
    /// The program alone, in the same folder.
    pub(super) program: CheckedInvocation,
    /// The project's own call; `None` where none was found.
    pub(super) raw: Option<RawInvocation>,
}

/// Returns the call of a tool: with the words of the user's command, else of the log, else its plain form.
///
/// Fails with [`NoResult::Unconcerned`] if neither the command nor the log names the tool, and with
/// [`NoResult::Silent`] if it is not installed in the project.
pub(super) fn invocation(
    context: &DiagnosticContext<'_>,
    row: &ToolRow,
) -> Result<Invocation, NoResult> {
    let tools = context.tools;
    let commands = [
        // The user's command comes first, because it decides whether the failure is fixed.
        (InvocationSource::Command, tools.config.run.as_deref()),
        (InvocationSource::Log, tools.report.command.as_deref()),
    ];
    let mut calls = Vec::new();
    for (source, run) in commands {
        let reading = InvocationReader { context, row, source, depth: 0 };
        calls.extend(run.map(|run| reading.collect_calls(run, "")).unwrap_or_default());
    }
    let is_meant = |call: &RawInvocation| {
        let first = call.words.first().map_or("", String::as_str);
        row.commands.is_empty() || row.commands.contains(&first)
    };
    // The project calls another command of this program, which is a different tool.
    let is_other = !calls.is_empty();
    let raw = calls.into_iter().find(is_meant);
    if raw.is_none() && (is_other || !is_mentioned(context, row.name)) {
        return Err(NoResult::Unconcerned);
    }
    let folder = raw.as_ref().map_or("", |raw| raw.folder.as_str());
    let program = CheckedInvocation::find(tools, row, folder).ok_or_else(|| {
        NoResult::Silent(format!("`{}` is not installed in the project", row.name))
    })?;
    let own = raw.as_ref().and_then(|raw| program.clone().with_words_of(tools, row, raw));
    let tool = own.unwrap_or_else(|| plain_form(context, row, &program));
    Ok(Invocation { tool, program, raw })
}

/// Returns the first command of the row, for the files that failed, or for the whole folder.
fn plain_form(
    context: &DiagnosticContext<'_>,
    row: &ToolRow,
    program: &CheckedInvocation,
) -> CheckedInvocation {
    let command = row.commands.get(..1).unwrap_or_default();
    let tool = program.with_arguments(command);
    // Files are named relative to the repository.
    // In another folder, the names would lead somewhere else.
    let files = if program.folder().is_empty() { failed_files(context, row) } else { Vec::new() };
    match row.subject {
        ToolSubject::Pattern(pattern) => tool.with_arguments(&[pattern]),
        ToolSubject::FailedFiles if files.is_empty() => tool.with_arguments(&["."]),
        ToolSubject::FailedFiles => tool.with_files(&files),
    }
}

/// Returns `true` if the name of a tool occurs in the command or the log: only then is it worth the
/// time to look for its invocation.
fn is_mentioned(context: &DiagnosticContext<'_>, name: &str) -> bool {
    let tools = context.tools;
    let finding = [
        tools.config.run.as_deref().unwrap_or_default(),
        tools.report.command.as_deref().unwrap_or_default(),
        &tools.report.excerpt,
    ];
    let is_letter = |letter: char| letter.is_alphanumeric() || ['_', '-'].contains(&letter);
    finding.iter().any(|text| {
        text.match_indices(name).any(|(at, _)| {
            let before = text.get(..at).and_then(|text| text.chars().next_back());
            let after = text.get(at + name.len()..).and_then(|text| text.chars().next());
            !before.is_some_and(is_letter) && !after.is_some_and(is_letter)
        })
    })
}

/// The reading of one command.
#[derive(Clone, Copy)]
struct InvocationReader<'a> {
    context: &'a DiagnosticContext<'a>,
    row: &'a ToolRow,
    source: InvocationSource,
    /// The number of scripts that led here.
    depth: usize,
}

impl InvocationReader<'_> {
    /// Returns the calls in a command that runs in `folder`, and in the scripts that it runs.
    fn collect_calls(self, run: &str, folder: &str) -> Vec<RawInvocation> {
        let mut calls = Vec::new();
        for ScriptPart { folder, words } in split_script(run, folder) {
            match script(self.context, &words, &folder).filter(|_| self.depth < MAX_DEPTH) {
                Some(script) => {
                    let (source, depth) = (InvocationSource::Script, self.depth + 1);
                    let inner = Self { source, depth, ..self };
                    calls.extend(inner.collect_calls(&script, &folder));
                }
                None => calls.extend(self.call(&words, folder)),
            }
        }
        calls
    }

    /// Reads the invocation in one command of a script: assignments, the tool, its words.
    fn call(self, part: &[String], folder: String) -> Option<RawInvocation> {
        let is_tool = |word: &String| word.rsplit('/').next() == Some(self.row.name);
        let at = part.iter().position(is_tool)?;
        let (before, after) = part.split_at(at);
        let mut env = Vec::new();
        for word in before {
            match word.split_once('=') {
                Some((name, value)) if !name.starts_with('-') => {
                    env.push((name.to_owned(), value.to_owned()));
                }
                _ if word.starts_with('-') || WRAPPERS.contains(word) => {}
                _ => return None,
            }
        }
        let words = after.get(1..).unwrap_or_default().to_vec();
        // Only a shell can read what is left of a pattern that it would have replaced.
        let is_plain = env.iter().all(|(_, value)| is_literal(value));
        is_plain.then_some(RawInvocation { source: self.source, folder, env, words })
    }
}

/// The part of a `package.json` that names scripts.
#[derive(Deserialize)]
struct PackageScripts {
    #[serde(default)]
    scripts: BTreeMap<String, String>,
}

/// Returns the text of the script that a part of a command runs.
fn script(context: &DiagnosticContext<'_>, part: &[String], folder: &str) -> Option<String> {
    let mut words = part.iter().map(String::as_str).filter(|word| !word.starts_with('-'));
    if !["npm", "yarn", "pnpm", "bun"].contains(&words.next()?) {
        return None;
    }
    let name = match words.next()? {
        "run" | "run-script" => words.next()?,
        "t" => "test",
        name => name,
    };
    let path = format!("{folder}/package.json");
    let path = RepoPath::parse(path.trim_start_matches('/')).ok()?;
    let text = context.tools.tree.read(&path, MAX_MANIFEST_BYTES).ok()?;
    serde_json::from_slice::<PackageScripts>(&text).ok()?.scripts.remove(name)
}

/// Returns the files of lint failures; empty where none is known, or too many.
fn failed_files(context: &DiagnosticContext<'_>, row: &ToolRow) -> Vec<RepoPath> {
    let failures = &context.tools.report.failures;
    let lint = failures.iter().filter(|failure| failure.kind == FailureKind::Lint);
    let mut files: Vec<RepoPath> = lint
        .filter_map(|failure| context.find_in("", &failure.locations.first()?.path))
        .filter(|path| {
            let ending = path.as_str().rsplit_once('.').map(|(_, ending)| ending);
            row.endings.is_empty() || ending.is_some_and(|ending| row.endings.contains(&ending))
        })
        .collect();
    files.sort();
    files.dedup();
    if files.len() > MAX_FILES { Vec::new() } else { files }
}

#[cfg(test)]
mod tests;
