//! Recipes: rewrite rules that a proved fix teaches, or that people write, and that the next repository tries first.
//!
//! [`Recipe::parse`] reads a file: rules of ast-grep in its own form, with a header of the failures that they repair
//! ([`Signature`]) and what their names mean ([`ApiName`]). [`Recipe::apply`] changes texts in memory; the caller vets,
//! writes and proves them like any other change. [`learn_recipe`] turns a proved fix into a recipe.
//!
//! Nothing here touches a disk: files come from [`RecipeFiles`].

mod api_name;
mod apply;
mod bindings;
mod config_edit;
mod config_value;
mod coverage;
mod error;
mod examples;
mod fault;
mod file_bounds;
mod go_patterns;
mod hidden_uses;
mod import_edit;
mod import_needs;
mod import_update;
mod language;
mod learn;
mod load_checks;
mod lost_comments;
mod macro_calls;
mod match_checker;
mod module_strings;
mod moves;
mod name_role;
mod nested;
mod nodes;
mod own_result;
mod pattern_text;
mod recipe;
mod recipe_files;
mod resolve;
mod rewrite;
mod rewrite_scope;
mod rule_bounds;
mod rules;
mod scopes;
mod script_imports;
mod signature;
mod source_tree;
mod spelled_names;
mod text_edit;
mod value_type;
mod version_check;

pub use api_name::ApiName;
pub use apply::{RecipeChange, RecipeReach, RecipeTarget};
pub use bindings::{Importer, NoReexports, Reexports};
pub use config_edit::ConfigEdit;
pub use error::RecipeError;
pub use file_bounds::is_copy;
pub use learn::{TaughtFix, adopt_recipe, learn_recipe};
pub use recipe::{
    MAX_FILE_BYTES, Origin, RETIRED_AFTER, Recipe, RecipeExample, RecipeStep, Record,
};
pub use recipe_files::RecipeFiles;
pub use rules::{MoveRule, RewriteRule};
pub use signature::Signature;
pub use version_check::VersionCheck;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
