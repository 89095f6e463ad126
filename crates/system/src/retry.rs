//! The policy of retries: whether a failed request is repeated, and after which wait.

use std::time::Duration;

use jiff::Timestamp;
use jiff::fmt::rfc2822::DateTimeParser;

/// Retries of lost connections and busy servers.
const MAX_RETRIES: u32 = 4;
/// The shortest pause before the first retry; each further one is twice as long.
const FIRST_PAUSE: Duration = Duration::from_millis(500);

/// Why a request is worth sending again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RetryReason {
    /// No connection, or it was lost.
    Lost,
    /// No program of this machine accepts connections at the address.
    Refused,
    /// The server cannot answer now; it may say when it can.
    Busy {
        /// The wait that the server asks for.
        retry_after: Option<Duration>,
    },
    /// The time limit of one request passed.
    TimedOut,
    /// The answer makes no sense.
    Unreadable,
}

/// The decision about a failed request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Wait this long and send again.
    Again(Duration),
    /// Stop; the text, if any, is the reason why there is no further try.
    GiveUp(Option<String>),
}

/// The tries that one call still has.
pub struct Patience {
    retries: u32,
    refused: u32,
    timeouts: u32,
    unreadable: u32,
}

impl Default for Patience {
    fn default() -> Self {
        Self::new()
    }
}

impl Patience {
    /// Grants four retries with growing pauses, one of a refused connection, one of a timeout, one of an unreadable answer.
    pub fn new() -> Self {
        Self { retries: 0, refused: 1, timeouts: 1, unreadable: 1 }
    }

    /// Decides with `left` of the run's time; never to wait for longer than that.
    pub fn decide(&mut self, trouble: RetryReason, left: Duration) -> Decision {
        let once = match trouble {
            RetryReason::Refused => Some(&mut self.refused),
            RetryReason::TimedOut => Some(&mut self.timeouts),
            RetryReason::Unreadable => Some(&mut self.unreadable),
            RetryReason::Lost | RetryReason::Busy { .. } => None,
        };
        if let Some(tries) = once {
            if *tries == 0 {
                return Decision::GiveUp(None);
            }
            *tries -= 1;
        }
        if self.retries == MAX_RETRIES {
            return Decision::GiveUp(Some(format!("after {MAX_RETRIES} retries")));
        }
        let pause = FIRST_PAUSE * 2_u32.pow(self.retries);
        self.retries += 1;
        let wait = match trouble {
            RetryReason::Busy { retry_after: Some(asked) } => asked,
            RetryReason::TimedOut => Duration::ZERO,
            // Many runs that lose one server must not return to it at the same moment.
            _ => pause + pause.mul_f64(random_fraction()),
        };
        if wait < left {
            return Decision::Again(wait);
        }
        let seconds = |time: Duration| format!("{:.1} s", time.as_secs_f64());
        Decision::GiveUp(Some(format!(
            "waiting {} for the next try would pass the {} left",
            seconds(wait),
            seconds(left)
        )))
    }
}

/// Returns a random number from 0 to 1.
fn random_fraction() -> f64 {
    let [first, second, ..] = uuid::Uuid::new_v4().into_bytes();
    f64::from(u16::from_be_bytes([first, second])) / f64::from(u16::MAX)
}

/// Reads a `Retry-After` header: seconds, or an HTTP date against `now` (RFC 3339). A date that has
/// passed is no wait; what is neither is `None`.
pub fn retry_after(header: &str, now: &str) -> Option<Duration> {
    let header = header.trim();
    if let Ok(seconds) = header.parse::<f64>() {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let date = DateTimeParser::new().relaxed_weekday(true).parse_timestamp(header).ok()?;
    let now: Timestamp = now.parse().ok()?;
    Some(Duration::try_from(date.duration_since(now)).unwrap_or(Duration::ZERO))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINUTE: Duration = Duration::from_mins(1);

    #[test]
    fn retry_after_is_seconds_or_a_date() {
        let now = "2026-03-01T10:00:00Z";
        for (header, seconds) in [
            ("7", Some(7)),
            (" 0 ", Some(0)),
            ("Sun, 01 Mar 2026 10:00:30 GMT", Some(30)),
            ("Sun, 01 Mar 2026 09:00:00 GMT", Some(0)),
            ("-1", None),
            ("soon", None),
            ("nan", None),
            ("1e400", None),
        ] {
            assert_eq!(retry_after(header, now), seconds.map(Duration::from_secs), "{header}");
        }
    }

    #[test]
    fn pauses_grow_four_times_and_end() {
        let mut patience = Patience::new();
        let mut pauses = Vec::new();
        let end = loop {
            match patience.decide(RetryReason::Lost, MINUTE) {
                Decision::Again(pause) => pauses.push(pause.as_secs_f64()),
                end @ Decision::GiveUp(_) => break end,
            }
        };
        assert_eq!(pauses.len(), 4);
        for (pause, base) in pauses.iter().zip([0.5, 1.0, 2.0, 4.0]) {
            assert!((base..=2.0 * base).contains(pause), "{pauses:?}");
        }
        assert_eq!(end, Decision::GiveUp(Some("after 4 retries".into())));
    }

    #[test]
    fn a_wait_beyond_the_time_left_is_refused_and_says_so() {
        let asked = RetryReason::Busy { retry_after: Some(MINUTE * 60) };
        let why = "waiting 3600.0 s for the next try would pass the 60.0 s left";
        assert_eq!(Patience::new().decide(asked, MINUTE), Decision::GiveUp(Some(why.into())));
    }

    #[test]
    fn timeouts_refused_connections_and_nonsense_are_tried_once_more() {
        let mut patience = Patience::new();
        assert_eq!(patience.decide(RetryReason::TimedOut, MINUTE), Decision::Again(Duration::ZERO));
        assert_eq!(patience.decide(RetryReason::TimedOut, MINUTE), Decision::GiveUp(None));
        assert!(matches!(patience.decide(RetryReason::Refused, MINUTE), Decision::Again(_)));
        assert_eq!(patience.decide(RetryReason::Refused, MINUTE), Decision::GiveUp(None));
        assert!(matches!(patience.decide(RetryReason::Unreadable, MINUTE), Decision::Again(_)));
        assert_eq!(patience.decide(RetryReason::Unreadable, MINUTE), Decision::GiveUp(None));
    }
}
