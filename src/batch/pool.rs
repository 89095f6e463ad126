//! The threads that do a batch: each asks the plan what is next, does it, and writes it down.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io;
use std::sync::atomic::Ordering;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use super::expand::Planned;
use super::journal::{Journal, Past};
use super::plan::{Left, Next, Plan, Spent, Stop};
use super::row::Row;
use super::select::Shard;
use super::task::Shared;
use crate::domain::RunId;
use crate::index::language::spawn_roomy;
use crate::system::{Share, System};

/// How long a worker that waits sleeps before it looks for a signal.
const NAP: Duration = Duration::from_millis(200);

/// Who hears how the batch goes; called from several threads.
pub trait Watcher: Sync {
    /// A task begins.
    fn started(&self, name: &str);
    /// A task has ended; `done` of `all` have.
    fn ended(&self, row: &Row, done: usize, all: usize);
}

/// What is done in one call.
pub struct Batch<'a> {
    /// What tasks share.
    pub shared: Shared,
    /// The tasks to be done.
    pub tasks: Vec<Planned>,
    /// The shard that they are, where they are one.
    pub shard: Option<Shard>,
    /// How many at once.
    pub jobs: usize,
    /// Where it is written down.
    pub journal: Journal<'a>,
    /// What earlier calls did.
    pub past: Past,
    /// The outside.
    pub system: System<'a>,
}

/// How a call ended.
pub struct Done {
    /// The last row of each task that ended, earlier calls counted, by key.
    pub rows: HashMap<String, Box<Row>>,
    /// Why nothing new was started, where something was left.
    pub stop: Option<Stop>,
    /// How many tasks were not started.
    pub not_started: usize,
    /// What was spent, earlier calls counted.
    pub spent: Spent,
}

struct Board {
    plan: Plan,
    /// How many tasks have ended.
    ended: usize,
    /// Those of them that a signal ended: they are not done, and not in the journal.
    undone: Vec<Row>,
    /// The mark of every row that is, by that of its key.
    written: HashMap<u64, u64>,
    unwritten: Option<io::Error>,
}

/// Does the batch. An error when the journal cannot be written: then nothing more is begun, since nobody
/// would know of it; or when it has lost what was written.
pub fn run(mut batch: Batch<'_>, plan: Plan, watcher: &dyn Watcher) -> io::Result<Done> {
    // The journal has the rows, which are read again at the end: some words each are enough to see that it still does.
    let written = std::mem::take(&mut batch.past.rows).values().map(|row| marks(row)).collect();
    let workers = batch.jobs.min(plan.waiting()).max(1);
    let board = Mutex::new(Board { plan, ended: 0, undone: Vec::new(), written, unwritten: None });
    let changed = Condvar::new();
    let _share = Share::expected(workers);
    thread::scope(|scope| {
        let work = || || work(&batch, &board, &changed, watcher);
        if let Err(error) = spawn_roomy(scope, ("task", workers), work) {
            held(&board).unwritten = Some(error);
        }
    });
    let board = board.into_inner().unwrap_or_else(PoisonError::into_inner);
    if let Some(error) = board.unwritten {
        return Err(error);
    }
    let mut rows = batch.journal.rows()?;
    let found: HashMap<u64, u64> = rows.values().map(|row| marks(row)).collect();
    if board.written != found {
        let lost =
            "somebody changed its rows meanwhile; `--resume` does tasks again that have none";
        return Err(io::Error::new(io::ErrorKind::NotFound, lost));
    }
    let stop = board.plan.stopped().cloned();
    if stop.is_none() {
        batch.journal.complete(&batch.system.clock.timestamp(), batch.shard)?;
    }
    let (not_started, spent) = (board.plan.waiting(), board.plan.spent());
    rows.extend(board.undone.into_iter().map(|row| (row.key.clone(), Box::new(row))));
    Ok(Done { rows, stop, not_started, spent })
}

fn held(board: &Mutex<Board>) -> MutexGuard<'_, Board> {
    board.lock().unwrap_or_else(PoisonError::into_inner)
}

fn work(batch: &Batch<'_>, board: &Mutex<Board>, changed: &Condvar, watcher: &dyn Watcher) {
    let clock = batch.system.clock;
    loop {
        let mut now = held(board);
        if now.unwritten.is_some() {
            return;
        }
        let interrupted = batch.shared.interrupted.load(Ordering::Relaxed);
        let (index, left) = match now.plan.next(clock.elapsed(), interrupted) {
            Next::Start(index, left) => (index, left),
            Next::Wait(time) => {
                let time = time.unwrap_or(NAP).min(NAP);
                drop(changed.wait_timeout(now, time).unwrap_or_else(PoisonError::into_inner));
                continue;
            }
            Next::End => return,
        };
        drop(now);
        let Some(planned) = batch.tasks.get(index) else { continue };
        watcher.started(&planned.name);
        let ended = one(batch, planned, left);
        let mut now = held(board);
        match ended {
            Ok(row) => {
                now.ended += 1;
                now.plan.ended(planned.opens, &row, clock.elapsed());
                watcher.ended(&row, now.ended, batch.tasks.len());
                if row.is_done() {
                    now.written.extend([marks(&row)]);
                } else {
                    now.undone.push(row);
                }
            }
            Err(error) => now.unwritten = Some(error),
        }
        drop(now);
        changed.notify_all();
    }
}

/// Does one task, whatever becomes of it, and writes it down.
fn one(batch: &Batch<'_>, planned: &Planned, left: Left) -> io::Result<Row> {
    let clock = batch.system.clock;
    if let Some(row) = ended_before(batch, planned) {
        batch.journal.ended(&row)?;
        return Ok(row);
    }
    // What a killed run of the task has handed over is its own.
    let begun = batch.past.half_done.get(&*planned.key).cloned();
    let id = begun.unwrap_or_else(|| RunId::new(clock.fresh_id()));
    batch.journal.started(&planned.key, &id, &clock.timestamp(), planned.opens)?;
    let outcome = batch.shared.run_as(&id, batch.system, planned, left);
    let row = planned.row(&outcome, clock.timestamp());
    if row.is_done() {
        batch.journal.ended(&row)?;
    }
    Ok(row)
}

/// What a key and its row are known by.
fn marks(row: &Row) -> (u64, u64) {
    let mark = |parts: &[&str]| {
        let mut hasher = DefaultHasher::new();
        parts.hash(&mut hasher);
        hasher.finish()
    };
    let branch = row.branch.as_deref().unwrap_or_default();
    let pull = row.pr_url.as_deref().unwrap_or_default();
    let own = [&row.name, &row.repo, row.outcome.name(), &row.reason, &row.ended_at, branch, pull];
    (mark(&[&row.key]), mark(&own))
}

/// A run that ended and was killed before it stood in the journal has left its outcome.
fn ended_before(batch: &Batch<'_>, planned: &Planned) -> Option<Row> {
    let run = batch.past.half_done.get(&*planned.key)?;
    let outcome = batch.shared.ended_before(batch.system.disk, &planned.name, run)?;
    Some(planned.row(&outcome, batch.system.clock.timestamp()))
}

#[cfg(test)]
mod tests;
