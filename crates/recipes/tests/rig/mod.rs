//! A repository in memory, with what a recipe leaves alone in it.

#![allow(dead_code, reason = "each file of tests uses a part of it")]
#![expect(clippy::unwrap_used, reason = "a recipe of a test that is refused ends the test")]

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use papayu_base::domain::FailureReport;
use papayu_recipes::{
    ApiName, Importer, NoReexports, Origin, Recipe, RecipeChange, RecipeFiles, RecipeReach,
    RecipeTarget, Reexports, TaughtFix, learn_recipe,
};

/// The files of a repository, and the files that import each of them.
#[derive(Default)]
pub(crate) struct Rig {
    pub(crate) texts: BTreeMap<String, String>,
    pub(crate) importers: Vec<(&'static str, &'static str, Importer)>,
    pub(crate) is_over_time: bool,
    /// The versions of a package that the lock files name.
    pub(crate) versions: Vec<(&'static str, &'static str)>,
    pub(crate) left: RefCell<BTreeSet<String>>,
}

impl RecipeFiles for Rig {
    fn paths(&self) -> Vec<String> {
        self.texts.keys().cloned().collect()
    }

    fn read(&self, path: &str) -> Option<String> {
        self.texts.get(path).cloned()
    }

    fn versions_of(&self, package: &str) -> Vec<String> {
        let of = self.versions.iter().filter(|(name, _)| *name == package);
        of.map(|(_, version)| (*version).to_owned()).collect()
    }

    fn is_over_time(&self) -> bool {
        self.is_over_time
    }

    fn leave_alone(&self, path: &str, line: Option<usize>, reason: &'static str) {
        let line = line.map(|line| format!(":{line}")).unwrap_or_default();
        self.left.borrow_mut().insert(format!("{path}{line} {reason}"));
    }
}

impl Reexports for Rig {
    fn find_api(&self, _: &str, _: &str, _: &str) -> Option<ApiName> {
        None
    }

    fn is_defined(&self, _: &str) -> bool {
        false
    }

    fn find_importers(&self, path: &str, name: &str) -> Vec<Importer> {
        let of = self.importers.iter().filter(|(file, taken, _)| *file == path && *taken == name);
        of.map(|(.., importer)| importer.clone()).collect()
    }
}

impl Rig {
    pub(crate) fn of(path: &str, text: &str) -> Self {
        Self { texts: BTreeMap::from([(path.to_owned(), text.to_owned())]), ..Self::default() }
    }

    /// Applies a recipe; returns the texts of the changed files.
    pub(crate) fn apply(&self, yaml: &str) -> BTreeMap<String, String> {
        let recipe = Recipe::parse("recipe.yml", yaml).unwrap();
        let target = RecipeTarget {
            files: self,
            reexports: self,
            report: &FailureReport::default(),
            allows_untyped: true,
            allows_tests: false,
        };
        let changes = recipe.apply(target, RecipeReach::Repository);
        changes.into_iter().map(|change| (change.path, change.after)).collect()
    }
}

/// Learns a recipe from the fix of a file.
pub(crate) fn learn(
    report: &FailureReport,
    path: &str,
    before: &str,
    after: &str,
) -> Result<Recipe, String> {
    let (path, before, after) = (path.to_owned(), before.to_owned(), after.to_owned());
    learn_recipe(TaughtFix {
        files: &Rig::of(&path, &before),
        changes: &[RecipeChange { path, before, after }],
        report,
        reexports: &NoReexports,
        origin: &Origin { proof: "tests".to_owned(), ..Origin::default() },
    })
}

/// Returns a text after a recipe that is tried because of a failure.
pub(crate) fn repair(
    recipe: &Recipe,
    report: &FailureReport,
    reach: RecipeReach,
    path: &str,
    text: &str,
) -> String {
    repair_with(recipe, report, reach, &NoReexports, (path, text))
}

/// Does the same in a repository with names that files pass on.
pub(crate) fn repair_with(
    recipe: &Recipe,
    report: &FailureReport,
    reach: RecipeReach,
    reexports: &dyn Reexports,
    file: (&str, &str),
) -> String {
    let (path, text) = file;
    let target = RecipeTarget {
        files: &Rig::of(path, text),
        reexports,
        report,
        allows_untyped: false,
        allows_tests: false,
    };
    let changes = recipe.apply(target, reach);
    changes.into_iter().next().map_or_else(|| text.to_owned(), |change| change.after)
}

/// Returns a text after a recipe that the user applies.
pub(crate) fn rewrite(yaml: &str, path: &str, text: &str) -> String {
    Rig::of(path, text).apply(yaml).remove(path).unwrap_or_else(|| text.to_owned())
}

/// Returns a rule that replaces one API of a module by another.
pub(crate) fn rule(language: &str, pattern: &str, fix: &str, apis: [&str; 2]) -> String {
    let first = |api: &str| api.split([' ', '.']).next().unwrap_or_default().to_owned();
    let [old, new] = apis;
    let (old_name, new_name) = (first(old), first(new));
    format!(
        "language: {language}\nrule:\n  pattern: |-\n    {}\nfix: |-\n  {}\nimports:\n  {old_name}: {old}\nbecomes:\n  {new_name}: {new}\n",
        pattern.replace('\n', "\n    "),
        fix.replace('\n', "\n  "),
    )
}
