//! The tasks of a queue, as the worker loop claims them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

use super::fault::QueueError;
use super::job::QueueJob;
use super::outage::Outage;
use super::recipes::{fetch_recipes, share_recipes};
use super::records::{Queue, TakeReply, Ticket};
use super::results::store_results;
use crate::batch::error::BatchError;
use crate::batch::expand::RepositoryOrigin;
use crate::batch::plan::BudgetLeft;
use crate::batch::pool::{Assignment, BatchWatcher, NextTask, PoolState, TaskSource, lock};
use crate::batch::row::TaskRow;
use crate::batch::task::WorkerShared;
use papayu_base::domain::{ErrorCode, Outcome, OutcomeKind, RunId};
use papayu_system::System;
use papayu_system::os::nats::DeliveredTask;

/// Pause of a worker before it asks again for tasks.
const POLL_INTERVAL: Duration = Duration::from_millis(250);
/// Heartbeats within a lease, so that a lost one does no harm.
const BEATS: u32 = 4;

/// The queue from the side of one worker.
pub(super) struct QueueSource<'a> {
    pub(super) queue: &'a Queue<'a>,
    /// The digest of the manifest that it works on.
    pub(super) manifest: String,
    /// The name of the worker, different for each process.
    pub(super) worker: String,
    /// Attempts before a task is parked; at least 1.
    pub(super) max_tries: u32,
    /// `true` to end when no task waits or runs.
    pub(super) until_empty: bool,
    /// A result that the command line asks for and that would be deleted with a clone.
    pub(super) staying: Option<&'static str>,
    pub(super) shared: &'a WorkerShared,
    pub(super) system: System<'a>,
    /// The present outage of the server, if there is one.
    pub(super) outage: Outage<'a>,
    pub(super) watcher: &'a dyn BatchWatcher,
    /// `true` if another batch is in the queue by now.
    pub(super) has_other_batch: AtomicBool,
    /// The tasks that the worker has claimed now.
    pub(super) claims: Mutex<TaskClaims>,
    /// Ends the pause between two heartbeats.
    pub(super) ended: Condvar,
    /// The recipes of the queue that are in the folder of this worker.
    pub(super) recipes: Mutex<BTreeSet<String>>,
}

/// The tasks that a worker has claimed.
#[derive(Default)]
pub(super) struct TaskClaims {
    deliveries: BTreeMap<String, DeliveredTask>,
    /// `true` when the worker ends.
    is_over: bool,
}

impl QueueSource<'_> {
    /// Renews the leases of claimed tasks until [`end_heartbeat`](Self::end_heartbeat).
    pub(super) fn heartbeat(&self) {
        let mut claims = lock(&self.claims);
        while !claims.is_over {
            let waited = self.ended.wait_timeout(claims, self.queue.lease / BEATS);
            claims = waited.unwrap_or_else(PoisonError::into_inner).0;
            let deliveries: Vec<DeliveredTask> = claims.deliveries.values().cloned().collect();
            // Tasks are claimed and finished while the queue answers.
            drop(claims);
            for delivery in &deliveries {
                let beat = self.queue.beat(delivery, &self.worker);
                self.outage.note(&beat);
            }
            claims = lock(&self.claims);
        }
    }

    /// Ends the heartbeat.
    pub(super) fn end_heartbeat(&self) {
        lock(&self.claims).is_over = true;
        self.ended.notify_all();
    }

    /// Prepares a task that was claimed, or refuses it.
    fn assign_task(
        &self,
        ticket: Ticket,
        left: BudgetLeft,
    ) -> Result<NextTask<Ticket>, BatchError> {
        // Registered before anything else, so that the heartbeat renews its lease.
        let name = ticket.delivery.name().to_owned();
        lock(&self.claims).deliveries.insert(name.clone(), ticket.delivery.clone());
        let QueueJob { planned, run } = match ticket.job.clone() {
            Ok(job) => job,
            Err(fault) => {
                let reason = format!("the job cannot be read: {fault}; parked");
                let (name, key) = (format!("job-{name}"), name);
                return Ok(self.park_task(&name, &key, ticket, (reason, ErrorCode::QueueJob)));
            }
        };
        if ticket.tries > self.max_tries {
            let times = ticket.tries - 1;
            let reason =
                format!("begun {times} times, and its worker was never heard from again; parked");
            let (name, key) = (planned.name().into_owned(), planned.key.to_string());
            return Ok(self.park_task(&name, &key, ticket, (reason, ErrorCode::QueueParked)));
        }
        if let Some(from) = &ticket.from {
            let (name, tries) = (planned.name(), ticket.tries);
            self.watcher.notify(&format!(
                "`{name}` is taken over from `{from}`, which fell silent (try {tries})"
            ));
        }
        if let RepositoryOrigin::Address(address) = &planned.origin {
            if let Some(emit) = self.staying {
                self.release(&ticket);
                let task = planned.name().into_owned();
                return Err(QueueError::StaysInClone { emit, task }.into());
            }
            self.shared.clones.add_branch(address, planned.options.branch.as_deref());
        }
        self.outage.retry(|| {
            let folder = &self.shared.recipes;
            fetch_recipes(self.queue, self.system, folder, &mut lock(&self.recipes))
        })?;
        // A task that may have killed its worker runs alone, so that it takes no other task down.
        let is_repeated = ticket.tries > 1;
        let task =
            Assignment { planned, run, is_resumed: is_repeated, left, is_alone: is_repeated };
        Ok(NextTask::Run(ticket, Box::new(task)))
    }

    /// Writes the outcome of a task that is not run; `why` is its reason and code.
    fn park_task(
        &self,
        name: &str,
        key: &str,
        ticket: Ticket,
        why: (String, ErrorCode),
    ) -> NextTask<Ticket> {
        let (reason, code) = why;
        let run = RunId::new(self.system.clock.fresh_id());
        let mut outcome = Outcome::new(run, OutcomeKind::Internal, reason);
        outcome.error_code = Some(code.as_str().to_owned());
        outcome.hint = Some(code.hint().to_owned());
        self.shared.write_outcome(self.system, name, &mut outcome);
        let row = TaskRow::new(name, key, key, &outcome, self.system.clock.timestamp());
        NextTask::Park(ticket, Box::new(row))
    }

    fn forget(&self, ticket: &Ticket) {
        lock(&self.claims).deliveries.remove(ticket.delivery.name());
    }
}

