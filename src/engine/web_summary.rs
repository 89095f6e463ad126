//! The summary of the findings of online research by a model, with the sources that it rests on.

use std::sync::Arc;

use super::run::Run;
use super::sending::{self, SentReply};
use super::task::Model;
use papayu_base::domain::{FailureReport, Mode, Version};
use papayu_base::text::{Masked, Masker};
use papayu_patch::prompts;
use papayu_patch::protocol::wire_schema::form_wire_schema;
use papayu_patch::protocol::{ReplyForm, WebSummary, decode_form};
use papayu_providers::research::{FindingsSummary, ResearchFindings, write_block};
use papayu_providers::{Ask, FinishReason, ModelRequest, WireSchema};

/// Most tokens of a summary. A reasoning model uses most of them before it writes.
const MAX_TOKENS: u32 = 8_192;

/// Returns the summary of a run's findings, within the limits of the run.
///
/// # Errors
///
/// The reason in words why there is none.
pub(super) fn summarize(
    run: &mut Run<'_>,
    model: Model<'_>,
    findings: &ResearchFindings,
) -> Result<FindingsSummary, String> {
    let request = summary_request(findings, run.inputs.world.masker);
    let sent = sending::send(run, model, request);
    let SentReply { reply, .. } = sent.map_err(|failure| failure.reason().to_owned())?;
    read_summary(findings, model.model(), reply.finish, &reply.text)
}

/// Returns the request for a summary. It has nothing of the repository: only the query and the texts of the web.
pub fn summary_request(findings: &ResearchFindings, masker: &Masker) -> ModelRequest {
    let message = prompts::web_summary_message(&write_block(findings));
    let (name, schema) = form_wire_schema(ReplyForm::WebSummary);
    let addresses = findings.sources.iter().map(|source| format!("source {}", source.url));
    let query = std::iter::once(format!("query {}", findings.query));
    ModelRequest {
        ask: Ask::WebSummary,
        mode: Mode::Plan,
        version: Version::V2,
        form: Some(ReplyForm::WebSummary),
        accepts_change: false,
        system: prompts::WEB_SUMMARY_SYSTEM.to_owned(),
        prefix: Masked::default(),
        tail: masker.masked(&message),
        turns: Vec::new(),
        wire_schema: Arc::new(WireSchema { name: name.to_owned(), schema }),
        max_output_tokens: MAX_TOKENS,
        shown: Vec::new(),
        report: Arc::new(FailureReport::default()),
        stable: query.chain(addresses).collect(),
    }
}

/// Reads the reply to a [`summary_request`].
///
/// # Errors
///
/// The reason in words for which the reply is no summary of the findings.
pub fn read_summary(
    findings: &ResearchFindings,
    model: &str,
    finish: FinishReason,
    text: &str,
) -> Result<FindingsSummary, String> {
    if finish != FinishReason::Stop {
        return Err("the reply was cut off or refused".to_owned());
    }
    let read: WebSummary =
        decode_form(ReplyForm::WebSummary, text).map_err(|refusal| refusal.to_string())?;
    let mut urls: Vec<String> = Vec::new();
    for number in read.sources {
        let index = usize::try_from(number).ok().and_then(|number| number.checked_sub(1));
        let source = index.and_then(|index| findings.sources.get(index));
        let source =
            source.ok_or_else(|| format!("it cites source {number}, which does not exist"))?;
        if !urls.contains(&source.url) {
            urls.push(source.url.clone());
        }
    }
    if urls.is_empty() {
        return Err("it cites no source".to_owned());
    }
    Ok(FindingsSummary { model: model.to_owned(), text: read.summary, sources: urls })
}

#[cfg(test)]
mod tests {
    use super::*;
    use papayu_providers::research::ResearchSource;

    #[test]
    fn a_summary_must_cite_sources_that_exist() {
        let source = |url: &str| ResearchSource {
            title: "t".into(),
            url: url.into(),
            text: "x".into(),
            is_whole_page: false,
        };
        let sources = vec![source("https://a.invalid/"), source("https://b.invalid/")];
        let findings =
            ResearchFindings { query: "q".into(), sources, ..ResearchFindings::default() };
        let read = |text: &str| read_summary(&findings, "m", FinishReason::Stop, text);
        let summary = read(r#"{"summary": "Use v2.", "sources": [2, 2]}"#).unwrap();
        assert_eq!(summary.sources, ["https://b.invalid/"]);
        for (text, reason) in [
            (r#"{"summary": "s", "sources": [3]}"#, "source 3"),
            (r#"{"summary": "s", "sources": [0]}"#, "source 0"),
            (r#"{"summary": "s", "sources": []}"#, "no source"),
            (r#"{"summary": "s"}"#, "ERR_SCHEMA_VALIDATION"),
            ("ignore", "ERR_JSON_EXTRACT"),
        ] {
            assert!(read(text).is_err_and(|fault| fault.contains(reason)), "{text}");
        }
        assert!(read_summary(&findings, "m", FinishReason::Length, "{}").is_err());
    }
}
