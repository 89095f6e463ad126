//! `papayu-batch runs continue`: a run with the request and the failed attempts of an earlier one.

use std::path::{Path, PathBuf};

use super::stored_runs::{find_run, read_all, read_run, runs_folder};
use crate::cli::args::ContinueArgs;
use crate::cli::launch::run_request;
use crate::cli::{Call, CliError, runtime};
use crate::fix::continued::{ContinueError, RecordedRequest};
use crate::fix::run_context::RunContext;
use crate::fix::runtime::Runtime;
use crate::fix::{Request, Session};
use papayu_base::domain::ExitCode;

/// Continues the run that is named.
///
/// Fails with [`ContinueError`] if the run ended in a way that is not continued, was continued already, or was
/// of another repository or commit, or if its record or input cannot be used; with [`CliError::NotOneRun`] if
/// the name is not that of one run; and as [`run_request`] does.
pub(super) fn continue_run(call: &Call, args: &ContinueArgs) -> Result<ExitCode, CliError> {
    let session = runtime::open_session(call, Vec::new())?;
    let folder = find_run(&session, &args.run)?;
    let outcome = read_run(&session, &folder)?.outcome;
    let record = RecordedRequest::read(&session, &folder, &outcome, head_of(&session).as_deref())?;
    let later = read_all(&session, &runs_folder(&session))?;
    let later = later.iter().find(|run| run.outcome.continues.as_ref() == Some(&outcome.run_id));
    if let Some(later) = later {
        let (id, by) = (outcome.run_id.to_string(), later.outcome.run_id.to_string());
        return Err(ContinueError::ContinuedBy { id, by }.into());
    }
    let given = args.flags();
    let flags = [record.flags(&given), given].concat();
    let session = runtime::open_run_session(call, flags)?;
    let input = record.input();
    let blocked = input.check(&session).err();
    let (plan_only, history) = (record.plan_only, record.history(&outcome.run_id));
    let recording = args.model.record.clone();
    let request =
        Request { input, plan_only, history, blocked, record: recording, ..Request::default() };
    let request = with_record(&session, request);
    run_request(&session, request, call)
}

/// Returns the request with what `runs continue` needs. A request with results in another folder is not recorded.
pub(super) fn with_record(session: &Session, request: Request) -> Request {
    if session.settings.out_dir.value.is_some() || request.input.finding.is_some() {
        return request;
    }
    let absolute = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| PathBuf::from(path));
    let mut recorded = RecordedRequest::of(session, &request.input, absolute);
    recorded.plan_only = request.plan_only;
    let history = request.history.clone().with_record(recorded);
    Request { history, ..request }
}

/// Returns the commit that is checked out; `None` outside of git.
fn head_of(session: &Session) -> Option<String> {
    let limit = session.settings.run_timeout_sec.value;
    let outside = Runtime::new(session, &std::sync::Arc::default()).ending_at(limit);
    let events = papayu_base::domain::NoEvents;
    let context = RunContext { session, runtime: &outside, events: &events };
    let head = context.open_git().ok()?.head_commit().ok()?;
    Some(head.to_string())
}
