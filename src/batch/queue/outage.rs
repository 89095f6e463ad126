//! Waits for a Redis that is away, and says so once, however many threads wait; a signal bounds the waiting of all.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use super::fault::QueueError;
use super::work::Sayer;
use crate::system::Clock;

/// The first wait, and the longest.
const WAITS: (Duration, Duration) = (Duration::from_millis(100), Duration::from_secs(5));

/// How long after a signal a queue that is away is still told how tasks ended, by all threads together.
const GRACE: Duration = Duration::from_secs(8);

/// Until when an answer is waited for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Until {
    /// A signal comes.
    Signal,
    /// And a little longer, since somebody else waits for what is told.
    Grace,
}

/// Whether the queue is away, as its threads know.
pub(super) struct Outage<'a> {
    clock: &'a dyn Clock,
    /// The queue's address.
    shown: &'a str,
    say: &'a Sayer<'a>,
    since: Mutex<Option<Duration>>,
    /// When a signal was first seen.
    signal: Mutex<Option<Duration>>,
}

impl<'a> Outage<'a> {
    pub(super) fn new(clock: &'a dyn Clock, shown: &'a str, say: &'a Sayer<'a>) -> Self {
        Self { clock, shown, say, since: Mutex::new(None), signal: Mutex::new(None) }
    }

    /// Asks until there is an answer, an error that waiting does not mend, or no time.
    pub(super) fn through<T>(
        &self,
        until: Until,
        ask: impl Fn() -> Result<T, QueueError>,
    ) -> Result<T, QueueError> {
        let mut wait = WAITS.0;
        loop {
            if self.is_over(Until::Grace) {
                let said = "no time is left".to_owned();
                return Err(QueueError::Away { queue: self.shown.to_owned(), said });
            }
            let error = match ask() {
                Err(error) if error.passes() => error,
                other => {
                    if other.is_ok() {
                        self.over();
                    }
                    return other;
                }
            };
            self.begun(&error);
            if self.is_over(until) {
                return Err(error);
            }
            if self.clock.interrupted() {
                std::thread::sleep(WAITS.0);
            } else {
                self.clock.sleep(wait);
            }
            wait = (wait * 2).min(WAITS.1);
        }
    }

    fn is_over(&self, until: Until) -> bool {
        if !self.clock.interrupted() {
            return false;
        }
        let now = self.clock.elapsed();
        let mut signal = self.signal.lock().unwrap_or_else(PoisonError::into_inner);
        let since = *signal.get_or_insert(now);
        until == Until::Signal || now.saturating_sub(since) >= GRACE
    }

    /// Takes an answer that nobody waits for.
    pub(super) fn hear<T>(&self, answer: &Result<T, QueueError>) {
        match answer {
            Ok(_) => self.over(),
            Err(error) if error.passes() => self.begun(error),
            Err(_) => {}
        }
    }

    fn begun(&self, error: &QueueError) {
        let mut since = self.since.lock().unwrap_or_else(PoisonError::into_inner);
        if since.is_none() {
            *since = Some(self.clock.elapsed());
            (self.say)(&format!("{error}; waiting for it, nothing is lost"));
        }
    }

    fn over(&self) {
        let mut since = self.since.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(since) = since.take() {
            let away = self.clock.elapsed().saturating_sub(since);
            (self.say)(&format!("the queue answers again, after {:.1} s", away.as_secs_f64()));
        }
    }
}
