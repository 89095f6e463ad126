//! `papayu-batch index`: brings the index up to date and puts one question to it.

mod answers;
mod calls;
mod open;
mod relations;
mod summary;

use crate::cli::args::{GlobalArgs, IndexArgs, IndexQuestion};
use crate::cli::{CliError, Output, runtime};
use crate::domain::ExitCode;
use crate::index::Keeper;

/// Sums the index up, or answers.
pub(in crate::cli) fn run(
    global: &GlobalArgs,
    args: &IndexArgs,
    output: &Output,
) -> Result<ExitCode, CliError> {
    if args.watch && args.question.is_some() {
        return Err(CliError::WatchedQuestion);
    }
    let session = runtime::open_session(global, Vec::new())?;
    let place = open::Place::open(&session)?;
    if args.force {
        place.forget();
    }
    let mut keeper = Keeper::default();
    if args.watch {
        return summary::watch(&session, &place, &mut keeper, output);
    }
    let code = open::Code::refreshed(&session, &place, &mut keeper)?;
    let Some(question) = &args.question else {
        summary::print(code.index, &code.summary, output)?;
        return Ok(ExitCode::Ok);
    };
    match question {
        IndexQuestion::Symbols { query, limit } => {
            answers::symbols(&code, query.as_deref().unwrap_or_default(), *limit, output)?;
        }
        IndexQuestion::Definition { name } => answers::definition(&code, name, output)?,
        IndexQuestion::References { name } => answers::references(&code, name, output)?,
        IndexQuestion::Callers { name } => calls::calls(&code, name, false, output)?,
        IndexQuestion::Callees { name } => calls::calls(&code, name, true, output)?,
        IndexQuestion::Dependencies { path } => relations::dependencies(&code, path, output)?,
        IndexQuestion::Dependents { path } => relations::dependents(&code, path, output)?,
        IndexQuestion::Complexity { path, limit } => {
            answers::complexity(&code, path.as_deref(), *limit, output)?;
        }
        IndexQuestion::Todos { path } => answers::todos(&code, path.as_deref(), output)?,
        IndexQuestion::Cycles => relations::cycles(&code, output)?,
        IndexQuestion::Hubs => relations::hubs(&code, output)?,
        IndexQuestion::Outline { path } => answers::outline(&code, path, output)?,
    }
    Ok(ExitCode::Ok)
}
