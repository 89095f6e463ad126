//! `papayu-batch fix` and `papayu-batch plan`.

use crate::cli::args::{FixArgs, GlobalArgs, PlanArgs};
use crate::cli::command::input::FixInput;
use crate::cli::launch::{Request, launch};
use crate::cli::{CliError, Output, Session};
use crate::domain::ExitCode;

/// Plans, applies, verifies and hands over.
pub(in crate::cli) fn fix(
    global: &GlobalArgs,
    args: &FixArgs,
    output: &Output,
) -> Result<ExitCode, CliError> {
    let session = Session::open(global, args.flags())?;
    let input = FixInput::read(&args.goal, &args.model, &session);
    launch(&session, request(input, false), output)
}

/// Writes a plan and changes nothing.
pub(in crate::cli) fn plan(
    global: &GlobalArgs,
    args: &PlanArgs,
    output: &Output,
) -> Result<ExitCode, CliError> {
    let session = Session::open(global, args.flags())?;
    let input = FixInput::read(&args.goal, &args.model, &session);
    launch(&session, request(input, true), output)
}

/// Input that cannot be used leaves its outcome, too.
fn request(input: Result<FixInput, CliError>, plan_only: bool) -> Request {
    let FixInput { context, record, quiet } = match input {
        Ok(input) => input,
        Err(error) => return Request { blocked: Some(error), ..Request::default() },
    };
    Request { input: context, plan_only, record, quiet, ..Request::default() }
}
