//! The answer of a tool: data that follows its output schema, a text, and the files that it names.

use serde_json::Value;

/// Most characters of the text of an answer. The data has the same rows.
pub(super) const MAX_CHARS: usize = 40_000;

/// Most rows of an answer.
pub(super) const MAX_ROWS: usize = 200;

/// Most files that an answer links to.
const MAX_FILES: usize = 20;

/// The answer of a tool with its typed data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypedAnswer<O> {
    /// The data, which follows the output schema of the tool.
    pub output: O,
    /// The same as text, for people and models.
    pub text: String,
    /// Paths of the files that it is about.
    pub files: Vec<String>,
}

impl<O> TypedAnswer<O> {
    /// Returns an answer about these files; repeated paths are removed.
    pub fn new(output: O, text: String, files: impl IntoIterator<Item = String>) -> Self {
        let mut named: Vec<String> = Vec::new();
        for path in files {
            if named.len() < MAX_FILES && !named.contains(&path) {
                named.push(path);
            }
        }
        Self { output, text, files: named }
    }
}

/// The masked answer of a tool.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolAnswer {
    /// The data, which follows the tool's output schema.
    pub data: Value,
    /// The same for people and models.
    pub text: String,
    /// Paths of the files that it is about.
    pub files: Vec<String>,
}

/// Keeps the first [`MAX_ROWS`] rows, and returns them with the number of rows left out.
pub(super) fn bounded<T>(mut rows: Vec<T>) -> (Vec<T>, usize) {
    let left_out = rows.len().saturating_sub(MAX_ROWS);
    rows.truncate(MAX_ROWS);
    (rows, left_out)
}

/// Returns the rows as lines; the last line has the number of rows that are left out.
pub(super) fn join_lines(rows: impl IntoIterator<Item = String>, left_out: usize) -> String {
    let mut lines: Vec<String> = rows.into_iter().collect();
    if left_out > 0 {
        lines.push(format!("({left_out} more; narrow the request)"));
    }
    if lines.is_empty() { "none".to_owned() } else { lines.join("\n") }
}
