//! `papayu-batch enqueue`, `papayu-batch worker` and `papayu-batch queue`.

use serde_json::{Value, json};

use super::run::{batch_limits, task_filter};
use super::summary::{NextSteps, open_batch, print_report};
use super::watch::ProgressWatcher;
use crate::batch::BatchSession;
use crate::batch::queue::{
    self, EnqueueOptions, QueueStatus, QueueWorker, QueuedBatch, Running, WorkerOptions,
    queue_status, report_queue, retry_parked,
};
use crate::cli::args::{EnqueueArgs, QueueArgs, QueueCommand, WorkerArgs};
use crate::cli::loudness::Loudness;
use crate::cli::{Call, CliError, runtime};
use papayu_base::domain::ExitCode;

/// Puts the tasks of a manifest into the queue.
///
/// Fails as [`queue::enqueue`] does.
pub(crate) fn run_enqueue(call: &Call, args: &EnqueueArgs) -> Result<ExitCode, CliError> {
    let batch = open_batch(call, args.address.flags())?;
    let options = EnqueueOptions {
        manifest: args.manifest.clone(),
        filter: task_filter(&args.pick),
        restart: args.restart,
        dry_run: args.dry_run,
    };
    let enqueued = queue::enqueue(&batch, &options)?;
    let all = enqueued.all;
    if let Some(added) = enqueued.added {
        let (new, known) = (added.new, added.known);
        let json = json!({ "new": new, "known": known, "all": all, "queue": enqueued.queue });
        let text = format!("{new} new, {known} in the queue already, of {all} tasks");
        call.print_result(&text, &json)?;
        return Ok(ExitCode::Ok);
    }
    let tasks = &enqueued.tasks;
    let lines = tasks.iter().map(|task| format!("{}\t{}\n", task.name(), task.repo));
    let lines: String = lines.collect();
    let rows = tasks.iter().map(|task| json!({ "task": task.name(), "repo": *task.repo }));
    let rows: Vec<Value> = rows.collect();
    let text = format!("{lines}{} of {all} tasks would be put into the queue", rows.len());
    call.print_result(&text, &json!({ "tasks": rows, "all": all }))?;
    Ok(ExitCode::Ok)
}

/// Does the tasks of one batch after the other. Returns the exit code of the last batch, or
/// [`ExitCode::Interrupted`] after a signal while it waits for one.
///
/// Fails as [`QueueWorker::open`] and [`QueueWorker::run_batch`] do, and with the error that ended a batch,
/// after its report is printed.
pub(crate) fn run_worker(call: &Call, args: &WorkerArgs) -> Result<ExitCode, CliError> {
    let batch = open_batch(call, args.flags())?;
    let options = WorkerOptions {
        task_flags: [args.task_flags(), call.global.task_flags()].concat(),
        overrides_emit: !args.change.emit.is_empty(),
        until_empty: args.until_empty,
        limits: batch_limits(&args.budget),
    };
    let _observer = runtime::observe_run(&batch.session, &batch.outside.masker, Loudness::Quiet);
    let worker = QueueWorker::open(&batch, &options)?;
    loop {
        let watcher = ProgressWatcher::new(args.way.progress.as_deref(), &batch);
        let Some(run) = worker.run_batch(&watcher)? else { return Ok(ExitCode::Interrupted) };
        // The bar is cleared before the result is printed.
        drop(watcher);
        let next = NextSteps::of(&run.report, &args.change.allow);
        let code = print_report(&run.report, &next, call)?;
        if let Some(error) = run.error {
            return Err(error.into());
        }
        if !run.has_other_batch {
            return Ok(code);
        }
    }
}

/// Prints the state of the queue, puts parked tasks back, or writes the summary of its rows.
///
/// Fails as [`queue_status`], [`retry_parked`] and [`report_queue`] do.
pub(crate) fn run_queue(call: &Call, args: &QueueArgs) -> Result<ExitCode, CliError> {
    let batch = open_batch(call, args.address.flags())?;
    match &args.command {
        QueueCommand::Status => {
            let (begun, status) = queue_status(&batch)?;
            print_status(&batch, &begun, &status, call)?;
        }
        QueueCommand::Retry { filter } => {
            let back = retry_parked(&batch, filter)?;
            call.print_result(&format!("{back} put back"), &json!({ "back": back }))?;
        }
        QueueCommand::Report => {
            let report = report_queue(&batch)?;
            let folders = vec![report.out.clone()];
            return print_report(&report, &NextSteps { folders, ..NextSteps::default() }, call);
        }
    }
    Ok(ExitCode::Ok)
}

fn print_status(
    batch: &BatchSession,
    begun: &QueuedBatch,
    status: &QueueStatus,
    call: &Call,
) -> Result<(), CliError> {
    let parked = status.parked.len();
    // A parked task has a row, and did not end.
    let ended = status.rows.len().saturating_sub(parked);
    let (waiting, count) = (status.waiting, status.running.len());
    let mut text = format!("{waiting} waiting, {count} running, {parked} parked, {ended} ended");
    for Running { task, worker, since } in &status.running {
        let line = format!("running\t{task}\ton {worker}\tsince {since}");
        text = text + "\n" + &replace_controls(&line);
    }
    for key in &status.parked {
        text = text + "\n" + &replace_controls(&format!("parked\t{key}"));
    }
    let json =
        json!({ "manifest": begun.manifest, "started_at": begun.started_at, "status": status });
    call.print_result(&batch.outside.masker.mask(&text), &json)
}

/// Replaces control characters: anyone who can write to the queue chooses keys and names.
fn replace_controls(line: &str) -> String {
    line.chars().map(|c| if c.is_control() && c != '\t' { ' ' } else { c }).collect()
}
