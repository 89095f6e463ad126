//! The recipes that the workers of a queue learn: each task begins with those of all workers.

use std::collections::BTreeSet;
use std::path::Path;

use super::fault::QueueError;
use super::job::task_name;
use super::records::Queue;
use crate::batch::row::TaskRow;
use crate::recipes::{keep_recipe, read_recipe};
use papayu_base::domain::outcome::RecipeResult;
use papayu_recipes::Recipe;
use papayu_system::{Disk, System};

/// The beginning of the keys of recipes.
const PREFIX: &str = "recipe";

/// Most recipes that are read.
const MAX_RECIPES: usize = 1_000;

/// Writes the recipes that are not `known` yet into a folder. One that cannot be read or written is left out: it would
/// only have saved a request.
pub(super) fn fetch_recipes(
    queue: &Queue<'_>,
    system: System<'_>,
    folder: &Path,
    known: &mut BTreeSet<String>,
) -> Result<(), QueueError> {
    for name in queue.ask(|link| link.keys(PREFIX))?.into_iter().take(MAX_RECIPES) {
        if known.contains(&name) {
            continue;
        }
        let found = queue.ask(|link| link.get(&format!("{PREFIX}.{name}")))?;
        known.insert(name.clone());
        let text = found.and_then(|value| String::from_utf8(value.bytes).ok()).unwrap_or_default();
        let Ok(recipe) = Recipe::parse("queue", &text) else { continue };
        // Anyone who can write to the queue chooses the id.
        if task_name(&recipe.id) == name {
            let _kept = keep_recipe(system.disk, system.clock, folder, &recipe);
        }
    }
    Ok(())
}

/// Adds the recipes that a task has learned to the queue, unless it has them.
pub(super) fn share_recipes(
    queue: &Queue<'_>,
    disk: &dyn Disk,
    folder: &Path,
    row: &TaskRow,
) -> Result<(), QueueError> {
    let learned = row.recipes.iter().filter(|record| record.result == RecipeResult::Learned);
    for record in learned {
        let path = folder.join(format!("{}.yml", record.id));
        let Ok(recipe) = read_recipe(disk, &path) else { continue };
        let key = format!("{PREFIX}.{}", task_name(&recipe.id));
        queue.ask(|link| link.set(&key, recipe.to_yaml().into_bytes(), None))?;
    }
    Ok(())
}
