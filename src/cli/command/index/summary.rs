//! The summary of an index in numbers.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::{Value, json};

use super::open::IndexAnswer;
use crate::cli::{Call, CliError, Session};
use crate::fix::FixError;
use papayu_base::domain::ExitCode;
use papayu_index::{
    FileFacts, FileId, Graph, ImportTarget, IncrementalIndex, Index, IndexSources, IndexedFile,
    RefreshSummary, ResolvedImports, watch,
};

/// Keeps the index fresh until the run is interrupted, and prints its numbers each time they may have
/// changed: with `--format json` one object a time.
///
/// Returns [`ExitCode::Interrupted`] then. Fails with [`FixError::Repository`] if the files cannot be listed or
/// watched, and with [`CliError::Stdout`] if the numbers cannot be printed.
pub(super) fn watch_index(
    session: &Session,
    sources: &IndexSources<'_>,
    keeper: &mut IncrementalIndex,
    call: &Call,
) -> Result<ExitCode, CliError> {
    let mut printed = Ok(());
    let mut show = |keeper: &IncrementalIndex, summary: &RefreshSummary| {
        let answer = sum_up(keeper.index(), summary);
        printed = call.print_result(&answer.text, &answer.json);
        printed.is_ok()
    };
    let watched = watch::watch_files(keeper, sources, &mut show);
    printed?;
    watched.map_err(|error| FixError::of_repository(&session.repo, error))?;
    Ok(ExitCode::Interrupted)
}

/// Returns the numbers.
pub(super) fn sum_up(index: &Index, done: &RefreshSummary) -> IndexAnswer {
    let json = summary_json(index, done);
    let mut text = String::new();
    for (name, value) in json.as_object().into_iter().flatten() {
        let shown = match value {
            Value::Object(parts) => {
                let parts = parts.iter().map(|(name, count)| format!("{count} {name}"));
                parts.collect::<Vec<_>>().join(", ")
            }
            Value::Array(items) => {
                let items: Vec<_> = items.iter().filter_map(Value::as_str).take(20).collect();
                items.join(" ")
            }
            other => other.to_string(),
        };
        if !shown.is_empty() {
            let _ = writeln!(text, "{}: {shown}", name.replace('_', " "));
        }
    }
    IndexAnswer::new(text, json)
}

/// Returns the numbers of the index: files by language, symbols, imports by kind, and those of the graph.
fn summary_json(index: &Index, done: &RefreshSummary) -> Value {
    let links = ResolvedImports::of(index);
    let graph = Graph::of(&links);
    let facts = || index.files().iter().filter_map(IndexedFile::facts);
    let sum = |count: &dyn Fn(&FileFacts) -> usize| facts().map(count).sum::<usize>();
    let mut languages: BTreeMap<String, usize> = BTreeMap::new();
    for facts in facts() {
        let name = json!(facts.language).as_str().unwrap_or_default().to_owned();
        *languages.entry(name).or_default() += 1;
    }
    let all = index.files().iter().zip((0..).map(FileId));
    let targets = || all.clone().flat_map(|(_, id)| links.imports_of(id)).map(|link| &link.target);
    let count =
        |kind: &dyn Fn(&ImportTarget) -> bool| targets().filter(|target| kind(target)).count();
    let broken =
        index.files().iter().filter(|file| file.facts().is_some_and(|facts| facts.parse_error));
    json!({
        "files": index.files().len(),
        "read": done.parsed,
        "shared": done.shared,
        "known_before": done.reused,
        "removed": done.removed,
        "left_out": {
            "binary": done.binaries,
            "large": done.large,
            "not_utf8": done.skipped_non_utf8,
            "link": done.symlinks,
            "unreadable": done.unreadable,
        },
        "code_files": facts().count(),
        "languages": languages,
        "symbols": sum(&|facts| facts.symbols.len()),
        "imports": {
            "internal": count(&|target| matches!(target, ImportTarget::Internal(_))),
            "external": count(&|target| matches!(target, ImportTarget::External(_))),
            "builtin": count(&|target| matches!(target, ImportTarget::Builtin(_))),
            "unresolved": count(&|target| matches!(target, ImportTarget::Unresolved)),
        },
        "dependencies": graph.edges(),
        "hubs": graph.hubs().len(),
        "cycles": graph.cycles().len(),
        "todos": sum(&|facts| facts.todos.len()),
        "parse_errors": broken.map(|file| file.path.as_str()).collect::<Vec<_>>(),
    })
}
