//! Finds out which formatter complained about which files, and asks it for their text.

use std::collections::BTreeSet;

use super::super::findings::Findings;
use super::super::ground::{Ground, Verdict};
use super::super::probe::{Interrupted, Probe};
use super::filter::{FILTERS, Filter, formatted, printed};
use super::{lines, rustfmt};
use crate::domain::{Failure, Location, RepoPath};

/// Files that one formatter is asked about, at most.
const MAX_FILES: usize = 100;

const RUSTFMT: &str = "cargo fmt";

/// Returns the files as their formatters would write them; `None` where no formatter complained.
pub(in crate::quickfix) fn look(probe: &Probe<'_>) -> Result<Option<Findings>, Interrupted> {
    let complaints: Vec<(&str, &Failure)> = probe
        .report
        .failures
        .iter()
        .filter_map(|failure| Some((complained(&failure.message)?, failure)))
        .collect();
    let run = probe.config.run.as_deref().unwrap_or_default();
    let names_gofmt = run.contains("gofmt ");
    if complaints.is_empty() && !names_gofmt {
        return Ok(None);
    }
    let mut ground = Ground::of(probe);
    let mut asked = BTreeSet::new();
    if complaints.iter().any(|(tool, _)| *tool == RUSTFMT) {
        asked.insert(RUSTFMT);
        rust(&mut ground, run)?;
    }
    for filter in FILTERS {
        let mut files: BTreeSet<RepoPath> = complaints
            .iter()
            .filter(|(tool, _)| *tool == filter.name)
            .flat_map(|(_, failure)| &failure.locations)
            .filter_map(|at| ground.find(&at.path))
            .collect();
        if filter.name == "gofmt" && names_gofmt && files.is_empty() {
            files = listed(&ground)?;
        }
        if !files.is_empty() {
            asked.insert(filter.name);
        }
        for path in files.into_iter().take(MAX_FILES) {
            through(&mut ground, filter, &path)?;
        }
    }
    if asked.is_empty() {
        return Ok(None);
    }
    let tools: Vec<&str> = asked.into_iter().collect();
    Ok(Some(ground.done(format!("asked for formatted files: {}", tools.join(", ")))))
}

/// Returns the tool of a message `` not formatted as `tool` would format it ``.
fn complained(message: &str) -> Option<&str> {
    message.strip_prefix("not formatted as `")?.split_once('`').map(|(tool, _)| tool)
}

fn through(ground: &mut Ground<'_>, filter: &Filter, path: &RepoPath) -> Result<(), Interrupted> {
    let after = formatted(ground.probe, filter, path)?;
    write(ground, filter.name, path, after);
    Ok(())
}

fn rust(ground: &mut Ground<'_>, run: &str) -> Result<(), Interrupted> {
    let root = ground.probe.tree.root().to_string_lossy().into_owned();
    for command in rustfmt::commands(run) {
        let Ok(text) = printed(ground.probe, &command.argv, &command.folder)? else { continue };
        for (path, after) in rustfmt::files(&text, &root) {
            if let Some(path) = ground.find(&path) {
                write(ground, RUSTFMT, &path, Ok(after));
            }
        }
    }
    Ok(())
}

/// `gofmt -l` names files alone, which says nothing in a log.
fn listed(ground: &Ground<'_>) -> Result<BTreeSet<RepoPath>, Interrupted> {
    let words = ["gofmt", "-l", "."].map(str::to_owned);
    let text = printed(ground.probe, &words, "")?.unwrap_or_default();
    Ok(text.lines().filter_map(|path| ground.find(path)).collect())
}

/// Takes down what the formatter would write.
fn write(ground: &mut Ground<'_>, tool: &str, path: &RepoPath, after: Result<String, String>) {
    let verdict = match (ground.page(path), after) {
        (Ok(page), Ok(after)) if page.text == after => return,
        (Ok(page), Ok(after)) if after.is_empty() && !page.text.trim().is_empty() => {
            Verdict::Hint("the formatter wrote nothing".to_owned())
        }
        (Ok(page), Ok(after)) => Verdict::Fix(lines::edits(path, &page, &after)),
        (Ok(_), Err(why)) => Verdict::Hint(why),
        (Err(why), _) => Verdict::Hint(why.to_owned()),
    };
    let at = Location { path: path.to_string(), line: None, column: None };
    let message = format!("not formatted as `{tool}` would format it");
    ground.add(tool, (&Failure { message, ..Failure::default() }, &at), verdict);
}
