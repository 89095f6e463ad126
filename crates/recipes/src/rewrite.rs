//! Applies a rule of ast-grep to a file, for every name under which the file knows the rule's APIs.

use std::ops::Range;

use ast_grep_config::RuleConfig;
use ast_grep_core::AstGrep;
use ast_grep_core::replacer::Replacer;
use serde_json::Value;

use super::bindings::Bindings;
use super::go_patterns::read_calls;
use super::import_update::ImportUpdate;
use super::language::GrammarLanguage;
use super::lost_comments::CommentKeeper;
use super::match_checker::MatchChecker;
use super::nested::{JudgedMatches, deepest, innermost, move_ranges};
use super::nodes::{ancestors, contains};
use super::own_result::OwnResult;
use super::pattern_text::without_variable;
use super::rewrite_scope::{NamedRule, RewriteScope, RuleMatch};
use super::rules::RewriteRule;
use super::source_tree::SourceTree;
use super::spelled_names::{SpelledNames, combine_forms, find_alias};
use super::text_edit::{TextReplacement, apply_edits};

/// Most passes over a file: each handles one level of nested matches.
const MAX_PASSES: usize = 64;

/// The reason why a file with deeper nested matches stays as it is.
const TOO_DEEP: &str = "its places to change are nested too deep";

/// Most changed places of a file.
const MAX_EDITS: usize = 1_000;

/// Returns the text of a file after a rule; `None` if the rule changes nothing, or cannot be applied safely.
pub(crate) fn rewrite_file(
    rule: &RewriteRule,
    scope: RewriteScope<'_>,
    file: GrammarLanguage,
    tree: &SourceTree<'_>,
) -> Option<String> {
    let bindings = Bindings::read(scope.path, tree.language, tree.text, scope.reexports);
    let source = RewriteSource { rule, scope, file, language: tree.language };
    let mut state =
        RewriteState { text: tree.text.to_owned(), done: Vec::new(), changed: Vec::new() };
    for forms in combine_forms(rule, &bindings) {
        // A file that has its own name for the old API keeps it for the new one, unless it needs the old one still.
        let alias = find_alias(rule, &forms, tree, &bindings);
        let aliased = alias.and_then(|(binding, uses)| {
            let names = SpelledNames::choose(rule, &bindings, tree, forms.clone(), Some(&binding))?;
            let count = state.done.len();
            let next = source.rewrite_form(names, state.clone())?;
            (next.done.len() - count == uses).then_some(next)
        });
        state = if let Some(next) = aliased {
            next
        } else {
            let names = SpelledNames::choose(rule, &bindings, tree, forms, None)?;
            source.rewrite_form(names, state)?
        };
    }
    let RewriteState { text, changed, .. } = state;
    // The imports come last, so that what was rewritten stays at its place.
    let update = ImportUpdate { rule, scope, before: tree, before_bindings: &bindings };
    let text = if changed.is_empty() { text } else { update.update(&changed, text)? };
    (text != tree.text).then_some(text)
}

/// A file between the names of a rule.
#[derive(Clone)]
struct RewriteState {
    text: String,
    /// The places that were rewritten.
    done: Vec<Range<usize>>,
    /// The names by which places were rewritten.
    changed: Vec<SpelledNames>,
}

/// A rule and the file that it is applied to.
struct RewriteSource<'s> {
    rule: &'s RewriteRule,
    scope: RewriteScope<'s>,
    file: GrammarLanguage,
    language: papayu_lang::Language,
}

impl RewriteSource<'_> {
    /// Rewrites a text with one choice of names.
    fn rewrite_form(&self, names: SpelledNames, mut state: RewriteState) -> Option<RewriteState> {
        let Self { rule, scope, file, language } = *self;
        let document = read_calls(&names.spell(&rule.document), language);
        let Ok(compiled) = RewriteRule::compile(&document, language) else {
            return Some(state);
        };
        let keeper = CommentKeeper::of(&document, file);
        let named = NamedRule { rule, scope, file, names: &names, document };
        let own_result = OwnResult::of(&named);
        let rewriter = Rewriter { named, compiled, keeper, own_result };
        let count = state.done.len();
        state.text = rewriter.run(state.text, &mut state.done)?;
        if state.done.len() > count {
            state.changed.push(names);
        }
        Some(state)
    }
}

