//! Leaves a server alone that does not answer, and asks it again later.

use std::time::Duration;

/// Failures in a row after which it is left alone.
const MOST: u32 = 5;
/// How long.
const COOL_DOWN: Duration = Duration::from_mins(1);

/// What is known of one server.
#[derive(Debug, Default)]
pub(super) struct Breaker {
    in_a_row: u32,
    /// Since when it is left alone.
    since: Option<Duration>,
    /// Whether one request was let through to see whether it is back.
    probing: bool,
    /// How often it was found down.
    pub(super) times: u32,
    /// Requests that were not sent.
    pub(super) not_sent: u64,
    /// What went wrong last.
    pub(super) reason: String,
}

impl Breaker {
    /// Lets a request through, or says why not. After the cool-down one is let through to look.
    pub(super) fn ask(&mut self, now: Duration) -> Result<(), String> {
        let Some(since) = self.since else { return Ok(()) };
        if !self.probing && now.saturating_sub(since) >= COOL_DOWN {
            self.probing = true;
            return Ok(());
        }
        self.not_sent += 1;
        Err(format!("{MOST} requests in a row brought no answer ({})", self.reason))
    }

    /// Takes how a request ended: why the server is down, or nothing.
    pub(super) fn tell(&mut self, down: Option<String>, now: Duration) {
        let probed = std::mem::take(&mut self.probing);
        let Some(reason) = down else {
            (self.in_a_row, self.since) = (0, None);
            return;
        };
        self.reason = reason;
        self.in_a_row = self.in_a_row.saturating_add(1);
        let is_new = self.since.is_none() && self.in_a_row >= MOST;
        if is_new {
            self.times += 1;
        }
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
        for _ in 0..MOST {
            assert_eq!(breaker.ask(second), Ok(()));
            breaker.tell(Some("gone".to_owned()), second);
        }
        let said = breaker.ask(second * 60).unwrap_err();
        assert!(said.contains("gone"), "{said}");
        assert_eq!(breaker.ask(second * 61), Ok(()), "one looks");
        assert!(breaker.ask(second * 61).is_err(), "and the others wait");
        breaker.tell(Some("still gone".to_owned()), second * 62);
        assert!(breaker.ask(second * 121).is_err());
        assert_eq!(breaker.ask(second * 122), Ok(()));
        breaker.tell(None, second * 123);
        assert_eq!(breaker.ask(second * 123), Ok(()));
        assert_eq!((breaker.times, breaker.not_sent), (1, 3));
    }

    #[test]
    fn an_answer_in_between_begins_the_count_anew() {
        let mut breaker = Breaker::default();
        for number in 0..20 {
            breaker.tell((number % MOST != 0).then(|| "x".to_owned()), Duration::ZERO);
            assert_eq!(breaker.ask(Duration::ZERO), Ok(()));
        }
    }
}
