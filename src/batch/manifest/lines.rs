//! A manifest with one path or address on each line; `#` begins a comment.

use crate::config_text::{Node, Value};

/// Returns the list of repositories. It ends one above `max`, which is enough to refuse it.
pub(super) fn parse(text: &str, max: usize) -> Node {
    let mut items = Vec::new();
    for (line, number) in text.lines().zip(1..) {
        let line = line.trim();
        if !line.is_empty() && !line.starts_with('#') && items.len() <= max {
            items.push(Node { line: number, value: Value::Text(line.to_owned()) });
        }
    }
    Node { line: 1, value: Value::List(items) }
}
