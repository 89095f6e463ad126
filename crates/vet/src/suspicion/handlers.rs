//! Added handlers that catch every error and make no use of it.

use tree_sitter::Node;

use super::flag::Flag;
use super::special_cases::squeeze;
use papayu_lang::{ChangedText, Language, parse_tree};

/// Types that are all errors, or all but a few.
const BROAD: [&str; 8] = [
    "Exception", "BaseException", "AssertionError", "Throwable", "RuntimeException", "Error",
    "StandardError", "\\Throwable",
];

/// Words of code that passes an error on or reports it.
const USES: [&str; 9] = [
    "raise", "throw", "exc_info", "exception(", "traceback", "print_exc", "format_exc", "sys.exit",
    "process.exit",
];

/// Returns the handlers of a file that are new, catch every error and drop it.
pub(super) fn find_dropping_handlers(change: &ChangedText<'_>) -> Vec<Flag> {
    let tree =
        Language::of_path(change.path).and_then(|language| parse_tree(language, change.after));
    let Some(tree) = tree else { return Vec::new() };
    let old = squeeze(change.before);
    let mut found = Vec::new();
    let mut open = vec![tree.root_node()];
    while let Some(node) = open.pop() {
        open.extend(node.named_children(&mut node.walk()));
        if !matches!(node.kind(), "except_clause" | "catch_clause") {
            continue;
        }
        let text = change.after.get(node.byte_range()).unwrap_or_default();
        if !old.contains(&squeeze(text)) && drops_all(node, change.after) {
            let line = node.start_position().row + 1;
            found.push(Flag::new(change.path, line, "catches every error and makes no use of it"));
        }
    }
    found
}

/// Returns `true` if a handler catches every error and its body neither uses nor raises it.
fn drops_all(handler: Node<'_>, text: &str) -> bool {
    let count = handler.named_child_count();
    let body = u32::try_from(count).ok().and_then(|it| handler.named_child(it.checked_sub(1)?));
    let Some(body) = body else { return false };
    let head = text.get(handler.start_byte()..body.start_byte()).unwrap_or_default();
    let body = text.get(body.byte_range()).unwrap_or_default();
    let mut words = head.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '\\'));
    let names: Vec<&str> = words
        .by_ref()
        .filter(|it| !it.is_empty() && !["except", "catch", "as", "final"].contains(it))
        .collect();
    // A script catches everything with its one name; elsewhere a type comes first.
    let is_script = head.trim_start().starts_with("catch") && names.len() <= 1;
    let is_broad = names.is_empty() || is_script || names.iter().any(|it| BROAD.contains(it));
    let error = names.last().filter(|it| !BROAD.contains(it));
    let uses_error = error.is_some_and(|error| {
        body.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$')).any(|it| it == *error)
    });
    is_broad && !uses_error && !USES.iter().any(|word| body.contains(word))
}
