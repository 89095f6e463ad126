//! The steps of all files, on as many threads as are worth starting.

use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::{thread, vec};

use super::Sources;
use super::step::{Done, Item, step};
use crate::index::language;
use crate::system::cores;

/// Files that a thread takes at once.
const HANDFUL: usize = 16;

/// Takes the steps of all items on as many threads as are worth it, and hands the results to `each` on this one.
pub(super) fn work(
    sources: &Sources<'_>,
    taken: i64,
    items: Vec<Item>,
    each: &mut dyn FnMut(Done),
) {
    let mut threads = cores().min(items.len().div_ceil(HANDFUL));
    if threads == 1 && language::is_roomy() {
        threads = 0;
    }
    let items = Mutex::new(items.into_iter());
    let (to, results) = sync_channel(threads * 4);
    thread::scope(|scope| {
        let worker = || {
            let (to, items) = (to.clone(), &items);
            move || take_steps(sources, taken, items, &to)
        };
        // Without a thread the items are left, and taken below.
        let _ = language::spawn_roomy(scope, ("index", threads), worker);
        drop(to);
        results.iter().flatten().for_each(&mut *each);
    });
    let mut buffer = Vec::new();
    for item in items.into_inner().unwrap_or_else(PoisonError::into_inner) {
        if sources.clock.interrupted() {
            break;
        }
        each(step(sources, taken, item, &mut buffer));
    }
}

/// Takes items and their steps until none is left.
fn take_steps(
    sources: &Sources<'_>,
    taken: i64,
    items: &Mutex<vec::IntoIter<Item>>,
    to: &SyncSender<Vec<Done>>,
) {
    let mut buffer = Vec::new();
    while !sources.clock.interrupted() {
        let mut left = items.lock().unwrap_or_else(PoisonError::into_inner);
        let taken_now: Vec<_> = left.by_ref().take(HANDFUL).collect();
        drop(left);
        if taken_now.is_empty() {
            break;
        }
        let done = taken_now.into_iter().map(|item| step(sources, taken, item, &mut buffer));
        if to.send(done.collect()).is_err() {
            break;
        }
    }
}
