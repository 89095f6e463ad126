//! A worker of a queue: does the tasks of one batch after the other, and writes a summary of each.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, OnceLock};
use std::thread;
use std::time::Duration;

use super::fault::QueueError;
use super::inspect::open_queue;
use super::outage::Outage;
use super::records::{Queue, QueuedBatch};
use super::source::{QueueSource, TaskClaims};
use crate::batch::error::BatchError;
use crate::batch::expand::LATER;
use crate::batch::journal::{BatchHead, BatchHistory, BatchJournal};
use crate::batch::plan::{BatchLimits, BatchPlan};
use crate::batch::pool::{self, BatchWatcher, Pool, PoolState};
use crate::batch::report::{BatchReport, write_reports};
use crate::batch::resume::journal_path;
use crate::batch::row::TaskRow;
use crate::batch::session::BatchSession;
use crate::batch::summary::{BatchEnd, BatchSummary};
use crate::fix::delivery::variable;
use crate::settings::FlagValue;
use papayu_base::domain::Sha256;
use papayu_system::Lock;

/// Pause before the queue is asked again for a batch.
const POLL_INTERVAL: Duration = Duration::from_secs(1);

/// The digits of a manifest's digest in the name of a folder.
const DIGITS: usize = 12;

/// The options of a worker.
#[derive(Debug)]
pub struct WorkerOptions {
    /// Settings of every task.
    pub task_flags: Vec<FlagValue>,
    /// `true` if the flags set the results of every task.
    pub overrides_emit: bool,
    /// `true` to end when no task waits or runs.
    pub until_empty: bool,
    /// The limits of this worker; `fail_fast` and `pulls_per_hour` have no effect.
    pub limits: BatchLimits,
}

/// A worker with its folder of results locked.
pub struct QueueWorker<'a> {
    batch: &'a BatchSession,
    options: &'a WorkerOptions,
    queue: Queue<'a>,
    out: PathBuf,
    _lock: Box<dyn Lock>,
    /// The manifest of the first batch of this call.
    first: OnceLock<String>,
}

/// The work of a worker at one batch.
pub struct WorkerRun {
    /// The summary of the tasks that this worker did.
    pub report: BatchReport,
    /// The error that ended the worker.
    pub error: Option<BatchError>,
    /// `true` if another batch is in the queue by now.
    pub has_other_batch: bool,
}

impl<'a> QueueWorker<'a> {
    /// Locks the folder of results and connects to the queue.
    ///
    /// # Errors
    ///
    /// [`BatchError::InUse`] if another worker uses the folder, and [`BatchError::Queue`] if the queue cannot
    /// be used.
    pub fn open(batch: &'a BatchSession, options: &'a WorkerOptions) -> Result<Self, BatchError> {
        let queue = open_queue(batch)?;
        let out = batch.out_folder(".papa-yu/worker".as_ref())?;
        let lock = batch.lock_folder(&out)?;
        // An unreadable queue ends the worker here; later, one that does not answer is waited for.
        queue.begun()?;
        Ok(Self { batch, options, queue, out, _lock: lock, first: OnceLock::new() })
    }

    /// Waits for a batch, does its tasks and writes the summary; `None` when a signal ended the wait.
    ///
    /// # Errors
    ///
    /// When no batch is in the queue, or the folder of results cannot be used. An error at work is in the result.
    pub fn run_batch(&self, watcher: &dyn BatchWatcher) -> Result<Option<WorkerRun>, BatchError> {
        let Some(begun) = self.wait_for_batch(watcher)? else { return Ok(None) };
        let out = self.folder_of(&begun.manifest)?;
        let (journal, mut history) = self.open_journal(&begun, &out)?;
        let settings = &self.batch.session.settings;
        let system = self.batch.outside.system();
        // The paths and branches of tasks come with them.
        let shared = self.batch.share_environment(
            self.options.task_flags.clone(),
            &[],
            out.clone(),
            &out,
        )?;
        let emits = &settings.run_emit.value;
        let staying = emits.iter().find_map(|emit| emit.staying());
        let source = QueueSource {
            queue: &self.queue,
            manifest: begun.manifest.clone(),
            worker: self.new_name(),
            max_tries: u32::try_from(settings.queue_max_tries.value).unwrap_or(u32::MAX),
            until_empty: self.options.until_empty,
            staying: staying.filter(|_| self.options.overrides_emit),
            shared: &shared,
            system,
            outage: Outage::new(system.clock, watcher),
            watcher,
            has_other_batch: AtomicBool::new(false),
            claims: Mutex::new(TaskClaims::default()),
            ended: Condvar::new(),
            recipes: Mutex::default(),
        };
        let jobs = self.batch.jobs();
        let pool = Pool { shared: &shared, journal: &journal, watcher, system, jobs, total: None };
        source.outage.retry(|| self.queue.ask(|link| link.set_lease(self.queue.lease)))?;
        // The plan only counts costs: the queue decides the order.
        let plan = BatchPlan::new([], self.options.limits, history.spent);
        let rows = std::mem::take(&mut history.rows);
        let mut state = thread::scope(|scope| {
            let heartbeat = scope.spawn(|| source.heartbeat());
            let state = pool::run_pool(&pool, &source, plan, rows);
            source.end_heartbeat();
            // A heartbeat that panicked has lost at most the lease, after which others take the
            // tasks.
            drop(heartbeat.join());
            state
        });
        if state.plan.stopped().is_none() && state.error.is_none() {
            let complete = journal.record_completion(&system.clock.timestamp(), None);
            state.error = complete.err().map(BatchError::from);
        }
        let report = self.write_summary(&out, begun, history.head, &mut state)?;
        let has_other_batch = source.has_other_batch.load(Ordering::Relaxed);
        Ok(Some(WorkerRun { report, error: state.error, has_other_batch }))
    }

