//! `papayu-batch index`: brings the index up to date and puts one question to it.

mod answers;
mod calls;
mod open;
mod relations;
mod summary;

use self::open::{FreshIndex, IndexAnswer, IndexedRepository};
use crate::cli::args::{IndexArgs, IndexQuestion};
use crate::cli::{Call, CliError, runtime};
use papayu_base::domain::ExitCode;
use papayu_index::IncrementalIndex;

/// Prints the totals of the index, or the answer to a question.
///
/// Fails with [`CliError::WatchedQuestion`] for `--watch` with a question, with [`CliError::NotIndexed`] for an
/// unknown name or file, and as [`open_indexed`](crate::fix::indexed::open_indexed) does.
pub(crate) fn run(call: &Call, args: &IndexArgs) -> Result<ExitCode, CliError> {
    if args.watch && args.question.is_some() {
        return Err(CliError::WatchedQuestion);
    }
    let session = runtime::open_session(call, Vec::new())?;
    let place = IndexedRepository::open(&session)?;
    if args.force {
        place.clear_cache();
    }
    // With `--force` everything is computed again.
    let store = if args.force { None } else { place.open_store(&session) };
    let sources = place.sources(store.as_deref());
    let mut keeper = IncrementalIndex::default();
    if args.watch {
        return summary::watch_index(&session, &sources, &mut keeper, call);
    }
    let code = FreshIndex::refresh(&session, &place, sources, &mut keeper)?;
    let answer = match &args.question {
        None => summary::sum_up(code.index, &code.summary),
        Some(question) => answer_question(&code, question)?,
    };
    call.print_result(&answer.text, &answer.json)?;
    Ok(ExitCode::Ok)
}

/// Returns the answer to a question about an index that is up to date.
fn answer_question(
    code: &FreshIndex<'_>,
    question: &IndexQuestion,
) -> Result<IndexAnswer, CliError> {
    match question {
        IndexQuestion::Symbols { query, limit } => {
            answers::find_symbols(code, query.as_deref().unwrap_or_default(), *limit)
        }
        IndexQuestion::Definition { name } => answers::find_definition(code, name),
        IndexQuestion::References { name } => answers::find_references(code, name),
        IndexQuestion::Callers { name } => calls::list_calls(code, name, false),
        IndexQuestion::Callees { name } => calls::list_calls(code, name, true),
        IndexQuestion::Dependencies { path } => relations::list_dependencies(code, path),
        IndexQuestion::Dependents { path } => relations::list_dependents(code, path),
        IndexQuestion::Complexity { path, limit } => {
            answers::list_complexity(code, path.as_deref(), *limit)
        }
        IndexQuestion::Todos { path } => answers::list_todos(code, path.as_deref()),
        IndexQuestion::Cycles => Ok(relations::list_cycles(code)),
        IndexQuestion::Hubs => Ok(relations::list_hubs(code)),
        IndexQuestion::Outline { path } => answers::outline_file(code, path),
    }
}
