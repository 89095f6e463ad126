//! Online research of a run: offered in the outcome, or done once where the user allows it.

use super::run::Run;
use super::state::{Event, Finish, is_research_code};
use crate::context::TextKind;
use crate::domain::event::{Event as RunEvent, EventName};
use crate::domain::{ContextRequest, Failure, Plan};
use crate::research::{Findings, Query, search_web, write_block};

/// The beginning of a search request that asks for online research.
const REQUEST: &str = "ONLINE:";
/// The words in a plan's summary that ask for it.
const NEED: &str = "NEEDS_ONLINE_RESEARCH:";
/// The reason of research after a time limit, in traces.
const TIMEOUT: &str = "LLM_REQUEST_TIMEOUT";
/// The heading of the findings.
const TITLE: &str = "ONLINE_RESEARCH (untrusted)";

/// Returns the code of an end of a plan that research may help with.
fn reason_of(run: &Run<'_>, end: Finish) -> Option<&'static str> {
    match end {
        Finish::Refused(code) if is_research_code(code) => Some(code.as_str()),
        Finish::ProviderFailed if run.conversation.online.timed_out => Some(TIMEOUT),
        _ => None,
    }
}

/// Offers research for a run that ends like this.
pub(super) fn offer_for_end(run: &mut Run<'_>, end: Finish) {
    if let Some(reason) = reason_of(run, end) {
        let text = describe_failure(run);
        offer(run, &text, reason);
    }
}

/// Does the research of a plan that failed.
pub(super) fn research_failure(run: &mut Run<'_>, end: Finish) -> Event {
    offer_for_end(run, end);
    let code = match end {
        Finish::Refused(code) => Some(code),
        _ => None,
    };
    // The trace of the failed exchange has the offer, and that of the next one the research.
    run.close_exchange(code);
    if research(run).is_ok() { Event::Researched } else { Event::ResearchFailed }
}

/// Returns the plan with the request for research that its summary makes in words.
pub(super) fn read_need(run: &mut Run<'_>, mut plan: Plan) -> Plan {
    let need = plan.summary.lines().find_map(|line| line.trim().strip_prefix(NEED));
    let Some(query) = need.map(|query| query.trim().to_owned()) else { return plan };
    offer(run, &query, "NEEDS_ONLINE_RESEARCH");
    if run.rules.researches && !run.conversation.online.is_done() {
        let query = format!("{REQUEST} {query}");
        plan.context_requests.push(ContextRequest::Search { query, glob: None });
    }
    plan
}

/// Returns the query of a context request that asks for research.
pub(super) fn query_of(request: &ContextRequest) -> Option<&str> {
    match request {
        ContextRequest::Search { query, .. } => query.trim_start().strip_prefix(REQUEST),
        _ => None,
    }
}

/// Answers a context request that asks for research.
pub(super) fn answer_request(run: &mut Run<'_>, query: &str) {
    offer(run, query, "NEEDS_ONLINE_RESEARCH");
    if let Err(reason) = research(run) {
        run.context.add_text(TextKind::Note, TITLE.to_owned(), reason);
    }
}

/// Remembers the first query that could be searched for, without what must not leave the machine.
fn offer(run: &mut Run<'_>, text: &str, reason: &'static str) {
    let Some(config) = &run.config.research else { return };
    if run.conversation.online.offer.is_none() {
        let query = Query::redact(text, run.world.masker, &config.private_names);
        run.conversation.online.offer = query.map(|query| (query, reason));
    }
}

/// Searches for what was offered and adds the findings to the context.
///
/// # Errors
///
/// The reason in words why there are none.
fn research(run: &mut Run<'_>) -> Result<(), String> {
    let config = run.config.research.as_ref().filter(|_| run.rules.researches);
    let Some(config) = config else { return Err("online research is off".to_owned()) };
    if run.conversation.online.is_done() {
        return Err("online research was done already; a run does it once".to_owned());
    }
    let Some((query, reason)) = run.conversation.online.offer.clone() else {
        return Err("the query has no words that may leave the machine".to_owned());
    };
    // Also a search that fails is the one of this run.
    run.conversation.online.sent = Some((query.as_str().to_owned(), Vec::new()));
    let event = RunEvent::new(EventName::OnlineResearch)
        .with("reason", reason)
        .with("query", query.as_str());
    match search_web(&query, config, run.world.system) {
        Ok(findings) => {
            run.emit_event(event.with("sources", findings.sources.len()));
            take_findings(run, &findings);
            Ok(())
        }
        Err(error) => {
            run.emit_event(event.with("error", error.to_string()));
            Err(error.to_string())
        }
    }
}

fn take_findings(run: &mut Run<'_>, findings: &Findings) {
    run.context.add_text(TextKind::Online, TITLE.to_owned(), write_block(findings));
    let addresses = findings.sources.iter().map(|source| source.url.clone()).collect();
    run.conversation.online.sent = Some((findings.query.clone(), addresses));
}

/// Returns what fails, in the words of the tool, or the goal.
fn describe_failure(run: &Run<'_>) -> String {
    let failure = run.report.failures.first().map(Failure::headline);
    failure.or_else(|| run.task.goal.clone()).unwrap_or_default()
}
