//! The threads that do a batch: each asks the plan what is next, does it, and writes it down.

use std::io;
use std::sync::atomic::Ordering;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use super::expand::Planned;
use super::journal::{Journal, Past};
use super::ledger::{Ended, Ledger, Written, with_next};
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
    /// How every task of the manifest ended in them, by number.
    pub ended: Vec<Option<Ended>>,
    /// The outside.
    pub system: System<'a>,
}

/// How a call ended.
pub struct Done {
    /// The last row of each task that ended, earlier calls counted, in the manifest's order.
    pub rows: Ledger,
    /// Why nothing new was started, where something was left.
    pub stop: Option<Stop>,
    /// How many tasks were not started.
    pub not_started: usize,
    /// What was spent, earlier calls counted.
    pub spent: Spent,
}

struct Board {
    plan: Plan,
    /// How many tasks this call has ended.
    count: usize,
    /// How every task of the manifest ended, by number.
    ended: Vec<Option<Ended>>,
    unwritten: Option<io::Error>,
}

/// Does the batch. An error when the journal cannot be written: then nothing more is begun, since nobody
/// would know of it; or when it has lost what was written.
pub fn run(mut batch: Batch<'_>, plan: Plan, watcher: &dyn Watcher) -> io::Result<Done> {
    let ended = std::mem::take(&mut batch.ended);
    let workers = batch.jobs.min(plan.waiting()).max(1);
    let board = Mutex::new(Board { plan, count: 0, ended, unwritten: None });
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
    // The journal has the rows, which are read again for each report.
    let rows = batch.journal.open(board.ended.into_iter().flatten().collect());
    let next = "`--resume` believes those that are there; `--restart` does every task again";
    let rows = rows.and_then(|rows| batch.journal.holds(&rows).map(|()| rows));
    let rows = rows.map_err(|error| with_next(error, next))?;
    let stop = board.plan.stopped().cloned();
    if stop.is_none() {
        batch.journal.complete(&batch.system.clock.timestamp(), batch.shard)?;
    }
    let (not_started, spent) = (board.plan.waiting(), board.plan.spent());
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
        watcher.started(&planned.name());
        let ended = one(batch, planned, left);
        let mut now = held(board);
        match ended {
            Ok((row, written)) => {
                now.count += 1;
                now.plan.ended(planned.opens, &row, clock.elapsed());
                watcher.ended(&row, now.count, batch.tasks.len());
                let ended = written.map_or_else(|| Ended::Undone(Box::new(row)), Ended::Written);
                if let Some(place) = now.ended.get_mut(planned.number as usize) {
                    *place = Some(ended);
                }
            }
            Err(error) => now.unwritten = Some(error),
        }
        drop(now);
        changed.notify_all();
    }
}

/// Does one task, whatever becomes of it, and writes it down, but where a signal ended it.
fn one(batch: &Batch<'_>, planned: &Planned, left: Left) -> io::Result<(Row, Option<Written>)> {
    let clock = batch.system.clock;
    if let Some(row) = ended_before(batch, planned) {
        let written = batch.journal.ended(&row)?;
        return Ok((row, Some(written)));
    }
    // What a killed run of the task has handed over is its own.
    let begun = batch.past.half_done.get(&*planned.key).cloned();
    let id = begun.unwrap_or_else(|| RunId::new(clock.fresh_id()));
    batch.journal.started(&planned.key, &id, &clock.timestamp(), planned.opens)?;
    let outcome = batch.shared.run_as(&id, batch.system, planned, left);
    let row = planned.row(&outcome, clock.timestamp());
    let written = row.is_done().then(|| batch.journal.ended(&row)).transpose()?;
    Ok((row, written))
}

/// A run that ended and was killed before it stood in the journal has left its outcome.
fn ended_before(batch: &Batch<'_>, planned: &Planned) -> Option<Row> {
    let run = batch.past.half_done.get(&*planned.key)?;
    let outcome = batch.shared.ended_before(batch.system.disk, &planned.name(), run)?;
    Some(planned.row(&outcome, batch.system.clock.timestamp()))
}

#[cfg(test)]
mod tests;
