//! Sends the next message of a run, and reads the reply.

use super::fatal::Fatal;
use super::messages;
use super::model_request::{Wanted, build_sent};
use super::run::Run;
use super::sending::{NoReply, SentReply, check_limits, send};
use super::state::StepEvent;
use papayu_base::domain::{ErrorCode, Mode, Version};
use papayu_base::text::mask::Masker;
use papayu_providers::{Ask, FinishReason, ModelRequest, ProviderReply};

/// Most words of a model's refusal that are quoted.
const MAX_REFUSAL_WORDS: usize = 40;

/// The result of a request.
pub(super) enum RequestResult {
    /// A reply's text.
    Reply(String),
    /// No reply; the table decides.
    Event(StepEvent),
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
        NoReply::Failed { reason, hint, timed_out } => {
            run.costs.stop_reason = Some((reason, hint));
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
