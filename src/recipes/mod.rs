//! Recipes of a run: their folders, the changes that they offer for a failure, and the order of the tasks of a batch.
//!
//! The rules themselves are [`papayu_recipes`], which never touches a disk.

mod files;
mod folder;
mod gate;
mod learn;
mod package_versions;
mod stage;

pub(crate) use files::{ImportIndex, OldFiles};
pub use folder::{ReadRecipes, RecipeFolder, StoredRecipe};
pub(crate) use folder::{
    has_recipe_name, keep_recipe, list_files, parse_recipe, read_recipe, write_recipe,
};
pub use gate::{GateTurn, RecipeGate};
pub use stage::{RecipeOffer, RecipeStage, RecipeTries, failure_key};
