//! Turns one changed expression into a pattern and a fix: APIs stay as they are, everything else that both have in common
//! becomes a variable.

use std::collections::{BTreeMap, BTreeSet};

use papayu_lang::Language;
use serde_json::{Map, Value, json};
use tree_sitter::Node;

use super::arguments::{
    brackets, elements, is_argument_list, is_callee, is_element, is_key, is_literal,
    is_named_element, is_string, list_pairs,
};
use super::builtins::is_builtin_name;
use super::file_side::{FileSide, method_object};
use super::tree_diff::NodePair;
use crate::api_name::ApiName;
use crate::language::name_of;
use crate::name_role::{is_name, is_reference};
use crate::nodes::{ancestors, contains};
use crate::pattern_text::CONTEXTS;
use crate::rules::RewriteRule;

/// Marks around a part of a pattern that a call may lack.
const OPTIONAL: [char; 2] = ['\u{3}', '\u{4}'];

/// A rule, and what has to be known of the failure before it is believed.
pub(super) struct Generalized {
    pub(super) rule: RewriteRule,
    /// Words of which the failure has to name one, or its line.
    pub(super) names: BTreeSet<String>,
    /// Words that the failure has to name.
    pub(super) required: BTreeSet<String>,
}

/// Returns the rule of a changed expression.
///
/// # Errors
///
/// The reason why the change belongs to its file alone.
pub(super) fn generalize(
    pair: NodePair<'_>,
    old: FileSide<'_>,
    new: FileSide<'_>,
    receiver: Option<(Node<'_>, String)>,
    is_lint: bool,
) -> Result<Generalized, String> {
    let mut work = Generalizer {
        old,
        new,
        pair,
        variables: Vec::new(),
        next: 0,
        lists: list_pairs(pair),
        imports: BTreeMap::new(),
        becomes: BTreeMap::new(),
        names: BTreeSet::new(),
        required: BTreeSet::new(),
        is_lint,
    };
    let mut typed = BTreeMap::new();
    if let Some((node, module)) = receiver {
        work.variables.push((old.tree.text_of(node).to_owned(), "$OBJ".to_owned()));
        typed.insert("OBJ".to_owned(), module);
    }
    let pattern = work.render(Side::Old, pair.old)?;
    let fix = work.render(Side::New, pair.new)?;
    let fix = fix.replace(OPTIONAL, "");
    if pattern.replace(OPTIONAL, "") == fix && work.imports.keys().eq(work.becomes.keys()) {
        return Err("the change is the same text".to_owned());
    }
    if work.imports.is_empty() && typed.is_empty() && !is_lint {
        return Err("no name of a dependency is in it".to_owned());
    }
    let language = old.tree.language;
    let patterns = list_variants(&pattern);
    let mut rules = patterns.iter().map(|text| pattern_value(language, text, pair.old.kind()));
    let rule = if patterns.len() == 1 {
        rules.next().unwrap_or_default()
    } else {
        json!({ "any": rules.collect::<Vec<_>>() })
    };
    let document = Map::from_iter([
        ("language".to_owned(), Value::from(name_of(language))),
        ("rule".to_owned(), rule),
        ("fix".to_owned(), fix.into()),
    ]);
    let Generalizer { imports, becomes, names, required, .. } = work;
    let rule = RewriteRule { language, document, imports, becomes, typed };
    Ok(Generalized { rule, names, required })
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Old,
    New,
}

struct Generalizer<'g> {
    old: FileSide<'g>,
    new: FileSide<'g>,
    pair: NodePair<'g>,
    /// Texts and the variables in their place.
    variables: Vec<(String, String)>,
    next: usize,
    /// Lists of arguments that differ, before and after.
    lists: Vec<NodePair<'g>>,
    imports: BTreeMap<String, ApiName>,
    becomes: BTreeMap<String, ApiName>,
    names: BTreeSet<String>,
    required: BTreeSet<String>,
    /// `true` if a linter reports the expression by a code, which explains each of its tokens.
    is_lint: bool,
}

