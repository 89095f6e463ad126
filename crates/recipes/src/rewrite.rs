//! Applies a rule of ast-grep to a file, for every name under which the file knows the rule's APIs.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use ast_grep_config::RuleConfig;
use ast_grep_core::replacer::Replacer;
use ast_grep_core::tree_sitter::StrDoc;
use ast_grep_core::{AstGrep, NodeMatch};
use serde_json::{Map, Value};

use super::api_name::{ApiName, separator};
use super::apply::RecipeFiles;
use super::bindings::{ApiBinding, ApiForm, Bindings, Reexports};
use super::coverage::{Coverage, Dropped};
use super::import_edit::{add_import, change_import, drop_name};
use super::import_needs::OutsideUses;
use super::language::GrammarLanguage;
use super::moves::default_local;
use super::nested::{deepest, innermost};
use super::pattern_text::{replace_names, root_names, without_variable};
use super::recipe::RewriteRule;
use super::source_tree::{SourceTree, ancestors, contains, is_reference};
use super::text_edit::{TextReplacement, apply_edits};
use super::value_type::is_value_of;

/// Most passes over a file: each handles one level of nested matches.
const MAX_PASSES: usize = 64;

/// The reason why a file with deeper nested matches stays as it is.
const TOO_DEEP: &str = "its places to change are nested too deep";

/// Most changed places of a file.
const MAX_EDITS: usize = 1_000;

/// Most combinations of the names that a file has for the APIs of a rule.
const MAX_FORMS: usize = 16;

/// The part of a file that a rule may change, and what is known around it.
#[derive(Clone, Copy)]
pub(crate) struct RewriteScope<'s> {
    /// The file.
    pub(crate) path: &'s str,
    /// Lines from 1 that a match must touch; `None` for the whole file.
    pub(crate) lines: Option<&'s BTreeSet<u32>>,
    /// The other files.
    pub(crate) reexports: &'s dyn Reexports,
    /// The files, with the time that is left.
    pub(crate) files: &'s dyn RecipeFiles,
    /// `true` if a rule may apply although no import explains its names.
    pub(crate) allows_untyped: bool,
}

/// Returns the text of a file after a rule; `None` if the rule changes nothing, or cannot be applied safely.
pub(crate) fn rewrite_file(
    rule: &RewriteRule,
    scope: RewriteScope<'_>,
    file: GrammarLanguage,
    tree: &SourceTree<'_>,
) -> Option<String> {
    let bindings = Bindings::read(scope.path, tree.language, tree.text, scope.reexports);
    let mut text = tree.text.to_owned();
    let mut done = Vec::new();
    let source = RewriteSource { rule, scope, file, tree };
    for forms in combine_forms(rule, &bindings) {
        // A file that has its own name for the old API keeps it for the new one, unless it needs the old one still.
        let alias = find_alias(rule, &forms, tree);
        let aliased = alias.and_then(|alias| {
            let mut done = done.clone();
            let before = done.len();
            let names = SpelledNames::choose(rule, &bindings, tree, forms.clone(), Some(&alias.0))?;
            let text = source.rewrite_form(&names, text.clone(), &mut done)?;
            (done.len() - before == alias.1).then_some((text, done))
        });
        if let Some((new, ranges)) = aliased {
            (text, done) = (new, ranges);
            continue;
        }
        let names = SpelledNames::choose(rule, &bindings, tree, forms, None)?;
        text = source.rewrite_form(&names, text, &mut done)?;
    }
    (text != tree.text).then_some(text)
}

/// Returns the binding of a name that a file gives an API which the rule replaces by another one, and the number of its uses.
fn find_alias(
    rule: &RewriteRule,
    forms: &BTreeMap<String, ApiForm>,
    tree: &SourceTree<'_>,
) -> Option<(ApiBinding, usize)> {
    let (Some((name, form)), true, true) =
        (forms.iter().next(), forms.len() == 1, rule.becomes.len() == 1)
    else {
        return None;
    };
    let binding = form.binding.clone().filter(|it| it.is_renamed && it.local == form.text)?;
    let module = rule.imports.get(name).map(|api| &api.module);
    let is_same =
        rule.becomes.values().all(|api| Some(&api.module) == module && !api.name.contains('.'));
    let uses = tree.chains(&binding.local).len();
    is_same.then_some((binding, uses))
}

