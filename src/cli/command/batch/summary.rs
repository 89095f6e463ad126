//! Opens a batch, and prints its summary with the commands that follow from it.

use std::fmt::Write as _;
use std::io::IsTerminal as _;
use std::path::PathBuf;

use crate::batch::{BatchReport, BatchSession, BatchSummary, TaskRow};
use crate::cli::args::AllowArgs;
use crate::cli::wording::{quote, shorten_path};
use crate::cli::{Call, CliError, output, runtime, streams, terminal};
use crate::settings::FlagValue;
use papayu_base::domain::{ExitCode, OutcomeKind};
use papayu_system::os::signal;

/// The facts for the next commands that are not in the summary.
#[derive(Default)]
pub(super) struct NextSteps {
    /// The folders with the results.
    pub(super) folders: Vec<PathBuf>,
    /// The flags that permit the fixes, each with a blank before it.
    pub(super) allow: String,
}

impl NextSteps {
    /// Returns those of a report for fixes that needed these permissions.
    pub(super) fn of(report: &BatchReport, allow: &AllowArgs) -> Self {
        Self { folders: vec![report.out.clone()], allow: allow.words() }
    }
}

/// Tasks without a good end that are listed.
const MAX_FAILED: usize = 5;

/// Reads the settings of a batch.
///
/// Fails with [`CliError::Signals`], and as [`BatchSession::open`] does.
pub(super) fn open_batch(call: &Call, flags: Vec<FlagValue>) -> Result<BatchSession, CliError> {
    let interrupted = signal::watch().map_err(CliError::Signals)?;
    let batch = BatchSession::open(runtime::session_place(call, flags), interrupted)?;
    streams::limit_each(batch.session.settings.run_timeout_sec.value);
    Ok(batch)
}

/// Names the shards that have not ended.
pub(super) fn warn_of_unfinished(folders: &[PathBuf]) {
    for folder in folders {
        let folder = folder.display();
        output::print_warning(&format!(
            "the batch in `{folder}` has not ended, and its tasks are left out; `papayu-batch batch MANIFEST --out {folder} \
             --resume`, with the flags of its first call, continues it"
        ));
    }
}

/// Returns the commands that follow from a batch, a line each; empty if there are none.
fn next_commands(summary: &BatchSummary, next: &NextSteps, again: &str) -> String {
    let NextSteps { folders, allow } = next;
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
        // A folder of this machine may have no remote.
        let has_clones = bundled.iter().any(|row| row.folder.is_none());
        let (emit, what) =
            if has_clones { ("", "a pull request") } else { (" --emit branch", "a branch") };
        let _ =
            writeln!(lines, "  papayu-batch publish {shown}{emit}{allow}  # {what} for each fix");
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

/// Returns the hints of the tasks without a good end, a line each with the tasks that it is for.
fn task_hints(summary: &BatchSummary) -> String {
    let mut hints: Vec<(&str, Vec<&str>)> = Vec::new();
    for row in summary.tasks.iter().filter(|row| !row.is_good()) {
        let Some(hint) = row.hint.as_deref() else { continue };
        match hints.iter_mut().find(|(known, _)| *known == hint) {
            Some((_, names)) => names.push(&row.name),
            None => hints.push((hint, vec![&row.name])),
        }
    }
    let mut lines = String::new();
    for (hint, names) in hints.iter().take(MAX_FAILED) {
        let first = names.first().copied().unwrap_or_default();
        let more = names.len().saturating_sub(1);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let line = format!("  {first}{more}: {hint}");
        let line: String = line.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        lines = lines + &terminal::wrap(&line, terminal::width(), "    ") + "\n";
    }
    lines
}

/// Prints the summary and the next steps, and returns the exit code of the batch.
///
/// Fails with [`CliError::Stdout`].
pub(super) fn print_report(
    report: &BatchReport,
    next: &NextSteps,
    call: &Call,
) -> Result<ExitCode, CliError> {
    let summary = &report.summary;
    warn_of_unfinished(&report.unfinished);
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
    let line = match (&report.nothing, &summary.stopped) {
        (Some(why), Some(stopped)) => format!("nothing to publish: {why}; {stopped}"),
        (Some(why), None) => format!("nothing to publish: {why}"),
        (None, _) => summary.line(),
    };
    call.print_result(&line, summary)?;
    let out = shorten_path(&report.out);
    let next = next_commands(summary, next, &call.invocation) + &task_hints(summary);
    if !next.is_empty() {
        output::print_words(&format!("Next:\n{next}"));
    }
    let page = out.join("report.html");
    output::print_words(&format!("Results: {}\nReport: {}\n", out.display(), page.display()));
    Ok(summary.outcome.exit_code())
}
