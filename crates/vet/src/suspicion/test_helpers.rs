//! Functions of the product by which the failing test compares, and which the change edits.

use std::collections::HashSet;

use tree_sitter::Node;

use super::failure_evidence::TestText;
use super::functions::{ChangedFunctions, callee_of, descendants, is_call};
use super::suspicious_place::SuspiciousPlace;
use papayu_lang::{Language, parse_tree};

/// Most lines of a function that does nothing but assert.
const MAX_LINES: usize = 6;

/// Names of equalities, without case.
const EQUAL: [&str; 5] = ["assertequal", "assertequals", "equal", "assert_eq", "tobe"];

/// Parts of names that assert.
const ASSERTING: [&str; 7] = ["assert", "expect", "ok", "require", "should", "check", "error"];

/// Returns the changed functions that the failing tests use as an assertion, or on both sides of one.
pub(super) fn find_test_helpers(
    sources: &[ChangedFunctions<'_>],
    tests: &[TestText],
) -> Vec<SuspiciousPlace> {
    let mut found = Vec::new();
    let own: HashSet<String> =
        sources.iter().flat_map(|it| &it.after).map(|it| it.last_name().to_owned()).collect();
    for change in sources {
        for function in &change.after {
            let Some(was) = change.before.iter().find(|it| it.name == function.name) else {
                continue;
            };
            let name = function.last_name();
            if was.body == function.body && was.head == function.head || name.len() < 3 {
                continue;
            }
            let mut named = tests.iter().filter(|test| test.text.contains(name));
            let usage = named.find_map(|test| {
                let (raises, compares) = (only_raises(was.body), has_comparison(was.body));
                TestReader { test, name, own: &own, raises, compares }.judge()
            });
            if let Some(usage) = usage {
                let message = format!("changes `{name}`, {usage}");
                found
                    .push(SuspiciousPlace::new("test_helper", change.path, function.line, message));
            }
        }
    }
    found
}

/// Returns `true` if arguments begin with a call: the result of another function is a part of them.
fn begins_with_call(arguments: &str) -> bool {
    let inner = arguments.split([')', ',']).next().unwrap_or_default();
    inner.split('(').count() > 1
        && inner.split('(').next().is_some_and(|it| it.ends_with(char::is_alphanumeric))
}

/// Returns `true` for the body of an assertion: it is short, raises and returns nothing.
fn only_raises(body: &str) -> bool {
    let raises = ["raise ", "throw ", "panic", "assert"].iter().any(|it| body.contains(it));
    raises && body.lines().count() <= MAX_LINES && !body.contains("return")
}

/// Returns `true` for a body that compares values, as that of a function by which a test compares.
fn has_comparison(body: &str) -> bool {
    const SIGNS: [&str; 9] = ["==", "!=", " < ", " <= ", " > ", " >= ", "qual", "eq(", "cmp"];
    SIGNS.iter().any(|it| body.contains(it))
}

/// Returns `true` for the name of a function that asserts.
fn asserts(name: &str) -> bool {
    let name = name.to_lowercase();
    ASSERTING.iter().any(|it| name.starts_with(it)) || name == "equal"
}

struct TestReader<'a> {
    test: &'a TestText,
    name: &'a str,
    own: &'a HashSet<String>,
    raises: bool,
    compares: bool,
}

impl TestReader<'_> {
    fn judge(&self) -> Option<&'static str> {
        let text = self.test.text.as_str();
        let tree = parse_tree(Language::of_path(&self.test.path)?, text)?;
        let nodes = descendants(tree.root_node());
        for node in &nodes {
            if self.is_on_both_sides(*node) {
                return Some("which the failing test applies to both values that it compares");
            }
            if !is_call(*node) || callee_of(*node, text) != self.name {
                continue;
            }
            let is_statement = node.parent().is_some_and(|it| it.kind() == "expression_statement");
            let is_bare = text.get(node.byte_range()).is_some_and(|it| it.starts_with(self.name));
            if self.raises && is_statement && is_bare {
                return Some("by which the failing test asserts");
            }
            if self.compares && self.gets_result(*node, &nodes) && self.is_asserted(*node) {
                return Some("by which the failing test compares");
            }
        }
        None
    }

    /// `assertEqual(squash(one), squash(other))`; without the names that begin or end like it.
    fn is_on_both_sides(&self, node: Node<'_>) -> bool {
        let text = self.test.text.as_str();
        let words = text.get(node.byte_range()).unwrap_or_default();
        let name = callee_of(node, text).to_lowercase();
        let is_equality = (is_call(node) || node.kind() == "macro_invocation")
            && EQUAL.iter().any(|it| *it == name)
            || node.kind() == "assert_statement" && words.contains("==");
        let parts: Vec<&str> = words.split(&format!("{}(", self.name)).collect();
        let count = words.matches(self.name).count();
        is_equality
            && count == 2
            && parts.len() == 3
            && parts.iter().skip(1).any(|it| begins_with_call(it))
    }

    /// Returns `true` if a call gets the result of another function of the product and a second value.
    fn gets_result(&self, call: Node<'_>, nodes: &[Node<'_>]) -> bool {
        let text = self.test.text.as_str();
        let Some(arguments) = call.child_by_field_name("arguments") else { return false };
        let values: Vec<Node<'_>> = arguments.named_children(&mut arguments.walk()).collect();
        if values.len() != 2 {
            return false;
        }
        let is_other = |it: &Node<'_>| {
            let name = callee_of(*it, text);
            is_call(*it)
                && !name.is_empty()
                && !self.own.contains(name)
                && name.starts_with(char::is_alphabetic)
        };
        let first = text.get(values[0].byte_range()).unwrap_or_default();
        let is_result = nodes.iter().any(|it| {
            let named = it.child_by_field_name("left").or_else(|| it.child_by_field_name("name"));
            let value = it.child_by_field_name("right").or_else(|| it.child_by_field_name("value"));
            named.is_some_and(|it| text.get(it.byte_range()) == Some(first))
                && value.as_ref().is_some_and(is_other)
        });
        is_other(&values[0]) || is_result
    }

    /// Returns `true` if a call is the whole argument of an assertion or decides whether the test fails.
    fn is_asserted(&self, call: Node<'_>) -> bool {
        let text = self.test.text.as_str();
        let text_of = |node: Node<'_>| text.get(node.byte_range()).unwrap_or_default();
        let mut inner = call;
        while let Some(outer) = inner.parent() {
            match outer.kind() {
                "assert_statement" => return true,
                "arguments"
                | "argument_list"
                | "not_operator"
                | "unary_expression"
                | "parenthesized_expression"
                | "short_var_declaration"
                | "expression_list" => {}
                _ if is_call(outer) => {
                    let is_alone = inner.named_child_count() == 1;
                    return is_alone && asserts(callee_of(outer, text));
                }
                // Go: the test fails if the function finds a difference.
                "if_statement" => {
                    let body = outer.child_by_field_name("consequence").map_or("", text_of);
                    let condition = outer.child_by_field_name("condition").map_or("", text_of);
                    let is_plain = condition.starts_with('!')
                        || ["!= 0", "> 0", "!= nil", "!= \"\""]
                            .iter()
                            .any(|it| condition.ends_with(it));
                    return is_plain && (body.contains(".Error") || body.contains(".Fatal"));
                }
                _ => return false,
            }
            inner = outer;
        }
        false
    }
}
