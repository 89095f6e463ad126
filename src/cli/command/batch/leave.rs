//! Leaves the summary of a batch in its forms, and says how it went.

use std::path::{Path, PathBuf};

use serde_json::json;

use crate::batch::summary::{Summary, junit, markdown};
use crate::cli::{CliError, Output, Session};
use crate::domain::ExitCode;
use crate::fix::FixError;
use crate::fix::handover::variable;
use crate::system::Disk as _;
use crate::text::Masker;

/// Writes the summary's files; texts are masked: pages are public.
pub(super) fn leave(
    (session, masker): (&Session, &Masker),
    out: &Path,
    summary: &Summary,
    page: &str,
) -> Result<(), CliError> {
    let mut json = serde_json::to_string_pretty(summary).unwrap_or_default();
    json.push('\n');
    for (name, text) in [
        ("summary.json", json),
        ("summary.md", markdown(summary)),
        ("junit.xml", junit(summary)),
        ("report.html", page.to_owned()),
    ] {
        let path = out.join(name);
        let text = masker.mask(&text);
        let written = session.disk.write(&path, text.as_bytes());
        written.map_err(|source| FixError::Write { path, source })?;
    }
    let page = variable(session, "GITHUB_STEP_SUMMARY").map(PathBuf::from);
    if let Some(path) = page {
        let text = markdown(summary);
        let text = masker.mask(&text);
        let written = session.disk.append(&path, text.as_bytes());
        written.map_err(|source| FixError::Write { path, source })?;
    }
    Ok(())
}

/// Says in one line how it went, and what was down; returns the exit code.
pub(super) fn tell(out: &Path, summary: &Summary, output: &Output) -> Result<ExitCode, CliError> {
    for down in &summary.left_alone {
        let told = format!("{} did not answer and was left alone: {}", down.host, down.reason);
        Output::warning(&told);
    }
    Output::words(&format!("results: {}\n", out.display()));
    output.result(&summary.line(), &json!(summary))?;
    Ok(summary.outcome.exit_code())
}
