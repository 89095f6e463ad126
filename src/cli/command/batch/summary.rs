//! Opens a batch, and prints its summary with the commands that follow from it.

use std::fmt::Write as _;
use std::io::IsTerminal as _;
use std::path::PathBuf;

use crate::batch::{BatchReport, BatchSession, BatchSummary, TaskRow};
use crate::cli::wording::{quote, shorten_path};
use crate::cli::{Call, CliError, output, runtime, terminal};
use crate::settings::FlagValue;
use papayu_base::domain::{ExitCode, OutcomeKind};
use papayu_system::os::signal;

/// Tasks without a good end that are listed.
const MAX_FAILED: usize = 5;

/// Reads the settings of a batch.
///
/// Fails with [`CliError::Signals`], and as [`BatchSession::open`] does.
pub(super) fn open_batch(call: &Call, flags: Vec<FlagValue>) -> Result<BatchSession, CliError> {
    let interrupted = signal::watch().map_err(CliError::Signals)?;
    Ok(BatchSession::open(runtime::session_place(call, flags), interrupted)?)
}

/// Returns the commands that follow from a batch, a line each; empty if there are none. `folders` have its results.
fn next_commands(summary: &BatchSummary, folders: &[PathBuf], again: &str) -> String {
    let mut lines = String::new();
    let is_kept = |row: &&TaskRow| row.branch.is_some() || row.pr_url.is_some();
    let fixed = summary.tasks.iter().filter(|row| row.outcome == OutcomeKind::Fixed);
    let open: Vec<&TaskRow> = fixed.filter(|row| !is_kept(row)).collect();
    let (bundled, others): (Vec<&TaskRow>, _) =
        open.into_iter().partition(|row| row.bundle_digest.is_some());
    let (local, cloned): (Vec<&TaskRow>, Vec<_>) =
        others.into_iter().partition(|row| row.folder.is_some());
    let shown = folders.iter().map(|folder| quote(&shorten_path(folder).display().to_string()));
    let shown = shown.collect::<Vec<_>>().join(" ");
    let is_batch = again.starts_with("papayu-batch batch ");
    if !bundled.is_empty() && !shown.is_empty() {
        let _ = writeln!(lines, "  papayu-batch publish {shown}  # a pull request for each fix");
    }
    let writes_folders = again.contains("worktree");
    if !local.is_empty() && !shown.is_empty() && !writes_folders {
        let _ = writeln!(lines, "  papayu-batch batch apply {shown}  # changes the folders");
    }
    if !cloned.is_empty() && is_batch && !again.contains(" --emit") {
        let _ = writeln!(lines, "  {again} --emit pr  # opens a pull request for each fix");
    }
    if is_batch && summary.tasks.iter().any(|row| !row.is_good()) && !again.contains(" --failed") {
        let _ = writeln!(lines, "  {again} --failed");
    }
    lines
}

/// Prints the summary and the commands that keep the fixes in `folders`, and returns the exit code of the batch.
///
/// Fails with [`CliError::Stdout`].
pub(super) fn print_report(
    report: &BatchReport,
    folders: &[PathBuf],
    call: &Call,
) -> Result<ExitCode, CliError> {
    let summary = &report.summary;
    for down in &summary.left_alone {
        let reason = &down.reason;
        output::print_warning(&format!(
            "{} did not answer and was left alone: {reason}",
            down.host
        ));
    }
    let failed: Vec<&TaskRow> = summary.tasks.iter().filter(|row| !row.is_good()).collect();
    // A terminal shows them above the bar already.
    let listed = if std::io::stderr().is_terminal() { &[] } else { failed.as_slice() };
    for row in listed.iter().take(MAX_FAILED) {
        let reason = row.reason.lines().next().unwrap_or_default();
        let line = format!("✗ {}: {}: {reason}", row.name, row.outcome.words());
        output::print_words(&format!("{}\n", terminal::wrap(&line, terminal::width(), "  ")));
    }
    if listed.len() > MAX_FAILED {
        output::print_words(&format!("  and {} more\n", listed.len() - MAX_FAILED));
    }
    call.print_result(&summary.line(), summary)?;
    let out = shorten_path(&report.out);
    let next = next_commands(summary, folders, &call.invocation);
    if !next.is_empty() {
        output::print_words(&format!("Next:\n{next}"));
    }
    let page = out.join("report.html");
    output::print_words(&format!("Results: {}\nReport: {}\n", out.display(), page.display()));
    Ok(summary.outcome.exit_code())
}
