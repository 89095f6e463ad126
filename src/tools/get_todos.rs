//! `get_todos`: notes left in comments.

use schemars::JsonSchema;
use serde::Serialize;

use super::answer::{TypedAnswer, bounded, join_lines};
use super::get_structure::BelowParams;
use super::reading::is_shown;
use super::tool::{Tool, ToolResult};
use super::workspace::{IndexedCode, ToolSession};
use papayu_index::queries::{self, TodoRow};

/// Notes left in comments.
#[derive(Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(super) struct TodoList<'w> {
    /// The notes, sorted by path and line.
    pub todos: Vec<TodoRow<'w>>,
    /// Number of notes that are left out.
    pub left_out: usize,
}

/// The tool `get_todos`.
pub(super) struct GetTodos;

impl Tool for GetTodos {
    type Params = BelowParams;
    type Output<'w> = TodoList<'w>;
    const NAME: &'static str = "get_todos";
    const DESCRIPTION: &'static str =
        "Lists the notes in comments: TODO, FIXME, HACK, XXX and BUG.";

    fn run<'w>(params: BelowParams, workspace: &'w ToolSession<'w>) -> ToolResult<TodoList<'w>> {
        answer(&params, &workspace.code)
    }
}

/// Answers the tool's question from the index.
///
/// # Errors
///
/// `NotFound` with the name most like it.
pub(super) fn answer<'w>(
    params: &BelowParams,
    code: &'w IndexedCode<'w>,
) -> ToolResult<TodoList<'w>> {
    let below = code.resolve_below(params.path.as_deref())?;
    // Notes are found while a file is parsed, so every file has to be.
    code.index().parse_all();
    let mut rows = queries::list_todos(code.index(), &below);
    rows.retain(|row| is_shown(row.path));
    let (todos, left_out) = bounded(rows);
    let line = |row: &TodoRow<'_>| format!("{}:{}: {} {}", row.path, row.line, row.tag, row.text);
    let text = join_lines(todos.iter().map(line), left_out);
    let files: Vec<String> = todos.iter().map(|row| row.path.to_owned()).collect();
    Ok(TypedAnswer::new(TodoList { todos, left_out }, text, files))
}
