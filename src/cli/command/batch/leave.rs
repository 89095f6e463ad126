//! Leaves the summary of a batch in its forms, and says how it went.

use std::path::{Path, PathBuf};

use crate::batch::row::{Masked, Row, Rows};
use crate::batch::summary::{Summary, html, junit, markdown};
use crate::cli::{CliError, Output, Session};
use crate::domain::ExitCode;
use crate::fix::FixError;
use crate::fix::handover::variable;
use crate::system::{Disk as _, Fill};
use crate::text::Masker;

/// Writes the summary's files, one after the other, says in one line how it went and what was down, and returns the
/// exit code. Texts are masked: pages are public. `results` says where a task's results lie.
pub(super) fn leave(
    (session, masker): (&Session, &Masker),
    out: &Path,
    summary: Summary<&dyn Rows>,
    results: &dyn Fn(&Row) -> Option<String>,
    output: &Output,
) -> Result<ExitCode, CliError> {
    let rows = Masked { rows: summary.tasks, masker };
    let mut summary = summary.with(&rows as &dyn Rows);
    let mask = |text: &str| masker.mask(text).into_owned();
    summary.stopped = summary.stopped.as_deref().map(mask);
    for down in &mut summary.left_alone {
        down.reason = mask(&down.reason);
    }
    write((session, out), &summary, results)?;
    tell(out, &summary, output)
}

fn write(
    (session, out): (&Session, &Path),
    summary: &Summary<&dyn Rows>,
    results: &dyn Fn(&Row) -> Option<String>,
) -> Result<(), CliError> {
    let write = |name: &str, fill: &mut Fill<'_>| {
        let path = out.join(name);
        let written = session.disk.write_by(&path, fill);
        written.map_err(|source| FixError::Write { path, source })
    };
    write("summary.json", &mut |file| {
        serde_json::to_writer_pretty(&mut *file, summary)?;
        file.write_all(b"\n")
    })?;
    write("summary.md", &mut |file| markdown(file, summary))?;
    write("junit.xml", &mut |file| junit(file, summary))?;
    write("report.html", &mut |file| html(file, summary, results))?;
    if let Some(path) = variable(session, "GITHUB_STEP_SUMMARY").map(PathBuf::from) {
        let mut page = Vec::new();
        let written = markdown(&mut page, summary).and_then(|()| session.disk.append(&path, &page));
        written.map_err(|source| FixError::Write { path, source })?;
    }
    Ok(())
}

fn tell(out: &Path, summary: &Summary<&dyn Rows>, output: &Output) -> Result<ExitCode, CliError> {
    for down in &summary.left_alone {
        let told = format!("{} did not answer and was left alone: {}", down.host, down.reason);
        Output::warning(&told);
    }
    Output::words(&format!("results: {}\n", out.display()));
    output.result(&summary.line(), summary)?;
    Ok(summary.outcome.exit_code())
}
