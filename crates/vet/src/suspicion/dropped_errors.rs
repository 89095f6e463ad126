//! Handlers that drop an error: nothing in them raises it, returns it or uses it.

use std::collections::HashMap;

use tree_sitter::Node;

use super::functions::{KINDS, callee_of, descendants, is_call};
use super::special_cases::squeeze;
use super::suspicious_place::SuspiciousPlace;
use papayu_base::text::first_chars;
use papayu_lang::{ChangedText, Language, parse_tree};

/// Longest text that creates an empty value, such as `new ArrayList<>()`.
const MAX_EMPTY: usize = 20;

/// Most characters of the first line of a handler that are shown.
const MAX_SHOWN: usize = 60;

/// Parts of the names of functions that only report.
const REPORTING: [&str; 9] =
    ["print", "log", "warn", "debug", "info", "error", "trace", "puts", "write"];

/// Parts of the names of functions that hand an error on or end the process.
const HANDLING: [&str; 8] =
    ["fail", "fatal", "exit", "abort", "panic", "reject", "interrupt", "raise"];

/// Returns the handlers that drop an error and that the code before did not have.
pub(super) fn find_dropped_errors(sources: &[&ChangedText<'_>]) -> Vec<SuspiciousPlace> {
    let mut known: HashMap<String, usize> = HashMap::new();
    for handler in sources.iter().flat_map(|it| find_handlers(it.path, it.before)) {
        *known.entry(squeeze(handler.text)).or_default() += 1;
    }
    let mut found = Vec::new();
    for change in sources {
        for handler in find_handlers(change.path, change.after) {
            match known.get_mut(&squeeze(handler.text)) {
                Some(left) if *left > 0 => *left -= 1,
                _ => {
                    let first = handler.text.lines().next().unwrap_or_default();
                    let shown = first_chars(first, MAX_SHOWN);
                    let message = format!("drops an error without handling it: `{shown}`");
                    let (path, line) = (change.path, handler.line);
                    found.push(SuspiciousPlace::new("dropped_error", path, line, message));
                }
            }
        }
    }
    found
}

/// A handler that drops an error.
struct DroppingHandler<'t> {
    text: &'t str,
    line: usize,
}

/// Returns the handlers of a text that drop an error.
fn find_handlers<'t>(path: &str, text: &'t str) -> Vec<DroppingHandler<'t>> {
    let tree = Language::of_path(path).and_then(|language| parse_tree(language, text));
    let Some(tree) = tree else { return Vec::new() };
    let reader = HandlerReader { text };
    let nodes = descendants(tree.root_node()).into_iter().filter(|node| match node.kind() {
        "except_clause" => reader.is_empty_except(*node),
        "catch_clause" => reader.is_empty_catch(*node),
        "finally_clause" => returns(*node),
        "if_statement" => reader.only_reports(*node),
        _ => false,
    });
    let of_node = |node: Node<'_>| DroppingHandler {
        text: reader.text_of(node),
        line: node.start_position().row + 1,
    };
    nodes.map(of_node).collect()
}

/// Returns `true` if a node ends the function around it: an error on its way is lost.
fn returns(node: Node<'_>) -> bool {
    descendants(node).into_iter().filter(|it| it.kind() == "return_statement").any(|it| {
        let around = std::iter::successors(it.parent(), Node::parent);
        !around.take_while(|outer| *outer != node).any(|outer| KINDS.contains(&outer.kind()))
    })
}

struct HandlerReader<'t> {
    text: &'t str,
}

impl<'t> HandlerReader<'t> {
    fn text_of(&self, node: Node<'_>) -> &'t str {
        self.text.get(node.byte_range()).unwrap_or_default()
    }

    /// `except ValueError: pass`, and a handler of everything that returns or reports.
    fn is_empty_except(&self, node: Node<'_>) -> bool {
        let children: Vec<Node<'_>> = node.named_children(&mut node.walk()).collect();
        let Some((body, kinds)) = children.split_last() else { return false };
        let kinds: String = kinds.iter().map(|it| self.text_of(*it)).collect();
        let is_broad = ["", "Exception", "BaseException", "AssertionError"]
            .contains(&kinds.split(" as ").next().unwrap_or_default());
        body.named_children(&mut body.walk()).all(|it| match it.kind() {
            "pass_statement" | "continue_statement" | "comment" => true,
            "return_statement" => is_broad && !descendants(it).into_iter().any(is_call),
            _ => self.text_of(it) == "..." || is_broad && self.is_report(it),
        })
    }

    /// A `catch` with a body that does nothing with the error and calls nothing but a log.
    fn is_empty_catch(&self, node: Node<'_>) -> bool {
        let children: Vec<Node<'_>> = node.named_children(&mut node.walk()).collect();
        let Some((body, caught)) = children.split_last() else { return false };
        let is_name =
            |node: &Node<'_>| matches!(node.kind(), "identifier" | "variable_name" | "name");
        let caught = caught.iter().flat_map(|it| descendants(*it)).filter(is_name);
        let name = caught.fold("", |_, it| self.text_of(it));
        descendants(*body).into_iter().all(|it| {
            let uses = is_name(&it) && !name.is_empty() && self.text_of(it) == name;
            let acts = is_call(it) && !self.has_name_of(it, &REPORTING)
                || it.kind().starts_with("throw")
                || it.kind().contains("creation") && self.text_of(it).len() > MAX_EMPTY
                || it.kind().starts_with("new_");
            // A count of the errors is a report.
            let records = it.kind().contains("assignment") || it.kind().starts_with("update");
            !uses && !acts && !records
        })
    }

    /// Go: `if err != nil { log.Print(err) }`.
    fn only_reports(&self, node: Node<'_>) -> bool {
        let condition = node.child_by_field_name("condition").map_or("", |it| self.text_of(it));
        let Some(body) = node.child_by_field_name("consequence") else { return false };
        let is_error = condition.ends_with("!= nil") && condition.to_lowercase().contains("err");
        is_error
            && node.child_by_field_name("alternative").is_none()
            && descendants(body).into_iter().all(|it| {
                let kind = it.kind();
                let acts =
                    ["return", "continue", "break", "goto"].iter().any(|it| kind.starts_with(it))
                        || kind.contains("assignment")
                        || kind.starts_with("inc_");
                // `err.Error()` is an argument of the log.
                let is_text = callee_of(it, self.text) == "String";
                !acts && (!is_call(it) || is_text || self.has_name_of(it, &REPORTING))
            })
    }

    fn is_report(&self, statement: Node<'_>) -> bool {
        let call = statement.named_child(0).filter(|it| is_call(*it));
        call.is_some_and(|call| self.has_name_of(call, &REPORTING))
    }

    fn has_name_of(&self, call: Node<'_>, words: &[&str]) -> bool {
        let name = callee_of(call, self.text).to_lowercase();
        words.iter().any(|word| name.contains(word))
            && !HANDLING.iter().any(|word| name.contains(word))
    }
}
