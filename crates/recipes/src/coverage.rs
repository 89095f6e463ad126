//! Decides if a rule accounts for all that a match has, so that a fix drops nothing of it.
//!
//! The patterns of ast-grep leave out what the text has in addition: the `async` of `async with`, type arguments, an `else`,
//! the body of an anonymous class, comments. A fix would delete all of these without a word.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use ast_grep_core::matcher::{MatcherExt, PatternNode};
use ast_grep_core::tree_sitter::StrDoc;
use ast_grep_core::{Node as GrepNode, NodeMatch, Pattern};
use papayu_lang::Language;
use serde_json::{Map, Value};
use tree_sitter::Node;

use super::go_patterns::read_calls;
use super::language::{GrammarLanguage, is_script};
use super::source_tree::{SourceTree, ancestors, contains};

/// The beginning of the names of variables that stand for those of a pattern, one for each place.
const PLACE: &str = "PLACE_";

/// A part of a match that a fix would drop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dropped {
    /// A word or sign that the pattern does not have.
    Token,
    /// A comment.
    Comment,
}

/// The patterns of a rule for the matched place itself, and the variables that its fix writes.
pub(crate) struct Coverage {
    patterns: Vec<CoveringPattern>,
    written: BTreeSet<String>,
}

/// A pattern in which each variable has a name of its own.
struct CoveringPattern {
    pattern: Pattern,
    /// The variable of each place; an empty one is not captured.
    names: Vec<String>,
    /// The number of times that the pattern has a word or sign.
    tokens: BTreeMap<String, usize>,
}

impl Coverage {
    /// Reads the patterns of a rule with the names of a file.
    pub(crate) fn of(document: &Map<String, Value>, language: GrammarLanguage) -> Self {
        let document = read_calls(document, language.language());
        let mut own = Vec::new();
        find_own(document.get("rule").unwrap_or(&Value::Null), &mut own);
        let patterns = own.into_iter().filter_map(|it| CoveringPattern::of(it, language)).collect();
        let mut written = BTreeSet::new();
        for field in ["fix", "transform", "rewriters"] {
            find_variables(document.get(field).unwrap_or(&Value::Null), &mut written);
        }
        Self { patterns, written }
    }

    /// Returns what the fix of a match would drop; `None` if it drops nothing.
    pub(crate) fn find_dropped(
        &self,
        tree: &SourceTree<'_>,
        matched: &NodeMatch<'_, StrDoc<GrammarLanguage>>,
    ) -> Option<Dropped> {
        let range = matched.range();
        let leaves: Vec<Node<'_>> = tree
            .node_at(&range)
            .map(|node| tree.leaves(node))
            .unwrap_or_default()
            .into_iter()
            .filter(|leaf| {
                contains(range.clone(), &leaf.byte_range()) && !leaf.byte_range().is_empty()
            })
            .collect();
        let mut worst = None;
        for pattern in &self.patterns {
            let Some(places) = pattern.places(matched) else { continue };
            match self.compare(pattern, &places, tree, &leaves) {
                None => return None,
                dropped => worst = dropped,
            }
        }
        // A rule without a pattern says nothing of the words of its match, but a comment is lost anyway.
        let written: Vec<Range<usize>> =
            self.written.iter().filter_map(|name| range_of(matched, name)).collect();
        let is_lost = |leaf: &Node<'_>| {
            is_comment(*leaf) && !written.iter().any(|it| contains(it.clone(), &leaf.byte_range()))
        };
        worst.or_else(|| leaves.iter().any(is_lost).then_some(Dropped::Comment))
    }

    fn compare(
        &self,
        pattern: &CoveringPattern,
        places: &[(usize, Range<usize>)],
        tree: &SourceTree<'_>,
        leaves: &[Node<'_>],
    ) -> Option<Dropped> {
        let mut left = pattern.tokens.clone();
        for (at, leaf) in leaves.iter().enumerate() {
            let mut after = leaves.iter().skip(at + 1).filter(|it| !is_comment(**it));
            let next = after.next().map_or("", |it| tree.text_of(*it));
            let range = leaf.byte_range();
            let place = places.iter().find(|(_, place)| contains(place.clone(), &range));
            let is_written = place.is_some_and(|(at, _)| pattern.is_written(*at, &self.written));
            if is_comment(*leaf) {
                if !is_written {
                    return Some(Dropped::Comment);
                }
                continue;
            }
            let text = tree.text_of(*leaf);
            if place.is_some() || leaf.is_extra() || is_trivial(tree.language, text, next) {
                continue;
            }
            match left.get_mut(text) {
                Some(count) if *count > 0 => *count -= 1,
                _ => return Some(Dropped::Token),
            }
        }
        None
    }
}

impl CoveringPattern {
    /// Reads one pattern: a text, or an object with the text around it.
    fn of(pattern: &Value, language: GrammarLanguage) -> Option<Self> {
        let mut names = Vec::new();
        let pattern = match pattern {
            Value::String(text) => Pattern::try_new(&number_variables(text, &mut names), language),
            Value::Object(fields) => {
                let field = |name: &str| fields.get(name).and_then(Value::as_str);
                // Whoever asks for a loose comparison gets it.
                if field("strictness").is_some_and(|it| ["signature", "template"].contains(&it)) {
                    return None;
                }
                let context = number_variables(field("context")?, &mut names);
                match field("selector") {
                    Some(selector) => Pattern::contextual(&context, selector, language),
                    None => Pattern::try_new(&context, language),
                }
            }
            _ => return None,
        };
        let pattern = pattern.ok()?;
        let mut tokens = BTreeMap::new();
        count_tokens(&pattern.node, &mut tokens);
        Some(Self { pattern, names, tokens })
    }

    /// Returns the ranges of the variables in a match; `None` if this is not the pattern that matches.
    fn places(
        &self,
        matched: &GrepNode<'_, StrDoc<GrammarLanguage>>,
    ) -> Option<Vec<(usize, Range<usize>)>> {
        let found = self.pattern.match_node(matched.clone())?;
        let place = |at: usize| Some((at, range_of(&found, &format!("{PLACE}{at}"))?));
        Some((0..self.names.len()).filter_map(place).collect())
    }

    /// Returns whether a fix writes the text of a place: of a variable that is in the pattern twice, it writes one.
    fn is_written(&self, at: usize, written: &BTreeSet<String>) -> bool {
        self.names.get(at).is_some_and(|name| {
            written.contains(name) && self.names.iter().filter(|it| *it == name).count() == 1
        })
    }
}

/// Returns the range of a variable's text.
fn range_of(matched: &NodeMatch<'_, StrDoc<GrammarLanguage>>, name: &str) -> Option<Range<usize>> {
    let env = matched.get_env();
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

fn count_tokens(node: &PatternNode, tokens: &mut BTreeMap<String, usize>) {
    match node {
        PatternNode::MetaVar { .. } => {}
        PatternNode::Terminal { text, .. } => *tokens.entry(text.clone()).or_default() += 1,
        PatternNode::Internal { children, .. } => {
            for child in children {
                count_tokens(child, tokens);
            }
        }
    }
}

/// Returns whether a sign says nothing that a fix could lose.
fn is_trivial(language: Language, text: &str, next: &str) -> bool {
    match text {
        "(" | ")" | "\"" | "'" => true,
        "," => matches!(next, ")" | "]" | "}" | ">" | ""),
        ";" => is_script(language),
        _ => text.trim().is_empty(),
    }
}

fn is_comment(leaf: Node<'_>) -> bool {
    ancestors(leaf).take(3).any(|it| it.kind().contains("comment"))
}
