//! Answers the context requests of a model's plan with the tools of the same names.

use super::answer::join_lines;
use super::error::ToolError;
use super::find_definition::SymbolParams;
use super::get_dependencies::FileParams;
use super::get_function::{self, CLASSES, FUNCTIONS, find_in_file};
use super::get_structure::BelowParams;
use super::search_code::{self, hit_line, search_lines};
use super::workspace::IndexedCode;
use super::{
    find_definition, find_references, get_complexity, get_dependencies, get_dependents,
    get_structure, get_todos,
};
use papayu_base::domain::ContextRequest;

/// Returns the text that the tool named by a request about the index would return; `None` for other requests.
///
/// # Errors
///
/// The [`ToolError`] of the tool, such as that of a name that the index does not have.
pub fn answer_request<'w>(
    request: &ContextRequest,
    code: &'w IndexedCode<'w>,
) -> Option<Result<String, ToolError>> {
    let symbol = |symbol: &String| SymbolParams { symbol: symbol.clone() };
    let below = |path: &Option<String>| BelowParams { path: path.clone() };
    let file = |path: &String| FileParams { path: path.clone() };
    Some(match request {
        ContextRequest::FindDefinition { symbol: name } => {
            find_definition::answer(&symbol(name), code).map(|found| found.text)
        }
        ContextRequest::FindReferences { symbol: name } => {
            find_references::answer(&symbol(name), code).map(|found| found.text)
        }
        ContextRequest::GetStructure { path } => {
            get_structure::answer(&below(path), code).map(|found| found.text)
        }
        ContextRequest::GetComplexity { path } => {
            get_complexity::answer(&below(path), code).map(|found| found.text)
        }
        ContextRequest::GetTodos { path } => {
            get_todos::answer(&below(path), code).map(|found| found.text)
        }
        ContextRequest::GetDependencies { path } => {
            get_dependencies::answer(&file(path), code).map(|found| found.text)
        }
        ContextRequest::GetDependents { path } => {
            get_dependents::answer(&file(path), code).map(|found| found.text)
        }
        _ => return None,
    })
}

/// Returns the first and last lines of the definitions that `get_function` or `get_class` would return.
///
/// # Errors
///
/// `NotFound` with the name most like it.
pub fn find_lines(
    path: &str,
    name: &str,
    is_class: bool,
    code: &IndexedCode<'_>,
) -> Result<Vec<(u32, u32)>, ToolError> {
    let params = get_function::GetFunctionParams { path: path.to_owned(), name: name.to_owned() };
    let rows = find_in_file(&params, if is_class { CLASSES } else { FUNCTIONS }, code)?;
    Ok(rows.iter().map(|row| (row.start, row.end)).collect())
}

/// Returns the lines of `files` that contain a text, as `search_code` returns them.
///
/// # Errors
///
/// `Parameter` for an empty query or a glob that cannot be read.
pub fn search_text(
    query: &str,
    glob: Option<&str>,
    files: &[String],
    code: &IndexedCode<'_>,
) -> Result<String, ToolError> {
    let params = search_code::SearchCodeParams {
        query: query.to_owned(),
        regex: false,
        glob: glob.map(str::to_owned),
    };
    let (lines, left_out) =
        search_lines(&params, files.iter().map(String::as_str), code.text_search())?;
    Ok(join_lines(lines.iter().map(hit_line), left_out))
}
