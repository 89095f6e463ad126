//! Decides which matches of a rule mean its APIs.

use std::collections::BTreeSet;
use std::ops::Range;

use serde_json::Value;
use tree_sitter::Node;

use super::bindings::Bindings;
use super::coverage::{PatternCoverage, constrained};
use super::name_role::is_reference;
use super::nodes::contains;
use super::pattern_text::root_names;
use super::resolve::{NameBinders, NameMeaning, uses_of_form};
use super::rewrite_scope::{NamedRule, RuleMatch};
use super::scopes::is_assigned_to;
use super::source_tree::SourceTree;
use super::spelled_names::NewNameChecker;
use super::value_type::is_value_of;

/// Decides which matches mean the APIs of the rule.
pub(crate) struct MatchChecker<'c> {
    named: &'c NamedRule<'c>,
    tree: &'c SourceTree<'c>,
    bindings: &'c Bindings,
    /// The places of each API; of a rule without APIs, the places of each name that it begins with.
    places: Vec<Vec<Range<usize>>>,
    lines: Option<Vec<Range<usize>>>,
    is_typed: bool,
    new_names: NewNameChecker<'c>,
    coverage: PatternCoverage,
    /// The variables that may be more than one value.
    spreads: BTreeSet<String>,
}

impl<'c> MatchChecker<'c> {
    pub(crate) fn new(
        named: &'c NamedRule<'c>,
        tree: &'c SourceTree<'c>,
        bindings: &'c Bindings,
    ) -> Self {
        let scope = named.scope;
        let lines =
            scope.lines.map(|lines| lines.iter().filter_map(|it| tree.line_range(*it)).collect());
        let old = named.names.old.values();
        let mut places: Vec<Vec<Range<usize>>> =
            old.map(|form| uses_of_form(tree, bindings, form)).collect();
        let mut is_typed = !places.is_empty() || !named.rule.typed.is_empty();
        if !is_typed {
            for name in root_names(named.rule) {
                let is_known = scope.reexports.is_defined(&name) || scope.allows_untyped;
                let found = if is_known { global_uses(tree, bindings, &name) } else { Vec::new() };
                is_typed = true;
                places.push(found);
            }
        }
        let rule = named.document.get("rule").unwrap_or(&Value::Null);
        let coverage = PatternCoverage::read(rule, named.file);
        let spreads = constrained(&named.document);
        let new_names = named.names.checker(tree, bindings);
        Self { named, tree, bindings, places, lines, is_typed, new_names, coverage, spreads }
    }

    /// Returns whether a match is one of the rule's APIs, on the lines in question.
    pub(crate) fn accepts(&self, matched: &RuleMatch<'_>) -> bool {
        let range = matched.range();
        let touches = |line: &Range<usize>| line.start < range.end && range.start < line.end;
        if self.lines.as_ref().is_some_and(|lines| !lines.iter().any(touches)) {
            return false;
        }
        if !self.is_typed && !self.named.scope.allows_untyped {
            return false;
        }
        let is_named =
            |places: &Vec<Range<usize>>| places.iter().any(|it| contains(range.clone(), it));
        let Some(node) = self.tree.node_at(&range) else { return false };
        self.places.iter().all(is_named)
            && !is_assigned_to(node)
            && self.coverage.covers(matched, &self.spreads)
            && self.new_names.are_right_at(node)
            && self.named.rule.typed.iter().all(|(variable, module)| {
                let node = matched.get_env().get_match(variable);
                let node = node.and_then(|it| self.tree.node_at(&it.range()));
                node.is_some_and(|it| is_value_of(self.tree, self.bindings, it, module))
            })
    }
}

/// Returns the uses of a name that nothing in the file declares or imports.
fn global_uses(tree: &SourceTree<'_>, bindings: &Bindings, name: &str) -> Vec<Range<usize>> {
    let binders = NameBinders::find(tree, bindings, name);
    let uses = tree.names(name).into_iter().filter(|leaf| is_reference(*leaf));
    let is_global = |leaf: &Node<'_>| binders.meaning_at(*leaf) == NameMeaning::Unbound;
    uses.filter(is_global).map(|leaf| leaf.byte_range()).collect()
}
