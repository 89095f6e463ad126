//! `papayu-batch batch` and `papayu-batch report merge`.

use std::fmt::Write as _;
use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::watch::ProgressWatcher;
use crate::batch::{
    self, BatchLimits, BatchOptions, BatchReport, BatchSession, BatchSummary, StartMode,
    TaskFilter, TaskRow,
};
use crate::cli::args::{BatchArgs, BatchCommand, BudgetArgs, PickArgs, SelectArgs};
use crate::cli::loudness::Loudness;
use crate::cli::terminal;
use crate::cli::wording::shorten_path;
use crate::cli::{Call, CliError, output, runtime};
use crate::settings::FlagValue;
use papayu_base::domain::{ExitCode, OutcomeKind};
use papayu_system::os::signal;

/// Tasks without a good end that are listed.
const MAX_FAILED: usize = 5;

/// Runs a batch, or prints its tasks or its matrix.
///
/// Fails as [`batch::run_batch`], [`batch::dry_run`] and [`batch::shard_matrix`] do. Failed tasks are an exit
/// code, not an error.
pub(crate) fn run_batch(call: &Call, args: &BatchArgs) -> Result<ExitCode, CliError> {
    if let Some(BatchCommand::Matrix { manifest, max, filter }) = &args.command {
        let batch = open_batch(call, Vec::new())?;
        // A job's output is one line.
        output::print_data(&batch::shard_matrix(&batch, manifest, filter, *max)?.to_string())?;
        return Ok(ExitCode::Ok);
    }
    let batch = open_batch(call, args.flags())?;
    let select = &args.select;
    let options = BatchOptions {
        manifest: args.manifest.clone().unwrap_or_default(),
        task_flags: [args.task_flags(), call.global.task_flags()].concat(),
        overrides_emit: !args.change.emit.is_empty(),
        filter: task_filter(&select.pick),
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
    print_report(&report, call)
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
    print_report(&batch::merge_folders(&batch, folders, out)?, call)
}

pub(super) fn open_batch(call: &Call, flags: Vec<FlagValue>) -> Result<BatchSession, CliError> {
    let interrupted = signal::watch().map_err(CliError::Signals)?;
    Ok(BatchSession::open(runtime::session_place(call, flags), interrupted)?)
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

/// Returns the commands that follow from a batch, a line each; empty if there are none.
fn next_commands(summary: &BatchSummary, again: &str) -> String {
    if !again.starts_with("papayu-batch batch ") {
        return String::new();
    }
    let mut lines = String::new();
    let is_kept = |row: &TaskRow| row.branch.is_some() || row.pr_url.is_some();
    let mut fixed = summary.tasks.iter().filter(|row| row.outcome == OutcomeKind::Fixed);
    if fixed.any(|row| !is_kept(row)) && !again.contains(" --emit") {
        let _ = writeln!(lines, "  {again} --emit pr  # opens a pull request for each fix");
    }
    if summary.tasks.iter().any(|row| !row.is_good()) && !again.contains(" --failed") {
        let _ = writeln!(lines, "  {again} --failed");
    }
    lines
}

/// Prints the summary and returns the exit code of the batch.
///
/// Fails with [`CliError::Stdout`].
pub(super) fn print_report(report: &BatchReport, call: &Call) -> Result<ExitCode, CliError> {
    let summary = &report.summary;
    for down in &summary.left_alone {
        let reason = &down.reason;
        output::print_warning(&format!(
            "{} did not answer and was left alone: {reason}",
            down.host
        ));
    }
    let failed: Vec<&TaskRow> = summary.tasks.iter().filter(|row| !row.is_good()).collect();
    let width = terminal::width();
    // A terminal shows them above the bar already.
    let listed = if std::io::stderr().is_terminal() { &[] } else { failed.as_slice() };
    for row in listed.iter().take(MAX_FAILED) {
        let reason = row.reason.lines().next().unwrap_or_default();
        let line = format!("✗ {}: {}: {reason}", row.name, row.outcome.words());
        output::print_words(&format!("{}\n", terminal::wrap(&line, width, "  ")));
    }
    if listed.len() > MAX_FAILED {
        output::print_words(&format!("  and {} more\n", listed.len() - MAX_FAILED));
    }
    call.print_result(&summary.line(), summary)?;
    let out = shorten_path(&report.out);
    let next = next_commands(summary, &call.invocation);
    if !next.is_empty() {
        output::print_words(&format!("Next:\n{next}"));
    }
    let page = out.join("report.html");
    output::print_words(&format!("Results: {}\nReport: {}\n", out.display(), page.display()));
    Ok(summary.outcome.exit_code())
}
