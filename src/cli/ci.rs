//! Reports the end of a run to a CI system: summary, annotations, outputs, report files.

use std::path::Path;

use super::error::CliError;
use super::output;
use crate::emit::{annotations, github_output, junit, sarif, step_summary};
use crate::fix::delivery::variable;
use crate::fix::runtime::Runtime;
use crate::fix::{FixError, Session};
use papayu_base::domain::{FailureReport, Outcome};
use papayu_base::text::Masked;
use papayu_patch::Preview;
use papayu_system::Disk;

/// The results of a run apart from its outcome.
#[derive(Clone, Copy)]
pub(super) struct RunResults<'a> {
    pub(super) failure: &'a FailureReport,
    pub(super) patch: &'a [u8],
    pub(super) change: Option<&'a Preview>,
    /// The result folder.
    pub(super) out: &'a Path,
}

/// Writes every report that the environment and the settings ask for. All texts are masked,
/// because pages of CI systems are often public.
///
/// # Errors
///
/// Returns the error of the first file that cannot be written.
pub(super) fn write_reports(
    session: &Session,
    outside: &Runtime,
    outcome: &Outcome,
    results: RunResults<'_>,
) -> Result<(), CliError> {
    let (disk, masker) = (outside.system().disk, &outside.masker);
    let summary = step_summary::render_step_summary(outcome, results.failure, results.patch);
    let summary = masker.masked(&summary);
    // Always written, so that a CI step can attach it.
    let report = results.out.join("report.md");
    write_file(disk, &report, &summary)?;
    if let Some(path) = variable(session, "GITHUB_STEP_SUMMARY") {
        // Other steps of the job write to the same file.
        append_file(disk, Path::new(&path), &summary)?;
    }
    if let Some(path) = variable(session, "GITHUB_OUTPUT") {
        let file = results.out.join("outcome.json").display().to_string();
        let report = report.display().to_string();
        let outputs = github_output::render_outputs(outcome, &file, &report);
        append_file(disk, Path::new(&path), &masker.masked(&outputs))?;
    }
    if variable(session, "GITHUB_ACTIONS").is_some_and(|it| it == "true") {
        let lines = annotations::render_annotations(outcome, results.failure);
        output::print_ci_commands(&masker.masked(&lines));
    }
    // The command may have put a link in their place since the run began.
    session.check_outputs()?;
    let settings = &session.settings;
    if let Some(path) = settings.out_junit.resolved(session.tree.root()) {
        let report = junit::render_junit(outcome, results.failure);
        write_file(disk, &path, &masker.masked(&report))?;
    }
    if let Some(path) = settings.out_sarif.resolved(session.tree.root()) {
        let report = sarif::render_sarif(outcome, results.failure, results.change);
        write_file(disk, &path, &masker.masked(&format!("{report:#}\n")))?;
    }
    Ok(())
}

/// Writes a masked text to a file.
fn write_file(disk: &dyn Disk, path: &Path, text: &Masked<String>) -> Result<(), FixError> {
    let written = disk.write(path, text.as_bytes());
    written.map_err(|source| FixError::Write { path: path.to_owned(), source })
}

/// Appends a masked text to a file.
fn append_file(disk: &dyn Disk, path: &Path, text: &Masked<String>) -> Result<(), FixError> {
    let written = disk.append(path, text.as_bytes());
    written.map_err(|source| FixError::Write { path: path.to_owned(), source })
}
