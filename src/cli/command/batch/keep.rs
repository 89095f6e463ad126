//! `papayu-batch publish` and `papayu-batch batch apply` on the results of a batch.

use std::path::PathBuf;

use super::summary::{open_batch, print_report};
use super::watch::ProgressWatcher;
use crate::batch::{self, ApplyResult, BatchPublication};
use crate::cli::args::PublishArgs;
use crate::cli::loudness::Loudness;
use crate::cli::wording::shorten_path;
use crate::cli::{Call, CliError, runtime};
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
        let line = |row: &batch::TaskRow| {
            let files = row.changed_files;
            format!("{}\t{}\t{files} changed files\n", row.name, row.repo)
        };
        let text: String = listed.iter().map(line).collect();
        let text = format!("{text}{} fixes would be published", listed.len());
        call.print_result(&batch.outside.masker.mask(&text), &listed)?;
        return Ok(ExitCode::Ok);
    }
    let _observer = runtime::observe_run(&batch.session, &batch.outside.masker, Loudness::Quiet);
    let watcher = ProgressWatcher::new(args.way.progress.as_deref(), &batch);
    let report = batch::publish_batch(&batch, &options, &watcher)?;
    // The bar is cleared before the result is printed.
    drop(watcher);
    print_report(&report, &[], call)
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
    let done = batch::apply_batch(&batch, folders, filter)?;
    let mut text = String::new();
    for fix in &done {
        let folder = shorten_path(&fix.folder);
        let error = fix.error.lines().next().unwrap_or_default();
        let error = if error.is_empty() { String::new() } else { format!(": {error}") };
        text.extend([fix.result.words(), "\t", &folder.display().to_string(), &error, "\n"]);
    }
    call.print_result(batch.outside.masker.mask(&text).trim_end(), &done)?;
    let has_failed = done.iter().any(|fix| fix.result == ApplyResult::Failed);
    Ok(if has_failed { ExitCode::Conflict } else { ExitCode::Ok })
}
