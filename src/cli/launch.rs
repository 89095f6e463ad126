//! Runs a request for a command, and reports its end to people and CI systems.

use super::ci;
use super::doors;
use super::error::CliError;
use super::output::Output;
use crate::domain::{ExitCode, FailureReport, Outcome};
use crate::emit;
use crate::fix::outside::Outside;
use crate::fix::run::{self, out_folder};
use crate::fix::{FixError, Request, Session};

/// Runs the request and reports its end. `outcome.json` is written in any case.
pub(super) fn launch(
    session: &Session,
    request: Request,
    quiet: bool,
    output: &Output,
) -> Result<ExitCode, CliError> {
    let outside = doors::outside(session)?;
    let events = doors::observe(session, &outside.masker, quiet);
    let fixed = run::run(session, &outside, &events, request);
    let told = ci::Told {
        failure: &fixed.failure,
        patch: &fixed.patch,
        change: fixed.change.as_ref(),
        out: &fixed.out,
    };
    if let Some(error) = fixed.error {
        if fixed.told {
            // The error that ended the run is returned; an error of the report would hide it.
            let _ = ci::tell(session, &outside, &fixed.outcome, told);
        }
        return Err(error.into());
    }
    ci::tell(session, &outside, &fixed.outcome, told)?;
    output.outcome(&fixed.outcome, &fixed.patch, fixed.plan.as_deref(), &fixed.out)
}

/// Writes an outcome without a run, and reports it.
pub(super) fn leave(
    session: &Session,
    outside: &Outside,
    (mut outcome, failure): (Outcome, &FailureReport),
    output: &Output,
) -> Result<ExitCode, CliError> {
    let out = out_folder(session, &outcome.run_id);
    outcome.reason = outside.masker.mask(&outcome.reason).into_owned();
    let results = emit::Results { patch: &[], plan: None, log: "" };
    emit::write_results(outside.system().disk, &out, &mut outcome, &results)
        .map_err(|error| FixError::Write { path: error.path, source: error.source })?;
    let told = ci::Told { failure, patch: &[], change: None, out: &out };
    ci::tell(session, outside, &outcome, told)?;
    output.outcome(&outcome, &[], None, &out)
}
