//! Waits for a queue that does not answer. Each outage is reported once, however many threads wait.

use std::sync::Mutex;
use std::time::Duration;

use super::fault::QueueError;
use crate::batch::pool::{BatchWatcher, lock};
use papayu_system::Clock;

/// The first pause between two attempts; each next one is twice as long.
const FIRST_PAUSE: Duration = Duration::from_millis(100);
/// The longest pause.
const LONGEST_PAUSE: Duration = Duration::from_secs(5);
/// Time after a signal in which rows of ended tasks are still sent to a queue that does not answer: without them, another
/// worker does the tasks again.
const GRACE: Duration = Duration::from_secs(8);

/// The current outage, as all threads of a worker see it.
pub(super) struct Outage<'a> {
    clock: &'a dyn Clock,
    watcher: &'a dyn BatchWatcher,
    since: Mutex<Option<Duration>>,
    /// The time of the first signal.
    signal: Mutex<Option<Duration>>,
}

impl<'a> Outage<'a> {
    /// Returns the state of a queue that answers.
    pub(super) fn new(clock: &'a dyn Clock, watcher: &'a dyn BatchWatcher) -> Self {
        Self { clock, watcher, since: Mutex::new(None), signal: Mutex::new(None) }
    }

    /// Repeats a request until it is answered, fails for good, or the time after a signal is over.
    pub(super) fn retry<T>(
        &self,
        ask: impl Fn() -> Result<T, QueueError>,
    ) -> Result<T, QueueError> {
        let mut pause = FIRST_PAUSE;
        loop {
            let answer = ask();
            self.note(&answer);
            match answer {
                Err(error) if error.passes() && !self.is_over() => {}
                other => return other,
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

    fn is_over(&self) -> bool {
        let now = self.clock.elapsed();
        let is_stopping = self.clock.interrupted();
        is_stopping && now.saturating_sub(*lock(&self.signal).get_or_insert(now)) >= GRACE
    }

    /// Notes whether the queue answers, and reports a change once.
    pub(super) fn note<T>(&self, answer: &Result<T, QueueError>) {
        let mut since = lock(&self.since);
        match answer {
            Err(error) if error.passes() => {
                if since.is_none() {
                    *since = Some(self.clock.elapsed());
                    self.watcher.notify(&format!("{error}; waiting for it, nothing is lost"));
                }
            }
            Err(_) => {}
            Ok(_) => {
                if let Some(since) = since.take() {
                    let away = self.clock.elapsed().saturating_sub(since).as_secs_f64();
                    self.watcher.notify(&format!("the queue answers again, after {away:.1} s"));
                }
            }
        }
    }
}
