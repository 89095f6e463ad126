//! `papayu-batch index`: brings the index up to date and puts one question to it.

mod answers;
mod calls;
mod open;
mod relations;
mod summary;

use crate::cli::args::{GlobalArgs, IndexArgs, IndexQuestion};
use crate::cli::{CliError, Output, runtime};
use crate::domain::ExitCode;
use crate::index::IncrementalIndex;

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
    let place = open::IndexedRepository::open(&session)?;
    if args.force {
        place.clear_cache();
    }
    let mut keeper = IncrementalIndex::default();
    if args.watch {
        return summary::watch_index(&session, &place, &mut keeper, output);
    }
    let code = open::FreshIndex::refresh(&session, &place, &mut keeper)?;
    let Some(question) = &args.question else {
        summary::print_summary(code.index, &code.summary, output)?;
        return Ok(ExitCode::Ok);
    };
    match question {
        IndexQuestion::Symbols { query, limit } => {
            answers::print_symbols(&code, query.as_deref().unwrap_or_default(), *limit, output)?;
        }
        IndexQuestion::Definition { name } => answers::print_definition(&code, name, output)?,
        IndexQuestion::References { name } => answers::print_references(&code, name, output)?,
        IndexQuestion::Callers { name } => calls::print_calls(&code, name, false, output)?,
        IndexQuestion::Callees { name } => calls::print_calls(&code, name, true, output)?,
        IndexQuestion::Dependencies { path } => relations::print_dependencies(&code, path, output)?,
        IndexQuestion::Dependents { path } => relations::print_dependents(&code, path, output)?,
        IndexQuestion::Complexity { path, limit } => {
            answers::print_complexity(&code, path.as_deref(), *limit, output)?;
        }
        IndexQuestion::Todos { path } => answers::print_todos(&code, path.as_deref(), output)?,
        IndexQuestion::Cycles => relations::print_cycles(&code, output)?,
        IndexQuestion::Hubs => relations::print_hubs(&code, output)?,
        IndexQuestion::Outline { path } => answers::print_outline(&code, path, output)?,
    }
    Ok(ExitCode::Ok)
}
