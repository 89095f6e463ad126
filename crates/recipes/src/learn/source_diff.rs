//! Learns the rules of one changed source file.

use papayu_base::domain::FailureKind;
use papayu_base::text::is_word_char;
use papayu_lang::Language;
use tree_sitter::Node;

use super::file_side::FileSide;
use super::generalize::{Generalized, generalize};
use super::rule_evidence::{RuleEvidence, package_of};
use super::taught_fix::{LearnedStep, TaughtFix};
use super::tree_diff::{NodePair, find_pairs};
use crate::api_name::ApiName;
use crate::apply::RecipeChange;
use crate::bindings::{ApiBinding, Bindings};
use crate::name_role::{is_name, is_reference};
use crate::nodes::{ancestors, contains, field_of};
use crate::recipe::RecipeStep;
use crate::resolve::uses_of;
use crate::rules::MoveRule;
use crate::source_tree::SourceTree;
use crate::value_type::is_value_of;

/// Most nodes around a change that may belong to its rule.
const MAX_CONTEXT: usize = 8;

/// Returns the rules that the change of a file consists of.
///
/// # Errors
///
/// The reason why a part of it belongs to its repository.
pub(super) fn learn_source(
    change: &RecipeChange,
    language: Language,
    fix: TaughtFix<'_>,
) -> Result<Vec<LearnedStep>, String> {
    let path = &change.path;
    let unread = || format!("`{path}` cannot be parsed");
    let old_tree = SourceTree::parse(language, &change.before).ok_or_else(unread)?;
    let new_tree = SourceTree::parse(language, &change.after).ok_or_else(unread)?;
    let old_bindings = Bindings::read(path, language, &change.before, fix.reexports);
    let new_bindings = Bindings::read(path, language, &change.after, fix.reexports);
    let old = FileSide { tree: &old_tree, bindings: &old_bindings };
    let new = FileSide { tree: &new_tree, bindings: &new_bindings };
    let pairs = find_pairs(&old_tree, &new_tree)
        .ok_or_else(|| format!("`{path}` has other statements than before"))?;
    let mut learner = SourceLearner { path, old, new, fix, moves: Vec::new(), rules: Vec::new() };
    let mut units: Vec<(NodePair<'_>, Option<(Node<'_>, String)>)> = Vec::new();
    let mut moved = Vec::new();
    for pair in pairs {
        match learner.find_move(pair) {
            Some(step) => moved.push((pair, step)),
            None => units.push(learner.find_unit(pair)?),
        }
    }
    let covers = |outer: &NodePair<'_>, inner: &NodePair<'_>| {
        contains(outer.old.byte_range(), &inner.old.byte_range())
    };
    let all: Vec<NodePair<'_>> = units.iter().map(|unit| unit.0).collect();
    for (at, (pair, receiver)) in units.into_iter().enumerate() {
        let is_inner = all.iter().enumerate().any(|(other, it)| {
            other != at && covers(it, &pair) && (it.old.id() != pair.old.id() || other < at)
        });
        if !is_inner {
            learner.add_rule(pair, receiver)?;
        }
    }
    for (pair, rule) in moved {
        if !all.iter().any(|unit| covers(unit, &pair)) {
            learner.add_move(rule, pair.old);
        }
    }
    learner.add_import_moves();
    Ok(learner.finish())
}

struct SourceLearner<'l> {
    path: &'l str,
    old: FileSide<'l>,
    new: FileSide<'l>,
    fix: TaughtFix<'l>,
    moves: Vec<LearnedStep>,
    rules: Vec<LearnedStep>,
}

impl<'l> SourceLearner<'l> {
    /// Returns the move that a changed name is; `None` for anything else.
    fn find_move(&self, pair: NodePair<'l>) -> Option<MoveRule> {
        if !is_name(pair.old) || !is_name(pair.new) {
            return None;
        }
        let language = self.old.tree.language;
        // The longest chain with the name: `acme.old.fetch` is narrower than `acme.old`.
        let chains = |side: FileSide<'l>, node: Node<'l>| {
            let mut found = Vec::new();
            for node in ancestors(node).take(MAX_CONTEXT) {
                found.extend(side.api_of(node));
            }
            found
        };
        let (old, new) = (chains(self.old, pair.old).pop()?, chains(self.new, pair.new).pop()?);
        let ((old_api, old_path), (new_api, new_path)) = (old, new);
        // A name that the file still imports is not renamed: one use of it has another name.
        let local = self.old.tree.text_of(pair.old);
        if old_path == new_path || self.new.bindings.all.iter().any(|it| it.local == local) {
            return None;
        }
        Some(self.widen_move(MoveRule { language, old: old_api, new: new_api }))
    }