/// A rule and the file that it is applied to.
struct RewriteSource<'s> {
    rule: &'s RewriteRule,
    scope: RewriteScope<'s>,
    file: GrammarLanguage,
    tree: &'s SourceTree<'s>,
}

impl RewriteSource<'_> {
    /// Rewrites a text with one choice of names.
    fn rewrite_form(
        &self,
        names: &SpelledNames,
        text: String,
        done: &mut Vec<Range<usize>>,
    ) -> Option<String> {
        let Self { rule, scope, file, tree } = *self;
        let document = names.spell(&rule.document);
        let Ok(compiled) = RewriteRule::compile(&document, tree.language) else {
            return Some(text);
        };
        let coverage = Coverage::of(&document, file);
        let rewriter = Rewriter { rule, scope, file, names, document, compiled, coverage };
        let before = text.clone();
        let text = rewriter.run(text, done)?;
        if text == before { Some(text) } else { names.update_imports(rule, scope, tree, &text) }
    }
}

/// Returns every choice of one form for each API of a rule.
fn combine_forms(rule: &RewriteRule, bindings: &Bindings) -> Vec<BTreeMap<String, ApiForm>> {
    let language = rule.language;
    let mut all = vec![BTreeMap::new()];
    for (name, api) in &rule.imports {
        let forms = bindings.forms(&api.parts(language));
        let longer = all.iter().flat_map(|chosen: &BTreeMap<String, ApiForm>| {
            forms.iter().map(|form| {
                let mut chosen = chosen.clone();
                chosen.insert(name.clone(), form.clone());
                chosen
            })
        });
        all = longer.take(MAX_FORMS).collect();
    }
    all
}

/// The names in one file for the APIs of a rule.
struct SpelledNames {
    old: BTreeMap<String, ApiForm>,
    new: BTreeMap<String, String>,
    missing: Vec<(ApiName, String)>,
    /// The import that keeps its local name.
    alias: Option<(ApiBinding, ApiName)>,
}

impl SpelledNames {
    /// Chooses the names of the new APIs; `None` if one is taken by something else.
    fn choose(
        rule: &RewriteRule,
        bindings: &Bindings,
        tree: &SourceTree<'_>,
        old: BTreeMap<String, ApiForm>,
        alias: Option<&ApiBinding>,
    ) -> Option<Self> {
        let mut table = Self { old, new: BTreeMap::new(), missing: Vec::new(), alias: None };
        for (name, api) in &rule.becomes {
            if let Some(alias) = alias {
                table.new.insert(name.clone(), alias.local.clone());
                table.alias = Some((alias.clone(), api.clone()));
                continue;
            }
            let parts = api.parts(tree.language);
            let by_import = |form: &ApiForm| form.binding.is_some();
            if let Some(form) = bindings.forms(&parts).into_iter().find(by_import) {
                table.new.insert(name.clone(), form.text);
                continue;
            }
            let is_path = table.old.values().any(|form| form.binding.is_none());
            if let Some(form) = bindings.forms(&parts).into_iter().next().filter(|_| is_path) {
                table.new.insert(name.clone(), form.text);
                continue;
            }
            // The first part of a longer name is what an import binds.
            let first = api.name.split('.').next().unwrap_or_default().to_owned();
            let import = match tree.language {
                papayu_lang::Language::Go => {
                    ApiName { module: api.module.clone(), name: String::new() }
                }
                _ => ApiName { module: api.module.clone(), name: first.clone() },
            };
            let local = default_local(tree.language, &import);
            if !tree.declarations(&local).is_empty() || bindings.resolve(&local).is_some() {
                return None;
            }
            let spelled = if import.name.is_empty() {
                [local.as_str(), &api.name].join(separator(tree.language))
            } else {
                api.name.clone()
            };
            table.new.insert(name.clone(), spelled);
            if table.missing.iter().all(|(known, _)| *known != import) {
                table.missing.push((import, local));
            }
        }
        Some(table)
    }

