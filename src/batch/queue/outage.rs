//! Waits for a Redis that does not answer. Each outage is reported once, however many threads wait.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use super::fault::QueueError;
use crate::batch::pool::BatchWatcher;
use papayu_system::Clock;
use papayu_system::os::redis::RedisFault;

/// The first pause between two attempts; each next one is twice as long.
const FIRST_PAUSE: Duration = Duration::from_millis(100);
/// The longest pause.
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

/// Time after a signal in which rows of ended tasks are still sent to a queue that does not answer.
const GRACE: Duration = Duration::from_secs(8);

/// When to give up waiting for an answer.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Until {
    /// At a signal.
    Signal,
    /// A few seconds after a signal: without the answer, another worker would do the task again.
    Grace,
}

/// The current outage, as all threads of a worker see it.
pub(super) struct Outage<'a> {
    clock: &'a dyn Clock,
    /// The queue's address.
    shown: &'a str,
    watcher: &'a dyn BatchWatcher,
    since: Mutex<Option<Duration>>,
    /// The time of the first signal.
    signal: Mutex<Option<Duration>>,
}

impl<'a> Outage<'a> {
    /// Returns the state of a queue that answers; `shown` is its address without a password.
    pub(super) fn new(clock: &'a dyn Clock, shown: &'a str, watcher: &'a dyn BatchWatcher) -> Self {
        Self { clock, shown, watcher, since: Mutex::new(None), signal: Mutex::new(None) }
    }

    /// Repeats a request until it is answered, fails for good, or the time is over.
    pub(super) fn retry<T>(
        &self,
        until: Until,
        ask: impl Fn() -> Result<T, QueueError>,
    ) -> Result<T, QueueError> {
        let mut pause = FIRST_PAUSE;
        loop {
            if self.is_over(Until::Grace) {
                let fault = RedisFault::Away("no time is left".to_owned());
                return Err(QueueError::Server { queue: self.shown.to_owned(), fault });
            }
            let error = match ask() {
                Err(error) if error.passes() => error,
                other => {
                    if other.is_ok() {
                        self.end();
                    }
                    return other;
                }
            };
            self.begin(&error);
            if self.is_over(until) {
                return Err(error);
            }
            if self.clock.interrupted() {
                // The clock returns at once after a signal.
                std::thread::sleep(FIRST_PAUSE);
            } else {
                self.clock.sleep(pause);
            }
            // Doubled: many workers come back at once when the server does.
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }

    /// Returns `true` if a signal asks to stop, after the time that running tasks get for their
    /// rows.
    fn is_over(&self, until: Until) -> bool {
        if !self.clock.interrupted() {
            return false;
        }
        let now = self.clock.elapsed();
        let mut signal = self.signal.lock().unwrap_or_else(PoisonError::into_inner);
        let since = *signal.get_or_insert(now);
        until == Until::Signal || now.saturating_sub(since) >= GRACE
    }

    /// Notes the result of a request that is not repeated.
    pub(super) fn note<T>(&self, answer: &Result<T, QueueError>) {
        match answer {
            Ok(_) => self.end(),
            Err(error) if error.passes() => self.begin(error),
            Err(_) => {}
        }
    }

    /// Notes that the queue does not answer.
    fn begin(&self, error: &QueueError) {
        let mut since = self.since.lock().unwrap_or_else(PoisonError::into_inner);
        // Only the first thread reports an outage.
        if since.is_none() {
            *since = Some(self.clock.elapsed());
            self.watcher.notify(&format!("{error}; waiting for it, nothing is lost"));
        }
    }

    /// Notes that the queue answers again.
    fn end(&self) {
        let mut since = self.since.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(since) = since.take() {
            let away = self.clock.elapsed().saturating_sub(since);
            self.watcher
                .notify(&format!("the queue answers again, after {:.1} s", away.as_secs_f64()));
        }
    }
}
