//! Searches the web for what a run offered, and adds the findings to the context.

use super::online::NEED;
use super::run::Run;
use super::web_summary::summarize;
use crate::context::TextKind;
use papayu_base::domain::event::{Event, EventName};
use papayu_providers::research::{search_web, write_block};

/// The heading of the findings.
const TITLE: &str = "ONLINE_RESEARCH (untrusted)";

/// Answers a context request that asks for research.
pub(super) fn answer_request(run: &mut Run<'_>, query: &str) {
    run.dialogue.conversation.online.offer(run.inputs, query, NEED);
    if let Err(reason) = research(run) {
        run.gathered.context.add_text(TextKind::Note, TITLE.to_owned(), reason);
    }
}

/// Searches for what was offered and adds the findings to the context.
///
/// # Errors
///
/// The reason in words why there are none.
pub(super) fn research(run: &mut Run<'_>) -> Result<(), String> {
    let inputs = run.inputs;
    let config = inputs.config.research.as_ref().filter(|_| inputs.rules.researches);
    let Some(config) = config else { return Err("online research is off".to_owned()) };
    let online = &mut run.dialogue.conversation.online;
    if online.is_done() {
        return Err("online research was done already; a run does it once".to_owned());
    }
    let Some((query, reason)) = online.offer.clone() else {
        return Err("the query has no words that may leave the machine".to_owned());
    };
    // Also a search that fails is the one of this run.
    online.sent = Some((query.as_str().to_owned(), Vec::new()));
    let event =
        Event::new(EventName::OnlineResearch).with("reason", reason).with("query", query.as_str());
    let mut findings = match search_web(&query, config, inputs.world.system) {
        Ok(findings) => findings,
        Err(error) => {
            inputs.emit_event(event.with("error", error.to_string()));
            return Err(error.to_string());
        }
    };
    let mut event = event.with("sources", findings.sources.len());
    if let Some(model) = inputs.world.research_model {
        match summarize(run, model, &findings) {
            Ok(summary) => {
                findings.summary = Some(summary);
                event = event.with("summary_model", model.model());
            }
            // The extracted texts say the same at greater length.
            Err(reason) => event = event.with("summary_error", reason),
        }
    }
    inputs.emit_event(event);
    run.gathered.context.add_text(TextKind::Online, TITLE.to_owned(), write_block(&findings));
    let addresses = findings.sources.into_iter().map(|source| source.url).collect();
    run.dialogue.conversation.online.sent = Some((findings.query, addresses));
    Ok(())
}
