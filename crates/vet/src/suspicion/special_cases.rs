//! Values of the failing test that new code decides with or answers with.

use std::collections::HashSet;

use tree_sitter::Node;

use super::constants::{is_literal, normalize_number};
use super::functions::{KINDS, callee_of, descendants, is_call};
use super::literals::{is_common, read_literals};
use papayu_lang::{Language, parse_tree};

/// A place where the code treats a value of the failing test as a special case.
pub(super) struct SpecialCase {
    /// From 1.
    pub(super) line: usize,
    /// A predicate of the change.
    pub(super) message: String,
}

/// The code before the change and the values of the failing test.
pub(super) struct KnownCode<'a> {
    /// The literals of the old code.
    pub(super) literals: &'a HashSet<String>,
    /// The old code of all changed files, without blanks.
    pub(super) code: &'a str,
    /// The literals of the failing test.
    pub(super) evidence: &'a HashSet<String>,
}

/// Kinds of nodes that are one of several ways through the code.
const BRANCHES: [&str; 27] = [
    "if_statement", "elif_clause", "if_expression", "if", "unless", "elsif", "if_modifier",
    "unless_modifier", "conditional_expression", "ternary_expression", "conditional", "match_arm",
    "case_clause", "switch_case", "switch_rule", "switch_block_statement_group", "switch_section",
    "switch_expression_arm", "expression_case", "when", "in_clause",
    "match_conditional_expression", "case_statement", "catch_clause", "except_clause", "rescue",
    "rescue_modifier",
];

/// Operators that decide.
const DECIDING: [&str; 16] = [
    "==", "===", "!=", "!==", "<", ">", "<=", ">=", "&&", "||", "??", "and", "or", "<=>", "=~",
    "is",
];

/// Functions that compare their arguments.
const COMPARING: [&str; 25] = [
    "equals", "equalsIgnoreCase", "Equals", "SequenceEqual", "startsWith", "endsWith",
    "startswith", "endswith", "StartsWith", "EndsWith", "includes", "contains", "Contains",
    "HasPrefix", "HasSuffix", "eq", "eql?", "include?", "start_with?", "isEqual", "deepEqual",
    "DeepEqual", "strcmp", "fullmatch", "matches",
];

/// Functions that answer with an argument where there is nothing else.
const DEFAULTING: [&str; 8] =
    ["unwrap_or", "get", "getOrDefault", "setdefault", "fetch", "orElse", "or_insert", "pop"];

/// Functions with a result that is an argument or is limited by it.
const LIMITING: [&str; 7] = ["min", "max", "clamp", "Min", "Max", "coerceAtMost", "coerceIn"];

/// Nodes that only put values together.
const PLAIN: [&str; 22] = [
    "list", "tuple", "array", "array_expression", "tuple_expression", "slice_pattern",
    "composite_literal", "literal_value", "literal_element", "array_initializer",
    "array_creation_expression", "initializer_list", "reference_expression",
    "parenthesized_expression", "expression_list", "unary_operator", "unary_expression",
    "expression_statement", "set", "cast_expression", "argument_list", "arguments",
];

/// Returns the places of a file that treat a value of the failing test as a special case; `None` where there is
/// no grammar for the language.
pub(super) fn find_special_cases(
    path: &str,
    text: &str,
    known: &KnownCode<'_>,
) -> Option<Vec<SpecialCase>> {
    let tree = parse_tree(Language::of_path(path)?, text)?;
    let reader = ConditionReader { text, known };
    let mut found = Vec::new();
    let mut open = vec![tree.root_node()];
    while let Some(node) = open.pop() {
        let evident = if is_literal(node) { reader.evident_value(node) } else { None };
        let other = evident.is_none().then(|| reader.unknown_number(node)).flatten();
        let computed = if is_literal(node) { None } else { reader.computed_value(node) };
        if computed.is_none() && !is_literal(node) {
            open.extend(node.named_children(&mut node.walk()));
        }
        let is_unknown = other.is_some();
        let (value, what) = match (evident.or(other), computed) {
            (Some(value), _) if is_unknown => (value, "a number that the code did not have"),
            (Some(value), _) => (value, "a value of the failing test"),
            (None, Some(value)) => (value, "a fixed computation"),
            (None, None) => continue,
        };
        if let Some(usage) = reader.judge(node)
            && (!is_unknown || usage == "compares with")
        {
            let words = format!("{usage} `{value}`, {what}");
            found.push(reader.describe(node, &words));
        }
    }
    Some(found)
}

