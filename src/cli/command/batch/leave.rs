//! Leaves the summary of a batch in its forms, and says how it went.

use std::path::{Path, PathBuf};

use crate::batch::Row;
use crate::batch::summary::{Summary, html, junit, markdown};
use crate::cli::{CliError, Output, Session};
use crate::domain::ExitCode;
use crate::fix::FixError;
use crate::fix::handover::variable;
use crate::system::Disk as _;
use crate::text::Masker;

/// About as much as a row takes in JSON.
const BYTES_OF_A_ROW: usize = 1024;

/// Writes the summary's files, one after the other; texts are masked: pages are public.
pub(super) fn leave(
    (session, masker): (&Session, &Masker),
    out: &Path,
    summary: &Summary,
    results: &dyn Fn(&Row) -> Option<String>,
) -> Result<(), CliError> {
    // Room for all rows at once: a text that grows is there twice while it is moved.
    let json = || {
        let mut text = Vec::with_capacity((summary.tasks.len() + 1) * BYTES_OF_A_ROW);
        let _ = serde_json::to_writer_pretty(&mut text, summary);
        text.push(b'\n');
        String::from_utf8(text).unwrap_or_default()
    };
    let write = |name: &str, text: String| {
        let path = out.join(name);
        let written = session.disk.write(&path, masker.mask(&text).as_bytes());
        written.map_err(|source| FixError::Write { path, source })
    };
    write("summary.json", json())?;
    write("summary.md", markdown(summary))?;
    write("junit.xml", junit(summary))?;
    write("report.html", html(summary, results))?;
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
    output.result(&summary.line(), summary)?;
    Ok(summary.outcome.exit_code())
}
