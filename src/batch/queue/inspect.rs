//! The commands on a queue that do no task: enqueue, status, retry and report.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Duration;

use secrecy::ExposeSecret as _;

use super::fault::QueueError;
use super::records::{AddedTasks, Queue, QueueStatus, QueuedBatch};
use super::results::fetch_results;
use crate::batch::error::BatchError;
use crate::batch::expand::PlannedTask;
use crate::batch::plan::BatchSpend;
use crate::batch::report::{BatchReport, write_reports};
use crate::batch::run::{TaskFilter, read_shard};
use crate::batch::select::{NamePatterns, SelectError, TaskSelection};
use crate::batch::session::BatchSession;
use crate::batch::summary::{BatchEnd, BatchSummary};
use crate::fix::FixError;
use crate::settings::ValueOrigin;
use papayu_base::domain::OutcomeKind;
use papayu_system::Disk as _;
use papayu_system::os::nats::NatsQueue;

/// Time limit of a connection and of an answer.
const PATIENCE: Duration = Duration::from_secs(5);

/// Tasks that were put into a queue.
#[derive(Debug)]
pub struct Enqueued {
    /// The selected tasks.
    pub tasks: Vec<PlannedTask>,
    /// The number of tasks in the manifest.
    pub all: usize,
    /// The result; `None` in a dry run.
    pub added: Option<AddedTasks>,
    /// The address of the queue without its password; empty in a dry run.
    pub queue: String,
}

/// Returns the queue of the settings; no connection is opened yet.
///
/// Fails with [`QueueError::NoAddress`] if no address is set, and with [`QueueError::Server`] for one that cannot be one.
pub(super) fn open_queue(batch: &BatchSession) -> Result<Queue<'_>, QueueError> {
    let settings = &batch.session.settings;
    let url = settings.queue_url.value.as_ref().ok_or(QueueError::NoAddress)?;
    let credentials = settings.queue_credentials.resolved(batch.session.tree.root());
    if let Some(path) = &credentials {
        check_credentials(batch, path)?;
    }
    let lease = Duration::from_secs(settings.queue_lease_sec.value);
    // An answer that takes longer than the lease would lose the tasks.
    let link = NatsQueue::new(url.expose_secret(), credentials, PATIENCE.min(lease / 2));
    let queue = "the address given".to_owned();
    let link = link.map_err(|fault| QueueError::Server { queue, fault })?;
    let clock = batch.outside.system().clock;
    Ok(Queue { link, lease, clock, seen: Mutex::default() })
}

/// Opens the file of credentials, so that a missing one is not blamed on the server.
///
/// Fails with [`QueueError::Credentials`].
fn check_credentials(batch: &BatchSession, path: &Path) -> Result<(), QueueError> {
    let Err(error) = batch.session.disk.open(path) else { return Ok(()) };
    let setting = match &batch.session.settings.queue_credentials.origin {
        ValueOrigin::Env(name) => name.clone(),
        _ => "queue.credentials".to_owned(),
    };
    let (path, reason) = (path.display().to_string(), error.to_string());
    Err(QueueError::Credentials { setting, path, reason })
}

/// The options of [`enqueue`].
#[derive(Debug)]
pub struct EnqueueOptions {
    /// The manifest; `-` is standard input.
    pub manifest: PathBuf,
    /// The tasks to put into the queue.
    pub filter: TaskFilter,
    /// Drop the batch in the queue.
    pub restart: bool,
    /// Select the tasks without connecting to the queue.
    pub dry_run: bool,
}