impl<'g> Generalizer<'g> {
    fn side(&self, side: Side) -> FileSide<'g> {
        if side == Side::Old { self.old } else { self.new }
    }

    /// Returns whether the other version has a node with this text.
    fn is_common(&self, side: Side, text: &str) -> bool {
        let (other, root) = match side {
            Side::Old => (self.new, self.pair.new),
            Side::New => (self.old, self.pair.old),
        };
        let mut nodes = vec![root];
        while let Some(node) = nodes.pop() {
            if node.is_named() && other.tree.text_of(node) == text {
                return true;
            }
            let mut cursor = node.walk();
            nodes.extend(node.named_children(&mut cursor));
        }
        false
    }

    fn render(&mut self, side: Side, node: Node<'_>) -> Result<String, String> {
        let file = self.side(side);
        let text = file.tree.text_of(node).to_owned();
        if let Some((api, _)) = file.api_of(node) {
            let start = method_object(node).unwrap_or(node).start_byte();
            let chain = file.tree.text.get(start..node.end_byte()).unwrap_or_default();
            let chain: String = chain.split_whitespace().collect();
            let last = api.last(file.tree.language);
            if side == Side::Old {
                self.names.insert(last);
                self.imports.insert(chain.clone(), api);
            } else if self.imports.get(&chain) != Some(&api) {
                self.becomes.insert(chain.clone(), api);
            }
            return Ok(chain);
        }
        // The chain of a call in Java has no node of its own.
        let name = Some(node).filter(|it| it.kind() == "method_invocation");
        let name = name.and_then(|it| it.child_by_field_name("name"));
        if let Some(name) =
            name.filter(|it| method_object(*it).is_some() && file.api_of(*it).is_some())
        {
            let chain = self.render(side, name)?;
            let arguments = node.child_by_field_name("arguments");
            let arguments = arguments.map(|it| self.render(side, it)).transpose()?;
            return Ok(chain + &arguments.unwrap_or_default());
        }
        if let Some((_, variable)) = self
            .variables
            .iter()
            .find(|(known, _)| *known == text)
            .filter(|_| node.is_named() && !is_argument_list(node))
        {
            return Ok(variable.clone());
        }
        if is_argument_list(node) {
            let pair = self.lists.iter().copied().find(|it| it.old == node || it.new == node);
            let is_changed =
                |it: &NodePair<'_>| self.old.tree.text_of(it.old) != self.new.tree.text_of(it.new);
            if let Some(pair) = pair.filter(is_changed) {
                return self.render_list(side, pair);
            }
            if self.is_common(side, &text) {
                return Ok(self.render_whole_list(&text));
            }
        }
        if self.is_general(side, node, &text) {
            return Ok(self.add_variable(text, false));
        }
        if node.child_count() == 0 || is_string(node) {
            return self.render_leaf(side, node, text);
        }
        let mut out = String::new();
        let mut at = node.start_byte();
        let mut cursor = node.walk();
        for child in node.children(&mut cursor) {
            out.push_str(file.tree.text.get(at..child.start_byte()).unwrap_or_default());
            out.push_str(&self.render(side, child)?);
            at = child.end_byte();
        }
        Ok(out)
    }

    /// Returns whether a node that both versions have may be any node.
    fn is_general(&self, side: Side, node: Node<'_>, text: &str) -> bool {
        let is_member = is_name(node) && !is_reference(node);
        node.is_named()
            && node.id() != self.pair.old.id()
            && node.id() != self.pair.new.id()
            && !(is_member && (is_callee(node) || is_key(node)))
            && !is_argument_list(node)
            && !node.kind().contains("comment")
            && !is_element(node)
            && self.is_common(side, text)
            && !self.has_api(side, node)
    }

    fn has_api(&self, side: Side, node: Node<'_>) -> bool {
        let file = self.side(side);
        file.tree.leaves(node).into_iter().any(|leaf| {
            is_name(leaf) && ancestors(leaf).take(3).any(|it| file.api_of(it).is_some())
        })
    }

    /// Returns a token as it is, if the failure explains it.
    fn render_leaf(&mut self, side: Side, node: Node<'_>, text: String) -> Result<String, String> {
        let file = self.side(side);
        if side == Side::Old {
            if is_literal(node) && !self.is_common(side, &text) && !self.is_lint {
                self.required.insert(text.trim_matches(['"', '\'', '`']).to_owned());
            } else if is_name(node) && !is_reference(node) {
                if is_callee(node) || !self.is_common(side, &text) {
                    self.names.insert(text.clone());
                }
            } else if is_name(node) && !self.is_common(side, &text) && !self.is_builtin(&text) {
                return Err(format!("`{text}` belongs to the repository"));
            }
        } else if is_literal(node)
            && !self.is_common(side, &text)
            && !self.is_lint
            && self.is_passed(node)
        {
            // Another repository may need another value.
            self.required.insert(text.trim_matches(['"', '\'', '`']).to_owned());
        } else if is_name(node)
            && is_reference(node)
            && !self.old.tree.declarations(&text).is_empty()
        {
            return Err(format!("the new text uses `{text}` of the repository"));
        } else if is_name(node) && is_reference(node) && file.bindings.resolve(&text).is_some() {
            return Err(format!("the new text uses `{text}`, which is not an API of a dependency"));
        }
        Ok(text)
    }

    /// Returns whether a node of the new text is in the arguments of an API, or of a call that the old text has.
    fn is_passed(&self, node: Node<'_>) -> bool {
        let root = self.pair.new.byte_range();
        let inside = ancestors(node).take_while(|it| contains(root.clone(), &it.byte_range()));
        let calls = inside.filter(|it| is_argument_list(*it)).filter_map(|it| it.parent());
        let mut callees = calls.filter_map(|call| {
            ["function", "name", "constructor"].iter().find_map(|it| call.child_by_field_name(it))
        });
        callees.any(|callee| {
            let text = self.new.tree.text_of(callee);
            self.new.api_of(callee).is_some()
                || self.old.tree.text_of(self.pair.old).contains(&format!("{text}("))
        })
    }

    /// Returns whether a name of the old text is one of the language that the file does not use for something else.
    fn is_builtin(&self, name: &str) -> bool {
        let language = self.old.tree.language;
        is_builtin_name(language, name)
            && self.old.tree.declarations(name).is_empty()
            && self.old.bindings.resolve(name).is_none()
    }

    fn add_variable(&mut self, text: String, is_list: bool) -> String {
        let letter = u8::try_from(self.next % 26).map_or('X', |at| char::from(b'A' + at));
        let number = self.next / 26;
        let number = if number > 0 { number.to_string() } else { String::new() };
        self.next += 1;
        let variable =
            if is_list { format!("$$$ARGS{}", self.next) } else { format!("${letter}{number}") };
        self.variables.push((text, variable.clone()));
        variable
    }

    /// Returns a list of arguments that is the same before and after: it may have any arguments.
    fn render_whole_list(&mut self, text: &str) -> String {
        let known = self.variables.iter().find(|(known, _)| known == text);
        let variable = known.map(|(_, it)| it.clone());
        let variable = variable.unwrap_or_else(|| self.add_variable(text.to_owned(), true));
        let (open, close) =
            (text.chars().next().unwrap_or('('), text.chars().last().unwrap_or(')'));
        format!("{open}{variable}{close}")
    }

    /// Returns a list of arguments that differs: what is around the difference may be anything.
    fn render_list(&mut self, side: Side, pair: NodePair<'_>) -> Result<String, String> {
        let (before, after) = (elements(pair.old), elements(pair.new));
        let text_of = |side: Side, node: &Node<'_>| self.side(side).tree.text_of(*node).to_owned();
        let old: Vec<String> = before.iter().map(|node| text_of(Side::Old, node)).collect();
        let new: Vec<String> = after.iter().map(|node| text_of(Side::New, node)).collect();
        let head = old.iter().zip(&new).take_while(|(old, new)| old == new).count();
        let left = old.len().min(new.len()) - head;
        let tail = old
            .iter()
            .rev()
            .zip(new.iter().rev())
            .take(left)
            .take_while(|(old, new)| old == new)
            .count();
        let middle = |nodes: &[Node<'_>]| {
            nodes
                .get(head..nodes.len() - tail)
                .unwrap_or_default()
                .iter()
                .all(|it| is_named_element(*it))
        };
        // A named argument is found wherever it is; another one at its place only.
        let is_free = middle(&before) && middle(&after) && old.len() - tail > head;
        let list = if side == Side::Old { pair.old } else { pair.new };
        let nodes = if side == Side::Old { before } else { after };
        let mut parts = Vec::new();
        for node in nodes.get(head..nodes.len() - tail).unwrap_or_default() {
            parts.push(self.render_element(side, *node)?);
        }
        let mut body = parts.join(", ");
        if is_free {
            let comma = if body.is_empty() { "" } else { ", " };
            let [open, close] = OPTIONAL;
            body = format!("{open}$$$BEFORE{comma}{open}{body}{close}{comma}$$$AFTER{close}");
            if comma.is_empty() {
                "$$$BEFORE, $$$AFTER".clone_into(&mut body);
            }
        } else {
            let file = self.side(side);
            let mut around = |node: &Node<'_>| {
                let text = file.tree.text_of(*node).to_owned();
                let known = self.variables.iter().find(|(known, _)| *known == text);
                let known = known.map(|(_, it)| it.clone());
                known.unwrap_or_else(|| self.add_variable(text, false))
            };
            let mut all: Vec<String> =
                nodes.get(..head).unwrap_or_default().iter().map(&mut around).collect();
            all.extend(Some(body).filter(|it| !it.is_empty()));
            all.extend(nodes.get(nodes.len() - tail..).unwrap_or_default().iter().map(&mut around));
            body = all.join(", ");
        }
        let (open, close) = brackets(self.side(side).tree, list);
        Ok(format!("{open}{body}{close}"))
    }

    /// Returns an argument; one that is dropped may have any value.
    fn render_element(&mut self, side: Side, node: Node<'_>) -> Result<String, String> {
        let file = self.side(side);
        let text = file.tree.text_of(node).to_owned();
        let known = self.variables.iter().find(|(known, _)| *known == text);
        if let Some((_, variable)) = known {
            return Ok(variable.clone());
        }
        let value = ["value", "right"].iter().find_map(|name| node.child_by_field_name(name));
        if side == Side::Old
            && let Some(value) = value.filter(|_| is_named_element(node))
        {
            // The failure has to say that the name is wrong, whatever its value.
            let head =
                file.tree.text.get(node.start_byte()..value.start_byte()).unwrap_or_default();
            let name = head.trim_end_matches([' ', '=', ':']).trim_matches(['"', '\'']).to_owned();
            self.required.insert(name);
            let value_text = file.tree.text_of(value).to_owned();
            let value = if self.has_api(side, value) && self.is_kept(head) {
                self.render(side, value)?
            } else {
                self.add_variable(value_text, false)
            };
            return Ok(format!("{head}{value}"));
        }
        let is_argument = side == Side::Old && !is_element(node) && !self.has_api(side, node);
        // An argument that the new call lacks; one that it changes is a part of the change.
        if is_argument
            && (self.is_common(side, &text) || !is_literal(node) && self.drops_arguments())
        {
            return Ok(self.add_variable(text, false));
        }
        self.render(side, node)
    }

    /// Returns whether a new list has an element with this name, blanks and sign before the value.
    fn is_kept(&self, head: &str) -> bool {
        let mut new = self.lists.iter().flat_map(|pair| elements(pair.new));
        new.any(|it| self.new.tree.text_of(it).starts_with(head))
    }

    /// Returns whether the new call has fewer arguments.
    fn drops_arguments(&self) -> bool {
        self.lists.iter().any(|it| elements(it.new).len() < elements(it.old).len())
    }
}

/// Returns a pattern with and without its optional parts.
fn list_variants(pattern: &str) -> Vec<String> {
    let [open, close] = OPTIONAL;
    let mut patterns = vec![pattern.to_owned()];
    for mark in [open, close] {
        let parts = |text: &String| {
            let mut split = text.splitn(3, mark);
            Some((split.next()?.to_owned(), split.next()?.to_owned(), split.next()?.to_owned()))
        };
        patterns = patterns
            .into_iter()
            .flat_map(|text| match parts(&text) {
                Some((before, part, after)) => {
                    vec![format!("{before}{after}"), format!("{before}{part}{after}")]
                }
                None => vec![text],
            })
            .collect();
    }
    patterns
}

/// Returns the rule of a pattern, with the text around it that its language needs.
fn pattern_value(language: Language, pattern: &str, kind: &str) -> Value {
    match CONTEXTS.iter().find(|(it, ..)| *it == language) {
        Some((_, before, after)) => {
            json!({ "pattern": { "context": format!("{before}{pattern}{after}"), "selector": kind } })
        }
        None => json!({ "pattern": pattern }),
    }
}
