//! The worker loop of a batch: threads claim tasks from a `TaskSource`, run them, and record their rows.

use std::collections::HashMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError, RwLock};
use std::thread;
use std::time::Duration;

use super::error::BatchError;
use super::expand::PlannedTask;
use super::journal::BatchJournal;
use super::plan::{BatchPlan, BudgetLeft};
use super::row::TaskRow;
use super::slow_notice::with_notice;
use super::task::WorkerShared;
use crate::fix::FixError;
use papayu_base::domain::RunId;
use papayu_system::{System, spawn_workers};

/// Longest pause of an idle worker before it checks again for tasks and signals.
const POLL_INTERVAL: Duration = Duration::from_millis(200);

/// Receives the progress of a batch; called from several threads.
pub trait BatchWatcher: Sync {
    /// The call has selected this number of tasks.
    fn tasks_selected(&self, _tasks: usize) {}
    /// A task begins.
    fn task_started(&self, name: &str);
    /// A task ended; `done` of `all` have.
    fn task_ended(&self, row: &TaskRow, done: usize, all: usize);
    /// A message that is not about the start or end of one task.
    fn notify(&self, _message: &str) {}
}

/// A task that a worker is to run.
pub(super) struct Assignment {
    pub(super) planned: PlannedTask,
    /// The id of its run.
    pub(super) run: RunId,
    /// `true` for a run that was begun before, so that its outcome may be on the disk.
    pub(super) is_resumed: bool,
    /// The part of the budget that the task may use.
    pub(super) left: BudgetLeft,
    /// `true` if no other task may run at the same time.
    pub(super) is_alone: bool,
}

/// The answer of a [`TaskSource`] to a worker without a task.
pub(super) enum NextTask<T> {
    /// Run this task.
    Run(T, Box<Assignment>),
    /// The task cannot be run; this is its row.
    #[cfg_attr(not(feature = "nats"), expect(dead_code, reason = "only a queue parks tasks"))]
    Park(T, Box<TaskRow>),
    /// Ask again when another task has ended, or after this time.
    Wait(Duration),
    /// There is no more work.
    End,
}

/// Provides the tasks of a batch and takes them back: a manifest, or a queue that several machines share.
pub(super) trait TaskSource: Sync {
    /// Identifies a claimed task.
    type Ticket;

    /// Returns the next task. Only one thread calls this at a time.
    fn claim(&self, state: &Mutex<PoolState>) -> Result<NextTask<Self::Ticket>, BatchError>;

    /// Reports the row of a task that ended, or was not run because it is `parked`. Returns how many tasks are
    /// left in the source.
    fn finish(
        &self,
        ticket: &Self::Ticket,
        row: &TaskRow,
        parked: bool,
    ) -> Result<usize, BatchError>;

    /// Gives a task back that was not done.
    fn release(&self, _ticket: &Self::Ticket) {}

    /// Gives a task back to be run later, if that may help where it ended with `row`; returns whether it did.
    fn postpone(&self, _ticket: &Self::Ticket, _row: &TaskRow) -> bool {
        false
    }
}

/// The environment of a pool's workers.
pub(super) struct Pool<'a> {
    pub(super) shared: &'a WorkerShared,
    pub(super) journal: &'a BatchJournal<'a>,
    pub(super) watcher: &'a dyn BatchWatcher,
    pub(super) system: System<'a>,
    /// The number of threads.
    pub(super) jobs: usize,
    /// The number of tasks; `None` where only the source knows.
    pub(super) total: Option<usize>,
}

/// The state that the workers share, and the result of a pool.
pub(super) struct PoolState {
    pub(super) plan: BatchPlan,
    /// The last row of each task, by key; those of earlier calls included.
    pub(super) rows: HashMap<String, TaskRow>,
    /// The number of tasks that ended in this call.
    pub(super) done: usize,
    /// Ends all workers.
    pub(super) error: Option<BatchError>,
}

/// The threads of a pool, and the locks between them.
struct Workers<'a, S> {
    pool: &'a Pool<'a>,
    source: &'a S,
    state: Mutex<PoolState>,
    /// Locked while a task is claimed, and until it is known whether others may run at the same time.
    claiming: Mutex<()>,
    /// Read by each task that runs, and written by one that has to run alone.
    running: RwLock<()>,
    /// Signals the end of a task.
    changed: Condvar,
}