    /// Returns the rule with the names of the file.
    fn spell(&self, document: &Map<String, Value>) -> Map<String, Value> {
        let spelled = |(key, value): (&String, &Value)| (key.clone(), self.spell_value(key, value));
        document.iter().map(spelled).collect()
    }

    fn spell_value(&self, key: &str, value: &Value) -> Value {
        match value {
            Value::String(text) if matches!(key, "pattern" | "context") => {
                let names = self.old.iter().map(|(name, form)| (name, &form.text));
                Value::String(replace_names(text, names))
            }
            Value::String(text) if matches!(key, "fix" | "template") => {
                // A name may be both, if the fix keeps the call.
                let kept = self.old.iter().filter(|(name, _)| !self.new.contains_key(*name));
                let kept = kept.map(|(name, form)| (name, &form.text));
                Value::String(replace_names(text, self.new.iter().chain(kept)))
            }
            Value::Object(fields) => Value::Object(self.spell(fields)),
            Value::Array(items) => {
                Value::Array(items.iter().map(|item| self.spell_value(key, item)).collect())
            }
            other => other.clone(),
        }
    }

    /// Adds the missing imports and removes those that nothing uses any more.
    fn update_imports(
        &self,
        rule: &RewriteRule,
        scope: RewriteScope<'_>,
        before: &SourceTree<'_>,
        text: &str,
    ) -> Option<String> {
        if let Some((binding, api)) = &self.alias {
            let tree = SourceTree::parse(before.language, text)?;
            let bindings = Bindings::read(scope.path, before.language, text, scope.reexports);
            let edits = change_import(&tree, &bindings, binding, api, &binding.local)?;
            return Some(apply_edits(text, edits));
        }
        let mut missing = self.missing.clone();
        let mut text = text.to_owned();
        for (name, form) in &self.old {
            let Some(binding) = form.binding.as_ref().filter(|it| it.local != "*") else {
                continue;
            };
            let tree = SourceTree::parse(before.language, &text)?;
            // An import that was not used before has another purpose.
            let is_unused = tree.chains(&binding.local).is_empty();
            let outside =
                OutsideUses { path: scope.path, reexports: scope.reexports, files: scope.files };
            let is_needed = || binding.is_passed_on || outside.need(&tree, &binding.local);
            if !is_unused || is_needed() || before.chains(&binding.local).is_empty() {
                continue;
            }
            let bindings = Bindings::read(scope.path, before.language, &text, scope.reexports);
            // The lines may have moved.
            let Some(binding) =
                bindings.all.iter().find(|it| it.local == binding.local && it.path == binding.path)
            else {
                continue;
            };
            let module = rule.imports.get(name).map(|api| api.module.as_str());
            let same = missing.iter().position(|(api, _)| Some(api.module.as_str()) == module);
            let edits = match same {
                Some(at) => {
                    let (api, local) = missing.remove(at);
                    change_import(&tree, &bindings, binding, &api, &local)?
                }
                None => drop_name(&tree, &bindings, binding)?,
            };
            text = apply_edits(&text, edits);
        }
        for (api, local) in missing {
            let tree = SourceTree::parse(before.language, &text)?;
            let edit = add_import(&tree, &api, &local, None)?;
            text = apply_edits(&text, vec![edit]);
        }
        Some(text)
    }
}

/// One rule with the names of one file.
struct Rewriter<'r> {
    rule: &'r RewriteRule,
    scope: RewriteScope<'r>,
    file: GrammarLanguage,
    names: &'r SpelledNames,
    document: Map<String, Value>,
    compiled: RuleConfig<GrammarLanguage>,
    coverage: Coverage,
}

type RuleMatch<'t> = NodeMatch<'t, StrDoc<GrammarLanguage>>;

