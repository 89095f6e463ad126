//! The costs of a run, the part of each provider in them, and the reason why they ended it.

use std::time::Duration;

use super::spend::Spend;
use papayu_base::domain::{MergeConflict, ProviderRecord, ReplyActivity};
use papayu_providers::{Merge, Prices};

/// Longest error of a provider in a notice, in characters.
const MAX_ERROR_CHARS: usize = 200;

/// The costs of a run.
#[derive(Default)]
pub(super) struct Costs {
    pub(super) spend: Spend,
    /// The part of each provider.
    pub(super) shares: Shares,
    /// The reason why a provider gave no reply or which budget is used up, and a hint.
    pub(super) stop_reason: Option<(String, Option<String>)>,
    /// The totals when the last reply was reported.
    pub(super) reported: ReplyNumbers,
}

/// The totals of the run at the last report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct ReplyNumbers {
    pub(super) requests: u32,
    pub(super) tokens: u64,
    pub(super) llm_ms: u64,
    pub(super) activity: ReplyActivity,
}

impl Costs {
    /// Adds the providers of one request, and returns their price in US dollars; `None` if the price of one is
    /// not known.
    pub(super) fn add(&mut self, asked: &Merge) -> Option<f64> {
        self.spend.add_records(&asked.providers);
        self.shares.add(asked);
        asked.providers.iter().map(|record| record.cost_usd).sum()
    }

    /// Keeps the time limit of the run as the reason why it ended.
    pub(super) fn stop_over_time(&mut self, limit: Duration) {
        let reason = format!("the time limit of {} s is reached", limit.as_secs());
        self.stop_reason = Some((reason, None));
    }
}

/// The part of each provider, in the order in which they were first asked.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Shares {
    pub(super) providers: Vec<ProviderRecord>,
    /// Actions that were left out because another provider changes the same path.
    pub(super) conflicts: Vec<MergeConflict>,
}

impl Shares {
    /// Adds the providers of one request.
    pub(super) fn add(&mut self, asked: &Merge) {
        for (at, record) in asked.providers.iter().enumerate() {
            // One model may be asked at two addresses; their records are in the same order each time.
            let before = asked.providers.iter().take(at).filter(|it| is_same(it, record)).count();
            match self.providers.iter_mut().filter(|known| is_same(known, record)).nth(before) {
                Some(known) => add_record(known, record),
                None => self.providers.push(record.clone()),
            }
        }
        self.conflicts.extend(asked.conflicts.iter().cloned());
    }

    /// Leaves out a provider of this name that no request reached.
    pub(super) fn forget_unasked(&mut self, name: &str) {
        self.providers.retain(|record| record.provider != name || record.requests > 0);
    }

    /// Returns the providers where there are several; a single one is named by the other fields of the outcome.
    pub(super) fn several(&self) -> Vec<ProviderRecord> {
        if self.providers.len() > 1 { self.providers.clone() } else { Vec::new() }
    }

    /// Returns a sentence for each provider that failed and each action that was left out.
    pub(super) fn notices(&self) -> Vec<String> {
        let failed = self.several().into_iter().filter(|it| it.failures > 0).map(|it| {
            let error: String =
                it.error.as_deref().unwrap_or_default().chars().take(MAX_ERROR_CHARS).collect();
            let asked = it.failures.saturating_add(it.replies);
            format!(
                "{} of {} failed {} of {asked} times: {error}",
                it.model, it.provider, it.failures
            )
        });
        let dropped = self.conflicts.iter().map(|it| {
            format!(
                "`{}`: the change of {} was left out, because it does not go together with that of {}",
                it.path, it.dropped, it.kept
            )
        });
        failed.chain(dropped).collect()
    }
}

/// Returns `true` for records of one model.
fn is_same(one: &ProviderRecord, other: &ProviderRecord) -> bool {
    one.provider == other.provider
        && one.model == other.model
        && one.is_aggregator == other.is_aggregator
}

/// Adds the numbers of a record to those of the same model. The cost is unknown if one of the two is.
fn add_record(known: &mut ProviderRecord, more: &ProviderRecord) {
    known.replies = known.replies.saturating_add(more.replies);
    known.failures = known.failures.saturating_add(more.failures);
    known.error = more.error.clone().or_else(|| known.error.take());
    known.requests = known.requests.saturating_add(more.requests);
    known.tokens += more.tokens;
    known.cost_usd = known.cost_usd.zip(more.cost_usd).map(|(before, now)| before + now);
    known.ms = known.ms.saturating_add(more.ms);
}

/// Sets the price of each provider's tokens. A provider without a reply and without tokens costs nothing.
pub(super) fn set_prices(asked: &mut Merge, prices: &Prices) {
    for record in &mut asked.providers {
        let is_free = record.replies == 0 && record.tokens.total() == 0;
        record.cost_usd = if is_free {
            Some(0.0)
        } else {
            prices.cost(&record.provider, &record.model, record.tokens)
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use papayu_base::domain::Usage;

    fn record(model: &str, error: Option<&str>, output: u64) -> ProviderRecord {
        ProviderRecord {
            provider: "openai".into(),
            model: model.into(),
            is_aggregator: false,
            replies: u32::from(error.is_none()),
            failures: u32::from(error.is_some()),
            error: error.map(str::to_owned),
            requests: 1,
            tokens: Usage { input: 0, output, cached: 0 },
            cost_usd: None,
            ms: 5,
        }
    }

    fn asked(providers: Vec<ProviderRecord>) -> Merge {
        let mut asked = Merge { providers, conflicts: Vec::new() };
        set_prices(&mut asked, &Prices::built_in().unwrap());
        asked
    }

    #[test]
    fn requests_of_a_provider_are_added_up_and_failures_are_named() {
        let mut shares = Shares::default();
        shares.add(&asked(vec![
            record("gpt-4o", None, 1_000_000),
            record("gpt-5", Some("cannot reach it"), 0),
        ]));
        shares
            .add(&asked(vec![record("gpt-4o", Some("busy"), 0), record("gpt-5", None, 1_000_000)]));
        let costs: Vec<_> = shares.several().iter().map(|it| it.cost_usd).collect();
        assert_eq!(costs, [Some(10.0), Some(10.0)]);
        let expected = [
            "gpt-4o of openai failed 1 of 2 times: busy",
            "gpt-5 of openai failed 1 of 2 times: cannot reach it",
        ];
        assert_eq!(shares.notices(), expected);
    }

    #[test]
    fn one_model_at_two_addresses_has_two_records() {
        let mut shares = Shares::default();
        for busy in [None, Some("busy")] {
            shares.add(&asked(vec![record("gpt-4o", None, 10), record("gpt-4o", busy, 20)]));
        }
        let facts: Vec<_> =
            shares.several().iter().map(|it| (it.replies, it.tokens.output)).collect();
        assert_eq!(facts, [(2, 20), (1, 40)]);
    }

    #[test]
    fn a_single_provider_is_not_listed() {
        let mut shares = Shares::default();
        shares.add(&asked(vec![record("no-price", Some("busy"), 3)]));
        assert_eq!((shares.several(), shares.notices()), (vec![], vec![]));
        assert_eq!(shares.providers[0].cost_usd, None);
    }
}
