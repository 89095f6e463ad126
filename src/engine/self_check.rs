//! The self-check: one more request, in which the model cites the lines that show each claim of its summary.

use super::citations::{Citation, check_citation};
use super::model_request::{Wanted, build_sent};
use super::run::Run;
use super::sending::{self, SentReply};
use super::state::RunEnd;
use papayu_base::domain::{ErrorCode, Event, EventName, Mode, SelfCheckRecord, UnprovedClaim};
use papayu_base::text::first_chars;
use papayu_patch::prompts;
use papayu_patch::protocol::{Claim, Claims, Refusal, ReplyForm, decode_form};
use papayu_providers::{Ask, FinishReason as ReplyEnd, ModelRequest, Turn};

/// Most characters of a claim in the outcome.
const MAX_CLAIM_CHARS: usize = 300;

/// Asks for the evidence of the summary that the run ends with, if the user wants it and a model wrote the summary.
/// A request that fails leaves a notice; the change stays as it is.
pub(super) fn check_summary(run: &mut Run<'_>, end: RunEnd) {
    let is_result = matches!(end, RunEnd::Planned | RunEnd::Fixed | RunEnd::Unproved);
    let is_of_model =
        run.attempts.asked && !run.attempts.is_free() && !run.dialogue.conversation.is_new();
    if !run.inputs.config.self_check
        || !is_result
        || !is_of_model
        || run.attempts.last_summary.trim().is_empty()
    {
        return;
    }
    match ask_claims(run) {
        Ok(claims) => {
            let record = check_claims(run, claims);
            let event = Event::new(EventName::SelfCheck).with("claims", record.claims);
            run.inputs.emit_event(event.with("unproved", record.unproved.len()));
            run.exchanges.update(|exchange| exchange.self_check = Some(record.clone()));
            run.closing.self_check = Some(record);
        }
        Err(reason) => run.closing.notice = Some(format!("the self-check failed: {reason}")),
    }
}

/// Returns the claims of the summary, as the model lists them.
fn ask_claims(run: &mut Run<'_>) -> Result<Vec<Claim>, String> {
    let model = run.attempts.model(run.inputs).ok_or("no model answers in this attempt")?;
    sending::check_limits(run, model).map_err(|limit| limit.reason().to_owned())?;
    let message = prompts::self_check_message(&run.attempts.last_summary);
    let request = add_request(run, &message, Ask::SelfCheck, ReplyForm::Claims);
    let request = request.ok_or("there is no conversation to continue")?;
    let sent = sending::send(run, model, request);
    let SentReply { reply, limit } = sent.map_err(|failure| failure.reason().to_owned())?;
    let read = match reply.finish {
        ReplyEnd::Stop => decode_form(ReplyForm::Claims, &reply.text),
        ReplyEnd::Length => {
            let reason = format!("the reply was cut off at {limit} tokens");
            Err(Refusal::of_reply(ErrorCode::JsonParse, reason))
        }
        ReplyEnd::Refusal => {
            Err(Refusal::of_reply(ErrorCode::JsonExtract, "the model refused to answer"))
        }
    };
    let read: Claims = read.map_err(|refusal| refusal.to_string())?;
    Ok(read.claims)
}

/// Appends a message to the conversation, and returns the request that ends with it; `None` without a conversation.
pub(super) fn add_request(
    run: &mut Run<'_>,
    message: &str,
    ask: Ask,
    form: ReplyForm,
) -> Option<ModelRequest> {
    let version = run.dialogue.conversation.messages()?.0.version;
    let masker = run.inputs.world.masker;
    let message = message.replace(&run.inputs.root_prefix(), "");
    let reply = masker.masked(&run.dialogue.conversation.take_reply());
    run.dialogue.conversation.add_turn(Turn { reply, message: masker.masked(&message) }, version);
    let wanted = Wanted { ask, mode: Mode::Plan, version, form: Some(form) };
    build_sent(run, wanted)
}

/// Checks the cited lines of each claim.
fn check_claims(run: &Run<'_>, claims: Vec<Claim>) -> SelfCheckRecord {
    let count = claims.len();
    let mut unproved = Vec::new();
    for Claim { claim, path, start_line, end_line, quote } in claims {
        let citation = Citation {
            path: &path,
            first: start_line,
            last: end_line,
            quote: quote.as_deref().unwrap_or_default(),
        };
        let Err(reason) = check_citation(run, citation) else { continue };
        let claim = first_chars(&claim, MAX_CLAIM_CHARS).to_owned();
        unproved.push(UnprovedClaim { claim, path, start_line, end_line, reason });
    }
    SelfCheckRecord { claims: count, proved: count - unproved.len(), unproved }
}