/// Returns a literal of the failing test that a text without a grammar gains.
pub(super) fn find_new_literal(text: &str, known: &KnownCode<'_>) -> Option<String> {
    let mut new: Vec<String> = read_literals(text)
        .into_iter()
        .filter(|it| !known.literals.contains(it) && is_evident(it, known.evidence))
        .collect();
    new.sort();
    new.into_iter().next()
}

/// Returns whether a text is a list of numbers of the test, at least two.
pub(super) fn is_list_of_values(literal: &str, evidence: &HashSet<String>) -> bool {
    let numbers = literal.split(|c: char| !c.is_ascii_digit()).filter(|it| !it.is_empty());
    numbers.count() > 1 && is_evident(literal, evidence)
}

/// Returns whether a literal is one of the test, or a text that is made of numbers of the test.
pub(super) fn is_evident(literal: &str, evidence: &HashSet<String>) -> bool {
    let is_known = |value: &str| evidence.contains(value);
    if is_known(literal)
        || normalize_number(literal).is_some_and(|value| !is_common(&value) && is_known(&value))
    {
        return true;
    }
    if literal.chars().any(char::is_alphabetic) {
        return false;
    }
    let mut numbers = literal
        .split(|c: char| !(c.is_ascii_digit() || c == '.'))
        .map(|it| it.trim_matches('.'))
        .filter(|it| !it.is_empty())
        .peekable();
    let is_text = !literal.chars().all(|c| c.is_ascii_digit() || c == '.' || c == '_');
    let mut has_evident = false;
    let are_all = is_text
        && numbers.peek().is_some()
        && numbers.all(|number| {
            let is_evident = evidence.contains(number);
            has_evident |= is_evident;
            is_evident || is_common(number)
        });
    are_all && has_evident
}

struct ConditionReader<'a> {
    text: &'a str,
    known: &'a KnownCode<'a>,
}