    /// Returns the move of the whole module if the failure names the module and not the API.
    fn widen_move(&self, rule: MoveRule) -> MoveRule {
        let text: String =
            self.fix.report.failures.iter().map(|it| it.message.clone() + "\n").collect();
        let is_module = rule.old.name == rule.new.name
            && !rule.old.name.is_empty()
            && rule.old.module != rule.new.module
            && !text.contains(rule.old.name.as_str())
            && text.contains(rule.old.module.as_str());
        if !is_module {
            return rule;
        }
        let module = |api: ApiName| ApiName { name: String::new(), ..api };
        MoveRule { language: rule.language, old: module(rule.old), new: module(rule.new) }
    }

    /// Returns the smallest expression around a change that begins with an API, or with a value of one.
    fn find_unit(
        &self,
        pair: NodePair<'l>,
    ) -> Result<(NodePair<'l>, Option<(Node<'l>, String)>), String> {
        let (mut old, mut new) = (pair.old, pair.new);
        for _ in 0..MAX_CONTEXT {
            let kind = old.kind();
            if kind.ends_with("_statement")
                || kind.contains("block")
                || kind.contains("declaration")
            {
                break;
            }
            // The class of Java before a static method is no value of its own.
            let is_class = field_of(old) == Some("object")
                && old.parent().is_some_and(|it| it.kind() == "method_invocation");
            if is_expression(old)
                && !(is_class && is_name(old))
                && let Some(receiver) = self.begins_with_api(old)
            {
                return Ok((NodePair { old, new }, receiver));
            }
            let (Some(old_parent), Some(new_parent)) = (old.parent(), new.parent()) else { break };
            (old, new) = (old_parent, new_parent);
        }
        if let Some(unit) = self.find_linted(pair) {
            return Ok((unit, None));
        }
        let line = pair.old.start_position().row + 1;
        Err(format!("the change of `{}` line {line} has no API of a dependency", self.path))
    }

    /// Returns the smallest expression around a change that a linter reports by a code.
    fn find_linted(&self, pair: NodePair<'l>) -> Option<NodePair<'l>> {
        let (mut old, mut new) = (pair.old, pair.new);
        while !is_expression(old) || old.child_count() == 0 {
            (old, new) = (old.parent()?, new.parent()?);
        }
        let is_statement = old.kind().ends_with("_statement") || old.kind().contains("block");
        (!is_statement && self.is_linted(old)).then_some(NodePair { old, new })
    }

    /// Returns whether a linter reports a line of a node by a code.
    fn is_linted(&self, node: Node<'_>) -> bool {
        let (path, lines) = self.place_of(node);
        self.fix.report.failures.iter().any(|failure| {
            failure.kind == FailureKind::Lint
                && failure.code.is_some()
                && failure.locations.iter().any(|place| {
                    place.path.trim_start_matches("./") == path
                        && place.line.is_some_and(|line| lines.contains(&line))
                })
        })
    }

    /// Returns whether an expression begins with an API: `Some(None)`; with a value of a module: the value and the module.
    #[expect(clippy::option_option, reason = "no API, an API, and a value are three answers")]
    fn begins_with_api(&self, node: Node<'l>) -> Option<Option<(Node<'l>, String)>> {
        let tree = self.old.tree;
        let first = tree.leaves(node).into_iter().find(|leaf| is_name(*leaf))?;
        if !is_reference(first) && !["self", "this"].contains(&tree.text_of(first)) {
            return None;
        }
        let within: Vec<Node<'l>> = ancestors(first)
            .take_while(|it| contains(node.byte_range(), &it.byte_range()))
            .collect();
        if within.iter().any(|it| self.old.api_of(*it).is_some()) {
            return Some(None);
        }
        // A method: the value before it is one of a module.
        let call = within
            .iter()
            .rev()
            .find(|it| it.kind().contains("call") || it.kind() == "method_invocation")?;
        let function = call.child_by_field_name("function");
        let object = call.child_by_field_name("object").or_else(|| {
            ["object", "value", "operand"]
                .iter()
                .find_map(|name| function?.child_by_field_name(name))
        })?;
        let modules = self.old.bindings.all.iter().filter(|it| !it.is_indirect);
        let mut modules: Vec<String> = modules.map(|it| self.module_of(it)).collect();
        modules.dedup();
        let module = modules
            .into_iter()
            .filter(|it| !it.starts_with('.'))
            .find(|module| is_value_of(tree, self.old.bindings, object, module))?;
        Some(Some((object, module)))
    }

    fn module_of(&self, binding: &ApiBinding) -> String {
        ApiName::of_parts(self.old.tree.language, &binding.path, binding.module).module
    }

    fn add_rule(
        &mut self,
        pair: NodePair<'l>,
        receiver: Option<(Node<'l>, String)>,
    ) -> Result<(), String> {
        let Generalized { rule, names, required } = {
            let is_lint = receiver.is_none() && self.is_linted(pair.old);
            generalize(pair, self.old, self.new, receiver, is_lint)?
        };
        let modules = rule.imports.values().map(|api| api.module.clone());
        let evidence = RuleEvidence {
            names,
            required,
            places: vec![self.place_of(pair.old)],
            modules: modules
                .chain(rule.typed.values().cloned())
                .map(|it| package_of(rule.language, &it))
                .collect(),
        };
        let step = RecipeStep::Rewrite(rule);
        push_step(&mut self.rules, LearnedStep { step, evidence });
        Ok(())
    }

    fn add_move(&mut self, rule: MoveRule, node: Node<'_>) {
        let place = self.place_of(node);
        self.push_move(rule, place);
    }

    fn push_move(&mut self, rule: MoveRule, place: (String, std::ops::RangeInclusive<u32>)) {
        let mut evidence = RuleEvidence { places: vec![place], ..RuleEvidence::default() };
        evidence.modules.insert(package_of(rule.language, &rule.old.module));
        let name = if rule.old.name.is_empty() {
            rule.old.module.clone()
        } else {
            rule.old.last(rule.language)
        };
        evidence.names.insert(name);
        push_step(&mut self.moves, LearnedStep { step: RecipeStep::Move(rule), evidence });
    }

    /// Adds the moves of imports that kept their local name, or that nothing but the import shows.
    fn add_import_moves(&mut self) {
        let language = self.old.tree.language;
        let is_in = |all: &Bindings, one: &ApiBinding| {
            all.all.iter().any(|it| it.local == one.local && it.path == one.path)
        };
        let gone: Vec<&ApiBinding> =
            self.old.bindings.all.iter().filter(|it| !is_in(self.new.bindings, it)).collect();
        let came: Vec<&ApiBinding> =
            self.new.bindings.all.iter().filter(|it| !is_in(self.old.bindings, it)).collect();
        for old in gone {
            let Some(new) = came.iter().find(|it| it.local == old.local) else { continue };
            let api = |it: &ApiBinding| ApiName::of_parts(language, &it.path, it.module);
            let rule = MoveRule { language, old: api(old), new: api(new) };
            let place = (self.path.to_owned(), old.line..=old.line);
            let members = self.named_members(old);
            if !rule.old.name.is_empty() || members.is_empty() {
                self.push_move(self.widen_move(rule), place);
                continue;
            }
            for name in members {
                let of = |api: &ApiName| ApiName { name: name.clone(), ..api.clone() };
                let rule = MoveRule { language, old: of(&rule.old), new: of(&rule.new) };
                self.push_move(rule, place.clone());
            }
        }
    }

    /// Returns the members of an imported module that the file uses, if the failure names each of them.
    fn named_members(&self, binding: &ApiBinding) -> Vec<String> {
        let tree = self.old.tree;
        let mut members = Vec::new();
        for range in uses_of(tree, self.old.bindings, &binding.local, Some(binding)) {
            let after = tree.text.get(range.end..).unwrap_or_default();
            let after = after.trim_start_matches([':', '.']);
            let name = after.split(|c| !is_word_char(c)).next().unwrap_or_default().to_owned();
            let is_named = self.fix.report.failures.iter().any(|it| it.message.contains(&name));
            if name.is_empty() || !is_named {
                return Vec::new();
            }
            members.push(name);
        }
        members.sort();
        members.dedup();
        members
    }

    /// Returns the rules; of a move and a wider one only the wider.
    fn finish(self) -> Vec<LearnedStep> {
        self.rules.into_iter().chain(self.moves).collect()
    }

    fn place_of(&self, node: Node<'_>) -> (String, std::ops::RangeInclusive<u32>) {
        let line = |row: usize| u32::try_from(row + 1).unwrap_or(u32::MAX);
        (self.path.to_owned(), line(node.start_position().row)..=line(node.end_position().row))
    }
}

/// Adds a rule, or its evidence if it is known.
fn push_step(steps: &mut Vec<LearnedStep>, step: LearnedStep) {
    match steps.iter_mut().find(|known| known.step == step.step) {
        Some(known) => known.evidence.join(step.evidence),
        None => steps.push(step),
    }
}

/// Returns whether a node is an expression that a pattern can be.
fn is_expression(node: Node<'_>) -> bool {
    let kind = node.kind();
    node.is_named()
        && !kind.contains("argument")
        && !["pair", "keyed_element", "field_initializer", "object", "dictionary", "literal_value"]
            .contains(&kind)
        && !kind.contains("list")
}
