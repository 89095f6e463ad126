//! Reports the end of a run to a CI system: summary, annotations, outputs, report files.

use std::path::{Path, PathBuf};

use super::error::CliError;
use super::output::Output;
use crate::domain::{FailureReport, Outcome};
use crate::emit::{annotations, github_output, junit, sarif, step_summary};
use crate::fix::handover::variable;
use crate::fix::outside::Outside;
use crate::fix::{FixError, Session};
use crate::patch::Preview;

/// The results of a run beside its outcome.
#[derive(Clone, Copy)]
pub(super) struct RunResults<'a> {
    pub(super) failure: &'a FailureReport,
    pub(super) patch: &'a [u8],
    pub(super) change: Option<&'a Preview>,
    /// The result folder.
    pub(super) out: &'a Path,
}

/// Writes everything that the environment and the settings ask for. Texts are masked because pages
/// of CI systems are public.
pub(super) fn write_reports(
    session: &Session,
    outside: &Outside,
    outcome: &Outcome,
    results: RunResults<'_>,
) -> Result<(), CliError> {
    let disk = outside.system().disk;
    let masked = |text: String| outside.masker.mask(&text).into_owned();
    let summary =
        || masked(step_summary::render_step_summary(outcome, results.failure, results.patch));
    let append = |path: PathBuf, text: String| {
        let written = disk.append(&path, text.as_bytes());
        written.map_err(|source| FixError::Write { path, source })
    };
    let write = |path: PathBuf, text: String| {
        let written = disk.write(&path, text.as_bytes());
        written.map_err(|source| FixError::Write { path, source })
    };
    let report = results.out.join("report.md");
    write(report.clone(), summary())?;
    if let Some(path) = variable(session, "GITHUB_STEP_SUMMARY") {
        append(path.into(), summary())?;
    }
    if let Some(path) = variable(session, "GITHUB_OUTPUT") {
        let file = results.out.join("outcome.json").display().to_string();
        let report = report.display().to_string();
        append(path.into(), github_output::render_outputs(outcome, &file, &report))?;
    }
    if variable(session, "GITHUB_ACTIONS").is_some_and(|it| it == "true") {
        Output::print_words(&masked(annotations::render_annotations(outcome, results.failure)));
    }
    let settings = &session.settings;
    if let Some(path) = settings.out_junit.resolved(session.tree.root()) {
        write(path, masked(junit::render_junit(outcome, results.failure)))?;
    }
    if let Some(path) = settings.out_sarif.resolved(session.tree.root()) {
        let report = sarif::render_sarif(outcome, results.failure, results.change);
        write(path, masked(format!("{report:#}\n")))?;
    }
    Ok(())
}
