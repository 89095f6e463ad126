//! Builds a request from what the run knows, sends it, and accounts for the reply.

use std::sync::Arc;

use super::run::{Fatal, Run, masked};
use super::state::{Event, Seat};
use super::{messages, shares};
use crate::domain::{ErrorCode, Failure, FailureReport, Mode, ProviderRecord, Usage, Version};
use crate::protocol::wire_schema;
use crate::providers::{
    Ask, Call, Finish, Merge, Provider, ProviderError, ProviderFault, Reply, Request, WireSchema,
};
use crate::trace::spans;

/// Most tokens of a reply. A reasoning model uses most of them before it writes the answer.
const MAX_TOKENS: u32 = 16_384;
/// Most words of a model's refusal that are quoted.
const MAX_REFUSAL_WORDS: usize = 40;

/// Most tokens of the replies after one that was cut off. Every reasoning model allows at least
/// this number.
const MORE_TOKENS: u32 = 32_768;

/// The result of a request.
pub(super) enum Asked {
    /// A reply's text.
    Reply(String),
    /// No reply; the table decides.
    Event(Event),
}

/// Sends the next message to the provider of this attempt, and adds its tokens and cost to the
/// totals.
///
/// Returns the reply, or the event that replaces it: [`Event::OverBudget`],
/// [`Event::ProviderFailed`], [`Event::Interrupted`] or [`Event::Refused`] for a reply that was
/// cut off.
///
/// # Errors
///
/// Returns [`Fatal`] if the files of the repository cannot be read.
pub(super) fn ask(
    run: &mut Run<'_>,
    mode: Mode,
    version: Version,
    ask: Ask,
) -> Result<Asked, Fatal> {
    let Some(provider) = run.model() else {
        return Err(Fatal::bug("an attempt without a model"));
    };
    let elapsed = run.world.system.clock.elapsed();
    // A limit that is reached exactly stops the run: the next request would exceed it.
    let fan_out = u32::try_from(provider.members().len().max(1)).unwrap_or(u32::MAX);
    if let Some(reason) = run.spend.reached(&run.config.budget, elapsed, fan_out) {
        run.stop_reason = Some((reason, Some("raise the limit, or narrow the goal".to_owned())));
        return Ok(Asked::Event(Event::OverBudget));
    }
    // Budgets are checked twice: what is used up already, and then whether this prompt fits
    // into the rest.
    let mut request = build(run, mode, version, ask)?;
    let wanted = request.max_output_tokens;
    // Each of several providers reads the request and writes a reply of its own.
    match run.spend.reply_tokens(&run.config.budget, request.input_chars(), wanted, fan_out) {
        Ok(tokens) => request.max_output_tokens = tokens,
        Err(reason) => {
            run.stop_reason =
                Some((reason, Some("raise the limit, or narrow the goal".to_owned())));
            return Ok(Asked::Event(Event::OverBudget));
        }
    }
    let time_left = run.time_left();
    run.asked = true;
    let started = run.now_ms();
    let span = spans::request_span(provider.name(), provider.model(), &request.ask.name());
    let call = Call { time_left, events: run.world.events };
    let answer = span.in_scope(|| provider.ask(&request, &call));
    run.add_llm_time(started);
    run.exchange_mut(|exchange| {
        exchange.strict_json = provider.sends_schema();
        exchange.input_chars = request.input_chars();
        exchange.token_budget = request.max_output_tokens;
    });
    match answer {
        Ok(reply) => {
            let cost = account(run, provider, &reply, started);
            // Recorded before the text is judged: a reply that is refused was paid for as well.
            spans::record_usage(&span, reply.usage, cost);
            run.exchange_mut(|exchange| exchange.answered = version);
            run.conversation.keep_reply(&reply.text);
            Ok(usable(run, reply, request.max_output_tokens))
        }
        Err(error) => {
            spans::record_error(&span, &error.to_string());
            account_failure(run, provider, &error, started);
            // The clock of the run also interrupts a request, so an interruption can mean that
            // the time is over.
            let is_over = run.world.system.clock.elapsed() >= run.config.budget.timeout;
            if error.fault == ProviderFault::Interrupted && !is_over {
                return Ok(Asked::Event(Event::Interrupted));
            }
            if is_over {
                let seconds = run.config.budget.timeout.as_secs();
                run.stop_reason =
                    Some((format!("the time limit of {seconds} s is reached: {error}"), None));
                return Ok(Asked::Event(Event::OverBudget));
            }
            run.stop_reason = Some((error.to_string(), None));
            run.conversation.online.timed_out =
                matches!(error.fault, ProviderFault::Timeout { .. });
            let timed_out = run.conversation.online.timed_out;
            let event = if timed_out { Event::ProviderTimedOut } else { Event::ProviderFailed };
            Ok(Asked::Event(event))
        }
    }
}

