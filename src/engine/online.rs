//! Online research of a run: offered in the outcome, or done once where the user allows it.

use super::engine_inputs::EngineInputs;
use super::state::{RunEnd, is_research_code};
use papayu_base::domain::{ContextRequest, Plan};
use papayu_providers::research::SafeQuery;

/// The beginning of a search request that asks for online research.
const REQUEST: &str = "ONLINE:";
/// The words in a plan's summary that ask for it, and the reason of that research in traces.
pub(super) const NEED: &str = "NEEDS_ONLINE_RESEARCH";
/// The reason of research after a time limit, in traces.
const TIMEOUT: &str = "LLM_REQUEST_TIMEOUT";

/// The online research of a run.
#[derive(Debug, Default)]
pub(super) struct Online {
    /// The query that was offered first, and the reason.
    pub(super) offer: Option<(SafeQuery, &'static str)>,
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

    /// Returns the reason of the offer. `None` if nothing is offered.
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
    pub(super) fn offer_for_end(&mut self, inputs: &EngineInputs<'_>, end: RunEnd, failure: &str) {
        let reason = match end {
            RunEnd::Refused(code) if is_research_code(code) => code.as_str(),
            RunEnd::ProviderFailed if self.timed_out => TIMEOUT,
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
    pub(super) fn offer(&mut self, inputs: &EngineInputs<'_>, text: &str, reason: &'static str) {
        let Some(config) = &inputs.config.research else { return };
        if self.offer.is_none() {
            let query = SafeQuery::redact(text, inputs.world.masker, &config.private_names);
            self.offer = query.map(|query| (query, reason));
        }
    }
}

/// Returns the query of a context request that asks for research. `None` for any other request.
pub(super) fn query_of(request: &ContextRequest) -> Option<&str> {
    match request {
        ContextRequest::Search { query, .. } => query.trim_start().strip_prefix(REQUEST),
        _ => None,
    }
}
