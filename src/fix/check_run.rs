//! A check run on the commit that a run was made for.

use super::forge_access;
use super::run_context::RunContext;
use crate::emit::step_summary;
use crate::publish;
use papayu_base::domain::{FailureReport, Outcome};

/// Creates the check run if the settings request one; a failure to do so is a notice.
pub(crate) fn create_check_run(
    context: RunContext<'_>,
    outcome: &mut Outcome,
    failure: &FailureReport,
    patch: &[u8],
) {
    if !context.session.settings.pr_check_run.value {
        return;
    }
    if let Err(notice) = send_check_run(context, outcome, failure, patch) {
        outcome.notices.push(notice);
    }
}

/// Sends the result to the forge as a check run, and returns the address of the check run.
///
/// # Errors
///
/// Returns the notice for the user: git cannot be read, no token is set, or the forge refused.
fn send_check_run(
    context: RunContext<'_>,
    outcome: &Outcome,
    failure: &FailureReport,
    patch: &[u8],
) -> Result<String, String> {
    let found = forge_access::commit_and_forge(context);
    let (head, access) = found.map_err(|error| error.to_string())?;
    let forge = access.open(context).map_err(|error| error.to_string())?;
    let summary = step_summary::render_step_summary(outcome, failure, patch);
    let summary = context.runtime.masker.mask(&summary).into_owned();
    let check = publish::check_run(outcome, failure, &head, summary);
    forge.check_run(&check).map_err(|error| error.to_string())
}
