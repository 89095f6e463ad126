//! `papayu-batch publish` and `papayu-batch batch apply` on the results of a batch.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::summary::{NextSteps, open_batch, print_report, warn_of_unfinished};
use super::watch::ProgressWatcher;
use crate::batch::{self, AppliedBatch, ApplyResult, BatchPublication, BatchSession, ListedFixes};
use crate::cli::args::PublishArgs;
use crate::cli::loudness::Loudness;
use crate::cli::wording::{count_noun, shorten_path};
use crate::cli::{Call, CliError, output, runtime};
use papayu_base::domain::{ExitCode, Sha256};

/// Publishes the bundles of a batch, and prints the summary.
///
/// Fails as [`batch::publish_batch`] does. A bundle that cannot be published is an exit code, not an error.
pub(crate) fn publish_folders(
    call: &Call,
    args: &PublishArgs,
    digest: Option<Sha256>,
) -> Result<ExitCode, CliError> {
    let batch = open_batch(call, [args.way.flags(), args.flags()].concat())?;
    let options = BatchPublication {
        folders: args.folders.clone(),
        digest,
        names: args.filter.clone(),
        flags: [args.flags(), call.global.task_flags()].concat(),
        as_pull_request: args.emit == "pr",
        pulls_per_hour: args.limit_prs,
        hold: args.hold.hold(),
    };
    if args.dry_run {
        let listed = batch::list_bundles(&batch, &options)?;
        print_listed(&batch, &listed, call)?;
        return Ok(ExitCode::Ok);
    }
    let _observer = runtime::observe_run(&batch.session, &batch.outside.masker, Loudness::Quiet);
    let watcher = ProgressWatcher::new(args.way.progress.as_deref(), &batch);
    let report = batch::publish_batch(&batch, &options, &watcher)?;
    // The bar is cleared before the result is printed.
    drop(watcher);
    print_report(&report, &NextSteps::default(), call)
}

/// Prints the fixes that would be published, those of one owner together.
fn print_listed(batch: &BatchSession, listed: &ListedFixes, call: &Call) -> Result<(), CliError> {
    for name in &listed.refused {
        output::print_warning(&batch::refusal_of(name));
    }
    warn_of_unfinished(&listed.unfinished);
    let line = |row: &batch::TaskRow| {
        let files = count_noun(row.changed_files, "changed file");
        format!("{}\t{}\t{files}\n", row.name, row.repo)
    };
    let mut owners: BTreeMap<&str, Vec<&batch::TaskRow>> = BTreeMap::new();
    for row in &listed.rows {
        owners.entry(owner_of(&row.repo)).or_default().push(row);
    }
    let group = |(owner, rows): (&str, Vec<_>)| {
        let lines: String = rows.iter().copied().map(line).collect();
        format!("{owner}: {}\n{lines}", count_fixes(rows.len()))
    };
    let rows: String = owners.into_iter().map(group).collect();
    let text = match &listed.nothing {
        Some(why) => format!("nothing to publish: {why}"),
        None => format!("{rows}{} would be published", count_fixes(listed.rows.len())),
    };
    call.print_result(&batch.outside.masker.mask(&text), &listed.rows)
}

/// Returns the address of a repository without its last part, which is the owner or group at a forge.
fn owner_of(repository: &str) -> &str {
    repository.trim_end_matches('/').rsplit_once('/').map_or(repository, |(owner, _)| owner)
}

/// Returns a number of fixes in words.
fn count_fixes(number: usize) -> String {
    if number == 1 { "1 fix".to_owned() } else { format!("{number} fixes") }
}

/// Applies the fixes of a batch to the folders that they were made for, and prints the result of each.
///
/// Fails as [`batch::apply_batch`] does. A fix that cannot be applied is an exit code, not an error.
pub(super) fn apply_folders(
    call: &Call,
    folders: &[PathBuf],
    filter: &[String],
) -> Result<ExitCode, CliError> {
    let batch = open_batch(call, Vec::new())?;
    let AppliedBatch { fixes: done, unfinished } = batch::apply_batch(&batch, folders, filter)?;
    let mut text = String::new();
    for fix in &done {
        let folder = shorten_path(&fix.folder);
        let error = fix.error.lines().next().unwrap_or_default();
        let error = if error.is_empty() { String::new() } else { format!(": {error}") };
        text.extend([fix.result.words(), "\t", &folder.display().to_string(), &error, "\n"]);
    }
    call.print_result(batch.outside.masker.mask(&text).trim_end(), &done)?;
    warn_of_unfinished(&unfinished);
    let has_failed = done.iter().any(|fix| fix.result == ApplyResult::Failed);
    Ok(match has_failed {
        true => ExitCode::Conflict,
        // A part of a batch is never a success.
        false if !unfinished.is_empty() => ExitCode::NotFixed,
        false => ExitCode::Ok,
    })
}