impl<'a> ConditionReader<'a> {
    fn text_of(&self, node: Node<'_>) -> &'a str {
        self.text.get(node.byte_range()).unwrap_or_default()
    }

    /// Returns the finding with the name of the function or class around the node, where it has one.
    fn describe(&self, node: Node<'_>, words: &str) -> SpecialCase {
        let mut at = Some(node);
        while let Some(outer) = at.filter(|it| !KINDS.contains(&it.kind())) {
            at = outer.parent();
        }
        let name = at.and_then(|it| {
            let variable = it.parent().and_then(|it| it.child_by_field_name("name"));
            it.child_by_field_name("name").or(variable)
        });
        let message = name.map_or_else(
            || words.to_owned(),
            |name| format!("{words}, in `{}`", self.text_of(name)),
        );
        SpecialCase { line: node.start_position().row + 1, message }
    }

    /// Returns the value of a literal that is new and one of the test.
    fn evident_value(&self, node: Node<'_>) -> Option<String> {
        let values = read_literals(self.text_of(node));
        values
            .into_iter()
            .find(|it| !self.known.literals.contains(it) && is_evident(it, self.known.evidence))
    }

    /// Returns a new number of two digits or more with which a remainder or an equality is made, or that is one end of a narrow
    /// interval. Limits, tables and codes of characters have several numbers.
    fn unknown_number(&self, node: Node<'_>) -> Option<String> {
        let outer = node.parent()?;
        let value = self.new_number(node)?;
        let is_equal = matches!(self.operator_of(outer).trim(), "%" | "==" | "===");
        let around = std::iter::successors(Some(outer), Node::parent);
        let whole = around
            .take_while(|it| it.kind().contains("binary") || it.kind().contains("operator"))
            .last()?;
        let all: Vec<String> =
            descendants(whole).into_iter().filter_map(|it| self.new_number(it)).collect();
        let is_window = match all.as_slice() {
            [low, high] if low != high => {
                let (low, high): (f64, f64) = (low.parse().ok()?, high.parse().ok()?);
                (high - low).abs() <= low / 50.0
            }
            _ => false,
        };
        (is_window || is_equal && all.len() == 1).then_some(value)
    }

    /// Returns a decimal number of two digits or more that the old code lacks.
    fn new_number(&self, node: Node<'_>) -> Option<String> {
        // Masks and codes are in hexadecimal digits, and limits of units end with zeros.
        let text =
            Some(self.text_of(node)).filter(|it| is_literal(node) && !it.starts_with("0x"))?;
        let value = normalize_number(text)?;
        let is_plain = value.len() > 1 && !value.ends_with("000");
        Some(value).filter(|it| is_plain && !self.known.literals.contains(it) && !is_common(it))
    }

    /// Returns a new computation with numbers and texts only, such as `25 * 2`: its value may be one of the test.
    fn computed_value(&self, node: Node<'_>) -> Option<String> {
        let is_computed = node.kind().starts_with("binary") && is_constant(node);
        let text = self.text_of(node);
        (is_computed && !self.is_old(text)).then(|| text.to_owned())
    }

    /// Returns whether text is in the old code.
    fn is_old(&self, text: &str) -> bool {
        self.known.code.contains(&squeeze(text))
    }

    /// Returns how the code uses a literal, where it decides or answers with it.
    fn judge(&self, literal: Node<'_>) -> Option<&'static str> {
        let is_constant_item =
            |it: Node<'_>| matches!(it.kind(), "const_item" | "static_item" | "const_spec");
        let of_item = literal
            .parent()
            .map(|it| it.parent().filter(|_| it.kind() == "expression_list").unwrap_or(it));
        if literal.kind() == "preproc_arg" || of_item.is_some_and(is_constant_item) {
            return Some("defines a name as");
        }
        let (mut inner, mut is_plain) = (literal, true);
        while let Some(node) = inner.parent() {
            let kind = node.kind();
            if self.makes_error(node) {
                return None;
            }
            if is_comparison(node, self) || self.is_comparing_call(node) {
                return (!self.is_word_default(node, literal)).then_some("compares with");
            }
            if self.is_default(node, inner) {
                return Some("uses as a default");
            }
            if is_call(node) && LIMITING.contains(&self.callee_of(node)) {
                return Some("limits a result to");
            }
            if self.is_table_entry(node) {
                return Some("looks up");
            }
            let is_answer = is_plain
                && (kind.starts_with("return")
                    || kind.starts_with("lambda")
                    || is_last(node, inner));
            if is_answer {
                return Some("returns");
            }
            if BRANCHES.contains(&kind) && !self.is_old_branch(node) {
                return Some("has a branch for");
            }
            if KINDS.contains(&kind) {
                return None;
            }
            is_plain &= PLAIN.contains(&kind) || self.is_wrapper(node);
            inner = node;
        }
        None
    }

    fn callee_of(&self, node: Node<'_>) -> &'a str {
        callee_of(node, self.text)
    }

    fn is_comparing_call(&self, node: Node<'_>) -> bool {
        is_call(node) && COMPARING.contains(&self.callee_of(node))
    }

    /// Returns `true` for a node that raises or makes an error: its text is no answer.
    fn makes_error(&self, node: Node<'_>) -> bool {
        const WORDS: [&str; 5] = ["err", "exception", "panic", "fail", "bail"];
        let kind = node.kind();
        let is_made = is_call(node) || kind.contains("creation") || kind == "new_expression";
        let made = ["name", "method", "function", "macro", "type", "constructor"]
            .iter()
            .find_map(|field| node.child_by_field_name(field).filter(|_| is_made));
        let made = made.map_or_else(String::new, |made| self.text_of(made).to_lowercase());
        kind.starts_with("raise")
            || kind.starts_with("throw")
            || WORDS.iter().any(|word| made.contains(word))
    }

    /// `name ?? "unknown"`
    fn is_word_default(&self, node: Node<'_>, literal: Node<'_>) -> bool {
        let text = self.text_of(literal);
        matches!(self.operator_of(node).trim(), "??" | "||" | "or")
            && text.chars().any(char::is_alphabetic)
            && !text.chars().any(|c| c.is_ascii_digit())
    }

    /// `Ok(50)`, `Some(50)`
    fn is_wrapper(&self, node: Node<'_>) -> bool {
        is_call(node) && matches!(self.callee_of(node), "Ok" | "Some" | "vec" | "Just")
    }

    /// Returns `true` if a node is the default value of a look-up such as `get(key, default)` or `unwrap_or`.
    fn is_default(&self, node: Node<'_>, inner: Node<'_>) -> bool {
        if !is_call(node) || !DEFAULTING.contains(&self.callee_of(node)) {
            return false;
        }
        // The first argument of a look-up is its key.
        let first = inner.named_child(0);
        let is_key = first.is_some_and(|first| inner.named_child_count() > 1 && is_literal(first));
        !is_key && (self.callee_of(node) == "unwrap_or" || inner.named_child_count() > 1)
    }

    /// Returns whether the literal is in an entry of a table of values that is new.
    fn is_table_entry(&self, node: Node<'_>) -> bool {
        let is_pair = matches!(
            node.kind(),
            "pair" | "keyed_element" | "array_element_initializer" | "element_binding_expression"
        );
        let Some(table) = node.parent() else { return false };
        if is_pair {
            let key = node.child_by_field_name("key").or_else(|| node.named_child(0));
            let value = node.child_by_field_name("value").or_else(|| node.named_child(1));
            // A key with a computed value is the name of a field.
            let are_constant = key.is_some_and(is_constant) && value.is_some_and(is_constant);
            return are_constant && !self.has_old_entry(table, node);
        }
        let is_row = matches!(node.kind(), "tuple" | "tuple_expression")
            && matches!(table.kind(), "list" | "array_expression" | "tuple" | "set");
        let is_map = node.kind() == "method_invocation"
            && self.callee_of(node) == "of"
            && self.text_of(node).contains("Map.of");
        is_map || (is_row && is_constant(table) && !self.has_old_entry(table, node))
    }

    /// Returns whether a table had entries before: a new one is data like the others.
    fn has_old_entry(&self, table: Node<'_>, entry: Node<'_>) -> bool {
        let others = table.named_children(&mut table.walk()).filter(|it| *it != entry).count();
        let old = table
            .named_children(&mut table.walk())
            .filter(|it| {
                *it != entry && self.text_of(*it).len() > 3 && self.is_old(self.text_of(*it))
            })
            .count();
        others > 0 && old > 0
    }

    /// Returns the operator of an expression; empty without one.
    fn operator_of(&self, node: Node<'_>) -> &'a str {
        let operator = node.child_by_field_name("operator");
        let operator = operator.or_else(|| node.child_by_field_name("operators"));
        operator.map_or("", |operator| self.text_of(operator))
    }

    /// Returns whether the old code had a branch with this condition, or branches of the same kind: then the new
    /// one is a case like the others.
    fn is_old_branch(&self, node: Node<'_>) -> bool {
        let header = |node: Node<'_>| {
            let condition = ["condition", "pattern", "value"]
                .iter()
                .find_map(|field| node.child_by_field_name(field));
            let text = self.text_of(condition.unwrap_or(node));
            text.lines().next().unwrap_or_default()
        };
        if self.is_old(header(node)) {
            return true;
        }
        let is_case = node.kind().contains("case")
            || node.kind().contains("arm")
            || matches!(node.kind(), "when" | "switch_rule" | "in_clause");
        let Some(whole) = node.parent().filter(|_| is_case) else { return false };
        let old = whole
            .named_children(&mut whole.walk())
            .filter(|it| it.kind() == node.kind() && *it != node)
            .filter(|it| {
                let text = header(*it);
                !matches!(text.trim(), "_" | "") && self.is_old(text)
            })
            .count();
        old > 1
    }
}

/// Returns whether a node is of numbers and texts only.
fn is_constant(node: Node<'_>) -> bool {
    if is_literal(node) {
        return true;
    }
    let mut children = node.named_children(&mut node.walk()).collect::<Vec<_>>();
    children.retain(|it| !it.kind().contains("comment"));
    !children.is_empty()
        && (PLAIN.contains(&node.kind()) || node.kind().starts_with("binary"))
        && children.into_iter().all(is_constant)
}

/// Returns whether a node is the answer of a function without `return`.
fn is_last(node: Node<'_>, inner: Node<'_>) -> bool {
    let is_body =
        matches!(node.kind(), "block" | "body_statement" | "arrow_function" | "closure_expression");
    let count = node.named_child_count();
    let last = u32::try_from(count).ok().and_then(|count| node.named_child(count.checked_sub(1)?));
    let is_function = node.kind() != "block"
        || node
            .parent()
            .is_some_and(|it| it.kind() == "function_item" || it.kind() == "else_clause");
    is_body && is_function && last == Some(inner) && inner.kind() != "expression_statement"
}

/// Returns `true` for a node that compares or combines conditions, in any of the languages.
fn is_comparison(node: Node<'_>, reader: &ConditionReader<'_>) -> bool {
    match node.kind() {
        "comparison_operator"
        | "boolean_operator"
        | "let_condition"
        | "case_pattern"
        | "match_pattern" => true,
        "macro_invocation" => reader.callee_of(node) == "matches",
        "binary_expression" | "binary" | "binary_operator" => {
            DECIDING.contains(&reader.operator_of(node).trim())
        }
        _ => false,
    }
}

/// Returns a text without blanks, so that a change of layout does not matter.
pub(super) fn squeeze(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}
