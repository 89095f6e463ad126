//! A circuit breaker: pauses requests to a server that does not answer.

use std::time::Duration;

/// Consecutive failures before a server is paused.
/// Low enough that a batch of hundreds of tasks notices at once, high enough that two slow
/// answers do not pause it.
const MAX_FAILURES: u32 = 5;
/// The pause after these failures.
/// Measured on the run's monotonic clock, from the last failure.
const COOL_DOWN: Duration = Duration::from_mins(1);

/// The state of one server.
/// All requests of a batch to one server share it.
#[derive(Debug, Default)]
pub(super) struct Breaker {
    /// Failures since the last answer.
    in_a_row: u32,
    /// The begin of the pause.
    since: Option<Duration>,
    /// `true` while one request tests whether the server answers again.
    probing: bool,
    /// The number of pauses.
    /// Both counts are for the batch's report.
    pub(super) times: u32,
    /// Requests refused during pauses.
    pub(super) not_sent: u64,
    /// The last error.
    pub(super) reason: String,
}

impl Breaker {
    /// Allows a request, or returns the reason of the pause. After the pause one request is allowed
    /// as a test.
    ///
    /// # Errors
    ///
    /// The reason of the pause, with the last error in it, for the task's outcome.
    pub(super) fn allow_request(&mut self, now: Duration) -> Result<(), String> {
        let Some(since) = self.since else { return Ok(()) };
        // While one request tests the server, the others are refused: a hundred tasks must not
        // all wait for its timeout.
        if !self.probing && now.saturating_sub(since) >= COOL_DOWN {
            self.probing = true;
            return Ok(());
        }
        // Counted for the report: these requests would otherwise be invisible.
        self.not_sent += 1;
        Err(format!("{MAX_FAILURES} requests in a row brought no answer ({})", self.reason))
    }

    /// Records the result of a request; `down` is the reason why the server counts as down.
    /// Any answer of the server counts as up, an error of the request as well.
    pub(super) fn record_result(&mut self, down: Option<String>, now: Duration) {
        // Only one request tests a paused server; its result ends or restarts the pause.
        let probed = std::mem::take(&mut self.probing);
        let Some(reason) = down else {
            (self.in_a_row, self.since) = (0, None);
            return;
        };
        self.reason = reason;
        self.in_a_row = self.in_a_row.saturating_add(1);
        let is_new = self.since.is_none() && self.in_a_row >= MAX_FAILURES;
        if is_new {
            self.times += 1;
        }
        // The pause begins at its last failure, so that a failed test pauses for the full time
        // again.
        if is_new || probed {
            self.since = Some(now);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_that_is_down_is_left_alone_looked_at_once_a_minute_and_trusted_again() {
        let mut breaker = Breaker::default();
        let second = Duration::from_secs(1);
        for _ in 0..MAX_FAILURES {
            assert_eq!(breaker.allow_request(second), Ok(()));
            breaker.record_result(Some("gone".to_owned()), second);
        }
        let reason = breaker.allow_request(second * 60).unwrap_err();
        assert!(reason.contains("gone"), "{reason}");
        assert_eq!(breaker.allow_request(second * 61), Ok(()), "one looks");
        assert!(breaker.allow_request(second * 61).is_err(), "and the others wait");
        breaker.record_result(Some("still gone".to_owned()), second * 62);
        assert!(breaker.allow_request(second * 121).is_err());
        assert_eq!(breaker.allow_request(second * 122), Ok(()));
        breaker.record_result(None, second * 123);
        assert_eq!(breaker.allow_request(second * 123), Ok(()));
        assert_eq!((breaker.times, breaker.not_sent), (1, 3));
    }

    #[test]
    fn an_answer_in_between_begins_the_count_anew() {
        let mut breaker = Breaker::default();
        for number in 0..20 {
            breaker.record_result(
                (number % MAX_FAILURES != 0).then(|| "x".to_owned()),
                Duration::ZERO,
            );
            assert_eq!(breaker.allow_request(Duration::ZERO), Ok(()));
        }
    }
}
