//! Applies the recipes that match a failure to the files of a repository, in memory.

use std::collections::{BTreeMap, BTreeSet};

use papayu_base::domain::{Failure, FailureKind, FailureReport};
use papayu_lang::{Language, is_test};

use super::bindings::{Bindings, Reexports};
use super::file_bounds::{find_foreign, is_too_deep};
use super::hidden_uses::has_hidden_use;
use super::import_needs::OutsideUses;
use super::language::{GrammarLanguage, shares_rules};
use super::moves::apply_move;
use super::recipe::{Recipe, RecipeStep};
use super::recipe_files::RecipeFiles;
use super::rewrite::rewrite_file;
use super::rewrite_scope::RewriteScope;
use super::signature::{Signature, has_name};
use super::source_tree::SourceTree;
use super::version_check::VersionCheck;

/// Most bytes of a file that a recipe changes.
const MAX_SOURCE_BYTES: usize = 512 << 10;

/// Most files that one recipe changes.
const MAX_FILES: usize = 500;

/// Most places of a failure in which the name of an API is looked up.
const MAX_PLACES: usize = 5;

/// The part of a repository that a recipe may change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RecipeReach {
    /// The lines that the failure names; an API with a new name in all files.
    Lines,
    /// The files that the failure names; an API with a new name in all files.
    Files,
    /// All files.
    Repository,
}

/// The repository and the failure to which recipes are applied.
#[derive(Clone, Copy)]
pub struct RecipeTarget<'a> {
    /// The files.
    pub files: &'a dyn RecipeFiles,
    /// The names that files pass on.
    pub reexports: &'a dyn Reexports,
    /// The failures.
    pub report: &'a FailureReport,
    /// `true` if a rule may apply although no import explains its names: a model judges the result, or the user chose the rule.
    pub allows_untyped: bool,
    /// `true` if tests may be changed.
    pub allows_tests: bool,
}

/// A file before and after a recipe.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RecipeChange {
    /// The file.
    pub path: String,
    /// Its text on disk.
    pub before: String,
    /// Its text after all rules.
    pub after: String,
}