/// Adds a reply to the run's totals and returns its price in US dollars where that is known.
fn account(
    run: &mut Run<'_>,
    provider: &dyn Provider,
    reply: &Reply,
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
    let raw = run.config.trace.raw.then(|| reply.text.clone());
    // The last raw text is kept if a later reply of the exchange has none.
    run.exchange_mut(|exchange| {
        exchange.usage += usage;
        exchange.raw = raw.or_else(|| exchange.raw.take());
    });
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
        ProviderFault::AllFailed { providers } => providers.clone(),
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
    shares::set_prices(&mut asked, &run.config.prices);
    for record in &asked.providers {
        if record.replies > 0 || record.tokens.total() > 0 {
            run.spend.add(record.tokens, record.requests, record.cost_usd);
        } else {
            run.spend.requests = run.spend.requests.saturating_add(record.requests);
        }
    }
    run.shares.add(&asked);
    run.exchange_mut(|exchange| exchange.shares.add(&asked));
    asked.providers.iter().map(|record| record.cost_usd).sum()
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
        ms: run.now_ms().saturating_sub(started_ms),
    }
}

/// Returns the text of a complete reply, and refuses one that was cut off or that the model
/// declined: missing text cannot be guessed.
fn usable(run: &mut Run<'_>, reply: Reply, limit: u32) -> Asked {
    let (code, reason) = match reply.finish {
        Finish::Stop => return Asked::Reply(reply.text),
        Finish::Length => {
            run.spend.cut_off = true;
            let reason = format!("the reply was cut off at {limit} tokens; write a smaller change");
            (ErrorCode::JsonParse, reason)
        }
        Finish::Refusal => (ErrorCode::JsonExtract, describe_refusal(run, &reply.text)),
    };
    let refusal = crate::protocol::Refusal::of_reply(code, reason);
    Asked::Event(run.refuse(refusal))
}

/// Returns the reason of a declined request with the first words of the vendor or the model.
fn describe_refusal(run: &Run<'_>, text: &str) -> String {
    let text = run.world.masker.mask(text);
    let words: Vec<&str> = text.split_whitespace().take(MAX_REFUSAL_WORDS).collect();
    match words.as_slice() {
        [] => "the model refused to answer".to_owned(),
        words => format!("the model refused to answer: {}", words.join(" ")),
    }
}

/// Adds the next message to the conversation, and returns the request with all messages so far.
fn build(run: &mut Run<'_>, mode: Mode, version: Version, ask: Ask) -> Result<Request, Fatal> {
    messages::add_message(run, mode, version, ask);
    let Some((first, turns)) = run.conversation.messages() else {
        return Err(Fatal::bug("a request without a message"));
    };
    let (name, schema) = wire_schema::wire_schema(version);
    let limit = if run.spend.cut_off { MORE_TOKENS } else { MAX_TOKENS };
    Ok(Request {
        ask,
        mode,
        version,
        accepts_change: run.rules.accepts_direct(),
        system: run.system_message(first.version),
        prefix: first.prefix.clone(),
        tail: first.tail.clone(),
        turns: turns.to_vec(),
        wire_schema: Arc::new(WireSchema { name: name.to_owned(), schema }),
        max_output_tokens: run
            .config
            .window
            .map_or(limit, |window| window.reply_tokens().min(limit)),
        shown: run.shown.iter().map(|(path, digest)| (path.clone(), *digest)).collect(),
        report: Arc::new(report(run)),
        stable: stable(run, mode, version, ask),
    })
}

/// Returns the failures for a request.
///
/// Failures of the given log that propose a fix are added if the output of the command does not
/// repeat them. Once a change is kept they are left out: their line numbers are outdated.
pub(super) fn report(run: &Run<'_>) -> FailureReport {
    let mut report = run.report.clone();
    // Places of the log are valid only for unchanged files.
    if let Some(log) = run.task.log.as_ref().filter(|_| run.kept.is_empty()) {
        let proposing = log.failures.iter().filter(|failure| !failure.fixes.is_empty());
        let known =
            |failure: &&Failure| report.failures.iter().any(|known| known.fixes == failure.fixes);
        let more = proposing.filter(|failure| !known(failure)).cloned().collect();
        let more = FailureReport { failures: more, ..FailureReport::default() };
        report.failures.extend(masked(run.world.masker, more).failures);
    }
    report
}

/// Returns the lines that identify a request in a recording.
///
/// They contain no durations, addresses, absolute paths and prompt texts, so that a recording
/// can be replayed on another machine and after a change of the prompts.
fn stable(run: &Run<'_>, mode: Mode, version: Version, ask: Ask) -> Vec<String> {
    let goal = run.world.masker.mask(run.task.goal.as_deref().unwrap_or("-"));
    let mut lines = vec![
        format!("ask {} {} {version}", ask.name(), mode.name()),
        format!("attempt {}", paid_attempt(run)),
        format!("goal {goal}"),
    ];
    let root = run.root_prefix();
    let failures = run.report.failures.iter().map(|f| f.identity_below(&root));
    let masker = run.world.masker;
    lines.extend(failures.map(|identity| format!("failure {}", masker.mask(&identity))));
    lines.extend(run.shown.iter().map(|(path, digest)| format!("file {path} {digest}")));
    if let Some(refusal) = &run.refusal {
        let path = refusal.path.as_deref().unwrap_or("-");
        lines.push(format!("refused {} {path}", refusal.code));
    }
    lines
}

/// Returns the number of this attempt among those of models.
///
/// A recording must not depend on whether the quickfix stage came first.
fn paid_attempt(run: &Run<'_>) -> usize {
    let begun = run.rules.attempts.iter().take(run.attempt_index + 1);
    begun.filter(|seat| **seat == Seat::Model).count()
}
