//! Calls in the patterns of Go.
//!
//! `strings.Title($S)` alone is a conversion to a type for the parser, and `Title($S)` an error. In a function both are calls.

use papayu_lang::Language;
use serde_json::{Map, Value, json};
use tree_sitter::Node;

use super::source_tree::SourceTree;

/// Returns a rule in which each pattern of a call has a function around it.
pub(crate) fn read_calls(document: &Map<String, Value>, language: Language) -> Map<String, Value> {
    if language != Language::Go {
        return document.clone();
    }
    document.iter().map(|(name, value)| (name.clone(), read_value(name, value))).collect()
}

fn read_value(key: &str, value: &Value) -> Value {
    match value {
        Value::String(text) if key == "pattern" => {
            find_context(text).unwrap_or_else(|| value.clone())
        }
        Value::Object(fields) => Value::Object(
            fields.iter().map(|(name, value)| (name.clone(), read_value(name, value))).collect(),
        ),
        Value::Array(items) => items.iter().map(|item| read_value(key, item)).collect(),
        other => other.clone(),
    }
}

/// Returns the pattern in a function; `None` if it is the same alone.
fn find_context(pattern: &str) -> Option<Value> {
    let pattern = pattern.trim();
    let plain = pattern.replace('$', "µ");
    let alone = SourceTree::parse(Language::Go, &plain)?;
    if !alone.has_error() && !has_conversion(alone.root()) {
        return None;
    }
    let head = "package p\n\nfunc f() {\n\t";
    let text = format!("{head}{plain}\n}}\n");
    let around = SourceTree::parse(Language::Go, &text)?;
    let range = head.len()..head.len() + plain.len();
    let node =
        around.node_at(&range).filter(|it| !around.has_error() && it.byte_range() == range)?;
    // The selector finds the first node of its kind, which is this one for all that is no name.
    let is_named = node.is_named() && node.child_count() > 0;
    let context = format!("{head}{pattern}\n}}\n");
    is_named.then(|| json!({ "context": context, "selector": node.kind() }))
}

fn has_conversion(node: Node<'_>) -> bool {
    let mut cursor = node.walk();
    node.kind() == "type_conversion_expression" || node.children(&mut cursor).any(has_conversion)
}
