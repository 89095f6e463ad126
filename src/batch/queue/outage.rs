//! Waits for a Redis that is away, and says so once, however many threads wait.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use super::fault::QueueError;
use super::work::Sayer;
use crate::system::Clock;

/// The first wait, and the longest.
const WAITS: (Duration, Duration) = (Duration::from_millis(100), Duration::from_secs(5));

/// Whether the queue is away, as its threads know.
pub(super) struct Outage<'a> {
    clock: &'a dyn Clock,
    say: &'a Sayer<'a>,
    since: Mutex<Option<Duration>>,
}

impl<'a> Outage<'a> {
    pub(super) fn new(clock: &'a dyn Clock, say: &'a Sayer<'a>) -> Self {
        Self { clock, say, since: Mutex::new(None) }
    }

    /// Asks until there is an answer, or an error that waiting does not mend. Once a signal has come, for that
    /// long yet.
    pub(super) fn through<T>(
        &self,
        grace: Duration,
        ask: impl Fn() -> Result<T, QueueError>,
    ) -> Result<T, QueueError> {
        let mut wait = WAITS.0;
        let mut asked_to_stop = None;
        loop {
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
            let now = self.clock.elapsed();
            if self.clock.interrupted() {
                let since = *asked_to_stop.get_or_insert(now);
                if now.saturating_sub(since) >= grace {
                    return Err(error);
                }
                std::thread::sleep(WAITS.0);
            } else {
                self.clock.sleep(wait);
            }
            wait = (wait * 2).min(WAITS.1);
        }
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