impl Rewriter<'_> {
    /// Rewrites a text pass by pass, inner matches first. What was rewritten is in `done` and not matched again, so a rule
    /// that swaps two arguments swaps them once.
    fn run(&self, mut text: String, done: &mut Vec<Range<usize>>) -> Option<String> {
        for _ in 0..MAX_PASSES {
            let edits = self.find_edits(&text, done)?;
            if edits.is_empty() {
                return Some(text);
            }
            if done.len() + edits.len() > MAX_EDITS {
                let reason = "it has more than 1000 places to change";
                self.scope.files.leave_alone(self.scope.path, None, reason);
                return None;
            }
            move_ranges(done, &edits);
            text = apply_edits(&text, edits);
        }
        // Deeper than any program: rather nothing than a half.
        self.scope.files.leave_alone(self.scope.path, None, TOO_DEEP);
        None
    }

    /// Returns the edits of one pass.
    fn find_edits(&self, text: &str, done: &[Range<usize>]) -> Option<Vec<TextReplacement>> {
        let tree = SourceTree::parse(self.file_language()?, text)?;
        let bindings = Bindings::read(self.scope.path, tree.language, text, self.scope.reexports);
        let grep = AstGrep::doc(self.file.parse(text)?);
        if deepest(grep.root().find_all(&self.compiled.matcher).map(|it| it.range())) > MAX_PASSES {
            self.scope.files.leave_alone(self.scope.path, None, TOO_DEEP);
            return None;
        }
        let checker = MatchChecker::new(self, &tree, &bindings);
        let mut found: Vec<(Range<usize>, TextReplacement)> = Vec::new();
        for matched in grep.root().find_all(&self.compiled.matcher) {
            let range = matched.range();
            let is_done = done.iter().any(|it| contains(it.clone(), &range));
            if self.scope.files.is_over_time() {
                return None;
            }
            if is_done || !checker.accepts(&matched) {
                continue;
            }
            if let Some(dropped) = self.coverage.find_dropped(&tree, &matched) {
                self.leave_alone(&tree, &range, dropped);
                continue;
            }
            let Some(edit) = self.edit_of(&matched) else { continue };
            let is_applied = tree.node_at(&range).is_some_and(|node| {
                ancestors(node).take(4).any(|it| tree.text_of(it) == edit.text)
            });
            if !is_applied {
                found.push((range, edit));
            }
        }
        Some(innermost(found))
    }

    /// Tells of a match whose fix would drop a part of it.
    fn leave_alone(&self, tree: &SourceTree<'_>, range: &Range<usize>, dropped: Dropped) {
        let reason = match dropped {
            Dropped::Comment => "the fix would delete a comment",
            Dropped::Token => return,
        };
        let before = tree.text.get(..range.start).unwrap_or_default();
        self.scope.files.leave_alone(
            self.scope.path,
            Some(before.matches('\n').count() + 1),
            reason,
        );
    }

    fn file_language(&self) -> Option<papayu_lang::Language> {
        papayu_lang::Language::of_path(self.scope.path)
    }

    /// Returns the edit of a match.
    fn edit_of(&self, matched: &RuleMatch<'_>) -> Option<TextReplacement> {
        let fix = self.document.get("fix").and_then(Value::as_str).unwrap_or_default();
        let is_upper = |c: char| c.is_ascii_uppercase() || c == '_' || c.is_ascii_digit();
        let names = fix
            .split("$$$")
            .skip(1)
            .map(|it| it.split(|c| !is_upper(c)).next().unwrap_or_default());
        let is_empty = |name: &&str| matched.get_env().get_multiple_matches(name).is_empty();
        let empty: Vec<String> = names.filter(is_empty).map(str::to_owned).collect();
        let compiled;
        let fixer = if empty.is_empty() {
            self.compiled.fixer.first()?
        } else {
            compiled = self.compile_without(&empty)?;
            compiled.fixer.first()?
        };
        let range = fixer.get_replaced_range(matched, &self.compiled.matcher);
        let bytes = fixer.generate_replacement(matched);
        Some(TextReplacement::new(range, String::from_utf8(bytes).ok()?))
    }

    /// Compiles the rule with a fix that leaves out variables without a node, with their commas.
    fn compile_without(&self, empty: &[String]) -> Option<RuleConfig<GrammarLanguage>> {
        let mut document = self.document.clone();
        if let Some(Value::String(fix)) = document.get_mut("fix") {
            for name in empty {
                *fix = without_variable(fix, &format!("$$${name}"));
            }
        }
        RewriteRule::compile(&document, self.file_language()?).ok()
    }
}

