//! Puts the rules of a fix together, and tests the recipe on the fix itself.

use std::ops::Range;

use papayu_lang::{Language, is_test};

use super::evidence::choose_signatures;
use super::taught_fix::{LearnedStep, TaughtFix};
use super::{config_diff, source_diff};
use crate::apply::{RecipeChange, RecipeReach, RecipeTarget};
use crate::recipe::{Recipe, RecipeStep, Record};
use crate::signature::Signature;
use crate::source_tree::SourceTree;

/// Returns the recipe of a fix.
///
/// # Errors
///
/// The reason why the fix is not one for other repositories.
pub fn learn_recipe(fix: TaughtFix<'_>) -> Result<Recipe, String> {
    refuse_tests(fix)?;
    let mut learned: Vec<LearnedStep> = Vec::new();
    for change in fix.changes {
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
    let when = choose_signatures(&learned, fix)?;
    let mut steps: Vec<RecipeStep> = learned.into_iter().map(|it| it.step).collect();
    // Rules that name an API come before the move that renames it.
    steps.sort_by_key(|step| matches!(step, RecipeStep::Move(_)));
    test_recipe(when, steps, fix)
}

/// Returns the recipe of a text that a model has written for a fix, if it passes the tests of a learned one.
///
/// # Errors
///
/// The reason why the text is no recipe, or not one for this fix.
pub fn adopt_recipe(fix: TaughtFix<'_>, text: &str) -> Result<Recipe, String> {
    refuse_tests(fix)?;
    let read = Recipe::parse("(reply)", text).map_err(|error| error.to_string())?;
    if read.find_failures(fix.report).is_empty() {
        return Err("its `when` is not for the failure".to_owned());
    }
    let when = read.when.into_iter().map(|it| it.with_version_of(fix.files)).collect();
    test_recipe(when, read.steps, fix)
}

fn refuse_tests(fix: TaughtFix<'_>) -> Result<(), String> {
    match fix.changes.iter().find(|change| is_test(&change.path)) {
        Some(change) => Err(format!("it changes the test `{}`", change.path)),
        None => Ok(()),
    }
}

/// Returns the recipe of some rules if it makes exactly the fix.
fn test_recipe(
    when: Vec<Signature>,
    steps: Vec<RecipeStep>,
    fix: TaughtFix<'_>,
) -> Result<Recipe, String> {
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
    // The written recipe must be the tested one.
    let read = Recipe::parse("(learned)", &recipe.to_yaml()).map_err(|error| error.to_string())?;
    check_own_fix(&read, fix)?;
    Ok(read)
}

/// Refuses a recipe that does not make exactly the change that taught it.
fn check_own_fix(recipe: &Recipe, fix: TaughtFix<'_>) -> Result<(), String> {
    let target = RecipeTarget {
        files: fix.files,
        reexports: fix.reexports,
        report: fix.report,
        allows_untyped: false,
        allows_tests: false,
    };
    // A rule without names is applied to the lines that a linter names, and nowhere else.
    let is_typed = |step: &RecipeStep| match step {
        RecipeStep::Rewrite(rule) => !rule.imports.is_empty() || !rule.typed.is_empty(),
        RecipeStep::Move(_) | RecipeStep::Config(_) => true,
    };
    let reach = if recipe.steps.iter().all(is_typed) {
        RecipeReach::Repository
    } else {
        RecipeReach::Lines
    };
    let mut made = recipe.apply(target, reach);
    let mut wanted = fix.changes.to_vec();
    made.sort();
    wanted.sort();
    let are_same = |(made, wanted): (&RecipeChange, &RecipeChange)| {
        (&made.path, &made.before) == (&wanted.path, &wanted.before)
            && without_order(made) == without_order(wanted)
    };
    if made.len() == wanted.len() && made.iter().zip(&wanted).all(are_same) {
        return Ok(());
    }
    let differs = |it: &&RecipeChange| !wanted.contains(it);
    let path = made.iter().find(differs).or_else(|| wanted.iter().find(|it| !made.contains(it)));
    Err(format!("its rules do not make the same change of `{}`", path.map_or("", |it| &it.path)))
}

/// Returns the text of a changed file without its imports, and these in an order of their own: where an import is added is a
/// matter of taste.
fn without_order(change: &RecipeChange) -> (String, Vec<&str>) {
    let text = change.after.as_str();
    let language = Language::of_path(&change.path);
    let tree = language.and_then(|language| SourceTree::parse(language, text));
    let imports = tree.iter().flat_map(SourceTree::imports);
    let mut places: Vec<Range<usize>> = imports.map(|it| it.byte_range()).collect();
    places.sort_by_key(|place| (place.start, place.end));
    let (mut rest, mut lines, mut at) = (String::new(), Vec::new(), 0);
    for place in places {
        rest.push_str(text.get(at..place.start).unwrap_or_default());
        lines.push(text.get(place.clone()).unwrap_or_default());
        at = at.max(place.end);
    }
    rest.push_str(text.get(at..).unwrap_or_default());
    lines.sort_unstable();
    (rest, lines)
}
