//! `papayu-batch recipe`: recipes listed, shown, tested and added.

use std::path::PathBuf;

use serde_json::json;

use crate::cli::args::{RecipeArgs, RecipeCommand, RecipeFlags};
use crate::cli::{Call, CliError, Session, runtime};
use crate::fix::FixError;
use crate::fix::fetched_recipes::FetchedRecipes;
use crate::fix::recipes::{open_folder, preview_recipe};
use crate::fix::runtime::Runtime;
use crate::recipes::{RecipeFolder, StoredRecipe, list_files, read_recipe, write_recipe};
use papayu_base::domain::ExitCode;
use papayu_base::text::line_diff;
use papayu_recipes::{Recipe, RecipeError};

/// Lists, shows, tests or adds recipes, as the arguments name it.
///
/// Fails with [`FixError::Recipe`] for a file that is refused, and [`CliError::NoRecipe`] for an unknown name.
pub(crate) fn run_recipe(call: &Call, args: &RecipeArgs) -> Result<ExitCode, CliError> {
    match &args.command {
        RecipeCommand::List(folders) => list(call, folders),
        RecipeCommand::Show { name, folders } => show(call, name, folders),
        RecipeCommand::Test { files } => test(call, files),
        RecipeCommand::Add { files, to } => add(call, files, to.as_ref()),
    }
}

fn open(call: &Call, folders: Option<&RecipeFlags>) -> Result<(Session, Runtime), CliError> {
    let flags = folders.map(RecipeFlags::flags).unwrap_or_default();
    let session = runtime::open_session(call, flags)?;
    let outside = runtime::open_runtime(&session)?;
    Ok((session, outside))
}

/// Returns the recipes that the settings name.
fn open_recipes(session: &Session, outside: &Runtime) -> RecipeFolder {
    open_folder(session, outside, &FetchedRecipes::default())
}

fn list(call: &Call, folders: &RecipeFlags) -> Result<ExitCode, CliError> {
    let (session, outside) = open(call, Some(folders))?;
    let (recipes, faults) = open_recipes(&session, &outside).read(outside.system().disk);
    let mut lines: Vec<String> = recipes.iter().map(describe).collect();
    lines.extend(faults.iter().map(|fault| format!("refused: {fault}")));
    if lines.is_empty() {
        lines.push("no recipes; name a folder with `--recipes`, or set `recipes.dir`".to_owned());
    }
    let rows: Vec<_> = recipes.iter().map(row).collect();
    let refused: Vec<String> = faults.iter().map(RecipeError::to_string).collect();
    call.print_result(&lines.join("\n"), &json!({ "recipes": rows, "refused": refused }))?;
    Ok(ExitCode::Ok)
}

fn show(call: &Call, name: &str, folders: &RecipeFlags) -> Result<ExitCode, CliError> {
    let (session, outside) = open(call, Some(folders))?;
    let disk = outside.system().disk;
    let recipe = if disk.is_file(name.as_ref()) {
        read_recipe(disk, name.as_ref()).map_err(FixError::Recipe)?
    } else {
        let (recipes, faults) = open_recipes(&session, &outside).read(disk);
        let found = recipes.into_iter().find(|it| it.recipe.id == name);
        let error = || match faults.into_iter().next() {
            // It may be the reason why the recipe is not found.
            Some(fault) => FixError::Recipe(fault).into(),
            None => CliError::NoRecipe(name.to_owned()),
        };
        found.ok_or_else(error)?.recipe
    };
    let text = recipe.to_yaml();
    call.print_result(text.trim_end(), &json!({ "id": recipe.id, "yaml": text }))?;
    Ok(ExitCode::Ok)
}

fn test(call: &Call, files: &[PathBuf]) -> Result<ExitCode, CliError> {
    let (session, outside) = open(call, None)?;
    let mut lines = Vec::new();
    let mut rows = Vec::new();
    let mut is_good = true;
    for recipe in read_all(&outside, files)? {
        let wrong = recipe.check_examples();
        is_good &= wrong.is_empty();
        let right = recipe.examples.len() - wrong.len();
        lines.push(format!(
            "{}: {} of {} examples are right",
            recipe.id,
            right,
            recipe.examples.len()
        ));
        for (example, made) in &wrong {
            let wanted = example.after.as_ref().unwrap_or(&example.before);
            let diff = line_diff::unified_hunks(wanted.as_bytes(), made.as_bytes());
            lines.push(format!("wanted (-) and made (+):\n{}", String::from_utf8_lossy(&diff)));
        }
        let (changes, left) = preview_recipe(&session, &outside, &recipe);
        for change in &changes {
            let diff = line_diff::unified_hunks(change.before.as_bytes(), change.after.as_bytes());
            lines.push(format!("{}\n{}", change.path, String::from_utf8_lossy(&diff)));
        }
        lines.extend(left.iter().cloned());
        let paths: Vec<&str> = changes.iter().map(|it| it.path.as_str()).collect();
        rows.push(json!({
            "id": recipe.id, "examples": recipe.examples.len(), "wrong": wrong.len(), "files": paths,
            "left_alone": left,
        }));
    }
    let text = lines.join("\n");
    call.print_result(text.trim_end(), &json!(rows))?;
    Ok(if is_good { ExitCode::Ok } else { ExitCode::NotFixed })
}

fn add(call: &Call, files: &[PathBuf], to: Option<&PathBuf>) -> Result<ExitCode, CliError> {
    let (session, outside) = open(call, None)?;
    let folder = to
        .cloned()
        .or(session.settings.recipes_dir.resolved(session.tree.root()))
        .ok_or(CliError::NoRecipeFolder)?;
    let mut lines = Vec::new();
    let mut added = Vec::new();
    // All are read before the first one is written.
    for recipe in read_all(&outside, files)? {
        let path = folder.join(format!("{}.yml", recipe.id));
        let disk = outside.system().disk;
        let what = if disk.is_file(&path) { "replaced" } else { "added" };
        write_recipe(disk, &path, &recipe).map_err(FixError::Recipe)?;
        lines.push(format!("{what} {}", path.display()));
        added.push(recipe.id);
    }
    call.print_result(&lines.join("\n"), &json!({ "added": added }))?;
    Ok(ExitCode::Ok)
}

/// Reads the recipes of files and folders.
fn read_all(outside: &Runtime, places: &[PathBuf]) -> Result<Vec<Recipe>, CliError> {
    let disk = outside.system().disk;
    let mut recipes = Vec::new();
    for place in places {
        let files = list_files(disk, place);
        if files.is_empty() {
            return Err(CliError::NoRecipe(place.display().to_string()));
        }
        for path in files {
            recipes.push(read_recipe(disk, &path).map_err(FixError::Recipe)?);
        }
    }
    Ok(recipes)
}

/// Returns a recipe in one line.
fn describe(stored: &StoredRecipe) -> String {
    let recipe = &stored.recipe;
    let state = if recipe.is_retired() { "retired" } else { "in use" };
    let (healed, tried) = (recipe.record.healed, recipe.record.tried);
    format!("{}  {state:7}  healed {healed} of {tried}  {}", recipe.id, recipe.title())
}

fn row(stored: &StoredRecipe) -> serde_json::Value {
    let recipe = &stored.recipe;
    let record = recipe.record;
    json!({
        "id": recipe.id, "title": recipe.title(), "file": stored.path,
        "tried": record.tried, "healed": record.healed, "failed": record.failed, "retired": recipe.is_retired(),
    })
}
