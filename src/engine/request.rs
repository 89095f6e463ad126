//! Builds a request from what the run knows, sends it, and accounts for the reply.

use std::sync::Arc;

use super::messages;
use super::run::{Fatal, Run, masked};
use super::state::{Event, Seat};
use crate::domain::{ErrorCode, Failure, FailureReport, Mode, Version};
use crate::protocol::wire_schema;
use crate::providers::{Ask, Call, Finish, Provider, ProviderFault, Reply, Request, WireSchema};
use crate::trace::spans;

/// Tokens a reply may have, whatever the input: a reasoning model needs most of them before it writes.
const MAX_TOKENS: u32 = 16_384;
/// Words of a refusal that are quoted.
const MAX_REFUSAL_WORDS: usize = 40;

/// Tokens of the replies after one that was cut off. Every model that reasons offers at least as many.
const MORE_TOKENS: u32 = 32_768;

/// The result of a request.
pub(super) enum Asked {
    /// A reply's text.
    Reply(String),
    /// No reply; the table decides.
    Event(Event),
}

/// Asks this attempt's provider.
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
    if let Some(reason) = run.spend.reached(&run.config.budget, elapsed) {
        run.stop_reason = Some((reason, Some("raise the limit, or narrow the goal".to_owned())));
        return Ok(Asked::Event(Event::OverBudget));
    }
    let mut request = build(run, mode, version, ask)?;
    let wanted = request.max_output_tokens;
    match run.spend.reply_tokens(&run.config.budget, request.input_chars(), wanted) {
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
            let cost = account(run, provider, &reply);
            spans::record_usage(&span, reply.usage, cost);
            run.exchange_mut(|exchange| exchange.answered = version);
            run.conversation.keep_reply(&reply.text);
            Ok(usable(run, reply, request.max_output_tokens))
        }
        Err(error) => {
            spans::record_error(&span, &error.to_string());
            run.spend.requests = run.spend.requests.saturating_add(error.requests);
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
            Ok(Asked::Event(Event::ProviderFailed))
        }
    }
}

/// Adds a reply to the run's totals and returns its price in US dollars where that is known.
fn account(run: &mut Run<'_>, provider: &dyn Provider, reply: &Reply) -> Option<f64> {
    let price = run.config.prices.cost(provider.name(), provider.model(), reply.usage);
    run.spend.add(reply.usage, reply.requests, price);
    let usage = reply.usage;
    let raw = run.config.trace.raw.then(|| reply.text.clone());
    run.exchange_mut(|exchange| {
        exchange.usage += usage;
        exchange.raw = raw.or_else(|| exchange.raw.take());
    });
    price
}

/// A reply that was cut off is not read: what is missing cannot be guessed.
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

/// Returns the reason of a refused request with the first words of the vendor or the model.
fn describe_refusal(run: &Run<'_>, text: &str) -> String {
    let text = run.world.masker.mask(text);
    let words: Vec<&str> = text.split_whitespace().take(MAX_REFUSAL_WORDS).collect();
    match words.as_slice() {
        [] => "the model refused to answer".to_owned(),
        words => format!("the model refused to answer: {}", words.join(" ")),
    }
}

/// Builds the request of a mode and version: the conversation so far with one more message.
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

/// Returns what fails, and what a log that was given proposes: the command's own words replaced the log's,
/// and do not repeat that. Once a change is kept, its places are no longer those of the files.
pub(super) fn report(run: &Run<'_>) -> FailureReport {
    let mut report = run.report.clone();
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

/// Returns the lines that identify a request in a recording: without durations, addresses, absolute
/// paths and prompt texts.
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

/// Counts the models' attempts up to this one, so that a recording does not depend on whether the
/// quickfix stage came first.
fn paid_attempt(run: &Run<'_>) -> usize {
    let begun = run.rules.attempts.iter().take(run.attempt_index + 1);
    begun.filter(|seat| **seat == Seat::Model).count()
}
