//! Threads for work on many files: one pool that all runs of the process share.

use std::io;
use std::sync::OnceLock;
use std::sync::mpsc::sync_channel;
use std::thread::{self, Scope};

use rayon::iter::{IndexedParallelIterator as _, IntoParallelIterator as _, ParallelIterator as _};
use rayon::{ThreadPool, ThreadPoolBuilder};
use rustix::process::{getpriority_process, setpriority_process};

/// Niceness of threads with lowered priority, as of `nice(1)`.
const LOWERED: i32 = 10;

/// Items below which a job is done on the calling thread: handing them over costs more.
const FEW: usize = 16;

/// Results that may wait for the calling thread in [`stream_parallel`].
const MAX_WAITING: usize = 64;

/// Returns the number of cores this process may use, at least 1.
///
/// The system is asked once: Linux reads several files for the answer.
pub fn core_count() -> usize {
    static CORES: OnceLock<usize> = OnceLock::new();
    *CORES.get_or_init(|| thread::available_parallelism().map_or(1, usize::from))
}

/// Returns the pool of all parallel work, which starts with the first job; `None` if no thread
/// can be started.
fn thread_pool() -> Option<&'static ThreadPool> {
    static POOL: OnceLock<Option<ThreadPool>> = OnceLock::new();
    let build = || ThreadPoolBuilder::new().num_threads(core_count()).build().ok();
    POOL.get_or_init(build).as_ref()
}

/// Does two jobs at the same time and returns both results. Without threads, one follows the
/// other.
pub fn join<A: Send, B: Send>(
    one: impl FnOnce() -> A + Send,
    other: impl FnOnce() -> B + Send,
) -> (A, B) {
    match thread_pool() {
        Some(pool) => pool.join(one, other),
        None => (one(), other()),
    }
}

/// Returns the results of `map` for the numbers below `count`, in their order. Up to 16 items
/// are mapped on the calling thread.
pub fn map_parallel<R: Send>(count: usize, map: impl Fn(usize) -> R + Sync) -> Vec<R> {
    match thread_pool().filter(|_| count > FEW) {
        Some(pool) => {
            pool.install(|| (0..count).into_par_iter().with_min_len(FEW).map(&map).collect())
        }
        None => (0..count).map(map).collect(),
    }
}

/// Passes the result of `map` for every item to `each` on the calling thread, in no order, while further items
/// are worked on.
pub fn stream_parallel<T: Send, R: Send>(
    items: Vec<T>,
    map: impl Fn(T) -> R + Sync,
    each: &mut dyn FnMut(R),
) {
    // A thread of the pool that waited for the pool's own results could wait for ever.
    let is_outside = rayon::current_thread_index().is_none();
    let Some(pool) = thread_pool().filter(|_| items.len() > FEW && is_outside) else {
        return items.into_iter().map(map).for_each(each);
    };
    // Bounded, so that results do not pile up in memory when `each` is the slower side.
    let (sender, results) = sync_channel(MAX_WAITING);
    let map = &map;
    pool.in_place_scope(|scope| {
        scope.spawn(move |_| {
            items.into_par_iter().for_each(|item| {
                // The receiver outlives the scope, so sending does not fail.
                let _ = sender.send(map(item));
            });
        });
        results.iter().for_each(each);
    });
}

/// Starts up to `count` scoped threads called `name` with a number.
///
/// Fewer threads are enough; an error means that not even one could be started.
pub fn spawn_workers<'scope, J: FnOnce() + Send + 'scope>(
    scope: &'scope Scope<'scope, '_>,
    name: &str,
    count: usize,
    job: impl Fn() -> J,
) -> io::Result<()> {
    for number in 0..count {
        let thread = thread::Builder::new().name(format!("{name}-{number}"));
        match thread.spawn_scoped(scope, job()) {
            Ok(_) => {}
            Err(error) if number == 0 => return Err(error),
            Err(_) => break,
        }
    }
    Ok(())
}

/// Lowers the priority of the pool's threads for the rest of the process, so that the user's command is not slowed
/// down by an index that takes long. Does nothing where threads have no priority of their own.
pub fn lower_priority() {
    if let Some(pool) = thread_pool() {
        pool.broadcast(|_| lower_thread_priority());
    }
}

/// Lowers the priority of the calling thread; on Linux only.
fn lower_thread_priority() {
    // On other systems the call changes the whole process.
    if cfg!(target_os = "linux")
        && let Ok(nice) = getpriority_process(None)
    {
        let _ = setpriority_process(None, nice.max(LOWERED));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_with_lowered_priority_leaves_the_others_as_they_are() {
        let nice = || getpriority_process(None).unwrap();
        let before = nice();
        let lowered = move || {
            lower_thread_priority();
            nice()
        };
        let then = if cfg!(target_os = "linux") { before.max(LOWERED) } else { before };
        assert_eq!(thread::spawn(lowered).join().unwrap(), then);
        assert_eq!(nice(), before);
    }

    #[test]
    fn every_item_is_mapped_once_whatever_their_number() {
        for count in [0, 1, FEW, FEW + 1, 1_000] {
            let expected: Vec<usize> = (0..count).map(|number| number * 2).collect();
            assert_eq!(map_parallel(count, |number| number * 2), expected);
            let mut streamed = Vec::new();
            stream_parallel((0..count).collect(), |number| number * 2, &mut |it| streamed.push(it));
            streamed.sort_unstable();
            assert_eq!(streamed, expected);
        }
        assert_eq!(join(|| 1, || 2), (1, 2));
    }
}
