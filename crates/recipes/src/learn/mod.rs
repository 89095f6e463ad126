//! Learns a recipe from a proved fix.
//!
//! Each changed expression becomes a rule if everything in it is an API of a dependency, named by the failure, or can be
//! replaced by variables. The recipe must turn the old files into exactly the new ones and leave all other files alone;
//! otherwise the fix belongs to its repository, and there is no recipe.

mod arguments;
mod builtins;
mod config_diff;
mod evidence;
mod file_side;
mod generalize;
mod learner;
mod rule_evidence;
mod source_diff;
mod taught_fix;
mod tree_diff;

pub use learner::{adopt_recipe, learn_recipe};
pub use taught_fix::TaughtFix;
