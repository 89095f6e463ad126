//! `papayu-batch fix` and `papayu-batch plan`.

use crate::cli::args::{FixArgs, GlobalArgs, GoalArgs, ModelArgs, PlanArgs};
use crate::cli::command::input;
use crate::cli::launch::launch;
use crate::cli::{CliError, Output, doors};
use crate::domain::ExitCode;
use crate::fix::{Request, Session};

/// Plans, applies, verifies and hands over.
pub(in crate::cli) fn fix(
    global: &GlobalArgs,
    args: &FixArgs,
    output: &Output,
) -> Result<ExitCode, CliError> {
    let session = doors::session(global, args.flags())?;
    let request = request(&session, &args.goal, &args.model, false);
    launch(&session, request, args.model.quiet, output)
}

/// Writes a plan and changes nothing.
pub(in crate::cli) fn plan(
    global: &GlobalArgs,
    args: &PlanArgs,
    output: &Output,
) -> Result<ExitCode, CliError> {
    let session = doors::session(global, args.flags())?;
    let request = request(&session, &args.goal, &args.model, true);
    launch(&session, request, args.model.quiet, output)
}

/// Input that cannot be used leaves its outcome, too.
fn request(session: &Session, goal: &GoalArgs, model: &ModelArgs, plan_only: bool) -> Request {
    match input::read(goal, session) {
        Ok(input) => {
            Request { input, plan_only, record: model.record.clone(), ..Request::default() }
        }
        Err(error) => Request { blocked: Some(error), ..Request::default() },
    }
}
