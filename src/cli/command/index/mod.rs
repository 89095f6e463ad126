//! `papayu-batch index`: brings the index up to date and puts one question to it.

mod answers;
mod open;
mod relations;
mod summary;

use crate::cli::args::{GlobalArgs, IndexArgs, IndexQuestion};
use crate::cli::{CliError, Output, Session};
use crate::domain::ExitCode;

/// Sums the index up, or answers.
pub(in crate::cli) fn run(
    global: &GlobalArgs,
    args: &IndexArgs,
    output: &Output,
) -> Result<ExitCode, CliError> {
    let session = Session::open(global, Vec::new())?;
    let code = open::Code::read(&session)?;
    let Some(question) = &args.question else {
        summary::print(&code, output)?;
        return Ok(ExitCode::Ok);
    };
    match question {
        IndexQuestion::Symbols { query, limit } => {
            answers::symbols(&code, query.as_deref().unwrap_or_default(), *limit, output)?;
        }
        IndexQuestion::Definition { name } => answers::definition(&code, name, output)?,
        IndexQuestion::References { name } => answers::references(&code, name, output)?,
        IndexQuestion::Dependencies { path } => relations::dependencies(&code, path, output)?,
        IndexQuestion::Dependents { path } => relations::dependents(&code, path, output)?,
        IndexQuestion::Complexity { path, limit } => {
            answers::complexity(&code, path.as_deref(), *limit, output)?;
        }
        IndexQuestion::Todos { path } => answers::todos(&code, path.as_deref(), output)?,
        IndexQuestion::Cycles => relations::cycles(&code, output)?,
        IndexQuestion::Hubs => relations::hubs(&code, output)?,
        IndexQuestion::Search { query, regex, limit } => {
            answers::search(&code, query, *regex, *limit, output)?;
        }
        IndexQuestion::Outline { path } => answers::outline(&code, path, output)?,
    }
    Ok(ExitCode::Ok)
}