/// A rule with the names of one file, compiled.
struct Rewriter<'r> {
    named: NamedRule<'r>,
    compiled: RuleConfig<GrammarLanguage>,
    keeper: CommentKeeper,
    own_result: OwnResult,
}

impl Rewriter<'_> {
    /// Rewrites a text pass by pass, inner matches first. What was rewritten is in `done` and not matched again, so a rule
    /// that swaps two arguments swaps them once.
    fn run(&self, mut text: String, done: &mut Vec<Range<usize>>) -> Option<String> {
        let mut judged = JudgedMatches::default();
        for _ in 0..MAX_PASSES {
            let edits = self.find_edits(&text, done, &mut judged)?;
            if edits.is_empty() {
                return Some(text);
            }
            if done.len() + edits.len() > MAX_EDITS {
                self.named.scope.leave_alone(None, "it has more than 1000 places to change");
                return None;
            }
            move_ranges(done, &edits);
            judged.move_by(&edits);
            text = apply_edits(&text, edits);
        }
        // Deeper than any program: rather nothing than a half.
        self.named.scope.leave_alone(None, TOO_DEEP);
        None
    }

    /// Returns the edits of one pass. The meaning of a match is decided in the pass that finds it first.
    fn find_edits(
        &self,
        text: &str,
        done: &[Range<usize>],
        judged: &mut JudgedMatches,
    ) -> Option<Vec<TextReplacement>> {
        let tree = SourceTree::parse(self.file_language()?, text)?;
        let bindings =
            Bindings::read(self.named.scope.path, tree.language, text, self.named.scope.reexports);
        let grep = AstGrep::doc(self.named.file.parse(text)?);
        if deepest(grep.root().find_all(&self.compiled.matcher).map(|it| it.range())) > MAX_PASSES {
            self.named.scope.leave_alone(None, TOO_DEEP);
            return None;
        }
        let mut checker = None;
        let mut found: Vec<(Range<usize>, TextReplacement)> = Vec::new();
        for matched in grep.root().find_all(&self.compiled.matcher) {
            let range = matched.range();
            if self.named.scope.files.is_over_time() {
                return None;
            }
            let is_accepted = || {
                let checker =
                    checker.get_or_insert_with(|| MatchChecker::new(&self.named, &tree, &bindings));
                checker.accepts(&matched)
            };
            let is_done = done.iter().any(|it| contains(it.clone(), &range));
            if is_done || !judged.find(&range, is_accepted) {
                continue;
            }
            if self.keeper.loses_comment(&tree, &matched) {
                let line = line_of(text, range.start);
                self.named.scope.leave_alone(Some(line), "the fix would delete a comment");
                continue;
            }
            if self.own_result.has(&matched) {
                let line = line_of(text, range.start);
                self.named.scope.leave_alone(Some(line), "it is what the fix makes already");
                continue;
            }
            let Some(edit) = self.edit_of(&matched) else { continue };
            // The new text is the old one where an alias stays, which is no second change.
            let is_kept =
                self.named.names.alias.is_some() && text.get(range.clone()) == Some(&edit.text);
            let is_applied = tree.node_at(&range).is_some_and(|node| {
                ancestors(node).take(4).any(|it| tree.text_of(it) == edit.text)
            });
            if is_kept || !is_applied {
                found.push((range, edit));
            }
        }
        Some(innermost(found))
    }

    fn file_language(&self) -> Option<papayu_lang::Language> {
        papayu_lang::Language::of_path(self.named.scope.path)
    }

    /// Returns the edit of a match.
    fn edit_of(&self, matched: &RuleMatch<'_>) -> Option<TextReplacement> {
        let fix = self.named.document.get("fix").and_then(Value::as_str).unwrap_or_default();
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
        let mut document = self.named.document.clone();
        if let Some(Value::String(fix)) = document.get_mut("fix") {
            for name in empty {
                *fix = without_variable(fix, &format!("$$${name}"));
            }
        }
        RewriteRule::compile(&document, self.file_language()?).ok()
    }
}

/// Returns the line of a byte, from 1.
fn line_of(text: &str, at: usize) -> usize {
    text.get(..at).unwrap_or_default().matches('\n').count() + 1
}
