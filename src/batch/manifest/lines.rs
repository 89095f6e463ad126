//! A manifest of one path or address a line; `#` begins a comment.

use crate::config_text::{Node, Value};

/// Returns the texts, each made when it is asked for: there may be many.
pub(super) fn texts(text: &str) -> impl Iterator<Item = Node> {
    let lines = text.lines().zip(1..).map(|(line, number)| (line.trim(), number));
    let told = lines.filter(|(line, _)| !line.is_empty() && !line.starts_with('#'));
    told.map(|(line, number)| Node { line: number, value: Value::Text(line.to_owned()) })
}
