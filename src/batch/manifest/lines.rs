//! A manifest of one path or address a line; `#` begins a comment.

use super::node::{Node, Value};

/// Returns a list of texts.
pub(super) fn parse(text: &str) -> Node {
    let lines = text.lines().zip(1..).map(|(line, number)| (line.trim(), number));
    let told = lines.filter(|(line, _)| !line.is_empty() && !line.starts_with('#'));
    let items =
        told.map(|(line, number)| Node { line: number, value: Value::Text(line.to_owned()) });
    Node { line: 1, value: Value::List(items.collect()) }
}
