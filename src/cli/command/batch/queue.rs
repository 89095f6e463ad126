//! `papayu-batch enqueue` and `papayu-batch queue`: puts tasks into a queue, and says what is in one.

use std::path::PathBuf;
use std::time::Duration;

use secrecy::ExposeSecret as _;
use serde_json::json;

use super::desk::Desk;
use super::leave::leave;
use super::run::absolute;
use crate::batch::plan::Spent;
use crate::batch::queue::{Begun, Queue, QueueError, Status};
use crate::batch::select::{Names, Shard};
use crate::batch::summary::Summary;
use crate::batch::{Planned, worst};
use crate::cli::args::{EnqueueArgs, GlobalArgs, QueueArgs, QueueCommand};
use crate::cli::{CliError, Output};
use crate::domain::{ExitCode, OutcomeKind};
use crate::fix::FixError;
use crate::fix::handover::variable;
use crate::system::Disk as _;

/// Opens the queue that the settings name.
pub(super) fn open(desk: &Desk) -> Result<Queue<'_>, QueueError> {
    let settings = &desk.session.settings;
    let url = settings.queue_url.value.as_ref().ok_or(QueueError::NoAddress)?;
    let lease = Duration::from_secs(settings.queue_lease_sec.value);
    Queue::new(url.expose_secret(), lease, desk.outside.system().clock)
}

/// Puts the tasks of a manifest into the queue.
pub(in crate::cli) fn enqueue(
    global: &GlobalArgs,
    args: &EnqueueArgs,
    output: &Output,
) -> Result<ExitCode, CliError> {
    let desk = Desk::open(global, args.address.flags())?;
    let read = desk.read(&args.manifest)?;
    let all = read.tasks.len();
    let tasks = chosen(args, &desk, read.tasks)?;
    if args.dry_run {
        let lines = tasks.iter().map(|task| format!("{}\t{}\n", task.name(), task.repo));
        let text = format!(
            "{}{} of {all} tasks would be put into the queue",
            lines.collect::<String>(),
            tasks.len()
        );
        let row = |task: &Planned| json!({ "task": task.name(), "repo": *task.repo });
        let rows: Vec<_> = tasks.iter().map(row).collect();
        output.result(&text, &json!({ "tasks": rows, "all": all }))?;
        return Ok(ExitCode::Ok);
    }
    let queue = open(&desk)?;
    let manifest = read.digest.to_string();
    queue.begin(&manifest, &desk.outside.started, args.restart)?;
    warn_of_loss(&queue)?;
    let added = queue.add(&manifest, &tasks, &read.folder)?;
    let (new, known) = (added.new, added.known);
    let text = format!("{new} new, {known} in the queue already, of {all} tasks");
    output.result(
        &text,
        &json!({ "new": new, "known": known, "all": all, "queue": queue.shown() }),
    )?;
    Ok(ExitCode::Ok)
}

fn chosen(args: &EnqueueArgs, desk: &Desk, tasks: Vec<Planned>) -> Result<Vec<Planned>, CliError> {
    let names = Names::read(&args.pick.filter)?;
    names.fit_some(&tasks)?;
    let lookup = |name: &str| variable(&desk.session, name);
    let shard = args.pick.shard.as_deref().map(|text| Shard::read(text, &lookup)).transpose()?;
    let fits = |task: &Planned| {
        names.fit(&task.name()) && shard.is_none_or(|shard| shard.holds(&task.key))
    };
    let chosen = tasks.into_iter().filter(fits);
    Ok(chosen.take(args.pick.limit.unwrap_or(usize::MAX)).collect())
}

/// Says so where a restart of the server would lose what is in it.
pub(super) fn warn_of_loss(queue: &Queue<'_>) -> Result<(), QueueError> {
    if queue.is_kept()? == Some(false) {
        Output::warning(
            "this Redis keeps no append-only file: a restart loses the queue; start it with `--appendonly yes`",
        );
    }
    Ok(())
}

/// Says what is in the queue, puts parked tasks back, or leaves the summary of its rows.
pub(in crate::cli) fn queue(
    global: &GlobalArgs,
    args: &QueueArgs,
    output: &Output,
) -> Result<ExitCode, CliError> {
    let desk = Desk::open(global, args.address.flags())?;
    let queue = open(&desk)?;
    let begun = queue.begun()?.ok_or(QueueError::NeverFilled)?;
    let status = queue.status()?;
    match &args.command {
        QueueCommand::Status => {
            told(&desk, &begun, &status, output)?;
            Ok(ExitCode::Ok)
        }
        QueueCommand::Retry { filter } => {
            let names = Names::read(filter)?;
            let keys: Vec<String> =
                status.parked.into_iter().filter(|key| names.fit(key)).collect();
            let back = queue.retry(&begun.manifest, &keys)?;
            output.result(&format!("{back} put back"), &json!({ "back": back }))?;
            Ok(ExitCode::Ok)
        }
        QueueCommand::Report => report(&desk, begun, &status, output),
    }
}

fn told(desk: &Desk, begun: &Begun, status: &Status, output: &Output) -> Result<(), CliError> {
    let mut lines = vec![format!(
        "{} waiting, {} running, {} parked, {} ended",
        status.waiting,
        status.running.len(),
        status.parked.len(),
        status.rows.len(),
    )];
    for running in &status.running {
        let (worker, tries) = (&running.worker, running.tries);
        let silent = running.silent_ms / 1000;
        lines.push(format!("running\t{worker}\theard from {silent} s ago\ttry {tries}"));
    }
    lines.extend(status.parked.iter().map(|key| format!("parked\t{key}")));
    let text: Vec<String> = lines.iter().map(|line| plain(line)).collect();
    let json =
        json!({ "manifest": begun.manifest, "started_at": begun.started_at, "status": status });
    let masker = &desk.outside.masker;
    output.result(&masker.mask(&text.join("\n")), &json)
}

/// Keys and names come from whoever may write to the queue.
fn plain(line: &str) -> String {
    line.chars().map(|c| if c.is_control() && c != '\t' { ' ' } else { c }).collect()
}

fn report(
    desk: &Desk,
    begun: Begun,
    status: &Status,
    output: &Output,
) -> Result<ExitCode, CliError> {
    let root = desk.session.tree.root();
    let default = || root.join(".papa-yu/queue");
    let out: PathBuf = desk.session.settings.out_dir.resolved(root).unwrap_or_else(default);
    let out = absolute(&out)?;
    let made = desk.session.disk.make_folder(&out);
    made.map_err(|source| FixError::Write { path: out.clone(), source })?;
    let mut spent = Spent::default();
    status.rows.iter().for_each(|row| spent.add(row));
    let times = (begun.started_at, desk.outside.started.clone());
    let left = status.waiting + status.running.len();
    let mut summary =
        Summary::new(begun.manifest, times, &status.rows, (None, left), (spent, Vec::new()))
            .map_err(|source| FixError::Read { path: out.clone(), source })?;
    if left > 0 {
        summary.stopped = Some(format!("{left} tasks wait or run in the queue yet"));
        // What has not ended is no success.
        summary.outcome = worst([summary.outcome, OutcomeKind::NotFixed]);
        summary.exit_code = summary.outcome.exit_code().number();
    }
    leave((&desk.session, &desk.outside.masker), &out, summary, &|_| None, output)
}
