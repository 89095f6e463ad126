//! The tasks of a queue: a job in the stream, and a record in the bucket.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Mutex;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::FORM;
use super::fault::QueueError;
use super::job::{JobError, QueueJob, decode, encode, task_name};
use crate::batch::pool::lock;
use crate::batch::{PlannedTask, TaskRow};
use papayu_base::domain::OutcomeKind;
use papayu_system::Clock;
use papayu_system::os::nats::{Acknowledgement, DeliveredTask, NatsFault, NatsQueue};

/// The key of the batch. The keys of tasks have 32 hexadecimal digits.
const BATCH: &str = "batch";

/// The number of times that a worker asks again for a batch that is no longer there, with a pause before each.
const RESTART_POLLS: u32 = 12;
const RESTART_PAUSE: Duration = Duration::from_millis(250);

/// A queue.
pub struct Queue<'a> {
    pub(super) link: NatsQueue,
    /// The time without a heartbeat after which others take a worker's tasks over.
    pub(super) lease: Duration,
    pub(super) clock: &'a dyn Clock,
    /// The tasks in the stream, as an idle worker saw them.
    pub(super) seen: Mutex<SeenTasks>,
}

/// The tasks in the stream and the revisions of their records.
#[derive(Default)]
pub(super) struct SeenTasks {
    /// When, on the clock of the run; `None` before the first time.
    at: Option<Duration>,
    revisions: BTreeMap<String, u64>,
}

/// The batch in a queue.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct QueuedBatch {
    form: u32,
    /// The digest of its manifest.
    pub manifest: String,
    /// The time of the first enqueue, RFC 3339 in UTC.
    pub started_at: String,
}

/// The part of a batch that every version of the form has.
#[derive(Deserialize)]
struct BatchForm {
    form: u32,
}

/// The state of a task.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct TaskRecord {
    /// The run of the job that this is about; another run is another job of the task.
    run: String,
    /// The name of the task, once a worker had it.
    task: String,
    /// The worker that has the task; `None` while it waits.
    worker: Option<String>,
    /// When the worker got it.
    since: String,
    /// Attempts, except those that were given back.
    tries: u32,
    /// Signs of life of the worker.
    beats: u64,
    /// The job of a parked task.
    parked: Option<String>,
    /// The row of a task that ended.
    row: Option<TaskRow>,
}

/// The result of adding tasks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AddedTasks {
    /// New tasks.
    pub new: usize,
    /// Tasks that wait or run already.
    pub known: usize,
}

/// A running task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Running {
    /// The name of the task.
    pub task: String,
    /// The worker's name.
    pub worker: String,
    /// When it got the task, RFC 3339 in UTC.
    pub since: String,
}

/// The content of a queue.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct QueueStatus {
    /// The number of waiting tasks.
    pub waiting: usize,
    /// The running tasks.
    pub running: Vec<Running>,
    /// Keys of parked tasks.
    pub parked: Vec<String>,
    /// The rows of tasks that ended, in the order of their names.
    pub rows: Vec<TaskRow>,
    /// The jobs of parked tasks.
    #[serde(skip)]
    pub(super) jobs: Vec<(String, String)>,
}

/// A claimed task.
#[derive(Clone)]
pub(super) struct Ticket {
    pub(super) delivery: DeliveredTask,
    /// The job, or the reason why it cannot be read.
    pub(super) job: Result<QueueJob, JobError>,
    /// The number of attempts, including this one.
    pub(super) tries: u32,
    /// The silent worker that had the task before.
    pub(super) from: Option<String>,
}

/// The answer to a worker that asks for a task.
pub(super) enum TakeReply {
    /// A task.
    Task(Box<Ticket>),
    /// No task is waiting; this number of tasks is running.
    Nothing(usize),
    /// Another batch is in the queue by now.
    Other,
}