    /// Writes the summary of the tasks that this worker did; those of other workers are in their
    /// own.
    fn write_summary(
        &self,
        out: &Path,
        begun: QueuedBatch,
        head: Option<BatchHead>,
        state: &mut PoolState,
    ) -> Result<BatchReport, BatchError> {
        let mut rows: Vec<TaskRow> = std::mem::take(&mut state.rows).into_values().collect();
        // Rows come from several calls and threads, in no fixed order.
        rows.sort_by(|one, other| (&one.name, &one.key).cmp(&(&other.name, &other.key)));
        let started_at = head.map(|head| head.started_at);
        let end = BatchEnd {
            manifest: begun.manifest,
            started_at: started_at.unwrap_or_else(|| self.batch.outside.started.clone()),
            ended_at: self.batch.outside.system().clock.timestamp(),
            stop: state.plan.stopped().cloned(),
            // Tasks that were not started are in the queue, for other workers.
            not_started: 0,
            spent: state.plan.spent(),
            left_alone: self.batch.http.hosts_down(),
        };
        let mut summary = BatchSummary::new(end, rows);
        if let Some(error) = &state.error {
            summary.stop(error.outcome(), error.to_string());
        }
        write_reports(self.batch, out, summary, &|row| Some(row.name.clone()))
    }

    /// Returns the batch in the queue; `None` when a signal ended the wait for one.
    fn wait_for_batch(
        &self,
        watcher: &dyn BatchWatcher,
    ) -> Result<Option<QueuedBatch>, BatchError> {
        let mut is_reported = false;
        loop {
            let reason = match self.queue.begun() {
                Ok(Some(begun)) => return Ok(Some(begun)),
                Ok(None) if self.options.until_empty => return Err(QueueError::NeverFilled.into()),
                Ok(None) => "nothing was put into the queue yet".to_owned(),
                Err(error) if error.passes() => error.to_string(),
                Err(error) => return Err(error.into()),
            };
            if !is_reported {
                is_reported = true;
                watcher.notify(&format!("{reason}; waiting"));
            }
            if !self.batch.outside.system().clock.sleep(POLL_INTERVAL) {
                return Ok(None);
            }
        }
    }

    /// Returns the folder of results of a batch: a later batch of the same call has its own, since the results of the first
    /// one may not be published yet.
    ///
    /// Fails with [`QueueError::Damaged`] if the digest is none: it gets into journals and paths.
    fn folder_of(&self, manifest: &str) -> Result<PathBuf, BatchError> {
        if Sha256::parse(manifest).is_none() {
            return Err(QueueError::Damaged("the manifest's digest is invalid".to_owned()).into());
        }
        if self.first.get_or_init(|| manifest.to_owned()) == manifest {
            return Ok(self.out.clone());
        }
        let name: String = manifest.chars().take(DIGITS).collect();
        Ok(self.out.join(LATER).join(name))
    }

    /// Continues the journal of this batch, or begins one where that of another batch is complete.
    fn open_journal(
        &self,
        begun: &QueuedBatch,
        out: &Path,
    ) -> Result<(BatchJournal<'a>, BatchHistory), BatchError> {
        let (path, disk) = (journal_path(out), &self.batch.session.disk);
        let history = BatchHistory::read(disk, &path)?;
        if let Some(head) = &history.head {
            if head.manifest == begun.manifest {
                return Ok((BatchJournal::resume(disk, &path, &history)?, history));
            }
            if !history.complete {
                return Err(BatchError::OtherManifest { folder: out.to_owned() });
            }
        }
        let head = BatchHead {
            manifest: begun.manifest.clone(),
            flags: BTreeMap::new(),
            started_at: self.batch.outside.started.clone(),
        };
        Ok((BatchJournal::create(disk, &path, head)?, BatchHistory::default()))
    }

    /// Returns a name that no other worker has; people read the host's name in it.
    fn new_name(&self) -> String {
        let mut host = variable(&self.batch.session, "HOSTNAME").unwrap_or_default();
        host.retain(|c| c.is_ascii_alphanumeric() || "._-".contains(c));
        host.truncate(60);
        if host.is_empty() {
            "worker".clone_into(&mut host);
        }
        format!("{host}-{}", self.batch.outside.system().clock.fresh_id())
    }
}