impl TaskSource for QueueSource<'_> {
    type Ticket = Ticket;

    fn claim(&self, state: &Mutex<PoolState>) -> Result<NextTask<Ticket>, BatchError> {
        let clock = self.system.clock;
        // A worker has no list of tasks; only limits and signals stop it.
        let left = lock(state).plan.next_budget(clock.elapsed(), clock.interrupted());
        let Some(left) = left else { return Ok(NextTask::End) };
        match self.outage.retry(|| self.queue.claim(&self.manifest, &self.worker)) {
            Ok(TakeReply::Task(ticket)) => self.assign_task(*ticket, left),
            Ok(TakeReply::Nothing(0)) if self.until_empty => Ok(NextTask::End),
            Ok(TakeReply::Nothing(_)) => Ok(NextTask::Wait(POLL_INTERVAL)),
            Ok(TakeReply::Other) => {
                self.has_other_batch.store(true, Ordering::Relaxed);
                Ok(NextTask::End)
            }
            // Only a signal ends the retries; the next call sees it.
            Err(error) if error.passes() => Ok(NextTask::Wait(Duration::ZERO)),
            Err(error) => Err(error.into()),
        }
    }

    fn finish(&self, ticket: &Ticket, row: &TaskRow, parked: bool) -> Result<usize, BatchError> {
        let finished = self.outage.retry(|| {
            if !self.queue.has_run(ticket)? {
                return Ok(None);
            }
            share_recipes(self.queue, self.system.disk, &self.shared.recipes, row)?;
            store_results(self.queue, self.system.disk, &self.shared.out, &row.name)?;
            self.queue.finish(ticket, row, parked)
        });
        self.forget(ticket);
        let name = &row.name;
        let message = match finished {
            Ok(Some(left)) => return Ok(left),
            Ok(None) => format!(
                "`{name}` had ended elsewhere before it ended here: its lease expired, or the batch was dropped"
            ),
            Err(error) if error.passes() => format!(
                "`{name}` ended, and the queue does not answer: its outcome is in the folder of results, and another worker runs it again"
            ),
            Err(error) => return Err(error.into()),
        };
        self.watcher.notify(&message);
        Ok(0)
    }

    /// Gives a task back; where that fails, its lease expires.
    fn release(&self, ticket: &Ticket) {
        drop(self.outage.retry(|| self.queue.give_back(ticket, Duration::ZERO, false)));
        self.forget(ticket);
    }

    /// A conflict means that another process works in the repository: perhaps a worker whose lease expired and that
    /// runs again. While that has the lock, no attempt is counted; it ends by its own time limit.
    fn postpone(&self, ticket: &Ticket, row: &TaskRow) -> bool {
        let is_locked = row.error_code.as_deref() == Some(ErrorCode::RepositoryLocked.as_str());
        let is_postponed =
            row.outcome == OutcomeKind::Conflict && (is_locked || ticket.tries < self.max_tries);
        if is_postponed {
            let (name, reason) = (&row.name, &row.reason);
            self.watcher
                .notify(&format!("`{name}` is left alone for the time of a lease: {reason}"));
            let give_back = || self.queue.give_back(ticket, self.queue.lease, !is_locked);
            drop(self.outage.retry(give_back));
            self.forget(ticket);
        }
        is_postponed
    }
}
