//! One worker at a queue: threads that take a task, do it as a batch does, and take it away once its row is safe.

use std::collections::{BTreeSet, HashMap};
use std::io;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError, RwLock};
use std::thread;
use std::time::Duration;

use super::fault::QueueError;
use super::job::{Job, decode};
use super::outage::{Outage, Until};
use super::store::{Again, Queue, Taken, Ticket, Who};
use crate::batch::expand::Origin;
use crate::batch::journal::Journal;
use crate::batch::ledger::Ended;
use crate::batch::plan::{BatchLimits, Left, Next, Plan, Spent, Stop};
use crate::batch::pool::Watcher;
use crate::batch::row::Row;
use crate::batch::task::Shared;
use crate::domain::{ErrorCode, Outcome, OutcomeKind, RunId, Sha256};
use crate::index::language::spawn_roomy;
use crate::system::{Share, System};

/// How long a thread with nothing to do sleeps before it looks again.
const NAP: Duration = Duration::from_millis(250);
/// How often within its lease a worker says that it lives.
const BEATS: u32 = 4;

/// Who hears what is not a task's begin or end; called from several threads.
pub type Sayer<'a> = dyn Fn(&str) + Sync + 'a;

/// A worker.
pub struct Worker<'a> {
    /// What tasks share.
    pub shared: Shared,
    /// The queue, over the connection that takes and gives.
    pub queue: Queue<'a>,
    /// The same over a connection of its own, that says that the worker lives.
    pub pulse: Queue<'a>,
    /// The digest of the batch's manifest.
    pub manifest: String,
    /// The worker's name, which no other has.
    pub name: String,
    /// How long it may be silent before others take its tasks over.
    pub lease: Duration,
    /// How often a task is begun before it is parked.
    pub max_tries: u32,
    /// How many tasks at once.
    pub jobs: usize,
    /// Whether it ends when nothing waits or runs, with any worker.
    pub until_empty: bool,
    /// What the command line hands over that would go with a clone.
    pub staying: Option<&'static str>,
    /// What this worker may spend; `fail_fast` and `pulls_per_hour` are not for workers.
    pub limits: BatchLimits,
    /// What it spent before.
    pub spent: Spent,
    /// Where it is written down.
    pub journal: Journal<'a>,
    /// The outside.
    pub system: System<'a>,
}

/// How a worker ended.
pub struct Worked {
    /// The last row of each task that ended here, by the digest of its key.
    pub rows: HashMap<Sha256, Ended>,
    /// What was spent, earlier calls counted.
    pub spent: Spent,
    /// Why nothing new was taken, where that was not for the queue being empty.
    pub stop: Option<Stop>,
    /// What ended it otherwise.
    pub error: Option<WorkError>,
    /// Whether the queue holds another batch by now.
    pub other: bool,
}

