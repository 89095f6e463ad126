//! Online research of a run: offered in the outcome, or done once where the user allows it.

use super::engine_inputs::EngineInputs;
use super::run::Run;
use super::state::{Finish, is_research_code};
use super::web_summary::summarize;
use crate::context::TextKind;
use crate::domain::event::{Event, EventName};
use crate::domain::{ContextRequest, Plan};
use crate::research::{Query, search_web, write_block};

/// The beginning of a search request that asks for online research.
const REQUEST: &str = "ONLINE:";
/// The words in a plan's summary that ask for it, and the reason of that research in traces.
const NEED: &str = "NEEDS_ONLINE_RESEARCH";
/// The reason of research after a time limit, in traces.
const TIMEOUT: &str = "LLM_REQUEST_TIMEOUT";
/// The heading of the findings.
const TITLE: &str = "ONLINE_RESEARCH (untrusted)";

/// The online research of a run.
#[derive(Debug, Default)]
pub(super) struct Online {
    /// The query that was offered first, and the reason.
    offer: Option<(Query, &'static str)>,
    /// The query that was sent, with the addresses of the sources; at most one in a run.
    pub(super) sent: Option<(String, Vec<String>)>,
    /// `true` if the last provider did not answer in time.
    pub(super) timed_out: bool,
}

impl Online {
    /// Returns `true` after the research of the run.
    pub(super) fn is_done(&self) -> bool {
        self.sent.is_some()
    }

    /// Returns the reason of the offer.
    pub(super) fn reason(&self) -> Option<&'static str> {
        self.offer.as_ref().map(|(_, reason)| *reason)
    }

    /// Returns the hint of an outcome without a fix.
    pub(super) fn hint(&self) -> Option<String> {
        let (query, _) = self.offer.as_ref().filter(|_| !self.is_done())?;
        Some(format!(
            "online research may help: `papayu-batch research \"{}\"`; with PAPAYU_ONLINE_AUTO_USE_AS_CONTEXT=1 the run does it itself",
            query.as_str().replace(['"', '`', '$', '\\'], "")
        ))
    }

    /// Offers research on a failure for a run or a plan that ends like this, if it may help.
    pub(super) fn offer_for_end(&mut self, inputs: &EngineInputs<'_>, end: Finish, failure: &str) {
        let reason = match end {
            Finish::Refused(code) if is_research_code(code) => code.as_str(),
            Finish::ProviderFailed if self.timed_out => TIMEOUT,
            _ => return,
        };
        self.offer(inputs, failure, reason);
    }

    /// Returns the plan with the request for research that its summary makes in words.
    pub(super) fn read_need(&mut self, inputs: &EngineInputs<'_>, mut plan: Plan) -> Plan {
        let need = plan.summary.lines().find_map(|line| {
            let query = line.trim().strip_prefix(NEED)?.strip_prefix(':')?;
            Some(query.trim().to_owned())
        });
        let Some(query) = need else { return plan };
        self.offer(inputs, &query, NEED);
        if inputs.rules.researches && !self.is_done() {
            let query = format!("{REQUEST} {query}");
            plan.context_requests.push(ContextRequest::Search { query, glob: None });
        }
        plan
    }

    /// Remembers the first query that could be searched for, without what must not leave the machine.
    fn offer(&mut self, inputs: &EngineInputs<'_>, text: &str, reason: &'static str) {
        let Some(config) = &inputs.config.research else { return };
        if self.offer.is_none() {
            let query = Query::redact(text, inputs.world.masker, &config.private_names);
            self.offer = query.map(|query| (query, reason));
        }
    }
}

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

/// Returns the query of a context request that asks for research.
pub(super) fn query_of(request: &ContextRequest) -> Option<&str> {
    match request {
        ContextRequest::Search { query, .. } => query.trim_start().strip_prefix(REQUEST),
        _ => None,
    }
}
