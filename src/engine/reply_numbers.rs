//! Reports the numbers of each reply, and adds them to its exchange.

use super::costs::ReplyNumbers;
use super::run::Run;
use papayu_base::domain::ReplyActivity;
use papayu_base::domain::event::{Event, EventName};

/// Reports what the last reply cost and brought; nothing unless there was one since the last report.
pub(super) fn report_reply(run: &mut Run<'_>) {
    let (spend, activity) = (&run.costs.spend, run.attempts.activity);
    let now = ReplyNumbers {
        requests: spend.requests,
        tokens: spend.usage.total(),
        llm_ms: spend.llm_ms,
        activity,
    };
    let before = std::mem::replace(&mut run.costs.reported, now);
    // Fixes without a model change the activity and are no replies.
    if now.requests == before.requests {
        return;
    }
    let ReplyActivity { requests_answered, edits_applied, edits_refused } =
        activity.since(before.activity);
    run.exchanges.update(|exchange| {
        exchange.activity.requests_answered += requests_answered;
        exchange.activity.edits_applied += edits_applied;
        exchange.activity.edits_refused += edits_refused;
    });
    // After a request without an answer there is no reply to report.
    if run.costs.stop_reason.is_some() && now.tokens == before.tokens {
        return;
    }
    run.inputs.emit_event(
        Event::new(EventName::LlmReplyCounted)
            .with("tokens", now.tokens.saturating_sub(before.tokens))
            .with("ms", now.llm_ms.saturating_sub(before.llm_ms))
            .with("requests_answered", requests_answered)
            .with("edits_applied", edits_applied)
            .with("edits_refused", edits_refused)
            .with("total_tokens", now.tokens),
    );
}
