//! What the user chose, from every place a choice can stand, each value with where it came from.
//!
//! Flags win over the environment (`PAPAYU_*`), that over `papayu.toml` in the repository, that
//! over the user's own file, that over `defaults.toml`. Names nobody knows are errors: a typing
//! mistake must not pass for a choice. The words of this module are in [`keys`], one row each.

mod environment;
mod error;
mod file;
mod key;
pub mod keys;
mod kind;
mod layers;
mod origin;
mod provider;
mod raw;
mod schema;
mod suggest;
#[cfg(test)]
mod tests;
mod words;

pub use environment::user_file;
pub use error::{Problem, ProblemKind, SettingsError};
pub use key::{Key, Row};
pub use keys::{KEYS, Settings};
pub use kind::Kind;
pub use layers::{FlagValue, load};
pub use origin::{Origin, Setting};
pub use provider::{ProviderChoice, ProviderKind};
pub use schema::papayu_schema;
pub use suggest::nearest;
pub use words::{Emit, Eol, LogFormat};
