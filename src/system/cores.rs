//! How many threads are worth starting, which runs that go on at once share.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use rustix::process::{getpriority_process, setpriority_process};

/// How nice such a thread is, as of `nice(1)`.
const GIVES_WAY: i32 = 10;

static RUNS: AtomicUsize = AtomicUsize::new(0);
static EXPECTED: AtomicUsize = AtomicUsize::new(0);

/// Runs that share the cores, until it is dropped.
#[derive(Debug)]
pub struct Share(&'static AtomicUsize, usize);

impl Share {
    /// Has a run that begins counted.
    pub fn taken() -> Self {
        Self::counted(&RUNS, 1)
    }

    /// Has so many counted that will go on at once, so that the first of them take no more than the others.
    pub fn expected(runs: usize) -> Self {
        Self::counted(&EXPECTED, runs)
    }

    fn counted(count: &'static AtomicUsize, runs: usize) -> Self {
        count.fetch_add(runs, Ordering::Relaxed);
        Self(count, runs)
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        self.0.fetch_sub(self.1, Ordering::Relaxed);
    }
}

/// Returns how many cores a run may use, at least 1: more threads than cores make several runs no faster, and each
/// leaves memory behind that nobody else uses. The system is asked once how many there are (1 where that is not
/// known): Linux reads some files for it.
pub fn cores() -> usize {
    static CORES: OnceLock<usize> = OnceLock::new();
    let all = *CORES.get_or_init(|| thread::available_parallelism().map_or(1, usize::from));
    share(all, RUNS.load(Ordering::Relaxed).max(EXPECTED.load(Ordering::Relaxed)))
}

fn share(cores: usize, runs: usize) -> usize {
    cores.checked_div(runs).unwrap_or(cores).max(1)
}

/// Does one job on a thread of its own while the other is done on this one; one after the other where a thread is
/// not worth it, is not to be had, or was lost.
pub fn beside<A: Send, B>(one: impl Fn() -> A + Sync, other: impl FnOnce() -> B) -> (A, B) {
    if cores() == 1 {
        return (one(), other());
    }
    thread::scope(|scope| {
        let thread = thread::Builder::new().spawn_scoped(scope, &one).ok();
        let other = other();
        (thread.and_then(|thread| thread.join().ok()).unwrap_or_else(&one), other)
    })
}

/// Has this thread, and those that it begins, give way to whatever else wants the cores from now on; where that is
/// not to be had nothing changes.
pub fn give_way() {
    // Elsewhere it would be the whole process.
    if cfg!(target_os = "linux")
        && let Ok(nice) = getpriority_process(None)
    {
        let _ = setpriority_process(None, nice.max(GIVES_WAY));
    }
}

/// Does a job that nobody waits for on a thread of its own; on this one where a thread is not worth it. Where there
/// can be none the job is only dropped, and a process that ends does not wait for it.
pub fn aside(job: impl FnOnce() + Send + 'static) {
    if cores() == 1 {
        return job();
    }
    drop(thread::Builder::new().name("aside".to_owned()).spawn(job));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_share_the_cores_and_each_has_one() {
        let shares = [(8, 0), (8, 1), (8, 2), (8, 3), (2, 8), (1, 1)].map(|(c, r)| share(c, r));
        assert_eq!(shares, [8, 8, 4, 2, 1, 1]);
    }

    #[test]
    fn a_job_aside_is_done() {
        let (done, waits) = std::sync::mpsc::channel();
        aside(move || done.send(1).unwrap());
        assert_eq!(waits.recv(), Ok(1));
    }

    #[test]
    fn a_thread_that_gives_way_leaves_the_others_as_they_are() {
        let nice = || getpriority_process(None).unwrap();
        let before = nice();
        let gives_way = move || {
            give_way();
            nice()
        };
        let then = if cfg!(target_os = "linux") { before.max(GIVES_WAY) } else { before };
        assert_eq!(thread::spawn(gives_way).join().unwrap(), then);
        assert_eq!(nice(), before);
    }

    #[test]
    fn both_jobs_are_done_whoever_does_them() {
        let shares: Vec<Share> = (0..3).map(|_| Share::taken()).collect();
        assert_eq!(beside(|| 1, || 2), (1, 2));
        drop(shares);
        assert_eq!(beside(|| 1, || 2), (1, 2));
    }
}
