//! Decides whether a pattern covers all of what it matches.
//!
//! In ast-grep, a match may have more parts than its pattern, such as the body of an anonymous class or type arguments. A fix
//! would lose them, so such a match is none here.

use std::collections::BTreeSet;

use ast_grep_core::matcher::PatternNode;
use ast_grep_core::meta_var::MetaVariable;
use ast_grep_core::tree_sitter::StrDoc;
use ast_grep_core::{Node, Pattern};
use serde_json::{Map, Value};

use super::language::GrammarLanguage;

/// Kinds of arguments and elements that are more than one value.
const SPREADS: [&str; 12] = [
    "keyword_argument", "list_splat", "dictionary_splat", "parenthesized_list_splat",
    "spread_element", "variadic_argument", "splat_argument", "hash_splat_argument",
    "variadic_unpacking", "block_argument", "named_argument", "argument_name",
];

/// Marks that a program may have or lack without another meaning.
const OPTIONAL_MARKS: [&str; 4] = [",", ";", "(", ")"];

type SyntaxNode<'n> = Node<'n, StrDoc<GrammarLanguage>>;

/// The patterns of a rule as it combines them.
pub(crate) enum PatternCoverage {
    /// One pattern.
    Pattern(PatternNode),
    /// Parts that all have to cover the match.
    All(Vec<PatternCoverage>),
    /// Parts of which one has to.
    Any(Vec<PatternCoverage>),
}

impl PatternCoverage {
    /// Reads the patterns of a rule that match the whole of what is replaced.
    pub(crate) fn read(rule: &Value, language: GrammarLanguage) -> Self {
        let Value::Object(fields) = rule else { return Self::All(Vec::new()) };
        let mut parts = Vec::new();
        parts.extend(fields.get("pattern").and_then(|it| read_pattern(it, language)));
        let list = |name: &str| {
            let items = fields.get(name).and_then(Value::as_array);
            items.map(|items| items.iter().map(|it| Self::read(it, language)).collect())
        };
        parts.extend(list("all").map(Self::All));
        parts.extend(list("any").map(Self::Any));
        Self::All(parts)
    }

    /// Returns whether the patterns have all parts of a match.
    pub(crate) fn covers(&self, matched: &SyntaxNode<'_>, spreads: &BTreeSet<String>) -> bool {
        match self {
            Self::Pattern(pattern) => covers_node(pattern, matched, spreads),
            Self::All(parts) => parts.iter().all(|it| it.covers(matched, spreads)),
            Self::Any(parts) => parts.iter().any(|it| it.covers(matched, spreads)),
        }
    }
}

/// Returns the variables that a rule has constraints for, which say themselves what they may be.
pub(crate) fn constrained(document: &Map<String, Value>) -> BTreeSet<String> {
    let constraints = document.get("constraints").and_then(Value::as_object);
    constraints.into_iter().flat_map(|it| it.keys().cloned()).collect()
}

/// Reads a pattern; `None` if the rule chooses by itself how strictly it matches.
fn read_pattern(pattern: &Value, language: GrammarLanguage) -> Option<PatternCoverage> {
    let pattern = match pattern {
        Value::String(text) => Pattern::try_new(text, language).ok()?,
        Value::Object(fields) if !fields.contains_key("strictness") => {
            let context = fields.get("context")?.as_str()?;
            match fields.get("selector").and_then(Value::as_str) {
                Some(selector) => Pattern::contextual(context, selector, language).ok()?,
                None => Pattern::try_new(context, language).ok()?,
            }
        }
        _ => return None,
    };
    Some(PatternCoverage::Pattern(pattern.node))
}

/// Returns whether a pattern has all parts of a node.
fn covers_node(pattern: &PatternNode, node: &SyntaxNode<'_>, spreads: &BTreeSet<String>) -> bool {
    match pattern {
        PatternNode::MetaVar { meta_var } => {
            let is_allowed = match meta_var {
                MetaVariable::Capture(name, _) => spreads.contains(name),
                MetaVariable::Dropped(_) => false,
                MetaVariable::Multiple | MetaVariable::MultiCapture(_) => true,
            };
            is_allowed || !SPREADS.contains(&node.kind().as_ref())
        }
        PatternNode::Terminal { text, .. } => node.text() == text.as_str(),
        PatternNode::Internal { children, .. } => {
            let parts: Vec<&PatternNode> = children.iter().filter(|it| is_part(it)).collect();
            let nodes: Vec<SyntaxNode<'_>> = node.children().filter(is_node_part).collect();
            covers_list(&parts, &nodes, spreads)
        }
    }
}

/// Returns whether the parts of a pattern cover those of a node, in their order.
fn covers_list(
    parts: &[&PatternNode],
    nodes: &[SyntaxNode<'_>],
    spreads: &BTreeSet<String>,
) -> bool {
    let (mut part, mut at) = (0, 0);
    // The last `$$$` and the first node after those that it has taken.
    let mut ellipsis: Option<(usize, usize)> = None;
    while let Some(node) = nodes.get(at) {
        match parts.get(part) {
            Some(pattern) if is_ellipsis(pattern) => {
                ellipsis = Some((part, at));
                part += 1;
            }
            Some(pattern) if covers_node(pattern, node, spreads) => {
                part += 1;
                at += 1;
            }
            _ => {
                let Some((start, taken)) = ellipsis else { return false };
                ellipsis = Some((start, taken + 1));
                (part, at) = (start + 1, taken + 1);
            }
        }
    }
    parts.get(part..).unwrap_or_default().iter().all(|it| is_ellipsis(it))
}

/// Returns whether a pattern is a `$$$` variable.
fn is_ellipsis(pattern: &PatternNode) -> bool {
    matches!(
        pattern,
        PatternNode::MetaVar { meta_var: MetaVariable::Multiple | MetaVariable::MultiCapture(_) }
    )
}

fn is_part(pattern: &PatternNode) -> bool {
    match pattern {
        PatternNode::Terminal { text, .. } => !OPTIONAL_MARKS.contains(&text.as_str()),
        _ => true,
    }
}

fn is_node_part(node: &SyntaxNode<'_>) -> bool {
    let is_comment = node.is_named() && node.kind().contains("comment");
    !is_comment && !OPTIONAL_MARKS.contains(&node.text().as_ref())
}