impl Queue<'_> {
    /// Begins a batch, or continues the one of the same manifest; `restart` drops the batch that is there.
    ///
    /// Fails with [`QueueError::OtherManifest`] if tasks of another manifest wait or run, [`QueueError::OtherForm`] if
    /// another version of the program wrote them (nothing is changed in both cases), and [`QueueError::Server`].
    pub(super) fn begin(&self, manifest: &str, now: &str, restart: bool) -> Result<(), QueueError> {
        if restart {
            self.ask(NatsQueue::delete)?;
        }
        let begun = self.begun()?;
        if let Some(begun) = begun {
            let left = self.ask(NatsQueue::count)?;
            if begun.manifest == manifest {
                return Ok(());
            }
            if left > 0 {
                return Err(QueueError::OtherManifest(left));
            }
            self.ask(NatsQueue::delete)?;
        }
        self.ask(|link| link.create(self.lease))?;
        let (manifest, started_at) = (manifest.to_owned(), now.to_owned());
        let batch = QueuedBatch { form: FORM, manifest, started_at };
        if self.ask(|link| link.set(BATCH, to_json(&batch), None))? {
            return Ok(());
        }
        // Another call began it at the same time.
        match self.begun()? {
            Some(begun) if begun.manifest == batch.manifest => Ok(()),
            _ => Err(QueueError::OtherManifest(self.ask(NatsQueue::count)?)),
        }
    }

    /// Returns the batch in the queue, if there is one.
    pub(super) fn begun(&self) -> Result<Option<QueuedBatch>, QueueError> {
        let Some(found) = self.ask(|link| link.get(BATCH))? else { return Ok(None) };
        let form: BatchForm = read_json(&found.bytes)?;
        if form.form != FORM {
            return Err(QueueError::OtherForm(form.form));
        }
        read_json(&found.bytes).map(Some)
    }

    /// Adds tasks; one that waits or runs already is not changed.
    ///
    /// Fails with [`QueueError::Unfit`] before any task is added, if one cannot be written as a job, and with
    /// [`QueueError::Server`]; a part may be in the queue then, and another call adds the rest.
    pub(super) fn add(
        &self,
        tasks: &[PlannedTask],
        folder: &Path,
    ) -> Result<AddedTasks, QueueError> {
        let mut jobs = Vec::new();
        for planned in tasks {
            let run = self.clock.fresh_id();
            jobs.push((task_name(&planned.key), encode(planned, folder, &run)?, run));
        }
        let stored = self.ask(NatsQueue::list_results)?;
        let mut added = AddedTasks::default();
        for (name, job, run) in jobs {
            self.forget_results(&name, &stored)?;
            if self.add_job(&name, &job, &run)? {
                added.new += 1;
            } else {
                added.known += 1;
            }
        }
        Ok(added)
    }

    /// Removes the results of a task that has ended, of those `stored`: its next run may have others.
    fn forget_results(&self, name: &str, stored: &[String]) -> Result<(), QueueError> {
        let (record, _) = self.read_record(name)?;
        let Some(row) = record.row else { return Ok(()) };
        let folder = format!("{}/", row.name);
        for result in stored.iter().filter(|it| it.starts_with(&folder)) {
            self.ask(|link| link.delete_result(result))?;
        }
        Ok(())
    }

    /// Adds a job, and forgets the row of an earlier one; returns `false` if the task waits or runs.
    fn add_job(&self, name: &str, job: &str, run: &str) -> Result<bool, QueueError> {
        let add = || self.ask(|link| link.add(name, run, job.as_bytes().to_vec()));
        let is_new = add()? || (self.remove_ended(name)? && add()?);
        if is_new {
            // A worker may have been faster.
            self.change(name, |record, _| {
                (record.run != run)
                    .then(|| TaskRecord { run: run.to_owned(), ..TaskRecord::default() })
            })?;
        }
        Ok(is_new)
    }

    /// Removes a task from the stream that has ended; returns whether it did. Only a server that was killed has one.
    fn remove_ended(&self, name: &str) -> Result<bool, QueueError> {
        let Some(delivery) = self.ask(|link| link.read(name))? else { return Ok(true) };
        let run = run_of(&decode(name, delivery.payload()));
        let (record, _) = self.read_record(name)?;
        let has_ended = record.run == run && record.row.is_some();
        if has_ended {
            self.ask(|link| link.answer(&delivery, Acknowledgement::Done))?;
        }
        Ok(has_ended)
    }

    /// Claims a waiting task, or a task with an expired lease.
    ///
    /// Fails if the batch is no longer in the queue, and with [`QueueError::Server`].
    pub(super) fn claim(&self, manifest: &str, worker: &str) -> Result<TakeReply, QueueError> {
        let mut begun = self.begun()?;
        // `enqueue --restart` removes the queue before it makes the new one.
        for _ in 0..RESTART_POLLS {
            if begun.is_some() {
                break;
            }
            self.clock.sleep(RESTART_PAUSE);
            begun = self.begun()?;
        }
        match begun {
            None => return Err(QueueError::Gone),
            Some(begun) if begun.manifest != manifest => return Ok(TakeReply::Other),
            Some(_) => {}
        }
        loop {
            let Some(delivery) = self.ask(NatsQueue::take)? else {
                let left = self.ask(NatsQueue::count)?;
                let silent = if left > 0 { self.claim_silent(worker)? } else { None };
                return Ok(silent.map_or(TakeReply::Nothing(left), TakeReply::Task));
            };
            if let Some(ticket) = self.claim_delivery(delivery, worker, None)? {
                return Ok(TakeReply::Task(ticket));
            }
        }
    }

    /// Claims a task of the stream with a record that did not change in two leases, in which this worker had no other work.
    ///
    /// The server delivers each task, and delivers it again when its lease has ended. But one that was killed may have
    /// lost which tasks it delivered, and has tasks again that were acknowledged: version 2.9 shows both.
    fn claim_silent(&self, worker: &str) -> Result<Option<Box<Ticket>>, QueueError> {
        let mut seen = lock(&self.seen);
        let now = self.clock.elapsed();
        if seen.at.is_some_and(|at| now < at + 2 * self.lease) {
            return Ok(None);
        }
        let mut revisions = BTreeMap::new();
        for name in self.ask(NatsQueue::list)? {
            let found = self.ask(|link| link.get(&name))?;
            revisions.insert(name, found.map_or(0, |found| found.revision));
        }
        let mut silent = revisions.clone();
        silent.retain(|name, revision| seen.revisions.get(name) == Some(revision));
        if silent.is_empty() {
            *seen = SeenTasks { at: Some(now), revisions };
        }
        for (name, revision) in silent {
            let Some(delivery) = self.ask(|link| link.read(&name))? else { continue };
            let claimed = self.claim_delivery(delivery, worker, Some(revision))?;
            seen.revisions.remove(&name);
            if claimed.is_some() {
                return Ok(claimed);
            }
        }
        Ok(None)
    }

    /// Writes into the record of a task that this worker has it; `None` for a task that has ended, and for one with a record of
    /// another revision than a given one.
    fn claim_delivery(
        &self,
        delivery: DeliveredTask,
        worker: &str,
        revision: Option<u64>,
    ) -> Result<Option<Box<Ticket>>, QueueError> {
        let job = decode(delivery.name(), delivery.payload());
        let run = run_of(&job);
        let task = job.as_ref().map_or_else(
            |_| format!("job-{}", delivery.name()),
            |job| job.planned.name().into_owned(),
        );
        let (mut before, mut has_changed) = (TaskRecord::default(), false);
        self.change(delivery.name(), |record, found| {
            before = if record.run == run { record.clone() } else { TaskRecord::default() };
            has_changed = revision.is_some_and(|revision| revision != found);
            let (worker, since) = (Some(worker.to_owned()), self.clock.timestamp());
            let (run, tries, task) = (run.clone(), before.tries + 1, task.clone());
            let taken = TaskRecord { run, task, worker, since, tries, ..before.clone() };
            (before.row.is_none() && !has_changed).then_some(taken)
        })?;
        if before.row.is_some() {
            // Its worker died between the row and the acknowledgement, or the server forgot that.
            self.ask(|link| link.answer(&delivery, Acknowledgement::Done))?;
        }
        if before.row.is_some() || has_changed {
            return Ok(None);
        }
        let TaskRecord { tries, worker: from, .. } = before;
        Ok(Some(Box::new(Ticket { delivery, job, tries: tries + 1, from })))
    }

    /// Records that the worker with this name is alive and has the task.
    pub(super) fn beat(&self, delivery: &DeliveredTask, worker: &str) -> Result<(), QueueError> {
        let mut is_ours = false;
        self.change(delivery.name(), |record, _| {
            is_ours = record.worker.as_deref() == Some(worker) && record.row.is_none();
            is_ours.then(|| TaskRecord { beats: record.beats + 1, ..record.clone() })
        })?;
        if is_ours {
            self.ask(|link| link.answer(delivery, Acknowledgement::Working))?;
        }
        Ok(())
    }

    /// Stores the row of a task and acknowledges its job, even if another worker has claimed it by now. Returns the number
    /// of tasks left; `None` if the task had ended elsewhere before, or the queue has no such run of it any more.
    pub(super) fn finish(
        &self,
        ticket: &Ticket,
        row: &TaskRow,
        parked: bool,
    ) -> Result<Option<usize>, QueueError> {
        let Ticket { delivery, job, .. } = ticket;
        let run = run_of(job);
        let parked = parked.then(|| String::from_utf8_lossy(delivery.payload()).into_owned());
        let (mut is_first, mut is_ours) = (true, true);
        self.change(delivery.name(), |record, _| {
            is_ours = record.run == run;
            // A conflict only means that this worker had the repository when another asked for it.
            let ended = record.row.as_ref().filter(|ended| {
                !is_ours || ended.outcome != OutcomeKind::Conflict || *ended == row
            });
            is_first = ended.is_none_or(|ended| ended == row);
            let (row, parked) = (Some(row.clone()), parked.clone());
            (is_ours && ended.is_none()).then(|| TaskRecord { parked, row, ..record.clone() })
        })?;
        if !is_ours {
            // Also not acknowledged: the place in the stream may be that of another task by now.
            return Ok(None);
        }
        self.ask(|link| link.answer(delivery, Acknowledgement::Done))?;
        let left = self.ask(NatsQueue::count)?;
        Ok(is_first.then_some(left))
    }

    /// Returns whether the queue still has the run of this task: the batch was not dropped, and the task not added again.
    pub(super) fn has_run(&self, ticket: &Ticket) -> Result<bool, QueueError> {
        let (record, _) = self.read_record(ticket.delivery.name())?;
        Ok(record.run == run_of(&ticket.job))
    }

    /// Gives a task back for any worker after this time; `counts` is `true` if it was an attempt.
    pub(super) fn give_back(
        &self,
        ticket: &Ticket,
        after: Duration,
        counts: bool,
    ) -> Result<(), QueueError> {
        let (run, mut is_ours) = (run_of(&ticket.job), false);
        self.change(ticket.delivery.name(), |record, _| {
            let tries = record.tries.saturating_sub(u32::from(!counts));
            is_ours = record.run == run && record.row.is_none();
            is_ours.then(|| TaskRecord { worker: None, tries, ..record.clone() })
        })?;
        if !is_ours {
            return Ok(());
        }
        self.ask(|link| link.answer(&ticket.delivery, Acknowledgement::Again(after)))
    }

    /// Returns the content of the queue.
    pub(super) fn status(&self) -> Result<QueueStatus, QueueError> {
        let mut status = QueueStatus::default();
        for (key, bytes) in self.ask(NatsQueue::values)? {
            if key == BATCH {
                continue;
            }
            let TaskRecord { task, worker, since, parked, row, .. } = read_json(&bytes)?;
            if let (None, Some(worker)) = (&row, worker) {
                status.running.push(Running { task, worker, since });
            }
            if let (Some(job), Some(row)) = (parked, &row) {
                status.parked.push(row.key.clone());
                status.jobs.push((row.key.clone(), job));
            }
            status.rows.extend(row);
        }
        status.running.sort_by(|one, other| one.task.cmp(&other.task));
        status.parked.sort();
        status.rows.sort_by(|one, other| (&one.name, &one.key).cmp(&(&other.name, &other.key)));
        let left = self.ask(NatsQueue::count)?;
        status.waiting = left.saturating_sub(status.running.len());
        Ok(status)
    }

    /// Puts the jobs of parked tasks back, and returns how many.
    pub(super) fn retry(&self, jobs: &[(String, String)]) -> Result<usize, QueueError> {
        let mut back = 0;
        for (key, job) in jobs {
            // A job that cannot be read would be parked again.
            let Ok(QueueJob { planned, .. }) = decode(&task_name(key), job.as_bytes()) else {
                continue;
            };
            let run = self.clock.fresh_id();
            let job = encode(&planned, Path::new("/"), &run)?;
            back += usize::from(self.add_job(&task_name(key), &job, &run)?);
        }
        Ok(back)
    }

    /// Returns the record of a task with its revision; an empty one if it has none.
    fn read_record(&self, name: &str) -> Result<(TaskRecord, Option<u64>), QueueError> {
        let Some(found) = self.ask(|link| link.get(name))? else {
            return Ok((TaskRecord::default(), None));
        };
        Ok((read_json(&found.bytes)?, Some(found.revision)))
    }

    /// Replaces the record of a task by what `change` returns for it and its revision (0 for none), unless that is nothing. It
    /// is asked again if another process was faster.
    fn change(
        &self,
        name: &str,
        mut change: impl FnMut(&TaskRecord, u64) -> Option<TaskRecord>,
    ) -> Result<(), QueueError> {
        loop {
            let (record, revision) = self.read_record(name)?;
            let Some(new) = change(&record, revision.unwrap_or(0)) else { return Ok(()) };
            if self.ask(|link| link.set(name, to_json(&new), revision))? {
                return Ok(());
            }
        }
    }

    /// Asks the server.
    pub(super) fn ask<T>(
        &self,
        ask: impl FnOnce(&NatsQueue) -> Result<T, NatsFault>,
    ) -> Result<T, QueueError> {
        let queue = || self.link.shown().to_owned();
        ask(&self.link).map_err(|fault| QueueError::Server { queue: queue(), fault })
    }
}

/// Returns the run of a job; none of one that cannot be read.
fn run_of(job: &Result<QueueJob, JobError>) -> String {
    job.as_ref().map(|job| job.run.as_str().to_owned()).unwrap_or_default()
}

fn to_json(value: &impl Serialize) -> Vec<u8> {
    // The types serialise without errors: keys are strings and numbers finite.
    serde_json::to_vec(value).unwrap_or_default()
}

fn read_json<T: for<'d> Deserialize<'d>>(bytes: &[u8]) -> Result<T, QueueError> {
    serde_json::from_slice(bytes).map_err(|error| QueueError::Damaged(error.to_string()))
}
