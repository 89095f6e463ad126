//! Checks the examples of a recipe.

use papayu_base::domain::FailureReport;

use super::apply::RecipeTarget;
use super::bindings::NoReexports;
use super::language::ending_of;
use super::recipe::{Recipe, RecipeExample, RecipeStep};
use super::recipe_files::RecipeFiles;
use super::rules::{MoveRule, RewriteRule};

impl Recipe {
    /// Returns the examples that are wrong, with the text that the recipe makes.
    pub fn check_examples(&self) -> Vec<(RecipeExample, String)> {
        let target = RecipeTarget {
            files: &Nothing,
            reexports: &NoReexports,
            report: &FailureReport::default(),
            allows_untyped: true,
            allows_tests: true,
        };
        let wrong = |example: &RecipeExample| {
            let path = example.path.clone().unwrap_or_else(|| self.example_path());
            let made = self.apply_to_file(target, &path, &example.before, None);
            let made = made.unwrap_or_else(|| example.before.clone());
            let wanted = example.after.as_ref().unwrap_or(&example.before);
            (made != *wanted).then(|| (example.clone(), made))
        };
        self.examples.iter().filter_map(wrong).collect()
    }

    /// Returns a path of the language of the first rule.
    fn example_path(&self) -> String {
        match self.steps.first() {
            Some(RecipeStep::Config(edit)) => edit.file.clone(),
            Some(
                RecipeStep::Move(MoveRule { language, .. })
                | RecipeStep::Rewrite(RewriteRule { language, .. }),
            ) => {
                format!("src/example.{}", ending_of(*language))
            }
            None => String::new(),
        }
    }
}

/// A repository without files.
struct Nothing;

impl RecipeFiles for Nothing {
    fn paths(&self) -> Vec<String> {
        Vec::new()
    }

    fn read(&self, _: &str) -> Option<String> {
        None
    }
}
