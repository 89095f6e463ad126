//! Finds comments in a match that its fix would delete.
//!
//! A pattern matches whatever comments the text has in addition. A fix carries over only those in the text of its variables.

use std::collections::BTreeSet;
use std::ops::Range;

use ast_grep_core::matcher::MatcherExt;
use ast_grep_core::{NodeMatch, Pattern};
use serde_json::{Map, Value};
use tree_sitter::Node;

use super::language::GrammarLanguage;
use super::nodes::{ancestors, contains};
use super::rewrite_scope::RuleMatch;
use super::source_tree::SourceTree;

/// The beginning of the names of variables that replace those of a pattern, one for each place.
const PLACE: &str = "PLACE_";

/// The patterns of a rule for the matched place itself, and the variables that its fix writes.
pub(crate) struct CommentKeeper {
    patterns: Vec<NumberedPattern>,
    written: BTreeSet<String>,
}

/// A pattern in which each variable has a name of its own.
struct NumberedPattern {
    pattern: Pattern,
    /// The variable of each place; an empty one is not captured.
    names: Vec<String>,
}

impl CommentKeeper {
    /// Reads the patterns of a rule with the names of a file.
    pub(crate) fn of(document: &Map<String, Value>, language: GrammarLanguage) -> Self {
        let mut own = Vec::new();
        find_own(document.get("rule").unwrap_or(&Value::Null), &mut own);
        let patterns = own.into_iter().filter_map(|it| NumberedPattern::of(it, language)).collect();
        let mut written = BTreeSet::new();
        for field in ["fix", "transform", "rewriters"] {
            find_variables(document.get(field).unwrap_or(&Value::Null), &mut written);
        }
        Self { patterns, written }
    }

    /// Returns whether a match has a comment that is not in the text of a variable of the fix.
    pub(crate) fn loses_comment(&self, tree: &SourceTree<'_>, matched: &RuleMatch<'_>) -> bool {
        let range = matched.range();
        let leaves = tree.node_at(&range).map(|node| tree.leaves(node)).unwrap_or_default();
        let comments: Vec<Range<usize>> = leaves
            .into_iter()
            .filter(|leaf| is_comment(*leaf) && contains(range.clone(), &leaf.byte_range()))
            .map(|leaf| leaf.byte_range())
            .collect();
        if comments.is_empty() {
            return false;
        }
        let is_lost = |kept: &[Range<usize>]| {
            !comments.iter().all(|it| kept.iter().any(|place| contains(place.clone(), it)))
        };
        let mut places = self.patterns.iter().filter_map(|it| it.kept(matched, &self.written));
        let Some(first) = places.next() else {
            // A rule by the kind of a node; its variables are in other rules, for nodes inside.
            let kept = self.written.iter().filter_map(|name| range_of(matched, name));
            return is_lost(&kept.collect::<Vec<_>>());
        };
        is_lost(&first) && places.all(|kept| is_lost(&kept))
    }
}

impl NumberedPattern {
    /// Reads one pattern: a text, or an object with the text around it.
    fn of(pattern: &Value, language: GrammarLanguage) -> Option<Self> {
        let mut names = Vec::new();
        let pattern = match pattern {
            Value::String(text) => Pattern::try_new(&number_variables(text, &mut names), language),
            Value::Object(fields) => {
                let field = |name: &str| fields.get(name).and_then(Value::as_str);
                let context = number_variables(field("context")?, &mut names);
                match field("selector") {
                    Some(selector) => Pattern::contextual(&context, selector, language),
                    None => Pattern::try_new(&context, language),
                }
            }
            _ => return None,
        };
        Some(Self { pattern: pattern.ok()?, names })
    }

    /// Returns the places of a match that the fix writes; `None` if this is not the pattern that matches.
    fn kept(
        &self,
        matched: &RuleMatch<'_>,
        written: &BTreeSet<String>,
    ) -> Option<Vec<Range<usize>>> {
        let found = self.pattern.match_node((**matched).clone())?;
        // Of a variable that is in the pattern twice, the fix writes one.
        let is_alone = |name: &&String| self.names.iter().filter(|it| it == name).count() == 1;
        let place = |(at, name): (usize, &String)| {
            let is_kept = Some(name).filter(is_alone).is_some_and(|it| written.contains(it));
            range_of(&found, &format!("{PLACE}{at}")).filter(|_| is_kept)
        };
        Some(self.names.iter().enumerate().filter_map(place).collect())
    }
}

/// Returns the range of a variable's text.
fn range_of(matched: &RuleMatch<'_>, name: &str) -> Option<Range<usize>> {
    let env = NodeMatch::get_env(matched);
    if let Some(node) = env.get_match(name) {
        return Some(node.range());
    }
    let nodes = env.get_multiple_matches(name);
    Some(nodes.first()?.range().start..nodes.last()?.range().end)
}

/// Finds the patterns that the matched place itself has, and not one inside or around it.
fn find_own<'v>(rule: &'v Value, own: &mut Vec<&'v Value>) {
    let Some(fields) = rule.as_object() else { return };
    own.extend(fields.get("pattern"));
    for name in ["all", "any"] {
        for rule in fields.get(name).and_then(Value::as_array).into_iter().flatten() {
            find_own(rule, own);
        }
    }
}

/// Finds the variables in all texts of a value.
fn find_variables(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::String(text) => {
            let mut names = Vec::new();
            number_variables(text, &mut names);
            found.extend(names.into_iter().filter(|it| !it.is_empty()));
        }
        Value::Array(items) => items.iter().for_each(|item| find_variables(item, found)),
        Value::Object(fields) => fields.values().for_each(|item| find_variables(item, found)),
        _ => {}
    }
}

/// Returns a pattern in which each variable has the name of its place, and adds the names that they had.
fn number_variables(text: &str, names: &mut Vec<String>) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('$') {
        let (before, found) = rest.split_at(at);
        out.push_str(before);
        let after = found.trim_start_matches('$');
        let dollars = found.len() - after.len();
        let is_name = |c: char| c.is_ascii_uppercase() || c == '_' || c.is_ascii_digit();
        let end = after.find(|c| !is_name(c)).unwrap_or(after.len());
        let (name, tail) = after.split_at(end);
        out.push_str(&"$".repeat(dollars));
        if name.starts_with(|c: char| c.is_ascii_uppercase() || c == '_') || dollars == 3 {
            out.push_str(PLACE);
            out.push_str(&names.len().to_string());
            let is_captured = !name.is_empty() && !name.starts_with('_');
            names.push(if is_captured { name.to_owned() } else { String::new() });
        } else {
            out.push_str(name);
        }
        rest = tail;
    }
    out.push_str(rest);
    out
}

fn is_comment(leaf: Node<'_>) -> bool {
    ancestors(leaf).take(3).any(|it| it.kind().contains("comment"))
}
