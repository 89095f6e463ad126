//! The end of a review: the model writes its remarks, and those on lines that do not exist are left out.

use super::citations::{Citation, check_citation};
use super::fatal::Fatal;
use super::request::{self, RequestResult};
use super::run::Run;
use super::self_check::add_request;
use super::sending::{self, SentReply};
use super::state::{RunEnd, StepEvent as Next};
use papayu_base::domain::{
    DroppedRemark, ErrorCode, Event, EventName, Failure, FailureReport, Location, Remark,
    ReviewRecord, Severity,
};
use papayu_base::text::first_chars;
use papayu_patch::prompts;
use papayu_patch::protocol::{Refusal, Remarks, ReplyForm, decode_form};
use papayu_providers::Ask;

/// Most remarks that notices name; the outcome has all.
const MAX_NOTICES: usize = 10;

/// Most characters of a remark in a notice.
const MAX_TEXT_CHARS: usize = 200;

/// Requests for the remarks: one, and one more after a reply that could not be read.
const MAX_REQUESTS: usize = 2;

/// Asks for the remarks after the plan of a review, and returns the end of the run.
///
/// # Errors
///
/// Returns [`Fatal`] if the run has no model or no conversation.
pub(super) fn review(run: &mut Run<'_>) -> Result<RunEnd, Fatal> {
    let mut fault: Option<Refusal> = None;
    for _ in 0..MAX_REQUESTS {
        let message = prompts::review_message(fault.as_ref().map(ToString::to_string).as_deref());
        match ask_remarks(run, &message)? {
            Ok(remarks) => {
                run.closing.review = Some(check_remarks(run, remarks));
                return Ok(RunEnd::Planned);
            }
            Err(Next::Refused(code)) => {
                let reason = run.dialogue.refusal.as_ref().map(|refusal| refusal.reason.clone());
                fault = Some(Refusal::of_reply(code, reason.unwrap_or_default()));
            }
            Err(Next::Interrupted) => return Ok(RunEnd::Interrupted),
            Err(Next::OverBudget) => return Ok(RunEnd::OverBudget),
            Err(_) => return Ok(RunEnd::ProviderFailed),
        }
    }
    Ok(RunEnd::Refused(fault.map_or(ErrorCode::JsonExtract, |refusal| refusal.code)))
}

/// Asks once; an event replaces a reply that is missing or cannot be read.
fn ask_remarks(run: &mut Run<'_>, message: &str) -> Result<Result<Remarks, Next>, Fatal> {
    let Some(model) = run.attempts.model(run.inputs) else {
        return Err(Fatal::bug("a review without a model"));
    };
    if let Err(limit) = sending::check_limits(run, model) {
        return Ok(Err(request::no_reply(run, limit)));
    }
    let Some(request) = add_request(run, message, Ask::Review, ReplyForm::Remarks) else {
        return Err(Fatal::bug("a review without a conversation"));
    };
    let SentReply { reply, limit } = match sending::send(run, model, request) {
        Ok(sent) => sent,
        Err(failure) => return Ok(Err(request::no_reply(run, failure))),
    };
    run.dialogue.conversation.keep_reply(&reply.text);
    let text = match request::usable(run, reply, limit) {
        RequestResult::Reply(text) => text,
        RequestResult::Event(event) => return Ok(Err(event)),
    };
    Ok(decode_form(ReplyForm::Remarks, &text).map_err(|refusal| run.refuse(refusal)))
}

/// Separates the remarks on lines that exist from the others.
fn check_remarks(run: &Run<'_>, remarks: Remarks) -> ReviewRecord {
    let mut record = ReviewRecord { summary: remarks.summary, ..ReviewRecord::default() };
    for mut remark in remarks.remarks {
        let (first, last) = (remark.line, remark.line);
        match check_citation(run, Citation { path: &remark.path, first, last, quote: "" }) {
            Ok(path) => {
                remark.path = path.to_string();
                record.remarks.push(remark);
            }
            Err(reason) => record.dropped.push(DroppedRemark { remark, reason }),
        }
    }
    let event = Event::new(EventName::ReviewReady).with("remarks", record.remarks.len());
    run.inputs.emit_event(event.with("dropped", record.dropped.len()));
    record
}

/// Returns the remarks as a report, the form in which CI systems get findings.
pub(super) fn report_of(review: &ReviewRecord) -> FailureReport {
    let failures = review.remarks.iter().map(failure_of).collect();
    FailureReport { failures, ..FailureReport::default() }
}

/// Returns a remark of a review as a failure, so that reports show it.
fn failure_of(remark: &Remark) -> Failure {
    Failure {
        toolchain: "papayu".to_owned(),
        code: Some("review".to_owned()),
        severity: remark.severity,
        message: remark.text.clone(),
        locations: vec![Location {
            path: remark.path.clone(),
            line: u32::try_from(remark.line).ok(),
            column: None,
        }],
        ..Failure::default()
    }
}

/// Returns the result of a review in one sentence, such as `the review has 1 error and 2 notes`.
pub(super) fn describe(review: &ReviewRecord) -> String {
    let mut counts = Vec::new();
    for (severity, noun) in
        [(Severity::Error, "error"), (Severity::Warning, "warning"), (Severity::Note, "note")]
    {
        match review.remarks.iter().filter(|remark| remark.severity == severity).count() {
            0 => {}
            1 => counts.push(format!("1 {noun}")),
            count => counts.push(format!("{count} {noun}s")),
        }
    }
    match counts.as_slice() {
        [] => "the review has no remarks".to_owned(),
        [only] => format!("the review has {only}; nothing was changed"),
        [before @ .., last] => {
            format!("the review has {} and {last}; nothing was changed", before.join(", "))
        }
    }
}

/// Returns a notice for each remark that was left out.
pub(super) fn notices(review: &ReviewRecord) -> Vec<String> {
    let notice = |dropped: &DroppedRemark| {
        let DroppedRemark { remark: Remark { path, line, text, .. }, reason } = dropped;
        let text = first_chars(text, MAX_TEXT_CHARS);
        format!("a remark on `{path}:{line}` was left out, because {reason}: {text}")
    };
    review.dropped.iter().take(MAX_NOTICES).map(notice).collect()
}
