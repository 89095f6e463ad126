//! The summary of the findings of `papayu-batch research` by a model.

use super::models::research_model_config;
use super::runtime::Runtime;
use super::schedule::open_model;
use super::session::Session;
use crate::engine::{read_summary, summary_request};
use papayu_base::domain::NoEvents;
use papayu_providers::CallLimits;
use papayu_providers::research::{FindingsSummary, ResearchFindings};

/// Returns the summary of findings by the model of `online.model`; `None` without that setting or without a model.
///
/// # Errors
///
/// The reason in words why there is none, for example a model that cannot be reached.
pub(crate) fn summarize_findings(
    session: &Session,
    runtime: &Runtime,
    findings: &ResearchFindings,
) -> Result<Option<FindingsSummary>, String> {
    let config = research_model_config(session).map_err(|error| error.to_string())?;
    let Some(config) = config else { return Ok(None) };
    let model = open_model(&config, runtime.system()).map_err(|error| error.to_string())?;
    let time_left = session.settings.run_timeout_sec.value;
    let request = summary_request(findings, &runtime.masker);
    let sent = model.ask(&request, &CallLimits { time_left, events: &NoEvents, checks: None });
    let reply = sent.map_err(|error| error.to_string())?;
    read_summary(findings, model.model(), reply.finish, &reply.text).map(Some)
}
