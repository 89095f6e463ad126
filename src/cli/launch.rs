//! Runs a request for a command, and reports its end to people and CI systems.

use super::ci;
use super::error::CliError;
use super::output::Output;
use super::runtime;
use crate::domain::{ExitCode, FailureReport, Outcome};
use crate::emit;
use crate::fix::run::{self, out_folder};
use crate::fix::run_context::RunContext;
use crate::fix::runtime::Runtime;
use crate::fix::{FixError, Request, Session};

/// Runs the request and reports its end. `outcome.json` is written in any case.
pub(super) fn run_request(
    session: &Session,
    request: Request,
    quiet: bool,
    output: &Output,
) -> Result<ExitCode, CliError> {
    let outside = runtime::open_runtime(session)?;
    let events = runtime::observe_run(session, &outside.masker, quiet);
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
    output.print_outcome(&fixed.outcome, &fixed.patch, fixed.plan.as_deref(), &fixed.out)
}

/// Writes the outcome of a publication and reports it. Without `--out`, its folder is inside the folder of the run
/// that made the fix, so that the outcome of that run stays.
pub(super) fn finish_without_run(
    session: &Session,
    outside: &Runtime,
    mut outcome: Outcome,
    failure: &FailureReport,
    output: &Output,
) -> Result<ExitCode, CliError> {
    let mut out = out_folder(session, &outcome.run_id);
    if session.settings.out_dir.value.is_none() {
        out.push("publish");
    }
    outcome.reason = outside.masker.mask(&outcome.reason).into_owned();
    let files = emit::Results { patch: &[], plan: None, log: "" };
    emit::write_results(outside.system().disk, &out, &mut outcome, &files)
        .map_err(|error| FixError::Write { path: error.path, source: error.source })?;
    let results = ci::RunResults { failure, patch: &[], change: None, out: &out };
    ci::write_reports(session, outside, &outcome, results)?;
    output.print_outcome(&outcome, &[], None, &out)
}
