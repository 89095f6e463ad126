//! `papayu-batch fix` and `papayu-batch plan`.

use crate::cli::args::{FixArgs, GoalArgs, ModelArgs, PlanArgs};
use crate::cli::command::continue_run::with_record;
use crate::cli::command::findings::fix_findings;
use crate::cli::command::input;
use crate::cli::launch::run_request;
use crate::cli::{Call, CliError, runtime};
use crate::fix::{Request, Session};
use papayu_base::domain::ExitCode;

/// Plans, applies, verifies and delivers. Input that cannot be used is recorded in `outcome.json`.
///
/// Fails as [`run_request`] or [`fix_findings`] does.
pub(crate) fn run_fix(call: &Call, args: &FixArgs) -> Result<ExitCode, CliError> {
    if let Some(source) = args.findings.source() {
        return fix_findings(call, args, &source);
    }
    let session = runtime::open_run_session(call, args.flags())?;
    let request = build_request(&session, &args.goal, &args.model, false);
    let request = with_record(&session, request);
    run_request(&session, request, call)
}

/// Writes a plan and changes nothing in the repository.
///
/// Fails as [`run_request`] does.
pub(crate) fn run_plan(call: &Call, args: &PlanArgs) -> Result<ExitCode, CliError> {
    let session = runtime::open_run_session(call, args.flags())?;
    let request = build_request(&session, &args.goal, &args.model, true);
    let request = with_record(&session, request);
    run_request(&session, request, call)
}

/// Input that cannot be used leaves its outcome, too.
fn build_request(
    session: &Session,
    goal: &GoalArgs,
    model: &ModelArgs,
    plan_only: bool,
) -> Request {
    let input =
        input::read_input(goal, session).and_then(|input| input.check(session).map(|()| input));
    match input {
        Ok(input) => {
            Request { input, plan_only, record: model.record.clone(), ..Request::default() }
        }
        Err(error) => Request { blocked: Some(error), ..Request::default() },
    }
}