impl Recipe {
    /// Returns the failures of a report that the recipe repairs, whatever versions the repository names.
    pub fn find_failures<'r>(&self, report: &'r FailureReport) -> Vec<&'r Failure> {
        self.when.iter().flat_map(|when| when.select(report)).collect()
    }

    /// Returns whether a failure is of a tool that the recipe is for; cheap, as nothing is read.
    pub fn is_for_tools_of(&self, report: &FailureReport) -> bool {
        let is_of_tool = |when: &Signature| {
            let is_same =
                |it: &Failure| when.tool.as_ref().is_none_or(|tool| *tool == it.toolchain);
            report.failures.iter().any(is_same)
        };
        self.when.iter().any(is_of_tool)
    }

    /// Returns the failures that the recipe repairs, and those that name one of its APIs as their file calls it.
    pub fn find_failures_in<'r>(&self, target: RecipeTarget<'r>) -> Vec<&'r Failure> {
        let of_signature = |when: &Signature| {
            let found = when.select(target.report);
            let is_other = || matches!(when.check_version(target.files), VersionCheck::Differs(_));
            if found.is_empty() || is_other() { Vec::new() } else { found }
        };
        let found: Vec<&Failure> = self.when.iter().flat_map(of_signature).collect();
        if !found.is_empty() {
            return found;
        }
        let failures = target.report.failures.iter();
        failures.filter(|failure| self.is_aliased_in(failure, target)).collect()
    }

    /// Returns whether the message of a failure names an API of the recipe by the alias of the file that it points to.
    fn is_aliased_in(&self, failure: &Failure, target: RecipeTarget<'_>) -> bool {
        let is_of_tool = |when: &Signature| {
            when.message.is_some() && when.tool.as_ref().is_some_and(|it| *it == failure.toolchain)
        };
        self.when.iter().any(is_of_tool)
            && failure.locations.iter().take(MAX_PLACES).any(|place| {
                let path = place.path.trim_start_matches("./");
                let file = Language::of_path(path);
                let text = target.files.read(path).filter(|text| self.may_concern(text));
                let Some((file, text)) = file.zip(text) else { return false };
                let bindings = Bindings::read(path, file, &text, target.reexports);
                self.steps.iter().flat_map(|step| step.api_paths(file)).any(|path| {
                    bindings.forms(&path).into_iter().any(|form| {
                        form.binding.is_some_and(|it| it.is_renamed)
                            && has_name(&failure.message, &form.text)
                    })
                })
            })
    }

    /// Returns the changes within a reach; none if nothing in the files is concerned.
    pub fn apply(&self, target: RecipeTarget<'_>, reach: RecipeReach) -> Vec<RecipeChange> {
        if matches!(self.check_version(target.files), VersionCheck::Differs(_)) {
            return Vec::new();
        }
        let failures = self.find_failures_in(target);
        let lines = named_lines(&failures);
        // The linter itself names the line for this rule.
        let is_linted = !failures.is_empty()
            && failures.iter().all(|it| it.kind == FailureKind::Lint && it.code.is_some());
        let allows_untyped = target.allows_untyped || reach == RecipeReach::Lines && is_linted;
        // Rules that belong together are no help on one of their lines alone.
        let is_joined = self.steps.len() > 1 && reach == RecipeReach::Lines && !is_linted;
        let reach = if is_joined { RecipeReach::Files } else { reach };
        let target = RecipeTarget { allows_untyped, ..target };
        // An API that was removed is missing in all files, whatever the failure names.
        let is_narrow = reach != RecipeReach::Repository
            && self.steps.iter().all(|step| matches!(step, RecipeStep::Rewrite(_)));
        let paths = if is_narrow { lines.keys().cloned().collect() } else { target.files.paths() };
        let nowhere = BTreeSet::new();
        let mut changes = Vec::new();
        for path in paths {
            if target.files.is_over_time() || changes.len() > MAX_FILES {
                // A part of the files is no result.
                return Vec::new();
            }
            if is_test(&path) && !target.allows_tests
                || !self.steps.iter().any(|it| it.takes(&path))
            {
                continue;
            }
            let Some(before) = target.files.read(&path) else { continue };
            if before.len() > MAX_SOURCE_BYTES || !self.may_concern(&before) {
                continue;
            }
            if let Some(reason) = find_foreign(&path, &before) {
                self.leave_file(target, &path, &before, reason);
                continue;
            }
            let named = lines.get(&path);
            let within = match reach {
                RecipeReach::Lines => Some(named.unwrap_or(&nowhere)),
                RecipeReach::Files => Some(&nowhere).filter(|_| named.is_none()),
                RecipeReach::Repository => None,
            };
            let after = self.apply_to_file(target, &path, &before, within);
            if target.files.is_over_time() {
                return Vec::new();
            }
            if let Some(after) = after.filter(|after| *after != before) {
                changes.push(RecipeChange { path, before, after });
            }
        }
        changes
    }

    /// Returns the text of a file after all rules; `None` if one of them would break it.
    pub fn apply_to_file(
        &self,
        target: RecipeTarget<'_>,
        path: &str,
        before: &str,
        lines: Option<&BTreeSet<u32>>,
    ) -> Option<String> {
        let language = Language::of_path(path);
        if language.is_some_and(|it| is_too_deep(it, before)) {
            self.leave_file(target, path, before, "it is nested too deep");
            return self.config_steps_only(path, before);
        }
        let mut text = before.to_owned();
        if let Some(language) = language {
            let wanted: Vec<&String> =
                self.when.iter().filter_map(|when| when.dependency.as_ref()).collect();
            let bindings = Bindings::read(path, language, before, target.reexports);
            let by_path = |module: &String| {
                matches!(language, Language::Rust | Language::Java)
                    && before.contains(module.as_str())
            };
            if !wanted.is_empty() && !wanted.iter().any(|it| bindings.has_module(it) || by_path(it))
            {
                return self.config_steps_only(path, before);
            }
        }
        let outside = OutsideUses { path, reexports: target.reexports, files: target.files };
        for step in &self.steps {
            text = match (step, language) {
                (RecipeStep::Config(edit), _) if edit.takes(path) => {
                    edit.apply(path, &text).unwrap_or(text)
                }
                (RecipeStep::Move(rule), Some(file)) if shares_rules(rule.language, file) => {
                    let tree = SourceTree::parse(file, &text)?;
                    let bindings = Bindings::read(path, file, &text, target.reexports);
                    if has_hidden_use(&tree, &bindings, &rule.old) {
                        let reason = "it uses the API in a way that the rule cannot change";
                        target.files.leave_alone(path, None, reason);
                        return None;
                    }
                    apply_move(rule, &bindings, &tree, outside).unwrap_or(text)
                }
                (RecipeStep::Rewrite(rule), Some(file))
                    if shares_rules(rule.language, file) && rule.takes(path) =>
                {
                    let grammar = GrammarLanguage::new(file)?;
                    let tree = SourceTree::parse(file, &text)?;
                    let scope = RewriteScope {
                        path,
                        lines,
                        reexports: target.reexports,
                        files: target.files,
                        allows_untyped: target.allows_untyped,
                    };
                    rewrite_file(rule, scope, grammar, &tree).unwrap_or(text)
                }
                _ => text,
            };
        }
        if let Some(language) = language.filter(|_| text != before) {
            let has_error =
                |text: &str| SourceTree::parse(language, text).is_none_or(|it| it.has_error());
            if has_error(&text) && !has_error(before) {
                return None;
            }
        }
        Some(text)
    }

    /// Returns the text of a file after the edits of configuration alone.
    fn config_steps_only(&self, path: &str, before: &str) -> Option<String> {
        self.steps.iter().try_fold(before.to_owned(), |text, step| match step {
            RecipeStep::Config(edit) if edit.takes(path) => {
                Some(edit.apply(path, &text).unwrap_or(text))
            }
            _ => Some(text),
        })
    }

    /// Returns whether a text has a word without which no rule applies; a search is faster than a parser.
    fn may_concern(&self, text: &str) -> bool {
        self.steps.iter().any(|step| step.may_concern(text))
    }

    /// Reports a file that stays as it is, if it has the name of an API of the recipe; the recipe may not concern any other.
    fn leave_file(&self, target: RecipeTarget<'_>, path: &str, text: &str, reason: &'static str) {
        let has_name = |step: &RecipeStep| match step {
            RecipeStep::Config(_) => false,
            RecipeStep::Move(_) => step.may_concern(text),
            RecipeStep::Rewrite(rule) => !rule.imports.is_empty() && step.may_concern(text),
        };
        if self.steps.iter().any(has_name) {
            target.files.leave_alone(path, None, reason);
        }
    }
}