/// Runs tasks until the source has no more, a limit is reached, a signal arrives, or an error occurs. Running tasks
/// are always completed.
pub(super) fn run_pool<S: TaskSource>(
    pool: &Pool<'_>,
    source: &S,
    plan: BatchPlan,
    rows: HashMap<String, TaskRow>,
) -> PoolState {
    let workers = Workers {
        pool,
        source,
        state: Mutex::new(PoolState { plan, rows, done: 0, error: None }),
        claiming: Mutex::new(()),
        running: RwLock::new(()),
        changed: Condvar::new(),
    };
    thread::scope(|scope| {
        let spawned = spawn_workers(scope, "task", pool.jobs, || || workers.work());
        if let Err(source) = spawned {
            // A thread that cannot be started is an error of the system; the folder of results is
            // the nearest place to name.
            let path = pool.shared.out.clone();
            lock(&workers.state).error = Some(FixError::Write { path, source }.into());
        }
    });
    workers.state.into_inner().unwrap_or_else(PoisonError::into_inner)
}

/// Locks a mutex; a thread that panicked leaves nothing half done in one.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<S: TaskSource> Workers<'_, S> {
    /// Runs tasks until the source has no more, an error occurs, or a signal asks to stop.
    fn work(&self) {
        loop {
            // Locked until the task runs, so that a task that has to run alone is not joined by
            // another.
            let claiming = lock(&self.claiming);
            if lock(&self.state).error.is_some() {
                return;
            }
            let done = match self.source.claim(&self.state) {
                Ok(NextTask::End) => return,
                Ok(NextTask::Wait(time)) => {
                    drop(claiming);
                    // Whatever ends the pause, the source is asked again.
                    drop(self.changed.wait_timeout(lock(&self.state), time.min(POLL_INTERVAL)));
                    continue;
                }
                Ok(NextTask::Park(ticket, row)) => {
                    drop(claiming);
                    self.record(&ticket, *row, None)
                }
                Ok(NextTask::Run(ticket, task)) if task.is_alone => {
                    let _running = self.running.write().unwrap_or_else(PoisonError::into_inner);
                    self.run_task(&ticket, &task)
                }
                Ok(NextTask::Run(ticket, task)) => {
                    let _running = self.running.read().unwrap_or_else(PoisonError::into_inner);
                    drop(claiming);
                    self.run_task(&ticket, &task)
                }
                Err(error) => Err(error),
            };
            if let Err(error) = done {
                // The first error is the cause of later ones.
                lock(&self.state).error.get_or_insert(error);
            }
            self.changed.notify_all();
        }
    }

    /// Runs one task and records its row, unless the source postpones the task. A task that was killed after its end is not run again: its outcome is read from its folder.
    fn run_task(&self, ticket: &S::Ticket, task: &Assignment) -> Result<(), BatchError> {
        let Assignment { planned, run, is_resumed, left, .. } = task;
        let Pool { shared, journal, system, watcher, .. } = *self.pool;
        watcher.task_started(&planned.name());
        // A run that was killed after its end has left its outcome.
        let before = is_resumed.then(|| shared.read_outcome(system.disk, &planned.name(), run));
        let outcome = if let Some(outcome) = before.flatten() {
            outcome
        } else {
            let now = system.clock.timestamp();
            let begun = journal.record_start(&planned.key, run, &now, planned.opens);
            if let Err(error) = begun {
                self.source.release(ticket);
                return Err(error.into());
            }
            let work = || shared.run_task(run, system, planned, *left);
            // A run of a fix reports its steps; a publication only waits for servers.
            match shared.waits_for(planned) {
                Some(servers) => with_notice(|| watcher.notify(&servers), work),
                None => work(),
            }
        };
        let row = planned.row(&outcome, system.clock.timestamp());
        let row = TaskRow { folder: shared.folder_of(planned), ..row };
        if self.source.postpone(ticket, &row) {
            return Ok(());
        }
        self.record(ticket, row, Some(planned))
    }

    /// Writes a row to the journal, and then to the source. An interrupted task is given back instead.
    fn record(
        &self,
        ticket: &S::Ticket,
        row: TaskRow,
        planned: Option<&PlannedTask>,
    ) -> Result<(), BatchError> {
        let mut finished = Ok(0);
        // The journal comes first: a row that only the source has would be lost with it.
        if row.is_done() {
            if let Err(error) = self.pool.journal.record_end(&row) {
                self.source.release(ticket);
                return Err(error.into());
            }
            finished = self.source.finish(ticket, &row, planned.is_none());
        } else {
            self.source.release(ticket);
        }
        let mut state = lock(&self.state);
        state.done += 1;
        let opens = planned.is_some_and(|planned| planned.opens);
        state.plan.record_end(opens, &row, self.pool.system.clock.elapsed());
        let left = finished.as_ref().copied().unwrap_or_default();
        let all = self.pool.total.unwrap_or(state.done + left);
        self.pool.watcher.task_ended(&row, state.done, all);
        state.rows.insert(row.key.clone(), row);
        finished.map(drop)
    }
}

#[cfg(test)]
mod tests;
