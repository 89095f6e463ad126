//! A message about work that takes long.

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

/// The time after which work is reported as slow.
pub(crate) const SLOW: Duration = Duration::from_secs(5);

/// Does the work, and calls `notice` if it takes longer than [`SLOW`].
pub(crate) fn with_notice<T>(notice: impl FnOnce() + Send, work: impl FnOnce() -> T) -> T {
    let (working, ended) = channel::<()>();
    thread::scope(move |scope| {
        let wait = move || {
            if ended.recv_timeout(SLOW) == Err(RecvTimeoutError::Timeout) {
                notice();
            }
        };
        // Without a thread, the work is done without the notice.
        drop(thread::Builder::new().name("notice".to_owned()).spawn_scoped(scope, wait));
        let done = work();
        drop(working);
        done
    })
}
