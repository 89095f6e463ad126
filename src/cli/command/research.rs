//! `papayu-batch research`: searches the web and prints the findings.

use std::fmt::Write as _;

use crate::cli::args::ResearchArgs;
use crate::cli::{Call, CliError, output, runtime};
use crate::fix::online::research_config;
use crate::fix::research_summary::summarize_findings;
use papayu_base::domain::ExitCode;
use papayu_base::text::show_hidden;
use papayu_providers::research::{ResearchError, ResearchFindings, SafeQuery, search_web};

/// Prints the findings of a query.
///
/// A summary that cannot be made is a warning. Fails with [`ResearchError::Off`] if research is off, with
/// [`ResearchError::EmptyQuery`] if no words are left after the redaction, and as [`search_web`] does.
pub(crate) fn print_research(call: &Call, args: &ResearchArgs) -> Result<ExitCode, CliError> {
    let session = runtime::open_session(call, args.flags())?;
    let config = research_config(&session).ok_or(ResearchError::Off)?;
    let outside = runtime::open_runtime(&session)?;
    let query = SafeQuery::redact(&args.query.join(" "), &outside.masker, &config.private_names)
        .ok_or(ResearchError::EmptyQuery)?;
    let mut findings = search_web(&query, &config, outside.system())?;
    match summarize_findings(&session, &outside, &findings) {
        Ok(summary) => findings.summary = summary,
        Err(reason) => output::print_warning(&format!("there is no summary: {reason}")),
    }
    // Pages may contain what a terminal obeys.
    call.print_result(&show_hidden(&describe_findings(&findings)), &findings)?;
    Ok(ExitCode::Ok)
}

/// Returns the findings as text: the summary, the sources, and the pages that were not read.
fn describe_findings(findings: &ResearchFindings) -> String {
    let mut text = format!("query: {}\n", findings.query);
    if let Some(summary) = &findings.summary {
        let _ = writeln!(text, "\nsummary by {}:", summary.model);
        for line in summary.text.lines().filter(|line| !line.trim().is_empty()) {
            let _ = writeln!(text, "   {line}");
        }
        let _ = writeln!(text, "   sources: {}", summary.sources.join(" "));
    }
    for (index, source) in findings.sources.iter().enumerate() {
        let title = source.title.split_whitespace().collect::<Vec<_>>().join(" ");
        let _ = write!(text, "\n{}. {title}\n   {}\n", index + 1, source.url);
        for line in source.text.lines().filter(|line| !line.trim().is_empty()) {
            let _ = writeln!(text, "   {line}");
        }
    }
    if !findings.skipped.is_empty() {
        text.push_str("\nnot read:\n");
    }
    for page in &findings.skipped {
        let _ = writeln!(text, "   {}: {}", page.url, page.reason);
    }
    text
}
