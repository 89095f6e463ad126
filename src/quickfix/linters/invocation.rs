//! Finds out how the project itself calls a tool: from the user's command, the log's, and the scripts they name.

use serde::Deserialize;
use std::collections::BTreeMap;

use super::super::diagnostic_context::{DiagnosticContext, Tool};
use crate::domain::{FailureKind, RepoPath};

/// A `package.json` longer than this is not read.
const MAX_MANIFEST_BYTES: u64 = 1 << 20;

/// Scripts that call scripts are followed this far.
const MAX_DEPTH: usize = 4;

/// Files given to a tool by name; more are asked for as the whole folder.
const MAX_FILES: usize = 50;

/// Words that may precede a tool's name without changing the tool.
const WRAPPERS: [&str; 22] = [
    "bun",
    "bunx",
    "command",
    "cross-env",
    "env",
    "exec",
    "hatch",
    "nice",
    "npm",
    "npx",
    "pdm",
    "pipenv",
    "pnpm",
    "poetry",
    "python",
    "python3",
    "run",
    "rye",
    "time",
    "uv",
    "uvx",
    "yarn",
];

/// A tool's name, the options of its own that we do without, and where it is installed.
pub(super) struct Known {
    /// The program's name.
    pub(super) name: &'static str,
    /// Commands of its own that are meant, where it has several; the first is asked for by default.
    pub(super) commands: &'static [&'static str],
    /// Options without a value that change files or the form of the report.
    pub(super) switches: &'static [&'static str],
    /// The same with a value, as the next word or after `=`.
    pub(super) valued: &'static [&'static str],
    /// Folders of installed programs, relative to the folder it runs in or one above.
    pub(super) homes: &'static [&'static str],
    /// Allows a program found on `PATH`.
    pub(super) on_path: bool,
    /// Endings of the files it reads; empty for all.
    pub(super) endings: &'static [&'static str],
}

/// A project's own call of a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Invocation {
    /// The program, and where it runs; no arguments yet.
    pub(super) program: Tool,
    /// Arguments as the project gives them, without those we do without.
    pub(super) arguments: Vec<String>,
    /// True if the project's arguments were found; otherwise they are the files that failed.
    pub(super) is_own: bool,
}

/// Returns the call of a tool; `None` if the failure has nothing to do with it. The inner error is an account
/// of why it cannot run.
pub(super) fn invocation(
    context: &DiagnosticContext<'_>,
    known: &Known,
) -> Option<Result<Invocation, String>> {
    let tools = context.tools;
    let commands = [tools.config.run.as_deref(), tools.report.command.as_deref()];
    let mut calls = Vec::new();
    for run in commands.into_iter().flatten() {
        calls.extend(collect_calls(context, known, run, "", 0));
    }
    let is_meant = |call: &Call| {
        let first = call.arguments.first().map_or("", String::as_str);
        known.commands.is_empty() || known.commands.contains(&first)
    };
    // The project calls another command of this program, which is a different tool.
    let is_other = !calls.is_empty();
    let own = calls.into_iter().find(is_meant);
    if own.is_none() && (is_other || !is_mentioned(context, known.name)) {
        return None;
    }
    let is_own = own.is_some();
    let Call { folder, env, arguments } = own.unwrap_or_else(|| bare(context, known));
    Some(match program(context, known, &folder) {
        Some(program) => {
            Ok(Invocation { program: Tool { folder, env, argv: vec![program] }, arguments, is_own })
        }
        None => Err(format!("`{}` is not installed in the project", known.name)),
    })
}

fn is_mentioned(context: &DiagnosticContext<'_>, name: &str) -> bool {
    let tools = context.tools;
    let said = [
        tools.config.run.as_deref().unwrap_or_default(),
        tools.report.command.as_deref().unwrap_or_default(),
        &tools.report.excerpt,
    ];
    let is_letter = |letter: char| letter.is_alphanumeric() || ['_', '-'].contains(&letter);
    said.iter().any(|text| {
        text.match_indices(name).any(|(at, _)| {
            let before = text.get(..at).and_then(|text| text.chars().next_back());
            let after = text.get(at + name.len()..).and_then(|text| text.chars().next());
            !before.is_some_and(is_letter) && !after.is_some_and(is_letter)
        })
    })
}

/// A call of a tool in a command.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Call {
    folder: String,
    env: Vec<(String, String)>,
    arguments: Vec<String>,
}

/// The default: the first of its commands, of the files that failed.
fn bare(context: &DiagnosticContext<'_>, known: &Known) -> Call {
    let command = known.commands.iter().take(1).map(|&command| command.to_owned());
    Call { arguments: command.chain(failed_files(context, known)).collect(), ..Call::default() }
}

