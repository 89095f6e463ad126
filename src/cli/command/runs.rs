//! `papayu-batch runs`: earlier runs, listed, shown, compared with the tree they began with, continued, deleted.

use std::sync::Arc;

use serde_json::{Value, json};

use super::continue_run::continue_run;
use super::stored_runs::{
    find_run, pick_run, pick_shared, read_all, read_refused, read_shared, run_id_of, runs_folder,
};
use crate::cli::args::{RunsArgs, RunsCommand};
use crate::cli::{Call, CliError, Session, diff_text, output, runs_text, runtime, terminal};
use crate::fix::FixError;
use crate::fix::continued::forget_run;
use crate::report::diff;
use papayu_base::domain::{ExitCode, Outcome};
use papayu_system::os::OsClock;
use papayu_system::{Clock as _, Disk as _};

/// Lists, shows, compares, continues or deletes runs of the repository, as the arguments name it.
///
/// Fails as [`pick_run`] and [`continue_run`] do, and with the error of a run that cannot be deleted.
pub(crate) fn run_runs(call: &Call, args: &RunsArgs) -> Result<ExitCode, CliError> {
    let session = runtime::open_session(call, Vec::new())?;
    match &args.command {
        RunsCommand::List { shared: true } => list_runs(&read_shared(&session)?, call)?,
        RunsCommand::List { shared: false } => {
            let runs = read_all(&session, &runs_folder(&session))?;
            let outcomes: Vec<Outcome> = runs.into_iter().map(|run| run.outcome).collect();
            list_runs(&outcomes, call)?;
        }
        RunsCommand::Show { pick, shared } => {
            let outcome = if *shared {
                pick_shared(&session, pick)?
            } else {
                pick_run(&session, pick)?.outcome
            };
            let text = runs_text::show_run(&outcome, &now(), terminal::width());
            call.print_result(&text, &json!(outcome))?;
        }
        RunsCommand::Diff(pick) => {
            let run = pick_run(&session, pick)?;
            let mut patch = run.patch;
            if patch.is_empty() {
                patch = read_refused(&session, run.outcome.run_id.as_str())?;
                let end = run.outcome.outcome.words();
                output::print_words(&if patch.is_empty() {
                    format!("the run made no change: {end}\n")
                } else {
                    format!("the last change of the run, which is not in the files: {end}\n")
                });
            }
            let files = diff::read(&patch);
            call.print_result(&diff_text::paint_files(&files), &json!(files))?;
        }
        RunsCommand::Continue(args) => return continue_run(call, args),
        RunsCommand::Delete { runs } => delete_runs(&session, runs, call)?,
    }
    Ok(ExitCode::Ok)
}

fn now() -> String {
    OsClock::new(Arc::default()).timestamp()
}

/// Prints runs, the newest last.
fn list_runs(outcomes: &[Outcome], call: &Call) -> Result<(), CliError> {
    let text = runs_text::list_runs(outcomes, &now(), terminal::width());
    let rows: Vec<Value> = outcomes
        .iter()
        .map(|outcome| {
            json!({
                "started_at": outcome.started_at,
                "run_id": outcome.run_id,
                "outcome": outcome.outcome,
                "reason": outcome.reason,
                "changed_files": outcome.changed_files,
                "tokens": outcome.tokens,
                "cost_usd": outcome.cost_usd,
            })
        })
        .collect();
    call.print_result(&text, &Value::Array(rows))
}

/// Deletes all or none that are not found: names are looked up before anything goes.
fn delete_runs(session: &Session, names: &[String], call: &Call) -> Result<(), CliError> {
    let mut found =
        names.iter().map(|name| find_run(session, name)).collect::<Result<Vec<_>, _>>()?;
    // Two beginnings may name the same run.
    found.sort();
    found.dedup();
    for path in &found {
        let deleted = session.disk.delete_folder(path);
        deleted.map_err(|source| FixError::Write { path: path.clone(), source })?;
        forget_run(session, &run_id_of(path));
    }
    let names: Vec<String> = found.iter().map(|path| run_id_of(path)).collect();
    call.print_result(&format!("deleted {}", names.join(", ")), &json!({ "deleted": names }))
}