/// Decides which matches mean the APIs of the rule.
struct MatchChecker<'c> {
    rewriter: &'c Rewriter<'c>,
    tree: &'c SourceTree<'c>,
    bindings: &'c Bindings,
    /// The places of each API; of a rule without APIs, the places of each name that it begins with.
    places: Vec<Vec<Range<usize>>>,
    lines: Option<Vec<Range<usize>>>,
    is_typed: bool,
}

impl<'c> MatchChecker<'c> {
    fn new(rewriter: &'c Rewriter<'c>, tree: &'c SourceTree<'c>, bindings: &'c Bindings) -> Self {
        let scope = rewriter.scope;
        let lines =
            scope.lines.map(|lines| lines.iter().filter_map(|it| tree.line_range(*it)).collect());
        let mut places: Vec<Vec<Range<usize>>> =
            rewriter.names.old.values().map(|form| tree.chains(&form.text)).collect();
        let mut is_typed = !places.is_empty() || !rewriter.rule.typed.is_empty();
        if !is_typed {
            for name in root_names(rewriter.rule) {
                let is_known =
                    bindings.resolve(&name).is_some() || scope.reexports.is_defined(&name);
                is_typed = true;
                let found = if is_known || scope.allows_untyped {
                    all_uses(tree, &name, is_known)
                } else {
                    Vec::new()
                };
                places.push(found);
            }
        }
        Self { rewriter, tree, bindings, places, lines, is_typed }
    }

    /// Returns whether a match is one of the rule's APIs, on the lines in question.
    fn accepts(&self, matched: &RuleMatch<'_>) -> bool {
        let range = matched.range();
        let touches = |line: &Range<usize>| line.start < range.end && range.start < line.end;
        if self.lines.as_ref().is_some_and(|lines| !lines.iter().any(touches)) {
            return false;
        }
        if !self.is_typed && !self.rewriter.scope.allows_untyped {
            return false;
        }
        let is_named =
            |places: &Vec<Range<usize>>| places.iter().any(|it| contains(range.clone(), it));
        self.places.iter().all(is_named)
            && self.rewriter.rule.typed.iter().all(|(variable, module)| {
                let node = matched.get_env().get_match(variable);
                let node = node.and_then(|it| self.tree.node_at(&it.range()));
                node.is_some_and(|it| is_value_of(self.tree, self.bindings, it, module))
            })
    }
}

/// Returns the uses of a name that a rule writes as it is: of an import, or of a definition in the repository.
fn all_uses(tree: &SourceTree<'_>, name: &str, is_known: bool) -> Vec<Range<usize>> {
    let uses = tree.names(name).into_iter().filter(|leaf| is_reference(*leaf));
    // The definition in this file is the one that is meant, unless a function has its own.
    let is_own = |leaf: &tree_sitter::Node<'_>| {
        !tree.is_shadowed(*leaf) || is_known && tree.is_file_level(name)
    };
    uses.filter(is_own).map(|leaf| leaf.byte_range()).collect()
}

/// Moves ranges to where they are after edits, and adds the ranges of the new texts.
fn move_ranges(done: &mut Vec<Range<usize>>, edits: &[TextReplacement]) {
    let mut edits = edits.to_vec();
    edits.sort();
    let moved = |at: usize, is_end: bool| {
        let mut to = at;
        for edit in &edits {
            if edit.end < at || edit.end == at && (is_end || edit.start < edit.end) {
                to = to + edit.text.len() - (edit.end - edit.start);
            }
        }
        to
    };
    for range in done.iter_mut() {
        *range = moved(range.start, false)..moved(range.end, true);
    }
    for edit in &edits {
        let start = moved(edit.start, false);
        done.push(start..start + edit.text.len());
    }
}
