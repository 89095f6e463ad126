//! Runs a request for a command, and reports its end to people and CI systems.

use std::path::{Path, PathBuf};

use super::call::Call;
use super::ci;
use super::ending::RunSummary;
use super::error::CliError;
use super::runtime;
use crate::emit;
use crate::fix::green::{find_remote_of_branch, has_remote};
use crate::fix::run::{self, out_folder};
use crate::fix::run_context::RunContext;
use crate::fix::runtime::Runtime;
use crate::fix::{FixError, Request, Session};
use crate::settings::Emit;
use papayu_base::domain::{ExitCode, FailureReport, Outcome};
use papayu_system::Disk as _;

/// Runs the request and reports its end. `outcome.json` is written in any case.
///
/// Fails with the error that ended the run, after its results are written, and with [`CliError::Fix`] or
/// [`CliError::Stdout`] if these cannot be written or printed. A run that fixes nothing is an exit code, not an
/// error.
pub(super) fn run_request(
    session: &Session,
    request: Request,
    call: &Call,
) -> Result<ExitCode, CliError> {
    let limit = session.settings.run_timeout_sec.value;
    let outside = runtime::open_runtime(session)?.ending_at(limit);
    let events = runtime::observe_run(session, &outside.masker, call.loudness());
    let context = RunContext { session, runtime: &outside, events: &events };
    let fixed = run::run(context, request);
    let results = ci::RunResults {
        failure: &fixed.failure,
        patch: &fixed.patch,
        change: fixed.change.as_ref(),
        out: &fixed.out,
    };
    if let Some(error) = fixed.error {
        if fixed.outcome_written {
            // The error that ended the run is returned; an error of the report would hide it.
            let _ = ci::write_reports(session, &outside, &fixed.outcome, results);
        }
        return Err(error.into());
    }
    ci::write_reports(session, &outside, &fixed.outcome, results)?;
    call.print_ending(&RunSummary {
        outcome: &fixed.outcome,
        failure: &fixed.failure,
        patch: &fixed.patch,
        plan: fixed.plan.as_deref(),
        out: &fixed.out,
        repo: &session.repo,
        folder: folder_below_top(session).as_deref(),
        is_publication: false,
        is_kept: session.settings.run_emit.value.contains(&Emit::Worktree),
        has_remote: fixed.outcome.bundle_path.is_some() && has_remote(context),
        remote_of_branch: remote_of_branch(session, &outside, &fixed.outcome),
    })
}

/// Returns the remote that alone has the branch of an outcome.
fn remote_of_branch(session: &Session, outside: &Runtime, outcome: &Outcome) -> Option<String> {
    find_remote_of_branch(session, outside, outcome.branch.as_deref()?)
}

/// Returns the repository's folder relative to the top of git's working tree; `None` if it is the top,
/// or in no working tree.
fn folder_below_top(session: &Session) -> Option<PathBuf> {
    let (root, disk) = (session.tree.root(), &session.disk);
    let is_top = |folder: &&Path| {
        let git = folder.join(".git");
        // In a linked working tree it is a file.
        disk.is_file(&git) || disk.is_file(&git.join("HEAD"))
    };
    let below = root.strip_prefix(root.ancestors().find(is_top)?).ok()?;
    (below != Path::new("")).then(|| below.to_owned())
}

/// Writes the outcome of a publication and reports it. Without `--out`, its folder is inside the folder of the run
/// that made the fix, so that the outcome of that run stays.
///
/// Fails with [`FixError::Write`] if a file cannot be written, and with [`CliError::Stdout`].
pub(super) fn finish_without_run(
    session: &Session,
    outside: &Runtime,
    mut outcome: Outcome,
    failure: &FailureReport,
    call: &Call,
) -> Result<ExitCode, CliError> {
    let mut out = out_folder(session, &outcome.run_id);
    if session.settings.out_dir.value.is_none() {
        out.push("publish");
    }
    outcome.reason = outside.masker.mask(&outcome.reason).into_owned();
    let files = emit::Results::default();
    emit::write_results(outside.system().disk, &out, &mut outcome, &files, &outside.masker)
        .map_err(|error| FixError::Write { path: error.path, source: error.source })?;
    let results = ci::RunResults { failure, patch: &[], change: None, out: &out };
    ci::write_reports(session, outside, &outcome, results)?;
    call.print_ending(&RunSummary {
        outcome: &outcome,
        failure,
        patch: &[],
        plan: None,
        out: &out,
        repo: &session.repo,
        folder: None,
        is_publication: true,
        is_kept: false,
        has_remote: true,
        remote_of_branch: remote_of_branch(session, outside, &outcome),
    })
}
