//! The costs of a run, and the check against its budget.

use std::time::Duration;

use super::task::Budget;
use papayu_base::domain::{ProviderRecord, Usage};

/// Characters per token, for an estimate before the request is sent. It is the lower of the
/// usual figures, so the estimate is on the safe side.
const CHARS_PER_TOKEN: usize = 4;
/// The fewest tokens in which a reply can contain a change.
const MIN_REPLY_TOKENS: u64 = 256;

/// The costs of a run so far.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Spend {
    /// Input and output tokens.
    pub usage: Usage,
    /// Requests sent.
    pub requests: u32,
    /// US dollars; `None` as soon as the price of one reply is unknown, because a partial sum
    /// would look like the total.
    pub cost: Option<f64>,
    /// `true` after a paid request.
    pub paid: bool,
    /// `true` after a reply that was cut off at its limit.
    pub cut_off: bool,
    /// Milliseconds spent waiting for providers.
    pub llm_ms: u64,
    /// Milliseconds spent in the project's own tools before a model is asked.
    pub tools_ms: u64,
    /// Milliseconds spent in the user's command.
    pub verify_ms: u64,
}

impl Spend {
    /// Adds a reply of a paid provider. `price` is in US dollars, `None` for a model without a
    /// known price.
    pub fn add(&mut self, usage: Usage, requests: u32, price: Option<f64>) {
        self.usage += usage;
        self.requests = self.requests.saturating_add(requests);
        self.cost = match (self.paid, self.cost, price) {
            // The first reply sets the cost; from then on one unknown price makes the sum
            // unknown.
            (false, _, price) => price,
            (true, Some(cost), Some(price)) => Some(cost + price),
            (true, _, _) => None,
        };
        self.paid = true;
    }

    /// Adds the requests of providers. Their prices must be set.
    pub fn add_records(&mut self, records: &[ProviderRecord]) {
        for record in records {
            if record.replies > 0 || record.tokens.total() > 0 {
                self.add(record.tokens, record.requests, record.cost_usd);
            } else {
                self.requests = self.requests.saturating_add(record.requests);
            }
        }
    }

    /// Returns the tokens that the reply to a request of `input_chars` characters may have, if `fan_out` providers
    /// get it. The limit of the run can lower `wanted`.
    ///
    /// # Errors
    ///
    /// Returns a sentence about the limit if it leaves fewer than 256 tokens.
    pub fn reply_tokens(
        &self,
        budget: &Budget,
        input_chars: usize,
        wanted: u32,
        fan_out: u32,
    ) -> Result<u32, String> {
        let Some(max) = budget.max_tokens else { return Ok(wanted) };
        let providers = u64::from(fan_out.max(1));
        let input = u64::try_from(input_chars.div_ceil(CHARS_PER_TOKEN)).unwrap_or(u64::MAX);
        let input = input.saturating_mul(providers);
        let room = max.saturating_sub(self.usage.total()).saturating_sub(input) / providers;
        // A reply of fewer tokens would be cut off and paid for nothing.
        if room < MIN_REPLY_TOKENS {
            let used = self.usage.total();
            return Err(format!(
                "the limit of {max} tokens leaves too few for a reply: {used} are used, and the next request has about {input}"
            ));
        }
        Ok(u32::try_from(room).unwrap_or(u32::MAX).min(wanted))
    }

    /// Returns the reached limit in words, or `None` if another request to `fan_out` providers is allowed.
    pub fn reached(&self, budget: &Budget, elapsed: Duration, fan_out: u32) -> Option<String> {
        let tokens = budget.max_tokens.filter(|max| self.usage.total() >= *max);
        let sent = self.requests.saturating_add(fan_out.saturating_sub(1));
        let requests = budget.max_requests.filter(|max| sent >= *max);
        let cost = budget.max_cost.filter(|max| self.cost.is_some_and(|cost| cost >= *max));
        if let Some(max) = tokens {
            Some(format!("the limit of {max} tokens is reached"))
        } else if let Some(max) = requests {
            let noun = if max == 1 { "request" } else { "requests" };
            let several = match fan_out {
                0 | 1 => String::new(),
                count => format!(" for {count} providers at once"),
            };
            Some(format!("the limit of {max} {noun} is reached{several}"))
        } else if let Some(max) = cost {
            Some(format!("the limit of ${max} is reached"))
        } else if elapsed >= budget.timeout {
            Some(format!("the time limit of {} s is reached", budget.timeout.as_secs()))
        } else {
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OPEN: Budget = Budget {
        max_tokens: None,
        max_cost: None,
        max_requests: None,
        timeout: Duration::from_mins(1),
    };

    #[test]
    fn each_limit_stops_the_next_request_and_names_itself() {
        let mut spend = Spend::default();
        spend.add(Usage { input: 80, output: 20, cached: 0 }, 2, Some(0.5));
        let ask = |budget: Budget, at| spend.reached(&budget, Duration::from_secs(at), 1);
        assert_eq!(ask(OPEN, 1), None);
        let limits = [
            (Budget { max_tokens: Some(100), ..OPEN }, "tokens"),
            (Budget { max_requests: Some(2), ..OPEN }, "requests"),
            (Budget { max_cost: Some(0.5), ..OPEN }, "$0.5"),
        ];
        for (budget, word) in limits {
            assert!(ask(budget, 1).is_some_and(|reason| reason.contains(word)), "{word}");
        }
        let three = |max| Budget { max_requests: Some(max), ..OPEN };
        assert_eq!(spend.reached(&three(5), Duration::ZERO, 3), None);
        let reason = "the limit of 4 requests is reached for 3 providers at once";
        assert_eq!(spend.reached(&three(4), Duration::ZERO, 3).as_deref(), Some(reason));
        assert!(ask(OPEN, 60).is_some_and(|reason| reason.contains("60 s")));
    }

    #[test]
    fn a_reply_may_have_the_tokens_that_the_limit_leaves() {
        let mut spend = Spend::default();
        spend.add(Usage { input: 800, output: 200, cached: 0 }, 1, None);
        let ask =
            |max, chars| spend.reply_tokens(&Budget { max_tokens: max, ..OPEN }, chars, 16_384, 1);
        assert_eq!(ask(None, 1_000_000), Ok(16_384));
        assert_eq!(ask(Some(100_000), 4_000), Ok(16_384));
        assert_eq!(ask(Some(4_000), 4_000), Ok(2_000));
        let four_thousand = Budget { max_tokens: Some(4_000), ..OPEN };
        assert_eq!(spend.reply_tokens(&four_thousand, 4_000, 16_384, 2), Ok(500));
        for max in [500, 2_000, 2_255] {
            assert!(ask(Some(max), 4_000).is_err_and(|reason| reason.contains("too few")), "{max}");
        }
    }

    #[test]
    fn one_unknown_price_makes_the_sum_unknown() {
        let mut spend = Spend::default();
        spend.add(Usage::default(), 1, Some(0.25));
        spend.add(Usage::default(), 1, Some(0.25));
        assert_eq!(spend.cost, Some(0.5));
        spend.add(Usage::default(), 1, None);
        spend.add(Usage::default(), 1, Some(1.0));
        assert_eq!(spend.cost, None);
    }
}