/// Returns the calls in a command that runs in `folder`, and in the scripts that it runs.
fn collect_calls(
    context: &DiagnosticContext<'_>,
    known: &Known,
    run: &str,
    folder: &str,
    depth: usize,
) -> Vec<Call> {
    let mut calls = Vec::new();
    let mut folder = folder.to_owned();
    let words = shlex::split(run).unwrap_or_default();
    for part in words.split(|word| ["&&", "||", ";"].contains(&word.as_str())) {
        match part {
            [cd, to] if cd == "cd" => match enter(&folder, to) {
                Some(there) => folder = there,
                None => return calls,
            },
            _ => match script(context, part, &folder).filter(|_| depth < MAX_DEPTH) {
                Some(script) => {
                    calls.extend(collect_calls(context, known, &script, &folder, depth + 1));
                }
                None => calls.extend(call(known, part, &folder)),
            },
        }
    }
    calls
}

/// Follows a relative path; `None` when it leaves the repository or only a shell can read it.
fn enter(folder: &str, to: &str) -> Option<String> {
    if to.starts_with(['/', '~', '-']) || !is_literal(to) {
        return None;
    }
    let mut segments: Vec<&str> = folder.split('/').filter(|name| !name.is_empty()).collect();
    for segment in to.split('/') {
        match segment {
            "" | "." => {}
            ".." => drop(segments.pop()?),
            name => segments.push(name),
        }
    }
    Some(segments.join("/"))
}

fn is_literal(word: &str) -> bool {
    !word.contains(['$', '`', '(', ')', '<', '>', '|', '&'])
}

fn call(known: &Known, part: &[String], folder: &str) -> Option<Call> {
    let is_tool = |word: &String| word.rsplit('/').next() == Some(known.name);
    let at = part.iter().position(is_tool)?;
    let (before, after) = part.split_at(at);
    let mut env = Vec::new();
    for word in before {
        match word.split_once('=') {
            Some((name, value)) if !name.starts_with('-') => {
                env.push((name.to_owned(), value.to_owned()));
            }
            _ if word.starts_with('-') || WRAPPERS.contains(&word.as_str()) => {}
            _ => return None,
        }
    }
    let is_redirection = |word: &&String| {
        !(word.starts_with(['|', '>', '<', '&'])
            || word.starts_with("1>")
            || word.starts_with("2>"))
    };
    let words = after.iter().skip(1).take_while(is_redirection);
    let arguments = without(known, words);
    // Only a shell can read what is left of a pattern that it would have replaced.
    let is_plain =
        arguments.iter().chain(env.iter().map(|(_, value)| value)).all(|w| is_literal(w));
    is_plain.then(|| Call { folder: folder.to_owned(), env, arguments })
}

fn without<'w>(known: &Known, mut words: impl Iterator<Item = &'w String>) -> Vec<String> {
    let mut kept = Vec::new();
    while let Some(word) = words.next() {
        let name = word.split_once('=').map_or(word.as_str(), |(name, _)| name);
        if known.valued.contains(&name) {
            if name == word {
                words.next();
            }
        } else if !known.switches.contains(&name) {
            kept.push(word.clone());
        }
    }
    kept
}

#[derive(Deserialize)]
struct Manifest {
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
    serde_json::from_slice::<Manifest>(&text).ok()?.scripts.remove(name)
}

/// Returns the files of lint failures, or the whole folder where none is known.
fn failed_files(context: &DiagnosticContext<'_>, known: &Known) -> Vec<String> {
    let failures = &context.tools.report.failures;
    let lint = failures.iter().filter(|failure| failure.kind == FailureKind::Lint);
    let mut files: Vec<String> = lint
        .filter_map(|failure| context.find_in("", &failure.locations.first()?.path))
        .map(|path| path.to_string())
        .filter(|path| {
            known.endings.is_empty()
                || path.rsplit_once('.').is_some_and(|(_, end)| known.endings.contains(&end))
        })
        // An option is no file.
        .filter(|path| !path.starts_with('-'))
        .collect();
    files.sort();
    files.dedup();
    if files.is_empty() || files.len() > MAX_FILES { vec![".".to_owned()] } else { files }
}

/// Returns the program to start: the project's own one first.
fn program(context: &DiagnosticContext<'_>, known: &Known, folder: &str) -> Option<String> {
    let mut at = Some(folder);
    while let Some(folder) = at {
        for home in known.homes {
            let path = format!("{folder}/{home}/{}", known.name);
            let path = path.trim_start_matches('/');
            if context.is_file(path) {
                return Some(context.tools.tree.root().join(path).to_string_lossy().into_owned());
            }
        }
        at = (!folder.is_empty()).then(|| folder.rsplit_once('/').map_or("", |(above, _)| above));
    }
    known.on_path.then(|| known.name.to_owned())
}

/// Folders in which node keeps a project's programs.
pub(super) const NODE_HOMES: &[&str] = &["node_modules/.bin"];

/// Folders in which Python keeps a project's programs.
pub(super) const PYTHON_HOMES: &[&str] = &[".venv/bin", "venv/bin"];

#[cfg(test)]
mod tests;
