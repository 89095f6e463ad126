//! What the tests of changes share: a recipe is applied to a text, and the text compared.

#![expect(
    clippy::unwrap_used,
    reason = "these are tests, in functions that clippy does not know as such"
)]

use papayu_base::domain::FailureReport;
use papayu_recipes::{NoReexports, Recipe, RecipeFiles, RecipeTarget};

struct Nothing;

impl RecipeFiles for Nothing {
    fn paths(&self) -> Vec<String> {
        Vec::new()
    }

    fn read(&self, _: &str) -> Option<String> {
        None
    }
}

/// Returns a text after a recipe, as `--recipe` applies it.
pub(crate) fn apply(yaml: &str, path: &str, text: &str) -> String {
    let recipe = Recipe::parse("recipe.yml", yaml).unwrap();
    let target = RecipeTarget {
        files: &Nothing,
        reexports: &NoReexports,
        report: &FailureReport::default(),
        allows_untyped: true,
        allows_tests: true,
    };
    recipe.apply_to_file(target, path, text, None).unwrap_or_else(|| text.to_owned())
}