/// What ends a worker.
#[derive(Debug, thiserror::Error)]
pub enum WorkError {
    /// The queue.
    #[error(transparent)]
    Queue(#[from] QueueError),
    /// The journal cannot be written, or a thread not be started.
    #[error(transparent)]
    Disk(#[from] io::Error),
}

#[derive(Default)]
struct Board {
    rows: HashMap<Sha256, Ended>,
    spent: Spent,
    stop: Option<Stop>,
    error: Option<WorkError>,
    other: bool,
    done: usize,
    /// Entries in our hands.
    held: BTreeSet<String>,
    over: bool,
}

struct Floor<'w, 'a> {
    worker: &'w Worker<'a>,
    who: Who,
    /// Held while a task is taken, and until it is known whether others may run beside it.
    door: Mutex<()>,
    /// A task whose worker died has it alone, so that it takes no other with it.
    room: RwLock<()>,
    board: Mutex<Board>,
    /// Wakes the one who says that the worker lives, at its end.
    ended: Condvar,
    outage: Outage<'w>,
    watcher: &'w dyn Watcher,
    say: &'w Sayer<'w>,
}

/// Works until the queue is empty (where that is asked for), a signal, a limit, or an error that waiting does not
/// mend. What runs is always brought to its end, and what a signal cut off is given back.
pub fn work(worker: &Worker<'_>, watcher: &dyn Watcher, say: &Sayer<'_>) -> Worked {
    let board = Board { spent: worker.spent, ..Board::default() };
    let (manifest, name) = (worker.manifest.clone(), worker.name.clone());
    let floor = Floor {
        worker,
        who: Who { manifest, name, lease: worker.lease },
        door: Mutex::new(()),
        room: RwLock::new(()),
        board: Mutex::new(board),
        ended: Condvar::new(),
        outage: Outage::new(worker.system.clock, worker.queue.shown(), say),
        watcher,
        say,
    };
    let _share = Share::expected(worker.jobs.max(1));
    thread::scope(|scope| {
        let pulse = scope.spawn(|| floor.live());
        thread::scope(|scope| {
            let turns = || || floor.take_turns();
            if let Err(error) = spawn_roomy(scope, ("task", worker.jobs.max(1)), turns) {
                floor.board().error = Some(error.into());
            }
        });
        floor.board().over = true;
        floor.ended.notify_all();
        drop(pulse.join());
    });
    // A name that stays there harms nobody.
    drop(floor.outage.through(Until::Signal, || worker.queue.leave(&floor.who)));
    let board = floor.board.into_inner().unwrap_or_else(PoisonError::into_inner);
    let Board { rows, spent, stop, mut error, other, .. } = board;
    if stop.is_none() && error.is_none() {
        let complete = worker.journal.complete(&worker.system.clock.timestamp(), None);
        error = complete.err().map(WorkError::Disk);
    }
    Worked { rows, spent, stop, error, other }
}

impl Floor<'_, '_> {
    fn board(&self) -> MutexGuard<'_, Board> {
        self.board.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Says within every lease that the worker lives.
    fn live(&self) {
        let pause = self.who.lease / BEATS;
        let mut board = self.board();
        while !board.over {
            let waited = self.ended.wait_timeout(board, pause);
            board = waited.unwrap_or_else(PoisonError::into_inner).0;
            let ids: Vec<String> = board.held.iter().cloned().collect();
            if board.over || ids.is_empty() {
                continue;
            }
            drop(board);
            self.outage.hear(&self.worker.pulse.beat(&self.who, &ids));
            board = self.board();
        }
    }

    fn take_turns(&self) {
        loop {
            let door = self.door.lock().unwrap_or_else(PoisonError::into_inner);
            let Some(left) = self.may_start() else { return };
            let taken = self.outage.through(Until::Signal, || self.worker.queue.take(&self.who));
            let ended = match taken {
                Ok(Taken::Task(ticket)) => self.in_room(door, &ticket, left),
                Ok(Taken::Nothing(0)) if self.worker.until_empty => return,
                Ok(Taken::Nothing(_)) => {
                    drop(door);
                    self.worker.system.clock.sleep(NAP);
                    Ok(())
                }
                Ok(Taken::Other) => {
                    self.board().other = true;
                    return;
                }
                // A signal ended the waiting; the next look says so.
                Err(error) if error.passes() => Ok(()),
                Err(error) => Err(error.into()),
            };
            if let Err(error) = ended {
                self.board().error.get_or_insert(error);
            }
        }
    }

    /// Does a task beside others, or with the room and the door to itself.
    fn in_room(
        &self,
        door: MutexGuard<'_, ()>,
        ticket: &Ticket,
        left: Left,
    ) -> Result<(), WorkError> {
        self.board().held.insert(ticket.id.clone());
        let ended = if ticket.tries > 1 {
            let _all = self.room.write().unwrap_or_else(PoisonError::into_inner);
            self.one(ticket, left)
        } else {
            let _place = self.room.read().unwrap_or_else(PoisonError::into_inner);
            drop(door);
            self.one(ticket, left)
        };
        self.board().held.remove(&ticket.id);
        ended
    }

    /// Returns what the next task may spend; nothing where none is to be taken.
    fn may_start(&self) -> Option<Left> {
        let mut board = self.board();
        if board.stop.is_some() || board.error.is_some() || board.other {
            return None;
        }
        let clock = self.worker.system.clock;
        let mut plan = Plan::new([(0, false)], self.worker.limits, board.spent);
        if let Next::Start(_, left) = plan.next(clock.elapsed(), clock.interrupted()) {
            return Some(left);
        }
        board.stop = plan.stopped().cloned();
        None
    }

    /// Does one task and says how it ended.
    fn one(&self, ticket: &Ticket, left: Left) -> Result<(), WorkError> {
        match decode(&ticket.key, &ticket.job) {
            Ok(job) if ticket.tries > self.worker.max_tries => {
                let times = ticket.tries - 1;
                let reason = format!(
                    "begun {times} times, and its worker was never heard from again; parked"
                );
                let name = job.planned.name();
                let row = self.unfinished((&name, &ticket.key), &reason, ErrorCode::QueueParked);
                self.end(ticket, &row, true)
            }
            Ok(job) => self.run(ticket, &job, left),
            Err(fault) => {
                let name = format!("job-{}", ticket.id);
                let reason = format!("the job cannot be read: {fault}; parked");
                let row = self.unfinished((&name, &ticket.key), &reason, ErrorCode::QueueJob);
                self.end(ticket, &row, true)
            }
        }
    }

    fn run(&self, ticket: &Ticket, job: &Job, left: Left) -> Result<(), WorkError> {
        let (worker, planned) = (self.worker, &job.planned);
        let clock = worker.system.clock;
        if let Some(from) = &ticket.from {
            let (name, tries) = (planned.name(), ticket.tries);
            (self.say)(&format!(
                "`{name}` is taken over from `{from}`, which fell silent (try {tries})"
            ));
        }
        if let Some(outcome) = self.ended_before(ticket, job) {
            return self.end(ticket, &planned.row(&outcome, clock.timestamp()), false);
        }
        if let Origin::Address(address) = &planned.origin {
            if let Some(emit) = worker.staying {
                self.give_back(ticket, Again::AtOnce);
                let task = planned.name().into_owned();
                return Err(QueueError::StaysInClone { emit, task }.into());
            }
            worker.shared.clones.want(address, planned.wish.branch.as_deref());
        }
        self.watcher.started(&planned.name());
        // The run's name is in the queue, whoever takes the task over.
        if let Err(error) =
            worker.journal.started(&planned.key, &job.run, &clock.timestamp(), false)
        {
            self.give_back(ticket, Again::AtOnce);
            return Err(error.into());
        }
        let outcome = worker.shared.run_as(&job.run, worker.system, planned, left);
        let row = planned.row(&outcome, clock.timestamp());
        if outcome.outcome == OutcomeKind::Interrupted {
            self.give_back(ticket, Again::AtOnce);
            let mut board = self.board();
            board.stop.get_or_insert(Stop::Interrupted);
            board.rows.insert(Sha256::of(row.key.as_bytes()), Ended::Undone(Box::new(row)));
            return Ok(());
        }
        // Somebody is at it: perhaps a worker that fell silent and is well again, which then takes it back.
        if outcome.outcome == OutcomeKind::Conflict && ticket.tries < worker.max_tries {
            let (name, reason) = (&row.name, &row.reason);
            (self.say)(&format!("`{name}` is left alone for the time of a lease: {reason}"));
            self.give_back(ticket, Again::Later);
            return Ok(());
        }
        self.end(ticket, &row, false)
    }

    /// A run that ended and was killed before the queue knew has left its outcome, if it was in this folder.
    fn ended_before(&self, ticket: &Ticket, job: &Job) -> Option<Outcome> {
        let Worker { shared, system, .. } = self.worker;
        let before = || shared.ended_before(system.disk, &job.planned.name(), &job.run);
        (ticket.tries > 1).then(before).flatten()
    }

    /// Leaves the outcome of a task that was not run, and returns its row.
    fn unfinished(&self, (name, key): (&str, &str), reason: &str, code: ErrorCode) -> Row {
        let Worker { shared, system, .. } = self.worker;
        let id = RunId::new(system.clock.fresh_id());
        let mut outcome = Outcome::new(id, OutcomeKind::Internal, reason);
        outcome.error_code = Some(code.as_str().to_owned());
        outcome.hint = Some(code.hint().to_owned());
        shared.leave(*system, name, &mut outcome);
        Row::of((name, key, key), &outcome, system.clock.timestamp())
    }

    /// Writes a row down, here first and then in the queue, which then lets go of the task.
    fn end(&self, ticket: &Ticket, row: &Row, parked: bool) -> Result<(), WorkError> {
        let written = match self.worker.journal.ended(row) {
            Ok(written) => written,
            Err(error) => {
                self.give_back(ticket, Again::AtOnce);
                return Err(error.into());
            }
        };
        let queue = &self.worker.queue;
        let told =
            self.outage.through(Until::Grace, || queue.finish(&self.who, ticket, row, parked));
        let done = {
            let mut board = self.board();
            board.done += 1;
            board.spent.add(row);
            board.rows.insert(Sha256::of(row.key.as_bytes()), Ended::Written(written));
            board.done
        };
        let left = told.as_ref().ok().copied().flatten();
        self.watcher.ended(row, done, done + left.unwrap_or(ticket.left.saturating_sub(1)));
        let name = &row.name;
        match told {
            Ok(Some(_)) => {}
            Ok(None) => (self.say)(&format!(
                "`{name}` had ended elsewhere when it ended here: its lease had run out, or somebody dropped it"
            )),
            Err(error) if error.passes() => (self.say)(&format!(
                "`{name}` has ended, and the queue could not be told: its outcome is in the folder of results, and another worker does it again"
            )),
            Err(error) => return Err(error.into()),
        }
        Ok(())
    }

    /// Gives a task back; where that fails its lease does it.
    fn give_back(&self, ticket: &Ticket, again: Again) {
        let queue = &self.worker.queue;
        drop(self.outage.through(Until::Grace, || queue.back(&self.who, ticket, again)));
    }
}
