//! `papayu-batch apply --plan`, `undo` and `redo`.

use std::io::Read as _;
use std::path::{Path, PathBuf};

use serde_json::json;

use super::stored_runs;
use crate::apply;
use crate::cli::args::ApplyArgs;
use crate::cli::launch::run_request;
use crate::cli::wording::shorten_path;
use crate::cli::{Call, CliError, output, runtime};
use crate::engine::plan_file::{self, Saved};
use crate::fix::{FixError, Request, Session};
use papayu_base::domain::{ErrorCode, ExitCode, RepoPath};
use papayu_patch::protocol::Refusal;
use papayu_patch::protocol::extract::MAX_REPLY_BYTES;
use papayu_system::Disk as _;

/// Applies a saved plan, or a bare reply of the protocol: the file that is named, or the plan of the newest run
/// that left one.
///
/// Fails with [`CliError::NoPlan`] if there is none, and as [`run_request`] does; a file that is no plan is
/// recorded in `outcome.json` as well.
pub(crate) fn run_apply(call: &Call, args: &ApplyArgs) -> Result<ExitCode, CliError> {
    let session = runtime::open_run_session(call, args.flags())?;
    let request = Request { record: args.model.record.clone(), ..Request::default() };
    let path = plan_file(&session, args)?;
    let request = match read_saved(&session, &path) {
        Ok(Saved::Plan(plan)) => Request { plan: Some(*plan), ..request },
        Ok(Saved::Actions(set)) => Request { given: Some(*set), ..request },
        // The error is passed on, so that it is recorded in `outcome.json` as well.
        Err(error) => Request { blocked: Some(error), ..request },
    };
    run_request(&session, request, call)
}

/// Returns the named file, or that of the newest plan, and prints the path of the latter.
fn plan_file(session: &Session, args: &ApplyArgs) -> Result<PathBuf, CliError> {
    if let Some(Some(path)) = &args.plan {
        return Ok(path.clone());
    }
    let outcome = stored_runs::newest_plan(session)?;
    let path = PathBuf::from(outcome.plan_path.unwrap_or_default());
    output::print_words(&format!(
        "applying the plan of run {}: {}\n",
        outcome.run_id,
        shorten_path(&path).display()
    ));
    Ok(path)
}

/// Reads the file and decides whether it is a plan or a reply.
fn read_saved(session: &Session, path: &Path) -> Result<Saved, FixError> {
    let text = read_plan(session, path)?;
    plan_file::read(&text, session.settings.protocol_version.value).map_err(FixError::Plan)
}

/// Reads the plan, at most one byte more than the limit: the protocol check then reports the
/// length.
fn read_plan(session: &Session, path: &Path) -> Result<String, FixError> {
    let fault = |source| FixError::Read { path: path.to_owned(), source };
    let mut bytes = Vec::new();
    let source = session.disk.open(path).map_err(fault)?;
    source.take(MAX_REPLY_BYTES as u64 + 1).read_to_end(&mut bytes).map_err(fault)?;
    let too_long = bytes.len() > MAX_REPLY_BYTES;
    match String::from_utf8(bytes) {
        Ok(text) => Ok(text),
        // The limit may have cut a character in two.
        Err(error) if too_long => Ok(String::from_utf8_lossy(error.as_bytes()).into_owned()),
        // A replacement character would be written into the user's files.
        Err(error) => {
            let reason = format!("it is not UTF-8: {}", error.utf8_error());
            let code = ErrorCode::JsonParse;
            Err(FixError::Plan(Refusal::of_reply(code, reason)))
        }
    }
}

/// Reverts the last kept change, or the change of an interrupted run.
///
/// Fails as [`apply::undo`] does; the tree is unchanged then.
pub(crate) fn undo_change(call: &Call) -> Result<ExitCode, CliError> {
    let session = runtime::open_session(call, Vec::new())?;
    let undone = apply::undo(session.tree.as_ref()).map_err(FixError::Apply)?;
    let what = if undone.interrupted { "the interrupted run" } else { "the change of run" };
    print_paths(call, &format!("reverted {what} {}", undone.run_id), &undone.paths)
}

/// Applies the change again that was reverted last.
///
/// Fails as [`apply::redo`] does; the tree is unchanged then.
pub(crate) fn redo_change(call: &Call) -> Result<ExitCode, CliError> {
    let session = runtime::open_session(call, Vec::new())?;
    let redone = apply::redo(session.tree.as_ref()).map_err(FixError::Apply)?;
    print_paths(call, &format!("made the change of run {} again", redone.run_id), &redone.paths)
}

/// Prints the changed paths.
fn print_paths(call: &Call, what: &str, paths: &[RepoPath]) -> Result<ExitCode, CliError> {
    let names: Vec<&str> = paths.iter().map(RepoPath::as_str).collect();
    let text = format!("{what}:\n  {}", names.join("\n  "));
    call.print_result(&text, &json!({ "what": what, "paths": names }))?;
    Ok(ExitCode::Ok)
}