/// Puts the selected tasks of a manifest into the queue.
///
/// # Errors
///
/// [`BatchError::Manifest`] and [`BatchError::Select`] if the manifest or the selection is wrong, and
/// [`BatchError::Queue`] if the queue cannot be used, has tasks of another manifest, or a task cannot be
/// written as a job.
pub fn enqueue(batch: &BatchSession, options: &EnqueueOptions) -> Result<Enqueued, BatchError> {
    let EnqueueOptions { manifest, filter, restart, dry_run } = options;
    let read = batch.read_tasks(manifest)?;
    let all = read.tasks.len();
    let selection = TaskSelection::new(&filter.names, read_shard(batch, filter)?, filter.limit)?;
    let tasks = selection.apply(read.tasks, &HashMap::new(), false)?;
    if *dry_run {
        return Ok(Enqueued { tasks, all, added: None, queue: String::new() });
    }
    let queue = open_queue(batch)?;
    let manifest = read.digest.to_string();
    queue.begin(&manifest, &batch.outside.started, *restart)?;
    let added = Some(queue.add(&tasks, &read.folder)?);
    Ok(Enqueued { tasks, all, added, queue: queue.link.shown().to_owned() })
}

/// Returns the batch in the queue, and the state of its tasks.
///
/// # Errors
///
/// [`QueueError::NoAddress`] if no queue is configured, [`QueueError::Server`] if it cannot be used, and
/// [`QueueError::NeverFilled`] if it has no batch.
pub fn queue_status(batch: &BatchSession) -> Result<(QueuedBatch, QueueStatus), BatchError> {
    let (_, begun, status) = read_queue(batch)?;
    Ok((begun, status))
}

/// Returns the queue with its content.
///
/// Fails as [`queue_status`] does.
fn read_queue(batch: &BatchSession) -> Result<(Queue<'_>, QueuedBatch, QueueStatus), QueueError> {
    let queue = open_queue(batch)?;
    // An empty queue is an error here, since there is nothing to show.
    let begun = queue.begun()?.ok_or(QueueError::NeverFilled)?;
    let status = queue.status()?;
    Ok((queue, begun, status))
}

/// Puts parked tasks with a key that fits a glob of `filter` back; returns how many.
///
/// # Errors
///
/// Those of [`queue_status`], and [`BatchError::Select`] for a pattern that is wrong or that no parked task fits.
pub fn retry_parked(batch: &BatchSession, filter: &[String]) -> Result<usize, BatchError> {
    let (queue, _, status) = read_queue(batch)?;
    let names = NamePatterns::compile(filter)?;
    let jobs: Vec<_> = status.jobs.into_iter().filter(|(key, _)| names.matches(key)).collect();
    if jobs.is_empty() && !filter.is_empty() {
        return Err(SelectError::NoParked(names.words()).into());
    }
    Ok(queue.retry(&jobs)?)
}

/// Writes the summary of all rows in the queue, and the results of their tasks.
///
/// # Errors
///
/// Those of [`queue_status`], and a folder of results that cannot be written.
pub fn report_queue(batch: &BatchSession) -> Result<BatchReport, BatchError> {
    let (queue, begun, status) = read_queue(batch)?;
    let out = batch.out_folder(".papa-yu/queue".as_ref())?;
    let made = batch.session.disk.make_folder(&out);
    made.map_err(|source| FixError::Write { path: out.clone(), source })?;
    fetch_results(&queue, &batch.session.disk, &out, &status.rows)?;
    let mut spent = BatchSpend::default();
    status.rows.iter().for_each(|row| spent.add(row));
    let left = status.waiting + status.running.len();
    let end = BatchEnd {
        manifest: begun.manifest,
        started_at: begun.started_at,
        ended_at: batch.outside.started.clone(),
        not_started: left,
        spent,
        ..BatchEnd::default()
    };
    let mut summary = BatchSummary::new(end, status.rows);
    if left > 0 {
        // A batch with open tasks is never a success.
        let tasks =
            if left == 1 { "1 task waits or runs" } else { &format!("{left} tasks wait or run") };
        summary.add_stop(OutcomeKind::NotFixed, format!("{tasks} in the queue yet"));
    }
    write_reports(batch, &out, summary, &|row| Some(row.name.clone()))
}
