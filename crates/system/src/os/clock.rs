//! The machine's clock, its randomness, and the wish to stop that a signal left.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::Clock;

/// Longest time from an interruption to the end of a wait.
const NAP: Duration = Duration::from_millis(20);
/// The time that is left after the time limit for what ends the run: putting files back, telling the forge.
const LAST: Duration = Duration::from_millis(1_500);

/// Time since the program began, wall time and fresh ids.
#[derive(Clone, Debug)]
pub struct OsClock {
    start: Instant,
    interrupted: Arc<AtomicBool>,
    /// The time from which on everything that waits or works is to end.
    deadline: Option<Duration>,
}

impl OsClock {
    /// Starts the clock; `interrupted` is the flag of [`super::signal::watch`].
    #[expect(clippy::disallowed_methods, reason = "only this module uses clocks")]
    pub fn new(interrupted: Arc<AtomicBool>) -> Self {
        Self { start: Instant::now(), interrupted, deadline: None }
    }

    /// Returns a clock that interrupts what it is asked by from this time on.
    #[must_use]
    pub fn ending_at(self, deadline: Duration) -> Self {
        Self { deadline: Some(deadline), ..self }
    }

    /// Returns the time that something may take which is to take at most `wanted`: what begins before the time limit ends
    /// at it, and what begins later ends soon after it.
    pub fn limit(&self, wanted: Duration) -> Duration {
        let Some(deadline) = self.deadline else { return wanted };
        let now = self.elapsed();
        let end = if now < deadline { deadline } else { deadline.saturating_add(LAST) };
        wanted.min(end.saturating_sub(now))
    }
}

impl Clock for OsClock {
    fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    fn timestamp(&self) -> String {
        format!("{:.3}", jiff::Timestamp::now())
    }

    fn fresh_id(&self) -> String {
        uuid::Uuid::new_v4().to_string()
    }

    fn sleep(&self, time: Duration) -> bool {
        let start = self.elapsed();
        loop {
            if self.interrupted() {
                return false;
            }
            let left = time.saturating_sub(self.elapsed().saturating_sub(start));
            if left.is_zero() {
                return true;
            }
            thread::sleep(left.min(NAP));
        }
    }

    fn interrupted(&self) -> bool {
        self.interrupted.load(Ordering::Relaxed)
            || self.deadline.is_some_and(|deadline| self.elapsed() >= deadline)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_ends_within_50_ms_of_an_interruption() {
        let flag = Arc::new(AtomicBool::new(false));
        let clock = OsClock::new(Arc::clone(&flag));
        thread::scope(|scope| {
            let waiting = scope.spawn(|| clock.sleep(Duration::from_mins(1)));
            thread::sleep(Duration::from_millis(30));
            let before = clock.elapsed();
            flag.store(true, Ordering::Relaxed);
            assert!(!waiting.join().unwrap());
            assert!(clock.elapsed().saturating_sub(before) < Duration::from_millis(50));
        });
    }

    #[test]
    fn a_wait_ends_at_the_deadline() {
        let clock = OsClock::new(Arc::default()).ending_at(Duration::from_millis(60));
        assert!(!clock.interrupted());
        assert!(!clock.sleep(Duration::from_mins(1)));
        assert!(clock.interrupted() && clock.elapsed() >= Duration::from_millis(60));
    }

    #[test]
    fn a_wait_lasts_as_long_as_asked() {
        let clock = OsClock::new(Arc::default());
        assert!(clock.sleep(Duration::from_millis(45)));
        assert!(clock.elapsed() >= Duration::from_millis(45));
    }

    #[test]
    fn wall_time_is_rfc_3339_in_utc_and_ids_differ() {
        let clock = OsClock::new(Arc::default());
        let stamp = clock.timestamp();
        assert!(stamp.ends_with('Z') && stamp.parse::<jiff::Timestamp>().is_ok(), "{stamp}");
        assert_ne!(clock.fresh_id(), clock.fresh_id());
    }
}
