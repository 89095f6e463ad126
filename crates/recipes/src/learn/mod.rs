//! Learns a recipe from a proved fix.
//!
//! Each changed expression becomes a rule if everything in it is an API of a dependency, named by the failure, or can be
//! replaced by variables. The recipe must turn the old files into exactly the new ones and leave all other files alone;
//! otherwise the fix belongs to its repository, and there is no recipe.

mod config_diff;
mod evidence;
mod generalize;
mod source_diff;
mod tree_diff;

use papayu_base::domain::FailureReport;
use papayu_lang::{Language, is_test};

use super::apply::{Reach, RecipeChange, RecipeFiles, RecipeTarget};
use super::bindings::Reexports;
use super::recipe::{Origin, Recipe, RecipeStep, Record};
use evidence::{Evidence, choose_signatures};

/// A proved fix.
#[derive(Clone, Copy)]
pub struct ProvedFix<'a> {
    /// The changed files.
    pub changes: &'a [RecipeChange],
    /// The failures before the change.
    pub report: &'a FailureReport,
    /// The files before the change.
    pub files: &'a dyn RecipeFiles,
    /// The names that files pass on.
    pub reexports: &'a dyn Reexports,
    /// The run that proved it.
    pub origin: &'a Origin,
}

/// A rule with what the failure has to say about it.
pub(crate) struct LearnedStep {
    pub(crate) step: RecipeStep,
    pub(crate) evidence: Evidence,
}

/// Returns the recipe of a fix.
///
/// # Errors
///
/// The reason why the fix is not one for other repositories.
pub fn learn_recipe(fix: ProvedFix<'_>) -> Result<Recipe, String> {
    let mut learned: Vec<LearnedStep> = Vec::new();
    for change in fix.changes {
        if is_test(&change.path) {
            return Err(format!("it changes the test `{}`", change.path));
        }
        let steps = match Language::of_path(&change.path) {
            Some(language) if !matches!(language, Language::Json | Language::Yaml) => {
                source_diff::learn_source(change, language, fix)?
            }
            _ => config_diff::learn_config(change)?,
        };
        for step in steps {
            match learned.iter_mut().find(|known| known.step == step.step) {
                Some(known) => known.evidence.join(step.evidence),
                None => learned.push(step),
            }
        }
    }
    let when = choose_signatures(&learned, fix.report)?;
    let mut steps: Vec<RecipeStep> = learned.into_iter().map(|it| it.step).collect();
    // Rules that name an API come before the move that renames it.
    steps.sort_by_key(|step| matches!(step, RecipeStep::Move(_)));
    let mut recipe = Recipe {
        id: String::new(),
        message: None,
        when,
        from: Some(fix.origin.clone()),
        record: Record { tried: 1, healed: 1, failed: 0 },
        examples: Vec::new(),
        steps,
    };
    recipe.id = recipe.content_id();
    recipe.message = Some(recipe.title());
    // What is written must be what was learned.
    let read = Recipe::parse("(learned)", &recipe.to_yaml()).map_err(|error| error.to_string())?;
    check_own_fix(&read, fix)?;
    Ok(read)
}

/// Refuses a recipe that does not make exactly the change that taught it.
fn check_own_fix(recipe: &Recipe, fix: ProvedFix<'_>) -> Result<(), String> {
    let target = RecipeTarget {
        files: fix.files,
        reexports: fix.reexports,
        report: fix.report,
        allows_untyped: false,
        allows_tests: false,
    };
    let mut made = recipe.apply(target, Reach::Repository);
    let mut wanted = fix.changes.to_vec();
    made.sort();
    wanted.sort();
    if made == wanted {
        return Ok(());
    }
    let differs = |it: &&RecipeChange| !wanted.contains(it);
    let path = made.iter().find(differs).or_else(|| wanted.iter().find(|it| !made.contains(it)));
    Err(format!("its rules do not make the same change of `{}`", path.map_or("", |it| &it.path)))
}
