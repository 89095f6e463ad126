//! `papayu-batch recipe`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::fix::RecipeFlags;

/// List, show, test or add recipes: rewrite rules that proved fixes taught, or that people wrote.
#[derive(Debug, Args)]
pub struct RecipeArgs {
    /// The command on recipes.
    #[command(subcommand)]
    pub command: RecipeCommand,
}

/// The commands on recipes.
#[derive(Debug, Subcommand)]
pub enum RecipeCommand {
    /// List the recipes of the folders, with the repositories that each healed
    List(RecipeFlags),
    /// Print a recipe
    Show {
        /// A file, or the id of a recipe in the folders
        name: String,
        /// The folders.
        #[command(flatten)]
        folders: RecipeFlags,
    },
    /// Check that recipes can be used and that their examples are right, and print what they would change in the repository
    Test {
        /// Files, or folders of them
        #[arg(required = true)]
        files: Vec<PathBuf>,
    },
    /// Copy recipes that can be used into the folder of learned ones
    Add {
        /// Files, or folders of them
        #[arg(required = true)]
        files: Vec<PathBuf>,
        /// The folder [default: that of `recipes.dir`]
        #[arg(long, value_name = "DIR")]
        to: Option<PathBuf>,
    },
}
