//! Builds a request from what the run knows, and reads the reply.

use std::sync::Arc;

use super::fatal::Fatal;
use super::messages;
use super::run::Run;
use super::sending::{NoReply, SentReply, check_limits, send};
use super::state::StepEvent;
use papayu_base::domain::{ErrorCode, Mode, Version};
use papayu_base::text::mask::Masker;
use papayu_patch::protocol::ReplyForm;
use papayu_patch::protocol::wire_schema::{form_wire_schema, wire_schema};
use papayu_providers::{Ask, FinishReason, ModelRequest, ProviderReply, WireSchema};

/// Most tokens of a reply. A reasoning model uses most of them before it writes the answer.
const MAX_TOKENS: u32 = 16_384;
/// Length of a request from which `llm.long_input_max_tokens` limits its reply, in characters.
const LONG_INPUT_CHARS: usize = 80_000;
/// Most words of a model's refusal that are quoted.
const MAX_REFUSAL_WORDS: usize = 40;

/// Most tokens of the replies after one that was cut off. Every reasoning model allows at least
/// this number.
const MORE_TOKENS: u32 = 32_768;

/// The result of a request.
pub(super) enum RequestResult {
    /// A reply's text.
    Reply(String),
    /// No reply; the table decides.
    Event(StepEvent),
}

/// The contents of a request.
#[derive(Clone, Copy)]
pub(super) struct Wanted {
    pub(super) ask: Ask,
    pub(super) mode: Mode,
    pub(super) version: Version,
    /// The form of the reply, if it is neither a plan nor a change.
    pub(super) form: Option<ReplyForm>,
}

/// Sends the next message to the provider of this attempt, and adds its tokens and cost to the
/// totals.
///
/// Returns the reply, or the event that replaces it: [`StepEvent::OverBudget`],
/// [`StepEvent::ProviderFailed`], [`StepEvent::Interrupted`] or [`StepEvent::Refused`] for a reply that was
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
) -> Result<RequestResult, Fatal> {
    let Some(provider) = run.attempts.model(run.inputs) else {
        return Err(Fatal::bug("an attempt without a model"));
    };
    // Budgets are checked twice: what is used up already, and then whether the prompt fits into
    // the rest.
    if let Err(limit) = check_limits(run, provider) {
        return Ok(RequestResult::Event(no_reply(run, limit)));
    }
    let request = build(run, Wanted { ask, mode, version, form: None })?;
    let input_chars = request.input_chars();
    let sent = send(run, provider, request);
    run.exchanges.update(|exchange| {
        exchange.strict_json = provider.sends_schema();
        exchange.input_chars = input_chars;
    });
    match sent {
        Ok(SentReply { reply, limit }) => {
            let raw = run.inputs.config.trace.raw.then(|| reply.text.clone());
            // The last raw text is kept if a later reply of the exchange has none.
            run.exchanges.update(|exchange| {
                exchange.answered = version;
                exchange.token_budget = limit;
                exchange.raw = raw.or_else(|| exchange.raw.take());
            });
            run.dialogue.conversation.keep_reply(&reply.text);
            Ok(usable(run, reply, limit))
        }
        Err(failure) => Ok(RequestResult::Event(no_reply(run, failure))),
    }
}

/// Returns the event of a request without a reply, and keeps the reason for the outcome.
pub(super) fn no_reply(run: &mut Run<'_>, failure: NoReply) -> StepEvent {
    match failure {
        NoReply::Interrupted => StepEvent::Interrupted,
        NoReply::OverBudget(reason) => {
            run.costs.stop_reason =
                Some((reason, Some("raise the limit, or narrow the goal".to_owned())));
            StepEvent::OverBudget
        }
        NoReply::Failed { reason, timed_out } => {
            run.costs.stop_reason = Some((reason, None));
            run.dialogue.conversation.online.timed_out = timed_out;
            if timed_out { StepEvent::ProviderTimedOut } else { StepEvent::ProviderFailed }
        }
    }
}

/// Returns the text of a complete reply, and refuses one that was cut off or that the model
/// declined: missing text cannot be guessed.
pub(super) fn usable(run: &mut Run<'_>, reply: ProviderReply, limit: u32) -> RequestResult {
    let (code, reason) = match reply.finish {
        FinishReason::Stop => return RequestResult::Reply(reply.text),
        FinishReason::Length => {
            run.costs.spend.cut_off = true;
            let reason = format!("the reply was cut off at {limit} tokens; write a smaller change");
            (ErrorCode::JsonParse, reason)
        }
        FinishReason::Refusal => {
            (ErrorCode::JsonExtract, describe_refusal(run.inputs.world.masker, &reply.text))
        }
    };
    let refusal = papayu_patch::protocol::Refusal::of_reply(code, reason);
    RequestResult::Event(run.refuse(refusal))
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
fn build(run: &mut Run<'_>, wanted: Wanted) -> Result<ModelRequest, Fatal> {
    messages::add_message(run, wanted.mode, wanted.version, wanted.ask);
    build_sent(run, wanted).ok_or_else(|| Fatal::bug("a request without a message"))
}

/// Returns the request with all messages so far; `None` without one.
pub(super) fn build_sent(run: &Run<'_>, wanted: Wanted) -> Option<ModelRequest> {
    let Wanted { ask, mode, version, form } = wanted;
    let (first, turns) = run.dialogue.conversation.messages()?;
    let (name, schema) = form.map_or_else(|| wire_schema(version), form_wire_schema);
    let report = run.failure.report_for_request(run.inputs, run.changes.kept.is_empty());
    let limit = if run.costs.spend.cut_off { MORE_TOKENS } else { MAX_TOKENS };
    let system = run.inputs.system_message(first.version);
    let chars = system.chars().count() + run.dialogue.conversation.chars();
    let is_long = chars > LONG_INPUT_CHARS;
    let of_long_input = run.inputs.config.long_input_tokens.filter(|_| is_long);
    let limit = of_long_input.map_or(limit, |tokens| tokens.min(limit));
    Some(ModelRequest {
        ask,
        mode,
        version,
        form,
        accepts_change: run.inputs.rules.accepts_direct(),
        system,
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
