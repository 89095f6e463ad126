//! `papayu-batch fix` and `papayu-batch plan`.

use crate::cli::args::{FixArgs, GlobalArgs, GoalArgs, ModelArgs, PlanArgs};
use crate::cli::command::findings::fix_findings;
use crate::cli::command::input;
use crate::cli::launch::run_request;
use crate::cli::{CliError, Output, runtime};
use crate::domain::ExitCode;
use crate::fix::{Request, Session};

/// Plans, applies, verifies and hands over.
pub(in crate::cli) fn run_fix(
    global: &GlobalArgs,
    args: &FixArgs,
    output: &Output,
) -> Result<ExitCode, CliError> {
    if let Some(source) = args.findings.source() {
        return fix_findings(global, args, &source, output);
    }
    let session = runtime::open_run_session(global, args.flags())?;
    let request = build_request(&session, &args.goal, &args.model, false);
    run_request(&session, request, output)
}

/// Writes a plan and changes nothing.
pub(in crate::cli) fn run_plan(
    global: &GlobalArgs,
    args: &PlanArgs,
    output: &Output,
) -> Result<ExitCode, CliError> {
    let session = runtime::open_run_session(global, args.flags())?;
    let request = build_request(&session, &args.goal, &args.model, true);
    run_request(&session, request, output)
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
