//! Sends a request within the limits of a run, and accounts for the reply.

use super::costs::set_prices;
use super::reply_checks::ReplyChecks;
use super::run::Run;
use papayu_base::domain::{ProviderRecord, Usage};
use papayu_providers::{
    CallLimits, Merge, ModelRequest, Provider, ProviderError, ProviderFault, ProviderReply,
};
use papayu_system::trace::spans;

/// A request that brought no reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum NoReply {
    /// The limit that is reached.
    OverBudget(String),
    /// The error of the provider.
    Failed {
        /// In words.
        reason: String,
        /// The next step, where the error has one of its own.
        hint: Option<String>,
        /// `true` if the provider did not answer in time.
        timed_out: bool,
    },
    /// A signal.
    Interrupted,
}

impl NoReply {
    /// Returns the reason in words.
    pub(super) fn reason(&self) -> &str {
        match self {
            Self::OverBudget(reason) | Self::Failed { reason, .. } => reason,
            Self::Interrupted => "interrupted",
        }
    }
}

/// A reply and the largest number of tokens that it could have.
pub(super) struct SentReply {
    pub(super) reply: ProviderReply,
    /// The most tokens that the reply could have.
    pub(super) limit: u32,
}

/// Checks that the run may send another request to a provider.
///
/// # Errors
///
/// [`NoReply::OverBudget`] with the limit that is reached.
pub(super) fn check_limits(run: &Run<'_>, provider: &dyn Provider) -> Result<(), NoReply> {
    let elapsed = run.inputs.world.system.clock.elapsed();
    // A limit that is reached exactly stops the run: the next request would exceed it.
    match run.costs.spend.reached(&run.inputs.config.budget, elapsed, fan_out(provider)) {
        Some(reason) => Err(NoReply::OverBudget(reason)),
        None => Ok(()),
    }
}

/// Returns the number of providers that get a request.
fn fan_out(provider: &dyn Provider) -> u32 {
    u32::try_from(provider.members().len().max(1)).unwrap_or(u32::MAX)
}

/// Sends a request within the limits of the run, and adds its tokens and cost to the totals.
///
/// # Errors
///
/// The reason why there is no reply.
pub(super) fn send(
    run: &mut Run<'_>,
    provider: &dyn Provider,
    mut request: ModelRequest,
) -> Result<SentReply, NoReply> {
    check_limits(run, provider)?;
    // Each of several providers reads the request and writes a reply of its own.
    let (chars, wanted) = (request.input_chars(), request.max_output_tokens);
    let tokens =
        run.costs.spend.reply_tokens(&run.inputs.config.budget, chars, wanted, fan_out(provider));
    request.max_output_tokens = tokens.map_err(NoReply::OverBudget)?;
    let time_left = run.inputs.time_left();
    run.attempts.asked = true;
    let started = run.inputs.now_ms();
    let span = spans::request_span(provider.name(), provider.model(), &request.ask.name());
    let checks = ReplyChecks::of_run(run);
    let call = CallLimits { time_left, events: run.inputs.world.events, checks: Some(&checks) };
    let answer = span.in_scope(|| provider.ask(&request, &call));
    run.add_llm_time(started);
    match answer {
        Ok(reply) => {
            let cost = account(run, provider, &reply, started);
            // Recorded before the text is judged: a reply that is refused was paid for as well.
            spans::record_usage(&span, reply.usage, cost);
            Ok(SentReply { reply, limit: request.max_output_tokens })
        }
        Err(error) => {
            spans::record_error(&span, &error.to_string());
            account_failure(run, provider, &error, started);
            // The clock of the run also interrupts a request, so an interruption can mean that
            // the time is over.
            let is_over =
                run.inputs.world.system.clock.elapsed() >= run.inputs.config.budget.timeout;
            if is_over {
                let seconds = run.inputs.config.budget.timeout.as_secs();
                let reason = format!("the time limit of {seconds} s is reached: {error}");
                return Err(NoReply::OverBudget(reason));
            }
            if error.fault == ProviderFault::Interrupted {
                return Err(NoReply::Interrupted);
            }
            let hint = error.hint();
            let timed_out = error.is_timeout();
            Err(NoReply::Failed { reason: error.to_string(), hint, timed_out })
        }
    }
}

/// Adds a reply to the run's totals and returns its price in US dollars where that is known.
fn account(
    run: &mut Run<'_>,
    provider: &dyn Provider,
    reply: &ProviderReply,
    started_ms: u64,
) -> Option<f64> {
    let alone = || {
        let record = ProviderRecord {
            replies: 1,
            tokens: reply.usage,
            requests: reply.requests,
            ..empty_record(run, provider, started_ms)
        };
        Merge { providers: vec![record], conflicts: Vec::new() }
    };
    let asked = reply.merge.clone().unwrap_or_else(alone);
    let price = add_shares(run, asked);
    let usage = reply.usage;
    run.exchanges.update(|exchange| exchange.usage += usage);
    price
}

/// Adds the requests of a call without a reply.
fn account_failure(
    run: &mut Run<'_>,
    provider: &dyn Provider,
    error: &ProviderError,
    started_ms: u64,
) {
    let providers = match &error.fault {
        ProviderFault::AllFailed { providers, .. } => providers.clone(),
        fault => vec![ProviderRecord {
            failures: 1,
            error: Some(fault.to_string()),
            requests: error.requests,
            ..empty_record(run, provider, started_ms)
        }],
    };
    add_shares(run, Merge { providers, conflicts: Vec::new() });
}

/// Adds the providers of one request to the run and its exchange; returns their price.
fn add_shares(run: &mut Run<'_>, mut asked: Merge) -> Option<f64> {
    set_prices(&mut asked, &run.inputs.config.prices);
    run.exchanges.update(|exchange| exchange.shares.add(&asked));
    run.costs.add(&asked)
}

/// Returns the record of a provider that was asked alone.
fn empty_record(run: &Run<'_>, provider: &dyn Provider, started_ms: u64) -> ProviderRecord {
    ProviderRecord {
        provider: provider.name().to_owned(),
        model: provider.model().to_owned(),
        is_aggregator: false,
        replies: 0,
        failures: 0,
        error: None,
        requests: 0,
        tokens: Usage::default(),
        cost_usd: None,
        ms: run.inputs.now_ms().saturating_sub(started_ms),
    }
}
