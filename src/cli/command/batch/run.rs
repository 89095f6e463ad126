//! `papayu-batch batch` and `papayu-batch report merge`.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::keep::apply_folders;
use super::summary::{NextSteps, open_batch, print_report};
use super::watch::ProgressWatcher;
use crate::batch::{self, BatchLimits, BatchOptions, StartMode, TaskFilter};
use crate::cli::args::{BatchArgs, BatchCommand, BudgetArgs, PickArgs, SelectArgs};
use crate::cli::loudness::Loudness;
use crate::cli::{Call, CliError, output, runtime};
use papayu_base::domain::ExitCode;

/// Runs a batch, or prints its tasks or its matrix.
///
/// Fails as [`batch::run_batch`], [`batch::dry_run`] and [`batch::shard_matrix`] do. Failed tasks are an exit
/// code, not an error.
pub(crate) fn run_batch(call: &Call, args: &BatchArgs) -> Result<ExitCode, CliError> {
    match &args.command {
        Some(BatchCommand::Apply { folders, filter }) => {
            return apply_folders(call, folders, filter);
        }
        Some(BatchCommand::Matrix { manifest, max, filter }) => {
            let batch = open_batch(call, Vec::new())?;
            // A job's output is one line.
            output::print_data(&batch::shard_matrix(&batch, manifest, filter, *max)?.to_string())?;
            return Ok(ExitCode::Ok);
        }
        None => {}
    }
    let batch = open_batch(call, args.flags())?;
    let select = &args.select;
    let options = BatchOptions {
        manifest: args.manifest.clone().unwrap_or_default(),
        task_flags: [args.task_flags(), call.global.task_flags()].concat(),
        goal: args.goal.clone(),
        overrides_emit: !args.change.emit.is_empty(),
        filter: task_filter(&select.pick),
        hold: select.hold.hold(),
        start: start_mode(select),
        limits: BatchLimits {
            pulls_per_hour: select.limit_prs,
            fail_fast: select.fail_fast,
            ..batch_limits(&args.budget)
        },
    };
    if select.dry_run {
        let dry_run = batch::dry_run(&batch, &options)?;
        call.print_result(&dry_run.text(), &dry_run)?;
        return Ok(ExitCode::Ok);
    }
    let _observer = runtime::observe_run(&batch.session, &batch.outside.masker, Loudness::Quiet);
    let watcher = ProgressWatcher::new(select.way.progress.as_deref(), &batch);
    let report = batch::run_batch(&batch, &options, &watcher)?;
    // The bar is cleared before the result is printed.
    drop(watcher);
    let next = NextSteps::of(&report, &args.change.allow);
    print_report(&report, &next, call)
}

/// Merges the summaries of shards.
///
/// Fails as [`batch::merge_folders`] does.
pub(crate) fn merge_shards(
    call: &Call,
    folders: &[PathBuf],
    out: &Path,
) -> Result<ExitCode, CliError> {
    let batch = open_batch(call, Vec::new())?;
    let report = batch::merge_folders(&batch, folders, out)?;
    let ended = folders.iter().filter(|folder| !report.unfinished.contains(folder));
    let next = NextSteps { folders: ended.cloned().collect(), ..NextSteps::default() };
    print_report(&report, &next, call)
}

/// Returns the filter of the flags.
pub(super) fn task_filter(pick: &PickArgs) -> TaskFilter {
    TaskFilter { names: pick.filter.clone(), shard: pick.shard.clone(), limit: pick.limit }
}

/// Returns the limits of the flags.
pub(super) fn batch_limits(budget: &BudgetArgs) -> BatchLimits {
    BatchLimits {
        max_cost: budget.max_cost,
        max_tokens: budget.max_tokens,
        max_requests: budget.max_requests,
        max_time: budget.max_time.map(Duration::from_secs),
        ..BatchLimits::default()
    }
}

/// Returns how an earlier call is treated.
fn start_mode(select: &SelectArgs) -> StartMode {
    match select {
        SelectArgs { restart: true, .. } => StartMode::Restart,
        SelectArgs { failed: true, .. } => StartMode::RetryFailed,
        SelectArgs { resume: true, .. } => StartMode::Resume,
        _ => StartMode::New,
    }
}