impl RecipeStep {
    fn may_concern(&self, text: &str) -> bool {
        match self {
            Self::Config(_) => true,
            Self::Move(rule) => {
                let name = if rule.old.name.is_empty() { &rule.old.module } else { &rule.old.name };
                let last = name.rsplit(['.', ':']).next().unwrap_or(name);
                text.contains(last)
            }
            Self::Rewrite(rule) => rule.imports.values().all(|api| {
                let name = if api.name.is_empty() { &api.module } else { &api.name };
                text.contains(name.rsplit(['.', ':', '/']).next().unwrap_or(name))
            }),
        }
    }

    /// Returns the full names of the APIs that the rule replaces.
    fn api_paths(&self, file: Language) -> Vec<Vec<String>> {
        match self {
            Self::Config(_) => Vec::new(),
            Self::Move(rule) => vec![rule.old.parts(file)],
            Self::Rewrite(rule) => rule.imports.values().map(|api| api.parts(file)).collect(),
        }
    }

    /// Returns whether the rule is meant for a file.
    fn takes(&self, path: &str) -> bool {
        let file = Language::of_path(path);
        let shares = |language| file.is_some_and(|file| shares_rules(language, file));
        match self {
            Self::Config(edit) => edit.takes(path),
            Self::Move(rule) => shares(rule.language),
            Self::Rewrite(rule) => shares(rule.language) && rule.takes(path),
        }
    }
}

/// Returns the lines that failures name, by file.
fn named_lines(failures: &[&Failure]) -> BTreeMap<String, BTreeSet<u32>> {
    let mut lines: BTreeMap<String, BTreeSet<u32>> = BTreeMap::new();
    for place in failures.iter().flat_map(|failure| &failure.locations) {
        let path = place.path.trim_start_matches("./").to_owned();
        lines.entry(path).or_default().extend(place.line);
    }
    lines
}
