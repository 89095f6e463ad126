//! Branches that a change puts into a function and that treat some arguments in another way, while the code as it was stays.

use tree_sitter::Node;

use super::functions::{ChangedFunctions, Function, callee_of, descendants, is_call};
use super::special_cases::squeeze;
use super::suspicious_place::SuspiciousPlace;
use papayu_lang::{Language, cut_tokens, parse_tree};

/// Functions and members that ask for the size, the start, the end or the type of a value.
const ASKING: [&str; 16] = [
    "len", "length", "size", "count", "startswith", "endswith", "startsWith", "endsWith",
    "starts_with", "ends_with", "HasPrefix", "HasSuffix", "isinstance", "includes", "contains",
    "fullmatch",
];

/// Returns the branches that a property of a value selects, in functions that are otherwise as they were.
pub(super) fn find_new_branches(change: &ChangedFunctions<'_>) -> Vec<SuspiciousPlace> {
    let mut found = Vec::new();
    for function in &change.after {
        let Some(was) = change.before.iter().find(|it| it.name == function.name) else { continue };
        if was.body == function.body || !keeps_all(change.path, was, function) {
            continue;
        }
        if let Some(line) = find_special(change.path, function.body, was.body) {
            let name = function.last_name();
            let message =
                format!("adds a branch for some arguments to the code of `{name}`, which stays");
            found.push(SuspiciousPlace::new(
                "new_branch",
                change.path,
                function.body_line + line,
                message,
            ));
        }
    }
    found
}

/// Returns `true` if every token of the old body is in the new one, in the same order.
fn keeps_all(path: &str, old: &Function<'_>, new: &Function<'_>) -> bool {
    let mut new = cut_tokens(path, new.body).code.into_iter();
    cut_tokens(path, old.body).code.iter().all(|token| new.any(|it| it.text == token.text))
}

/// Returns the line of the first branch, from 0, that the old body lacks and a property of a value selects.
fn find_special(path: &str, body: &str, old: &str) -> Option<usize> {
    let tree = parse_tree(Language::of_path(path)?, body)?;
    let old = squeeze(old);
    let text_of = |node: Node<'_>| body.get(node.byte_range()).unwrap_or_default();
    let nodes = descendants(tree.root_node());
    let mut branches = nodes.into_iter().filter(|it| it.kind().starts_with("if"));
    let found = branches.find(|branch| {
        let Some(condition) = branch.child_by_field_name("condition") else { return false };
        let words = text_of(condition);
        // A condition of several lines has many parts, and more values meet it.
        let is_short = !words.contains('\n');
        is_short
            && !old.contains(&squeeze(words))
            && branch.child_by_field_name("alternative").is_none()
            && is_special(condition, body)
            && answers(*branch, body)
    });
    found.map(|it| it.start_position().row)
}

/// Returns `true` for a condition on the size, the order, the start or the type of a value, with a fixed number or text.
fn is_special(condition: Node<'_>, text: &str) -> bool {
    let (mut has_value, mut asks) = (false, false);
    for it in descendants(condition) {
        let words = text.get(it.byte_range()).unwrap_or_default();
        let is_number = words.starts_with(|c: char| c.is_ascii_digit());
        has_value |= is_number && !["0", "1"].contains(&words) || it.kind().contains("string");
        asks |= ASKING.contains(&words);
        // The type is the value.
        has_value |= ["isinstance", "instanceof"].contains(&words);
        asks |= words == "instanceof";
        asks |= it.kind().starts_with("binary")
            && words.contains(['%', '<', '>'])
            && it.named_child_count() == 2;
    }
    has_value && asks
}

/// Returns `true` for a branch that returns or assigns, and reports no error.
fn answers(branch: Node<'_>, text: &str) -> bool {
    let nodes = descendants(branch);
    let is_error = |it: &Node<'_>| {
        let name = if is_call(*it) { callee_of(*it, text).to_lowercase() } else { String::new() };
        it.kind().starts_with("raise") || it.kind().starts_with("throw") || name.contains("err")
    };
    let acts = |it: &Node<'_>| it.kind().starts_with("return") || it.kind().contains("assignment");
    nodes.iter().any(acts) && !nodes.iter().any(is_error)
}
