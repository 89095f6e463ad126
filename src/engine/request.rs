//! Builds a request from what the run knows, sends it, and accounts for the reply.

use std::sync::Arc;

use super::costs::set_prices;
use super::engine_inputs::EngineInputs;
use super::fatal::Fatal;
use super::messages;
use super::run::Run;
use super::state::Event;
use crate::domain::{ErrorCode, Mode, ProviderRecord, Usage, Version};
use crate::protocol::wire_schema;
use crate::providers::{
    Ask, Call, Finish, Merge, Provider, ProviderError, ProviderFault, Reply, Request, WireSchema,
};
use crate::text::mask::Masker;
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
    let Some(provider) = run.attempts.model(run.inputs) else {
        return Err(Fatal::bug("an attempt without a model"));
    };
    let elapsed = run.inputs.world.system.clock.elapsed();
    // A limit that is reached exactly stops the run: the next request would exceed it.
    let fan_out = u32::try_from(provider.members().len().max(1)).unwrap_or(u32::MAX);
    if let Some(reason) = run.costs.spend.reached(&run.inputs.config.budget, elapsed, fan_out) {
        run.costs.stop_reason =
            Some((reason, Some("raise the limit, or narrow the goal".to_owned())));
        return Ok(Asked::Event(Event::OverBudget));
    }
    // Budgets are checked twice: what is used up already, and then whether this prompt fits
    // into the rest.
    let mut request = build(run, mode, version, ask)?;
    let wanted = request.max_output_tokens;
    // Each of several providers reads the request and writes a reply of its own.
    match run.costs.spend.reply_tokens(
        &run.inputs.config.budget,
        request.input_chars(),
        wanted,
        fan_out,
    ) {
        Ok(tokens) => request.max_output_tokens = tokens,
        Err(reason) => {
            run.costs.stop_reason =
                Some((reason, Some("raise the limit, or narrow the goal".to_owned())));
            return Ok(Asked::Event(Event::OverBudget));
        }
    }
    let time_left = run.inputs.time_left();
    run.attempts.asked = true;
    let started = run.inputs.now_ms();
    let span = spans::request_span(provider.name(), provider.model(), &request.ask.name());
    let call = Call { time_left, events: run.inputs.world.events };
    let answer = span.in_scope(|| provider.ask(&request, &call));
    run.add_llm_time(started);
    run.exchanges.update(|exchange| {
        exchange.strict_json = provider.sends_schema();
        exchange.input_chars = request.input_chars();
        exchange.token_budget = request.max_output_tokens;
    });
    match answer {
        Ok(reply) => {
            let cost = account(run, provider, &reply, started);
            // Recorded before the text is judged: a reply that is refused was paid for as well.
            spans::record_usage(&span, reply.usage, cost);
            run.exchanges.update(|exchange| exchange.answered = version);
            run.dialogue.conversation.keep_reply(&reply.text);
            Ok(usable(run, reply, request.max_output_tokens))
        }
        Err(error) => {
            spans::record_error(&span, &error.to_string());
            account_failure(run, provider, &error, started);
            // The clock of the run also interrupts a request, so an interruption can mean that
            // the time is over.
            let is_over =
                run.inputs.world.system.clock.elapsed() >= run.inputs.config.budget.timeout;
            if error.fault == ProviderFault::Interrupted && !is_over {
                return Ok(Asked::Event(Event::Interrupted));
            }
            if is_over {
                let seconds = run.inputs.config.budget.timeout.as_secs();
                run.costs.stop_reason =
                    Some((format!("the time limit of {seconds} s is reached: {error}"), None));
                return Ok(Asked::Event(Event::OverBudget));
            }
            run.costs.stop_reason = Some((error.to_string(), None));
            run.dialogue.conversation.online.timed_out =
                matches!(error.fault, ProviderFault::Timeout { .. });
            let timed_out = run.dialogue.conversation.online.timed_out;
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
            ..empty_record(run.inputs, provider, started_ms)
        };
        Merge { providers: vec![record], conflicts: Vec::new() }
    };
    let asked = reply.merge.clone().unwrap_or_else(alone);
    let price = add_shares(run, asked);
    let usage = reply.usage;
    let raw = run.inputs.config.trace.raw.then(|| reply.text.clone());
    // The last raw text is kept if a later reply of the exchange has none.
    run.exchanges.update(|exchange| {
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
            ..empty_record(run.inputs, provider, started_ms)
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
fn empty_record(
    inputs: &EngineInputs<'_>,
    provider: &dyn Provider,
    started_ms: u64,
) -> ProviderRecord {
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
        ms: inputs.now_ms().saturating_sub(started_ms),
    }
}

/// Returns the text of a complete reply, and refuses one that was cut off or that the model
/// declined: missing text cannot be guessed.
fn usable(run: &mut Run<'_>, reply: Reply, limit: u32) -> Asked {
    let (code, reason) = match reply.finish {
        Finish::Stop => return Asked::Reply(reply.text),
        Finish::Length => {
            run.costs.spend.cut_off = true;
            let reason = format!("the reply was cut off at {limit} tokens; write a smaller change");
            (ErrorCode::JsonParse, reason)
        }
        Finish::Refusal => {
            (ErrorCode::JsonExtract, describe_refusal(run.inputs.world.masker, &reply.text))
        }
    };
    let refusal = crate::protocol::Refusal::of_reply(code, reason);
    Asked::Event(run.refuse(refusal))
}

/// Returns the reason of a declined request with the first words of the vendor or the model.
fn describe_refusal(masker: &Masker, text: &str) -> String {
    let text = masker.mask(text);
    let words: Vec<&str> = text.split_whitespace().take(MAX_REFUSAL_WORDS).collect();
    match words.as_slice() {
        [] => "the model refused to answer".to_owned(),
        words => format!("the model refused to answer: {}", words.join(" ")),
    }
}

/// Adds the next message to the conversation, and returns the request with all messages so far.
fn build(run: &mut Run<'_>, mode: Mode, version: Version, ask: Ask) -> Result<Request, Fatal> {
    messages::add_message(run, mode, version, ask);
    let Some((first, turns)) = run.dialogue.conversation.messages() else {
        return Err(Fatal::bug("a request without a message"));
    };
    let (name, schema) = wire_schema::wire_schema(version);
    let report = run.failure.report_for_request(run.inputs, run.changes.kept.is_empty());
    let limit = if run.costs.spend.cut_off { MORE_TOKENS } else { MAX_TOKENS };
    Ok(Request {
        ask,
        mode,
        version,
        accepts_change: run.inputs.rules.accepts_direct(),
        system: run.inputs.system_message(first.version),
        prefix: first.prefix.clone(),
        tail: first.tail.clone(),
        turns: turns.to_vec(),
        wire_schema: Arc::new(WireSchema { name: name.to_owned(), schema }),
        max_output_tokens: run
            .inputs
            .config
            .window
            .map_or(limit, |window| window.reply_tokens().min(limit)),
        shown: run.dialogue.shown.iter().map(|(path, digest)| (path.clone(), *digest)).collect(),
        report: Arc::new(report),
        stable: stable(run, mode, version, ask),
    })
}

/// Returns the lines that identify a request in a recording.
///
/// They contain no durations, addresses, absolute paths and prompt texts, so that a recording
/// can be replayed on another machine and after a change of the prompts.
fn stable(run: &Run<'_>, mode: Mode, version: Version, ask: Ask) -> Vec<String> {
    let goal = run.inputs.world.masker.mask(run.inputs.task.goal.as_deref().unwrap_or("-"));
    // A recording must not depend on whether the quickfix stage came first, so only attempts of models are counted.
    let mut lines = vec![
        format!("ask {} {} {version}", ask.name(), mode.name()),
        format!("attempt {}", run.attempts.count_paid(&run.inputs.rules)),
        format!("goal {goal}"),
    ];
    let root = run.inputs.root_prefix();
    let failures = run.failure.report.failures.iter().map(|f| f.identity_below(&root));
    let masker = run.inputs.world.masker;
    lines.extend(failures.map(|identity| format!("failure {}", masker.mask(&identity))));
    lines.extend(run.dialogue.shown.iter().map(|(path, digest)| format!("file {path} {digest}")));
    if let Some(refusal) = &run.dialogue.refusal {
        let path = refusal.path.as_deref().unwrap_or("-");
        lines.push(format!("refused {} {path}", refusal.code));
    }
    lines
}
